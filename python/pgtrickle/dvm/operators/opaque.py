"""Opaque: a query kept as it was written: one without a differential form, or a recursive WITH query.

Rule: none. It can be evaluated, not differentiated. A whole query of this kind is refreshed in full, for a stated reason; a
recursive query is a stage that is computed again after any change of what it reads, and compared.
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
