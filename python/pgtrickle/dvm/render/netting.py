"""Netting: the sum of weights per whole row image.

Never the first or the last change by position: one MERGE statement may delete and insert the same key and is captured in
the other order, and with a deferrable key the I precedes the D. After netting a key has at most one row that
went and one that came.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.sqlast import (
    WEIGHT,
    Expr,
    Query,
    as_text,
    binary,
    call,
    cast,
    col,
    derived,
    group_by,
    named,
    number,
    restored,
    select,
    total,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle.dvm.render.identity import StoredTypes
    from pgtrickle.dvm.schema import TypeFacts


def netted(rows: Query, columns: Sequence[str], types: StoredTypes) -> Query:
    """Return the rows of `columns` whose weights do not cancel, each image once."""
    outputs: list[Expr] = []
    for name in columns:
        value = col(name) if types.types[name].exact else _any_of_group(name, types.types[name])
        outputs.append(named(value, name))
    outputs.append(named(cast(total(col(WEIGHT)), "integer"), WEIGHT))
    keys = [types.image(name, col(name)) for name in columns]
    query = group_by(select(outputs, derived(rows, "changes")), keys)
    query.set("having", exp.Having(this=binary(exp.NEQ, total(col(WEIGHT)), number(0))))
    return query


def one_per_key(rows: Query, columns: Sequence[str], key: Sequence[str]) -> Query:
    """Return for each key the row that came, or, when none came, the one that went; no key means one row in all."""
    query = select([*(col(name) for name in columns), col(WEIGHT)], derived(rows, "net"))
    if key:
        query.set("distinct", exp.Distinct(on=exp.Tuple(expressions=[col(name) for name in key])))
    else:
        query.set("limit", exp.Limit(expression=number(1)))
    order = [exp.Ordered(this=col(name), nulls_first=False) for name in key]
    latest = exp.Ordered(this=col(WEIGHT), desc=True, nulls_first=True)
    query.set("order", exp.Order(expressions=[*order, latest]))
    return query


def _any_of_group(name: str, facts: TypeFacts) -> Expr:
    """Return one of the group's values: they all look the same."""
    if facts.array:
        # Arrays of arrays are one array of more dimensions; their text is read back instead.
        return restored(exp.Min(this=as_text(col(name))), facts.name)
    return exp.Bracket(
        this=exp.Paren(this=call("array_agg", col(name))),
        expressions=[exp.Literal.number(1)],
        offset=1,
    )
