"""Stage: the rows of an operator that has storage of its own inside the stream table.

Rule: d(stage) = what the refresh of the stage, earlier in the same transaction, wrote to its change buffer. To all operators
above, a stage is a table.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from typing_extensions import override

from pgtrickle.dvm.operators.base import Operator, PlanColumn
from pgtrickle.dvm.sqlast import Query, col, derived, named, select

if TYPE_CHECKING:
    from collections.abc import Mapping
    from collections.abc import Set as AbstractSet

    from pgtrickle.dvm.differentiate.sources import Leaves
    from pgtrickle.dvm.plan.model import Stage
    from pgtrickle.dvm.schema import QualifiedName


@dataclass(frozen=True, slots=True, kw_only=True)
class StageScan(Operator):
    """Read `stage`; `names` maps its columns to output names."""

    stage: Stage
    names: Mapping[str, str]

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        found = ((self.stage.relation.column(source), name) for source, name in self.names.items())
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
        if leaves.reads_stages:
            return leaves.rows(self.stage.relation, self.names)
        outputs = [named(col(source), name) for source, name in self.names.items()]
        return select(outputs, derived(self.stage.plan.root.full(leaves), "stage"))

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        return leaves.changes(self.stage.relation, self.names)

    @override
    def reads(self) -> AbstractSet[QualifiedName]:
        return frozenset({self.stage.relation.name})

    @override
    def label(self) -> str:
        return f"Stage {self.stage.number} ({', '.join(self.names)})"
