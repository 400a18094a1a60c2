"""A query kept as it was written, over the stored tables."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.differentiate.sources import readable
from pgtrickle.dvm.operators.base import PlanColumn
from pgtrickle.dvm.operators.opaque import Opaque
from pgtrickle.dvm.schema import QualifiedName, Schema

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pgtrickle.dvm.sqlast import Expr, Query


def opaque(query: Query, schema: Schema, names: Iterable[str]) -> Opaque:
    """Return `query` as an operator that is only ever evaluated in full."""
    kept = query.copy()
    found = set()
    for node in list(kept.find_all(exp.Table)):
        relation = schema.relation(QualifiedName(node.db, node.name)) if node.db else None
        if relation is not None:
            found.add(relation.name)
            _put(node, readable(relation, node.alias_or_name))
    columns = tuple(PlanColumn(name=name) for name in names)
    return Opaque(query=kept, outputs=columns, relations=frozenset(found))


def _put(node: exp.Table, stored: Expr) -> None:
    alias = node.args.get("alias")
    if alias and alias.columns:
        stored.args["alias"].set("columns", [column.copy() for column in alias.columns])
    if node.args.get("joins"):
        stored.set("joins", [join.copy() for join in node.args["joins"]])
    node.replace(stored)
