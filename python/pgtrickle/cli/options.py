"""Options that several commands share."""

from typing import Annotated

import typer

Dsn = Annotated[
    str | None,
    typer.Option(
        "--dsn",
        envvar="PGTRICKLE_DSN",
        metavar="CONNINFO",
        help="libpq connection string or URI; without it the PG* variables, and without those an embedded server.",
        show_default=False,
    ),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON on stdout, and nothing else there.")
]
OptionalName = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="The stream table.", show_default=False),
]
Name = Annotated[str, typer.Argument(metavar="NAME", help="The stream table.", show_default=False)]
Everything = Annotated[bool, typer.Option("--all", help="Every stream table, sources first.")]


def require_one_or_all(name: str | None, *, everything: bool) -> None:
    """Refuse a call that names neither or both of a stream table and --all."""
    if (name is None) == (not everything):
        raise typer.BadParameter("give the name of one stream table, or --all")
