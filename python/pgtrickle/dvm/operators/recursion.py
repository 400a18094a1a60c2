"""Recursion: a recursive WITH query, base UNION [ALL] step, with storage of its own.

Rule, where rows were only added to what it reads: new = d(base) + step(own rows, d(sources)) + step(new, sources), evaluated until
nothing is added; with UNION, rows that are there already are left out. That is right because both sides are joins of tables, which
only grow with them, and because PostgreSQL lets a step refer to itself once. Where rows were taken away, there is no such
rule: a row may have lost its last derivation or support itself in a cycle. Then it is computed again, and compared.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from typing_extensions import override

from pgtrickle.dvm.operators.base import Operator, PlanColumn
from pgtrickle.dvm.operators.opaque import Opaque
from pgtrickle.dvm.operators.scan import Scan
from pgtrickle.dvm.sqlast import col, named, select, table

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pgtrickle.dvm.differentiate.sources import Leaves
    from pgtrickle.dvm.schema import QualifiedName
    from pgtrickle.dvm.sqlast import Query

OWN_ROWS = "own_rows"
NEW_ROWS = "new_rows"


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnRows(Operator):
    """The rows that the recursion has stored; `names` maps its columns to output names."""

    names: Mapping[str, str]

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        return tuple(PlanColumn(name=name) for name in self.names.values())

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return ()

    @override
    def full(self, leaves: Leaves) -> Query:
        outputs = [named(col(source), name) for source, name in self.names.items()]
        return select(outputs, table(OWN_ROWS))

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        return None

    @override
    def label(self) -> str:
        return "OwnRows"


@dataclass(frozen=True, slots=True, kw_only=True)
class Recursion(Opaque):
    """`base` and `step` as plans over the stored rows; `again` is the step as written, over new rows called `shown`."""

    base: Operator
    step: Operator
    again: Query
    shown: tuple[str, ...]
    distinct: bool

    def columns_of(self, relation: QualifiedName) -> tuple[str, ...]:
        """Return the columns of `relation` that base and step read."""
        scans = (each for side in (self.base, self.step) for each in side.walk())
        return tuple(
            dict.fromkeys(
                column
                for scan in scans
                if isinstance(scan, Scan) and scan.relation.name == relation
                for column in scan.names
            )
        )

    @override
    def label(self) -> str:
        union = "UNION" if self.distinct else "UNION ALL"
        return f"Recursion by {union} (semi-naive where rows are only added)"
