"""The FROM clause as a flat list of items, and the columns each item offers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.schema import QualifiedName, Schema
from pgtrickle.dvm.sqlast import in_parentheses

if TYPE_CHECKING:
    from pgtrickle.dvm.sqlast import Expr


def from_items(node: Expr, *, with_joins: bool = True) -> list[Expr]:
    """Return the tables and derived tables below one FROM entry, parentheses and joins opened."""
    items = from_items(node.this) if in_parentheses(node) else [node]
    if with_joins:
        for join in node.args.get("joins") or []:
            items.extend(from_items(join.this))
    return items


def scope_items(select: exp.Select) -> list[Expr]:
    """Return all items of a SELECT's FROM clause."""
    start = select.args.get("from_")
    items = from_items(start.this) if start else []
    for join in select.args.get("joins") or []:
        items.extend(from_items(join.this))
    return items


def output_names(item: Expr, schema: Schema) -> list[str]:
    """Return the names of an item's columns as the query sees them, aliases applied."""
    own = _own_names(item, schema)
    alias = item.args.get("alias")
    renamed = [column.name for column in alias.columns] if alias else []
    return [*renamed, *own[len(renamed) :]]


def _own_names(item: Expr, schema: Schema) -> list[str]:
    if isinstance(item, exp.Table):
        relation = schema.relation(QualifiedName(item.db, item.name))
        if relation is not None:
            return [column.name for column in relation.columns]
        return [] if item.db else _cte_names(item)
    if isinstance(item, exp.Subquery) and isinstance(item.this, exp.Query):
        return [selection.alias_or_name for selection in item.this.selects]
    return []


def _cte_names(item: exp.Table) -> list[str]:
    """Return the columns of the WITH query that `item` names: the nearest around it."""
    holder = item.parent
    while holder is not None:
        clause = holder.args.get("with_")
        for cte in clause.expressions if clause else []:
            if cte.alias == item.name:
                renamed = [column.name for column in cte.args["alias"].columns]
                own = [each.alias_or_name for each in cte.this.selects]
                return [*renamed, *own[len(renamed) :]]
        holder = holder.parent
    return []
