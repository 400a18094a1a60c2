"""Constant: rows that stand in the query itself (VALUES, or a SELECT without FROM).

Rule: d(C) = nothing, ever.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from typing_extensions import override

from pgtrickle.dvm.operators.base import Operator, PlanColumn

if TYPE_CHECKING:
    from pgtrickle.dvm.differentiate.sources import Leaves
    from pgtrickle.dvm.sqlast import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Constant(Operator):
    """The rows of `query`, which reads nothing; its columns are called `names`."""

    query: Query
    names: tuple[str, ...]

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        return tuple(PlanColumn(name=name) for name in self.names)

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return ()

    @override
    def full(self, leaves: Leaves) -> Query:
        return self.query.copy()

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        return None

    @override
    def label(self) -> str:
        return "Constant"
