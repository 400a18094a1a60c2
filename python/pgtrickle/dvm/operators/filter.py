"""Filter: keep the rows for which a predicate is true.

Rule: d(filter(A)) = filter(dA). Linear: a row passes or not by itself, whenever it came or went.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from typing_extensions import override

from pgtrickle.dvm.operators.base import Operator, PlanColumn
from pgtrickle.dvm.sqlast import WEIGHT, Expr, Query, col, derived, select, to_sql, where

if TYPE_CHECKING:
    from pgtrickle.dvm.differentiate.sources import Leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter(Operator):
    """Keep the child's rows that satisfy `predicate`."""

    child: Operator
    predicate: Expr

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        return self.child.columns

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return (self.child,)

    @override
    def full(self, leaves: Leaves) -> Query:
        return where(
            select(self.references(), derived(self.child.full(leaves), "rows")), self.predicate
        )

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        changes = leaves.delta(self.child)
        if changes is None:
            return None
        outputs = [*self.references(), col(WEIGHT)]
        return where(select(outputs, derived(changes, "changes")), self.predicate)

    @override
    def label(self) -> str:
        return f"Filter {to_sql(self.predicate)}"
