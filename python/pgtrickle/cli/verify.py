"""`pgtrickle verify`: the stored rows against the query, in one snapshot."""

from collections.abc import Sequence

import typer
from rich.text import Text

from pgtrickle.api import Client
from pgtrickle.catalog.model import DifferenceKind, Status, VerifyReport
from pgtrickle.cli.console import bare, note, say, show_error, show_table, table, working
from pgtrickle.cli.door import DIFFERS, FAILED, connected
from pgtrickle.cli.jsonform import show_json
from pgtrickle.cli.options import AsJson, Dsn, Everything, OptionalName, require_one_or_all
from pgtrickle.errors import PgtrickleError

COLUMNS = ("stream table", "verdict", "#rows", "#missing", "#extra")
STYLES = {DifferenceKind.MISSING: "red", DifferenceKind.EXTRA: "yellow"}
# Characters of a value that the table of differing rows shows; --json has all.
VALUE_WIDTH = 60


def verify(
    name: OptionalName = None,
    *,
    everything: Everything = False,
    as_json: AsJson = False,
    dsn: Dsn = None,
) -> None:
    """Refresh, then compare with the query in the same snapshot; status 3 when rows differ."""
    require_one_or_all(name, everything=everything)
    with connected(dsn) as client:
        if name is not None:
            with working(f"verifying {name}"):
                reports, failed = [client.verify(name)], False
        else:
            with working("verifying all stream tables"):
                reports, failed = verify_all(client)
    if as_json:
        show_json(reports[0] if name is not None else reports)
    else:
        show_reports(reports)
    if not all(report.matches for report in reports):
        raise typer.Exit(DIFFERS)
    if failed:
        raise typer.Exit(FAILED)


def verify_all(client: Client) -> tuple[list[VerifyReport], bool]:
    """Return the audit of every stream table that can be audited, and whether one could not be.

    Each is compared with its query over what the others show at that moment. A suspended one is left out.
    """
    reports, failed = [], False
    for found in client.stream_tables():
        if found.status in {Status.POPULATING, Status.SUSPENDED}:
            continue
        try:
            reports.append(client.verify(str(found.name)))
        except PgtrickleError as error:
            show_error(error)
            failed = True
    return reports, failed


def verdict(*, matches: bool) -> Text:
    """Return the outcome of an audit in one word."""
    return Text("verified", "green") if matches else Text("DIFFERS", "bold red")


def show_reports(reports: Sequence[VerifyReport]) -> None:
    """Print what each audit found, then the rows that differ."""
    if not reports:
        note("nothing was verified")
        return
    rows: list[list[Text | str]] = [
        [
            bare(report.stream_table),
            verdict(matches=report.matches),
            f"{report.rows:,}",
            f"{report.missing:,}",
            f"{report.extra:,}",
        ]
        for report in reports
    ]
    show_table(table(COLUMNS, rows))
    for report in reports:
        _show_differences(report)


def _show_differences(report: VerifyReport) -> None:
    """Print the rows that differ, and say what the table does not."""
    name = bare(report.stream_table)
    if report.unlike:
        note(
            f"{name}: {report.unlike:,} rows equal the query's and print differently, as 1.0 for 1.00"
        )
    if not report.differences:
        return
    columns = list(report.differences[0].row)
    rows = [
        [Text(each.kind, STYLES[each.kind]), *(_value(each.row[column]) for column in columns)]
        for each in report.differences
    ]
    say(f"{name}: missing rows are in its query only, extra rows in the stream table only")
    show_table(table(["difference", *columns], rows))
    hidden = report.missing + report.extra - len(rows)
    if hidden:
        note(f"{name}: {hidden:,} more rows differ")


def _value(text: str | None) -> Text:
    """Return a value in one line, cut where it is long; what a terminal would act on is a dot."""
    if text is None:
        return Text("NULL", "dim")
    line = "".join(each if each.isprintable() else "·" for each in text[:VALUE_WIDTH])
    return Text(line if len(text) <= VALUE_WIDTH else f"{line}…")
