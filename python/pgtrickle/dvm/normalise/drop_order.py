"""Drop ORDER BY where it cannot matter: a stored result is a multiset, and only LIMIT makes order part of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from pgtrickle.dvm.schema import Schema
    from pgtrickle.dvm.sqlast import Query


def drop_order(query: Query, _schema: Schema) -> Query:
    """Return `query` without orders that no LIMIT, OFFSET or DISTINCT ON reads."""
    for node in query.find_all(exp.Query):
        distinct = node.args.get("distinct")
        ordered_choice = isinstance(distinct, exp.Distinct) and distinct.args.get("on")
        if not (node.args.get("limit") or node.args.get("offset") or ordered_choice):
            node.set("order", None)
    return query
