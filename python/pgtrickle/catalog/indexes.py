"""Reads from PostgreSQL's catalog by which columns the rows of a table can be looked up."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.pg.execute import translated
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle.dvm.analysis.cost import Indexes
    from pgtrickle.pg.connection import Connection


def read_indexes(connection: Connection, tables: Sequence[QualifiedName]) -> Indexes:
    """Return the columns of each usable index of `tables`, in the index's order."""
    found: dict[QualifiedName, tuple[tuple[str | None, ...], ...]] = {}
    with translated("read the indexes of tables"):
        rows = connection.execute(
            statement("pgtrickle.catalog.statements", "indexes.sql"),
            ([name.schema for name in tables], [name.name for name in tables]),
        ).fetchall()
    for schema, table, columns in rows:
        name = QualifiedName(schema, table)
        found[name] = (*found.get(name, ()), tuple(columns))
    return found
