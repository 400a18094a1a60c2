"""`pgtrickle install` and `pgtrickle uninstall`: the catalog comes and goes."""

import sys
from typing import Annotated

import typer

from pgtrickle.api import Client
from pgtrickle.cli.console import say, working
from pgtrickle.cli.door import connected
from pgtrickle.cli.options import Dsn
from pgtrickle.errors import NotInstalledError

Cascade = Annotated[
    bool,
    typer.Option("--cascade", help="Also drop what others built on the stream tables' views."),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Do not ask before dropping stream tables.")]


def install(*, dsn: Dsn = None) -> None:
    """Create or upgrade the catalog in a database. Safe to repeat."""
    with connected(dsn) as client:
        with working("installing the catalog"):
            version = client.install()
        say(f"installed: catalog version {version}")


def uninstall(*, cascade: Cascade = False, yes: Yes = False, dsn: Dsn = None) -> None:
    """Remove the stream tables, the triggers and the catalog; sources stay as they are."""
    with connected(dsn) as client:
        if not yes:
            _ask_before_dropping(_count(client))
        with working("removing the catalog"):
            client.uninstall(cascade=cascade)
        say("uninstalled: nothing of pgtrickle is left in this database")


def _count(client: Client) -> int:
    try:
        return len(client.stream_tables())
    except NotInstalledError:
        return 0


def _ask_before_dropping(tables: int) -> None:
    if not tables:
        return
    if not sys.stdin.isatty():
        raise typer.BadParameter(f"this drops {tables} stream tables; pass --yes to do it")
    typer.confirm(f"This drops {tables} stream tables. Go on?", abort=True, err=True)
