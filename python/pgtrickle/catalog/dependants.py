"""What others have built on a stream table's view, and how a relation is made anew without losing what it was given."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg import sql

from pgtrickle.catalog.relations import qualified_names
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.pg.execute import translated
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from typing import LiteralString

    from pgtrickle.catalog.model import StreamTable
    from pgtrickle.pg.connection import Connection


# Steps of decorations.sql. The owner comes first: privileges are granted by the owner.
_OWNER = 1
_OPTIONS = 2


@dataclass(frozen=True, slots=True, kw_only=True)
class DependantView:
    """A plain view on a stream table, perhaps by way of others; `uses` are the columns it takes from it directly."""

    name: QualifiedName
    definition: str
    uses: frozenset[str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependants:
    """What PostgreSQL knows to depend on a stream table.

    `views` can be made anew, each after those that it reads; `others` (functions, materialized views, triggers on
    the view) cannot. `on_storage` stands on the storage table, where nothing of a user's should.
    """

    views: tuple[DependantView, ...] = ()
    others: tuple[str, ...] = ()
    on_storage: tuple[str, ...] = ()

    def described(self) -> tuple[str, ...]:
        """Return everything that stands on the view."""
        return (*(f"view {view.name}" for view in self.views), *self.others)


@dataclass(frozen=True, slots=True)
class Decoration:
    """A statement that gives a relation back its owner, options, a grant or a comment; of one column, or of all."""

    column: str | None
    step: int
    command: LiteralString


def read_dependants(connection: Connection, table: StreamTable) -> Dependants:
    """Return what depends on `table`: on its view, and on its storage other than by the view."""
    with translated(f"read what depends on {table.name}"), qualified_names(connection):
        views, others = _read(connection, table.name, table.name)
        below, rest = _read(connection, table.storage, table.name)
    known = {table.name, *(view.name for view in views)}
    strangers = (f"view {view.name}" for view in below if view.name not in known)
    return Dependants(
        views=tuple(view for view in views if view.name != table.name),
        others=tuple(others),
        on_storage=(*strangers, *(each for each in rest if each not in others)),
    )


def _read(
    connection: Connection, relation: QualifiedName, view: QualifiedName
) -> tuple[list[DependantView], list[str]]:
    names = {"relation": str(relation), "view": str(view)}
    rows = connection.execute(_sql("view_dependants.sql"), names).fetchall()
    views = [
        DependantView(
            name=QualifiedName(schema, name),
            definition=definition.strip().removesuffix(";"),
            uses=frozenset(uses),
        )
        for depth, schema, name, definition, uses in rows
        if depth is not None
    ]
    return views, [name for depth, _, name, _, _ in rows if depth is None]


def read_decorations(
    connection: Connection, relation: QualifiedName, target: QualifiedName
) -> list[Decoration]:
    """Return what gives `target` the owner, options, privileges and comments that `relation` has now."""
    names = {"relation": str(relation), "target": str(target)}
    rows = connection.execute(_sql("decorations.sql"), names).fetchall()
    return [Decoration(*row) for row in rows]


def decorate(
    connection: Connection,
    target: QualifiedName,
    decorations: list[Decoration],
    columns: frozenset[str],
) -> None:
    """Give `target`, just made, its own decorations and those of `columns`; what it was given by default goes."""
    if not decorations:
        return
    _run(connection, [each.command for each in decorations if each.step == _OWNER])
    revoked = connection.execute(_sql("default_grants.sql"), {"target": str(target)}).fetchall()
    _run(connection, [command for (command,) in revoked])
    _run(
        connection,
        [
            each.command
            for each in decorations
            if each.step > _OWNER and (each.column is None or each.column in columns)
        ],
    )


def restore_options(connection: Connection, decorations: list[Decoration]) -> None:
    """Give a view that was replaced in place its options back: PostgreSQL keeps all but those."""
    _run(connection, [each.command for each in decorations if each.step == _OPTIONS])


def create_view(connection: Connection, view: DependantView) -> None:
    """Create a dependant view again from its definition."""
    command = sql.SQL("CREATE VIEW {} AS {}").format(
        sql.Identifier(*view.name), _printed(view.definition)
    )
    connection.execute(command, prepare=False)


def _run(connection: Connection, commands: list[LiteralString]) -> None:
    """Run statements that PostgreSQL itself has printed, in one round trip."""
    if commands:
        connection.execute(sql.SQL("; ").join(map(sql.SQL, commands)), prepare=False)


def _printed(text: str) -> sql.SQL:
    """Return text that PostgreSQL printed, as SQL."""
    return sql.SQL(text)


def _sql(file: str) -> LiteralString:
    return statement("pgtrickle.catalog.statements", file)
