"""`pgtrickle refresh`: bring one stream table, or all of them, to the present."""

from collections.abc import Sequence
from typing import Annotated

import typer
from rich.text import Text

from pgtrickle.api import Client
from pgtrickle.catalog.model import Action, RefreshReport, Status
from pgtrickle.cli.console import bare, note, show_table, table, working
from pgtrickle.cli.door import FAILED, connected
from pgtrickle.cli.jsonform import show_json
from pgtrickle.cli.options import AsJson, Dsn, Everything, OptionalName, require_one_or_all

Full = Annotated[
    bool, typer.Option("--full", help="Evaluate the whole query and apply the difference.")
]
IncludeSuspended = Annotated[
    bool, typer.Option("--include-suspended", help="Refresh it although it is suspended.")
]

COLUMNS = ("stream table", "action", "#inserted", "#updated", "#deleted", "#ms", "reason")
STYLES = {Action.NO_DATA: "dim", Action.DIFFERENTIAL: "green", Action.FULL: "yellow"}


def refresh(
    name: OptionalName = None,
    *,
    everything: Everything = False,
    full: Full = False,
    include_suspended: IncludeSuspended = False,
    as_json: AsJson = False,
    dsn: Dsn = None,
) -> None:
    """Refresh one stream table, or all of them in the order of their dependencies."""
    require_one_or_all(name, everything=everything)
    if everything and (full or include_suspended):
        raise typer.BadParameter("--full and --include-suspended take one stream table, not --all")
    with connected(dsn) as client, working(f"refreshing {name or 'all stream tables'}"):
        if name is not None:
            report = client.refresh_stream_table(
                name, full=full, include_suspended=include_suspended
            )
            reports, failed = [report], False
        else:
            reports = client.refresh_all()
            failed = bool(unrefreshed(client, reports))
    if as_json:
        show_json(reports[0] if name is not None else reports)
    else:
        show_reports(reports)
    if failed:
        raise typer.Exit(FAILED)


def unrefreshed(client: Client, reports: Sequence[RefreshReport]) -> list[str]:
    """Return the stream tables that should have a report and have none: their refresh failed."""
    done = {report.stream_table for report in reports}
    idle = (Status.POPULATING, Status.SUSPENDED)
    due = [table for table in client.stream_tables() if table.status not in idle]
    return [str(table.name) for table in due if str(table.name) not in done]


def show_reports(reports: Sequence[RefreshReport]) -> None:
    """Print what each refresh did."""
    if not reports:
        note("nothing was refreshed")
        return
    show_table(table(COLUMNS, [_row(report) for report in reports]))


def _row(report: RefreshReport) -> list[Text | str]:
    return [
        bare(report.stream_table),
        Text(report.action, STYLES[report.action]),
        f"{report.inserted:,}",
        f"{report.updated:,}",
        f"{report.deleted:,}",
        f"{report.elapsed_ms:.1f}",
        report.reason,
    ]
