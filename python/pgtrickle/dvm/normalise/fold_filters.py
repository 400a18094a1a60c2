"""Write `aggregate(x) FILTER (WHERE c)` as `aggregate(CASE WHEN c THEN x END)`.

The same for every aggregate that ignores NULLs; count(*) counts the rows for which c is true.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.analysis.functions import in_window
from pgtrickle.dvm.sqlast import Query, case, number

if TYPE_CHECKING:
    from pgtrickle.dvm.schema import Schema

IGNORES_NULLS = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)


def fold_filters(query: Query, _schema: Schema) -> Query:
    """Return `query` without FILTER on count, sum, avg, min and max."""
    for node in list(query.find_all(exp.Filter)):
        aggregate = node.this
        plain = isinstance(aggregate, IGNORES_NULLS) and not in_window(aggregate)
        if not plain or isinstance(aggregate.this, exp.Distinct | exp.Order):
            continue
        condition = node.expression.this
        value = number(1) if isinstance(aggregate.this, exp.Star) else aggregate.this
        aggregate.set("this", case((condition, value)))
        node.replace(aggregate.copy())
    return query
