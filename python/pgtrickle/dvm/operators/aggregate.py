"""Aggregate: one row for each group of the child's rows.

Rule: a group's accumulators after the window are those before it plus the change that dA brings to that group
(aggregates/ says how for each function); a group whose row count reaches 0 is gone. "Before" is what storage keeps, so
the node gives the groups' changes and the groups' state, and the apply step joins the two. As the root only.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from pgtrickle.dvm.analysis.types import infer, never_null
from pgtrickle.dvm.operators.aggregates.base import Accumulator, AggregateCall, Strategy
from pgtrickle.dvm.operators.aggregates.count import Count, RowCount
from pgtrickle.dvm.operators.base import Operator, Output, PlanColumn
from pgtrickle.dvm.sqlast import (
    WEIGHT,
    Expr,
    Query,
    col,
    derived,
    group_by,
    named,
    select,
    to_sql,
)
from pgtrickle.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle.dvm.differentiate.sources import Leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate(Operator):
    """Group by `keys`; `arguments` are the expressions that the `calls` aggregate over."""

    staged: ClassVar[bool] = True
    child: Operator
    keys: tuple[Output, ...]
    arguments: tuple[Output, ...]
    calls: tuple[AggregateCall, ...]

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
        calls = (
            PlanColumn(name=call.name, not_null=isinstance(call, Count)) for call in self.calls
        )
        return (*keys, *calls)

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return (self.child,)

    @property
    def accumulators(self) -> tuple[Accumulator, ...]:
        """Each thing that a group keeps, once, the row count first."""
        kept: dict[Accumulator, None] = {RowCount(): None}
        for call in self.calls:
            kept.update(dict.fromkeys(call.accumulators))
        return tuple(kept)

    @property
    def strategy(self) -> Strategy:
        """The costliest strategy among the calls."""
        order = list(Strategy)
        found = [call.strategy for call in self.calls]
        return max(found, key=order.index, default=Strategy.ALGEBRAIC)

    @override
    def full(self, leaves: Leaves) -> Query:
        calls = [named(call.native(), call.name) for call in self.calls]
        return self._grouped(self.inputs(self.child.full(leaves)), calls)

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        raise InternalError("an aggregate below another operator was asked for its delta")

    def state(self, leaves: Leaves, accumulated: Sequence[Expr]) -> Query:
        """Return keys, results and `accumulated` for every group."""
        calls = [named(call.native(), call.name) for call in self.calls]
        return self._grouped(self.inputs(self.child.full(leaves)), [*calls, *accumulated])

    def inputs(self, rows: Query, *, weighted: bool = False) -> Query:
        """Return the child's rows as keys and arguments, with the weight when `weighted`."""
        outputs = [output.aliased() for output in (*self.keys, *self.arguments)]
        return select([*outputs, *([col(WEIGHT)] if weighted else [])], derived(rows, "rows"))

    def _grouped(self, inputs: Query, outputs: Sequence[Expr]) -> Query:
        keys = [col(key.name) for key in self.keys]
        return group_by(select([*keys, *outputs], derived(inputs, "inputs")), keys)

    @override
    def label(self) -> str:
        keys = ", ".join(to_sql(key.expression) for key in self.keys)
        calls = ", ".join(f"{to_sql(call.native())} [{call.strategy}]" for call in self.calls)
        return f"Aggregate by ({keys}) {calls}".rstrip()
