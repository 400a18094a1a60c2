"""What the clauses of a SELECT say, read from its tree."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from pgtrickle.dvm.sqlast import Expr


def needed_columns(node: exp.Select) -> dict[str, set[str]]:
    """Return the columns that the SELECT reads of each alias, its subqueries included."""
    needed: dict[str, set[str]] = {}
    for column in node.find_all(exp.Column):
        needed.setdefault(column.table, set()).add(column.name)
    return needed


def sort_keys(node: exp.Select, values: list[Expr]) -> list[exp.Ordered]:
    """Return the sort keys, positions replaced by what stands there."""
    order = node.args.get("order")
    keys = [each.copy() for each in order.expressions] if order else []
    for each in keys:
        position = each.this
        if isinstance(position, exp.Literal) and not position.is_string:
            each.set("this", values[int(position.name) - 1].copy())
    return keys


def distinct_keys(node: exp.Select) -> list[Expr]:
    """Return the expressions of DISTINCT ON."""
    distinct = node.args.get("distinct")
    on = distinct.args.get("on") if distinct is not None else None
    return list(on.expressions) if on is not None else []


def with_ties(limit: Expr | None) -> bool:
    """Return whether rows that tie with the last one come along."""
    options = limit.args.get("limit_options") if isinstance(limit, exp.Fetch) else None
    return bool(options is not None and options.args.get("with_ties"))
