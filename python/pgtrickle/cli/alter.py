"""`pgtrickle alter`: change a stream table while it is read."""

from typing import Annotated

import typer

from pgtrickle.catalog.model import CaptureFailure, RefreshMode
from pgtrickle.cli.console import bare, say, working
from pgtrickle.cli.door import connected
from pgtrickle.cli.options import Dsn, Name
from pgtrickle.cli.query_text import Query, QueryFile, query_text

Mode = Annotated[
    RefreshMode | None,
    typer.Option("--refresh-mode", case_sensitive=False, help="How it is maintained from now on."),
]
Schedule = Annotated[
    str | None, typer.Option("--schedule", help="How often the scheduler should refresh it.")
]
OnCaptureFailure = Annotated[
    CaptureFailure | None,
    typer.Option(
        "--capture-failure",
        case_sensitive=False,
        help="When a trigger cannot record a change: rebuild later, or fail the writer.",
    ),
]
NewStatus = Annotated[
    str | None,
    typer.Option("--status", metavar="[ACTIVE|SUSPENDED]", help="Suspend it, or let it go on."),
]
Cascade = Annotated[
    bool,
    typer.Option("--cascade", help="Create dependant views again where columns change."),
]


def alter(  # noqa: PLR0913 - one parameter for each option
    name: Name,
    query: Query = None,
    *,
    file: QueryFile = None,
    refresh_mode: Mode = None,
    schedule: Schedule = None,
    capture_failure: OnCaptureFailure = None,
    status: NewStatus = None,
    cascade: Cascade = False,
    dsn: Dsn = None,
) -> None:
    """Change the query, mode, schedule or status of a stream table; readers go on reading."""
    text = None if query is None and file is None else query_text(query, file)
    if all(each is None for each in (text, refresh_mode, schedule, capture_failure, status)):
        raise typer.BadParameter("say what to change: a query, or one of the options")
    with connected(dsn) as client:
        with working(f"altering {name}"):
            table = client.alter_stream_table(
                name,
                query=text,
                schedule=schedule,
                refresh_mode=refresh_mode,
                status=status,
                capture_failure=capture_failure,
                cascade=cascade,
            )
        say(
            f"stream table {bare(str(table.name))} is {table.status.lower()}, "
            f"refresh mode {table.effective_mode}"
        )
