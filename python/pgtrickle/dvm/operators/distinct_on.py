"""DISTINCT ON: the first row of each partition in a complete order.

Rule: as for every partitioned operator, the partitions with a change are computed again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.operators.partitioned import Partitioned, distinct_values, restricted
from pgtrickle.dvm.operators.window import Window
from pgtrickle.dvm.sqlast import Query, col, derived, select, to_sql

if TYPE_CHECKING:
    from pgtrickle.dvm.differentiate.sources import Leaves
    from pgtrickle.dvm.operators.base import Operator, Output, PlanColumn


@dataclass(frozen=True, slots=True, kw_only=True)
class DistinctOn(Partitioned):
    """The first row of `child` for each value of `keys`, by `order`."""

    child: Operator
    keys: tuple[Output, ...]
    order: tuple[exp.Ordered, ...]

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        return Window(child=self.child, keys=self.keys, functions=()).columns

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return (self.child,)

    @property
    @override
    def partition(self) -> tuple[str, ...]:
        return tuple(key.name for key in self.keys)

    @override
    def full(self, leaves: Leaves) -> Query:
        return self._first(self.child.full(leaves))

    @override
    def affected(self, leaves: Leaves) -> Query | None:
        changes = leaves.delta(self.child)
        if changes is None:
            return None
        return distinct_values(changes, {key.name: key.expression for key in self.keys})

    @override
    def within(self, leaves: Leaves, keys: str) -> Query:
        values = {key.name: key.expression for key in self.keys}
        nullable = any(not column.not_null for column in self.columns if column.name in values)
        names = [column.name for column in self.child.columns]
        return self._first(
            restricted(self.child.full(leaves), names, values, keys, nullable=nullable)
        )

    def _first(self, rows: Query) -> Query:
        keyed = select(
            [*self.child.references(), *(key.aliased() for key in self.keys)],
            derived(rows, "rows"),
        )
        query = select(self.references(), derived(keyed, "keyed"))
        on = exp.Tuple(expressions=[col(key.name) for key in self.keys])
        query.set("distinct", exp.Distinct(on=on))
        by = [exp.Ordered(this=col(key.name), nulls_first=False) for key in self.keys]
        query.set("order", exp.Order(expressions=[*by, *(each.copy() for each in self.order)]))
        return query

    @override
    def label(self) -> str:
        keys = ", ".join(to_sql(key.expression) for key in self.keys)
        order = ", ".join(to_sql(each) for each in self.order)
        return f"DistinctOn ({keys}) by {order}"
