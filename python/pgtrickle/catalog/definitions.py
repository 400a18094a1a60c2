"""The definitions of the views below a stored query, as PostgreSQL prints them now."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pgtrickle.catalog.relations import qualified_names, read_relations
from pgtrickle.dvm.schema import QualifiedName, Relation, RelationKind
from pgtrickle.pg.execute import translated

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pgtrickle.pg.connection import Connection


def read_defined_relations(
    connection: Connection, names: Iterable[QualifiedName]
) -> Mapping[QualifiedName, Relation]:
    """Return the named relations, views with their definitions."""
    relations = dict(read_relations(connection, names))
    for name, relation in relations.items():
        if relation.kind is RelationKind.VIEW:
            relations[name] = replace(relation, definition=_definition(connection, name))
    return relations


def _definition(connection: Connection, name: QualifiedName) -> str:
    query = "SELECT pg_catalog.pg_get_viewdef(pg_catalog.to_regclass(%s))"
    with translated(f"read the definition of view {name}"), qualified_names(connection):
        row = connection.execute(query, (str(name),)).fetchone()
    return str(row[0]).strip().removesuffix(";") if row else ""
