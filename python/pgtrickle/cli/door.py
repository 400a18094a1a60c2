"""How a command reaches the database, and what it says when that fails."""

from __future__ import annotations

import warnings
from contextlib import contextmanager
from typing import TYPE_CHECKING, TextIO

import typer

from pgtrickle.api import connect
from pgtrickle.cli.console import show_error, show_warning
from pgtrickle.errors import PgtrickleError, PgtrickleWarning
from pgtrickle.pg.execute import translated

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pgtrickle.api import Client

FAILED = 1
DIFFERS = 3


@contextmanager
def connected(dsn: str | None) -> Iterator[Client]:
    """Give the block a client; its errors end the command, its warnings are printed."""
    with reported(), connect(dsn) as client:
        yield client


@contextmanager
def reported() -> Iterator[None]:
    """Print errors and warnings of ours to stderr; an error ends the command with status 1."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", PgtrickleWarning)
        warnings.showwarning = _show
        try:
            with translated("finish the command"):
                yield
        except PgtrickleError as error:
            show_error(error)
            raise typer.Exit(FAILED) from None


def _show(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,  # noqa: ARG001
    line: str | None = None,  # noqa: ARG001
) -> None:
    ours = issubclass(category, PgtrickleWarning)
    show_warning(str(message) if ours else f"{message} ({category.__name__}, {filename}:{lineno})")
