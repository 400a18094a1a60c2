"""What a person sees: tables, messages, errors and a spinner; plain text where nobody is looking.

Results go to stdout; everything said about them (warnings, errors, progress) goes to stderr.
"""

from __future__ import annotations

import io
import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich import box
from rich.console import Console
from rich.table import Table
from rich.text import Text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from pgtrickle.errors import PgtrickleError

UNLIMITED = 10_000
_QUOTED = re.compile(r"""'(?:[^']|'')*'|"(?:[^"]|"")*\"""")
_PLAIN_IDENTIFIER = re.compile(r'"([a-z_][a-z0-9_]*)"')


def stdout() -> Console:
    """Return a console on stdout that prints text as it is."""
    return Console(highlight=False, markup=False, emoji=False)


def stderr() -> Console:
    """Return a console on stderr that prints text as it is."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)


def say(message: str | Text) -> None:
    """Print a line of the result."""
    _print(stdout(), message)


def note(message: str, style: str | None = None) -> None:
    """Print a line about the result to stderr."""
    _print(stderr(), Text(message, style or ""))


def _print(console: Console, message: str | Text) -> None:
    """Print one message; its lines are broken between words for a reader, and nowhere for a program."""
    console.print(message, soft_wrap=not console.is_terminal)


def show_error(error: PgtrickleError) -> None:
    """Print code, message, detail and hint to stderr, in red."""
    note(f"error: {error}", "red")


def show_warning(message: str) -> None:
    """Print a warning to stderr, in yellow."""
    note(f"warning: {message}", "yellow")


def bare(text: str) -> str:
    """Return names or SQL without the double quotes that a reader does not need; literals stay."""
    return _QUOTED.sub(_bare_identifier, text)


def _bare_identifier(quoted: re.Match[str]) -> str:
    plain_one = _PLAIN_IDENTIFIER.fullmatch(quoted[0])
    return plain_one[1] if plain_one else quoted[0]


def table(columns: Sequence[str], rows: Iterable[Sequence[Text | str]]) -> Table:
    """Return a table; the columns whose name begins with `#` hold numbers."""
    drawn = Table(box=box.SIMPLE_HEAD, pad_edge=False, collapse_padding=True)
    for column in columns:
        is_number = column.startswith("#")
        drawn.add_column(
            column.removeprefix("#"), justify="right" if is_number else "left", no_wrap=is_number
        )
    for row in rows:
        drawn.add_row(*(Text(cell) if isinstance(cell, str) else cell for cell in row))
    return drawn


def show_table(drawn: Table) -> None:
    """Print a table: drawn on a terminal, aligned words when piped, whatever the width."""
    console = stdout()
    if console.is_terminal:
        console.print(drawn)
        return
    console.print(plain(drawn), soft_wrap=True, end="")


def plain(drawn: Table) -> str:
    """Return a table as aligned words: no lines, no colour, no cell cut off."""
    drawn.box, drawn.padding = None, (0, 2, 0, 0)
    paper = io.StringIO()
    Console(file=paper, width=UNLIMITED, color_system=None, force_terminal=False).print(drawn)
    return "".join(f"{line.rstrip()}\n" for line in paper.getvalue().splitlines())


@contextmanager
def working(message: str) -> Iterator[None]:
    """Turn a spinner while the block runs, where someone is looking."""
    err = stderr()
    if not (stdout().is_terminal and err.is_terminal):
        yield
        return
    with err.status(message):
        yield
