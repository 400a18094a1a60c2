"""Write JOIN … USING as JOIN … ON.

PostgreSQL prints a merged column as the column of the side that is always there, so only the condition must be spelled out;
after a full join it stands alone, and is whichever side has a value.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.normalise.scope import from_items, output_names
from pgtrickle.dvm.sqlast import Expr, Query, all_of, col, named
from pgtrickle.errors import InternalError

if TYPE_CHECKING:
    from pgtrickle.dvm.schema import Schema


def merged_columns(query: Query, schema: Schema) -> Query:
    """Return `query` with every USING join given an ON condition."""
    for join in list(query.find_all(exp.Join)):
        if join.args.get("using"):
            left, right = _sides(join)
            if join.side == "FULL":
                _merge(join, left, right, schema)
            pairs = [
                exp.EQ(this=_owned(name, left, schema), expression=_owned(name, right, schema))
                for name in (using.name for using in join.args["using"])
            ]
            join.set("on", all_of(pairs))
            join.set("using", None)
    return query


def _merge(join: exp.Join, left: list[Expr], right: list[Expr], schema: Schema) -> None:
    """Let the merged columns of a full join be the first value that is there."""
    select = join.find_ancestor(exp.Select)
    if select is None:
        raise InternalError("a join stands outside of a query")
    merged = {using.name for using in join.args["using"]}
    for column in list(select.find_all(exp.Column)):
        own = column.find_ancestor(exp.Select) is select and not column.find_ancestor(exp.Join)
        if not own or column.table or column.name not in merged:
            continue
        sides = [_owned(column.name, side, schema) for side in (left, right)]
        value: Expr = exp.Coalesce(this=sides[0], expressions=[sides[1]])
        if isinstance(column.parent, exp.Select) and column.arg_key == "expressions":
            value = named(value, column.name)
        column.replace(value)


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
