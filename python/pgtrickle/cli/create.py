"""`pgtrickle create` and `pgtrickle drop`: one stream table comes and goes."""

from typing import Annotated

import typer

from pgtrickle.api import DEFAULT_SCHEDULE
from pgtrickle.catalog.model import CaptureFailure, RefreshMode
from pgtrickle.cli.console import bare, say, working
from pgtrickle.cli.door import connected
from pgtrickle.cli.options import Dsn, Name
from pgtrickle.cli.query_text import Query, QueryFile, query_text

Mode = Annotated[
    RefreshMode,
    typer.Option(
        "--refresh-mode",
        case_sensitive=False,
        help="AUTO falls back to FULL with a warning; DIFFERENTIAL refuses to.",
    ),
]
Schedule = Annotated[
    str, typer.Option("--schedule", help="How often the scheduler should refresh it.")
]
OnCaptureFailure = Annotated[
    CaptureFailure,
    typer.Option(
        "--capture-failure",
        case_sensitive=False,
        help="When a trigger cannot record a change: rebuild later, or fail the writer.",
    ),
]
Strict = Annotated[bool, typer.Option("--strict", help="Refuse a query that would fall back.")]
IfNotExists = Annotated[
    bool, typer.Option("--if-not-exists", help="Leave a stream table of that name as it is.")
]
Cascade = Annotated[
    bool, typer.Option("--cascade", help="Also drop everything that reads the stream table.")
]


def create(  # noqa: PLR0913 - one parameter for each option
    name: Name,
    query: Query = None,
    *,
    file: QueryFile = None,
    refresh_mode: Mode = RefreshMode.AUTO,
    schedule: Schedule = DEFAULT_SCHEDULE,
    capture_failure: OnCaptureFailure = CaptureFailure.REBUILD,
    strict: Strict = False,
    if_not_exists: IfNotExists = False,
    dsn: Dsn = None,
) -> None:
    """Create a stream table for a query and fill it."""
    text = query_text(query, file)
    with connected(dsn) as client:
        with working(f"creating {name}"):
            table = client.create_stream_table(
                name,
                text,
                schedule=schedule,
                refresh_mode=refresh_mode,
                capture_failure=capture_failure,
                strict=strict,
                if_not_exists=if_not_exists,
            )
        say(f"stream table {bare(str(table.name))} is ready, refresh mode {table.effective_mode}")


def drop(name: Name, *, cascade: Cascade = False, dsn: Dsn = None) -> None:
    """Drop a stream table and the capture that only it needed."""
    with connected(dsn) as client:
        with working(f"dropping {name}"):
            client.drop_stream_table(name, cascade=cascade)
        say(f"dropped stream table {name}")
