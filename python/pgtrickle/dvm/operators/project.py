"""Project: compute expressions over each row.

Rule: d(project(A)) = project(dA). Linear: expressions are deterministic, so a row that goes is computed
to the very values with which it came.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from typing_extensions import override

from pgtrickle.dvm.analysis.types import infer, never_null
from pgtrickle.dvm.operators.base import Operator, Output, PlanColumn
from pgtrickle.dvm.sqlast import WEIGHT, Query, col, derived, select, to_sql

if TYPE_CHECKING:
    from pgtrickle.dvm.differentiate.sources import Leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class Project(Operator):
    """Compute `outputs` from the child's columns; `expands` when one of them may return several rows."""

    child: Operator
    outputs: tuple[Output, ...]
    expands: bool = False

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        below = {column.name: column for column in self.child.columns}
        return tuple(
            PlanColumn(
                name=output.name,
                type=infer(output.expression, below),
                not_null=never_null(output.expression, below),
            )
            for output in self.outputs
        )

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return (self.child,)

    @override
    def full(self, leaves: Leaves) -> Query:
        outputs = [output.aliased() for output in self.outputs]
        return select(outputs, derived(self.child.full(leaves), "rows"))

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        changes = leaves.delta(self.child)
        if changes is None:
            return None
        outputs = [*(output.aliased() for output in self.outputs), col(WEIGHT)]
        return select(outputs, derived(changes, "changes"))

    @override
    def label(self) -> str:
        return "Project " + ", ".join(to_sql(output.aliased()) for output in self.outputs)
