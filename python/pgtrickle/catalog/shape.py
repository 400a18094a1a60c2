"""The columns of relations exactly as PostgreSQL knows them, and what changes from one set of them to another.

A view can be replaced in place only if its columns keep name, type and collation, in order; new ones may follow.
"""

from __future__ import annotations

import secrets
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from psycopg import sql
from psycopg.pq import TransactionStatus

from pgtrickle.catalog.model import STATE_SCHEMA
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.pg.connection import scratch
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pgtrickle.pg.connection import Connection


class ShapeColumn(NamedTuple):
    """One column: all that must stay for a view to be replaced in place."""

    name: str
    type_oid: int
    typmod: int
    collation: int
    printed: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ShapeChange:
    """What becomes of a relation's columns; `added` ones stand at the end unless others moved."""

    dropped: tuple[str, ...] = ()
    retyped: tuple[str, ...] = ()
    moved: tuple[str, ...] = ()
    added: tuple[str, ...] = ()

    @property
    def in_place(self) -> bool:
        """Whether CREATE OR REPLACE VIEW can do it."""
        return not (self.dropped or self.retyped or self.moved)

    @property
    def broken(self) -> frozenset[str]:
        """The columns that mean something else to a reader now; a reader by name does not mind order."""
        return frozenset((*self.dropped, *self.retyped))

    def described(self) -> str:
        """Return the change that cannot be made in place, in words."""
        kinds = {"dropped": self.dropped, "of another type": self.retyped, "moved": self.moved}
        return "; ".join(f"{kind}: {', '.join(names)}" for kind, names in kinds.items() if names)


def shape_change(before: Sequence[ShapeColumn], after: Sequence[ShapeColumn]) -> ShapeChange:
    """Return what changes between two lists of columns."""
    old = {column.name: column for column in before}
    new = {column.name: column for column in after}
    kept = [name for name in old if name in new]
    placed = [column.name for column in after][: len(kept)]
    return ShapeChange(
        dropped=tuple(name for name in old if name not in new),
        retyped=tuple(name for name in kept if old[name] != new[name]),
        moved=tuple(name for name, place in zip(kept, placed, strict=True) if name != place),
        added=tuple(name for name in new if name not in old),
    )


def shape_of(connection: Connection, name: QualifiedName) -> tuple[ShapeColumn, ...]:
    """Return the columns of a relation; none when it does not exist."""
    rows = connection.execute(statement("pgtrickle.catalog.statements", "shape.sql"), name)
    return tuple(ShapeColumn(*row) for row in rows.fetchall())


def shape_of_query(connection: Connection, query: str) -> tuple[ShapeColumn, ...]:
    """Return the columns of a query that the compiler built, as a table filled from it would have them."""
    name = QualifiedName(STATE_SCHEMA, f"~shape {secrets.token_hex(8)}")
    create = sql.SQL("CREATE VIEW {} AS {}").format(sql.Identifier(*name), _text(query))
    with _undone(connection):
        connection.execute(create, prepare=False)
        return shape_of(connection, name)


@contextmanager
def _undone(connection: Connection) -> Iterator[None]:
    """Run the block and take back what it did, in a transaction of its own or inside the one that is open."""
    if connection.info.transaction_status is TransactionStatus.IDLE:
        with scratch(connection):
            yield
        return
    connection.execute("SAVEPOINT pgtrickle_shape", prepare=False)
    yield
    connection.execute("ROLLBACK TO SAVEPOINT pgtrickle_shape", prepare=False)
    connection.execute("RELEASE SAVEPOINT pgtrickle_shape", prepare=False)


def _text(text: str) -> sql.SQL:
    """Return SQL that the compiler built, for composition into a larger statement."""
    return sql.SQL(text)
