"""The command line: one small file for each command, put together here."""

from collections.abc import Callable
from typing import Annotated

import typer

from pgtrickle import __version__
from pgtrickle.cli.alter import alter
from pgtrickle.cli.clear_caches import clear_caches
from pgtrickle.cli.create import create, drop
from pgtrickle.cli.demo.command import demo
from pgtrickle.cli.explain import explain, validate
from pgtrickle.cli.history import history
from pgtrickle.cli.install import install, uninstall
from pgtrickle.cli.refresh import refresh
from pgtrickle.cli.status import status
from pgtrickle.cli.verify import verify

COMMANDS: tuple[Callable[..., None], ...] = (
    demo,
    install,
    uninstall,
    create,
    alter,
    drop,
    refresh,
    verify,
    status,
    explain,
    validate,
    history,
    clear_caches,
)

app = typer.Typer(
    name="pgtrickle",
    help="Stream tables for PostgreSQL: SELECTs whose stored results are kept fresh incrementally.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:  # noqa: FBT001 - the signature is typer's
    if wanted:
        typer.echo(f"pgtrickle {__version__}")
        raise typer.Exit


@app.callback()
def root(
    *,
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Stream tables for PostgreSQL: SELECTs whose stored results are kept fresh incrementally."""


for _command in COMMANDS:
    app.command()(_command)
