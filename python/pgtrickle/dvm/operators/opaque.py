"""Opaque: a query kept as it was written, because some part of it has no differential form yet.

Rule: none. It can be evaluated, not differentiated; its stream table is refreshed in full, for a stated reason.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from typing_extensions import override

from pgtrickle.dvm.operators.base import Operator, PlanColumn
from pgtrickle.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from pgtrickle.dvm.differentiate.sources import Leaves
    from pgtrickle.dvm.schema import QualifiedName
    from pgtrickle.dvm.sqlast import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Opaque(Operator):
    """Evaluate `query`, whose tables already stand for the stored ones."""

    staged: ClassVar[bool] = True
    query: Query
    outputs: tuple[PlanColumn, ...]
    relations: frozenset[QualifiedName]

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        return self.outputs

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return ()

    @override
    def full(self, leaves: Leaves) -> Query:
        return self.query.copy()

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        raise InternalError("a query without a differential form was asked for its delta")

    @override
    def reads(self) -> AbstractSet[QualifiedName]:
        return self.relations

    @override
    def label(self) -> str:
        return "Opaque (evaluated in full)"
