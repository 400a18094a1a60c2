"""Replace a virtual generated column by its expression.

PostgreSQL 18 computes such a column when it is read and shows NULL for it in a transition table, so it is never
captured; its inputs are.
"""

from __future__ import annotations

from sqlglot import exp

from pgtrickle.dvm.normalise.scope import scope_items
from pgtrickle.dvm.parse.read import read_expression
from pgtrickle.dvm.schema import QualifiedName, Schema
from pgtrickle.dvm.sqlast import Expr, Query, ident, wrapped


def expand_generated(query: Query, schema: Schema) -> Query:
    """Return `query` without references to virtual generated columns."""
    for select in query.find_all(exp.Select):
        tables = {
            item.alias_or_name: item for item in scope_items(select) if isinstance(item, exp.Table)
        }
        for column in list(select.find_all(exp.Column)):
            if column.find_ancestor(exp.Select) is not select or column.table not in tables:
                continue
            expression = _expression(column, tables[column.table], schema)
            if expression is not None:
                _put(column, expression)
    return query


def _expression(column: exp.Column, item: exp.Table, schema: Schema) -> Expr | None:
    relation = schema.relation(QualifiedName(item.db, item.name))
    alias = item.args.get("alias")
    renamed = [renaming.name for renaming in alias.columns] if alias else []
    if relation is None:
        return None
    names = [*renamed, *(known.name for known in relation.columns[len(renamed) :])]
    position = names.index(column.name) if column.name in names else -1
    source = relation.columns[position] if position >= 0 else None
    if source is None or source.generated is None:
        return None
    expression = read_expression(source.generated)
    visible = {known.name: shown for known, shown in zip(relation.columns, names, strict=True)}
    for inner in expression.find_all(exp.Column):
        inner.set("this", ident(visible[inner.name]))
        inner.set("table", ident(column.table))
    return expression


def _put(column: exp.Column, expression: Expr) -> None:
    """Replace `column`, keeping its name where it is a SELECT item of its own."""
    parent = column.parent
    replacement = wrapped(expression)
    if isinstance(parent, exp.Select) and column.arg_key == "expressions":
        replacement = exp.Alias(this=replacement, alias=ident(column.name))
    column.replace(replacement)
