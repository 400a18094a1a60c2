"""Where a query comes from: an argument, a file, or stdin."""

from pathlib import Path
from typing import Annotated

import typer

STDIN = "-"

Query = Annotated[
    str | None,
    typer.Argument(metavar="QUERY", help="One SELECT, or - for stdin.", show_default=False),
]
QueryFile = Annotated[
    Path | None,
    typer.Option(
        "--file",
        "-f",
        metavar="PATH",
        help="Read the query from a file.",
        exists=True,
        dir_okay=False,
        readable=True,
        show_default=False,
    ),
]


def query_text(query: str | None, file: Path | None) -> str:
    """Return the query's text from wherever it was given."""
    if (query is None) == (file is None):
        raise typer.BadParameter("give one query: as an argument, with --file, or - for stdin")
    text = _read(file) if file is not None else query or ""
    if query == STDIN:
        text = typer.get_text_stream("stdin").read()
    if not text.strip():
        raise typer.BadParameter("the query is empty")
    return text


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise typer.BadParameter(f"cannot read {file} as UTF-8 text") from error
