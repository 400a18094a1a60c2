"""Scan: the rows of one relation.

Rule: d(T) = the change buffer's rows of the window, an I row with weight +1 and a D row with weight -1.
The table itself is read as it is now, which is the frontier's state plus that delta.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from typing_extensions import override

from pgtrickle.dvm.operators.base import Operator, PlanColumn

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from pgtrickle.dvm.differentiate.sources import Leaves
    from pgtrickle.dvm.schema import QualifiedName, Relation
    from pgtrickle.dvm.sqlast import Query


@dataclass(frozen=True, slots=True, kw_only=True)
class Scan(Operator):
    """Read the columns of `relation` that the query needs; `names` maps them to output names."""

    relation: Relation
    names: Mapping[str, str]

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        found = ((self.relation.column(source), name) for source, name in self.names.items())
        return tuple(
            PlanColumn(name=name, type=column.type, not_null=column.not_null)
            for column, name in found
            if column is not None
        )

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return ()

    @override
    def full(self, leaves: Leaves) -> Query:
        return leaves.rows(self.relation, self.names)

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        return leaves.changes(self.relation, self.names)

    @override
    def reads(self) -> AbstractSet[QualifiedName]:
        return frozenset({self.relation.name})

    @override
    def label(self) -> str:
        return f"Scan {self.relation.name} ({', '.join(self.names)})"
