"""`pgtrickle verify`: the stored rows against the query, in one snapshot."""

from collections.abc import Sequence

import typer
from rich.text import Text

from pgtrickle.api import Client
from pgtrickle.catalog.model import Status, VerifyReport
from pgtrickle.cli.console import bare, note, show_error, show_table, table, working
from pgtrickle.cli.door import DIFFERS, FAILED, connected
from pgtrickle.cli.jsonform import show_json
from pgtrickle.cli.options import AsJson, Dsn, Everything, OptionalName, require_one_or_all
from pgtrickle.errors import PgtrickleError

COLUMNS = ("stream table", "verdict", "#rows", "#missing", "#extra")


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
        _show(reports)
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


def _show(reports: Sequence[VerifyReport]) -> None:
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
