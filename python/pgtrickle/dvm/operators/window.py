"""Window functions: each row with values computed from the rows of its partition.

Rule: as for every partitioned operator, the partitions with a change are computed again. The partition of this node is what
all its functions partition by; a function that partitions finer is right too. Without PARTITION BY all rows are one
partition. Orders are complete already: the plan builder added the row's identity where ties would leave a choice.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.analysis.types import infer, never_null
from pgtrickle.dvm.operators.base import Operator, Output, PlanColumn
from pgtrickle.dvm.operators.partitioned import Partitioned, distinct_values, restricted
from pgtrickle.dvm.sqlast import Query, derived, select, to_sql

if TYPE_CHECKING:
    from pgtrickle.dvm.differentiate.sources import Leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class Window(Partitioned):
    """The child's rows with `keys` (the partition) and the results of `functions`.

    `order`, when given, sorts the rows first: it settles what the functions' own orders leave open.
    """

    child: Operator
    keys: tuple[Output, ...]
    functions: tuple[Output, ...]
    order: tuple[exp.Ordered, ...] = ()

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        below = {column.name: column for column in self.child.columns}
        keys = (
            PlanColumn(
                name=key.name,
                type=infer(key.expression, below),
                not_null=never_null(key.expression, below),
            )
            for key in self.keys
        )
        return (
            *self.child.columns,
            *keys,
            *(PlanColumn(name=each.name) for each in self.functions),
        )

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
        return self._over(self.child.full(leaves))

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
        rows = restricted(self.child.full(leaves), names, values, keys, nullable=nullable)
        return self._over(rows)

    def _over(self, rows: Query) -> Query:
        if self.order:
            rows = select([exp.Star()], derived(rows, "unsorted"))
            rows.set("order", exp.Order(expressions=[each.copy() for each in self.order]))
        outputs = [output.aliased() for output in (*self.keys, *self.functions)]
        return select([*self.child.references(), *outputs], derived(rows, "rows"))

    @override
    def label(self) -> str:
        keys = ", ".join(to_sql(key.expression) for key in self.keys)
        functions = ", ".join(to_sql(output.expression) for output in self.functions)
        return f"Window by ({keys}) {functions}"
