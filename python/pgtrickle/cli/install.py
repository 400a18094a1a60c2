"""`pgtrickle install` and `pgtrickle uninstall`: the catalog comes and goes."""

from typing import Annotated

import typer

from pgtrickle.cli.console import say, working
from pgtrickle.cli.door import connected
from pgtrickle.cli.options import Dsn

Cascade = Annotated[
    bool,
    typer.Option("--cascade", help="Also drop the stream tables, and what depends on their views."),
]


def install(*, dsn: Dsn = None) -> None:
    """Create or upgrade the catalog in a database. Safe to repeat."""
    with connected(dsn) as client:
        with working("installing the catalog"):
            version = client.install()
        say(f"installed: catalog version {version}")


def uninstall(*, cascade: Cascade = False, dsn: Dsn = None) -> None:
    """Remove the catalog, the triggers and the buffers; sources stay as they are."""
    with connected(dsn) as client:
        with working("removing the catalog"):
            client.uninstall(cascade=cascade)
        say("uninstalled: nothing of pgtrickle is left in this database")
