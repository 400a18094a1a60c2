"""Write JOIN … USING as JOIN … ON.

PostgreSQL prints a merged column of an inner join as the left side's column, so only the condition must be spelled out.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.normalise.scope import from_items, output_names
from pgtrickle.dvm.sqlast import Expr, Query, all_of, col
from pgtrickle.errors import InternalError

if TYPE_CHECKING:
    from pgtrickle.dvm.schema import Schema


def merged_columns(query: Query, schema: Schema) -> Query:
    """Return `query` with every inner USING join given an ON condition."""
    for join in list(query.find_all(exp.Join)):
        if join.args.get("using") and not join.side:
            left, right = _sides(join)
            pairs = [
                exp.EQ(this=_owned(name, left, schema), expression=_owned(name, right, schema))
                for name in (using.name for using in join.args["using"])
            ]
            join.set("on", all_of(pairs))
            join.set("using", None)
    return query


def _sides(join: exp.Join) -> tuple[list[Expr], list[Expr]]:
    """Return the FROM items left and right of the join, in order."""
    parent = join.parent
    if parent is None:
        raise InternalError("a join stands outside of a FROM clause")
    joins = parent.args["joins"]
    first = parent.args["from_"].this if isinstance(parent, exp.Select) else parent
    before = joins[: next(position for position, other in enumerate(joins) if other is join)]
    left = from_items(first, with_joins=isinstance(parent, exp.Select))
    for other in before:
        left.extend(from_items(other.this))
    return left, from_items(join.this)


def _owned(name: str, items: list[Expr], schema: Schema) -> Expr:
    for item in items:
        if name in output_names(item, schema):
            return col(name, item.alias_or_name)
    raise InternalError(f'no input of the join has the merged column "{name}"')
