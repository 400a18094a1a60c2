"""`pgtrickle history`: the latest refreshes that did something."""

from typing import Annotated

import typer
from rich.text import Text

from pgtrickle.catalog.model import RefreshRecord
from pgtrickle.cli.console import bare, note, show_table, table
from pgtrickle.cli.door import connected
from pgtrickle.cli.jsonform import show_json
from pgtrickle.cli.options import AsJson, Dsn, OptionalName

Limit = Annotated[int, typer.Option("--limit", "-n", min=1, help="At most so many, newest first.")]

COLUMNS = (
    "started",
    "stream table",
    "action",
    "#inserted",
    "#updated",
    "#deleted",
    "#ms",
    "reason",
)
DEFAULT_LIMIT = 20


def history(
    name: OptionalName = None,
    *,
    limit: Limit = DEFAULT_LIMIT,
    as_json: AsJson = False,
    dsn: Dsn = None,
) -> None:
    """Show the latest refreshes of one stream table, or of all."""
    with connected(dsn) as client:
        records = client.refresh_history(name, limit=limit)
    if as_json:
        show_json(records)
    elif not records:
        note("no refresh has changed anything yet")
    else:
        show_table(table(COLUMNS, [_row(record) for record in records]))


def _row(record: RefreshRecord) -> list[Text | str]:
    elapsed = record.finished_at - record.started_at
    return [
        record.started_at.isoformat(sep=" ", timespec="milliseconds"),
        bare(record.stream_table),
        record.action,
        f"{record.inserted:,}",
        f"{record.updated:,}",
        f"{record.deleted:,}",
        f"{elapsed.total_seconds() * 1000:.1f}",
        Text(record.error, "red") if record.error else record.reason,
    ]
