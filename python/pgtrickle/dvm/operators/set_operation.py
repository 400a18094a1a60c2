"""INTERSECT and EXCEPT, with and without ALL.

Rule: how often a row comes out depends on how often that very row is on either side. So each row is a partition of its own:
the rows that came or went on either side are looked up on both sides again.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.operators.base import Operator, PlanColumn
from pgtrickle.dvm.operators.partitioned import Partitioned, restricted
from pgtrickle.dvm.sqlast import Query, col, derived, named, select, union_all, where

if TYPE_CHECKING:
    from pgtrickle.dvm.differentiate.sources import Leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class SetOperation(Partitioned):
    """`left` INTERSECT or EXCEPT `right`, column by column; `names` are the output's."""

    left: Operator
    right: Operator
    names: tuple[str, ...]
    intersect: bool
    distinct: bool

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        sides = zip(self.left.columns, self.right.columns, strict=False)
        return tuple(
            PlanColumn(
                name=name,
                type=left.type if left.type == right.type else None,
                not_null=left.not_null,
            )
            for name, (left, right) in zip(self.names, sides, strict=False)
        )

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return (self.left, self.right)

    @property
    @override
    def partition(self) -> tuple[str, ...]:
        return self.names

    @override
    def full(self, leaves: Leaves) -> Query:
        return self._combined(
            self._renamed(self.left, self.left.full(leaves)),
            self._renamed(self.right, self.right.full(leaves)),
        )

    @override
    def affected(self, leaves: Leaves) -> Query | None:
        changes = [(child, leaves.delta(child)) for child in self.children]
        if all(change is None for _, change in changes):
            return None
        # A side without a change takes part as an empty branch: the types are those of both sides.
        branches = [
            self._renamed(child, change)
            if change is not None
            else where(self._renamed(child, child.full(leaves)), exp.false())
            for child, change in changes
        ]
        query = select(map(col, self.names), derived(union_all(list(branches)), "changes"))
        query.set("distinct", exp.Distinct())
        return query

    @override
    def within(self, leaves: Leaves, keys: str) -> Query:
        sides = []
        for child in self.children:
            rows = self._renamed(child, child.full(leaves))
            values = {name: col(name) for name in self.names}
            sides.append(restricted(rows, self.names, values, keys, nullable=True))
        return self._combined(
            *(select(map(col, self.names), derived(side, "side")) for side in sides)
        )

    def _renamed(self, child: Operator, rows: Query) -> exp.Select:
        outputs = [
            named(col(column.name), name)
            for column, name in zip(child.columns, self.names, strict=False)
        ]
        return select(outputs, derived(rows, "side"))

    def _combined(self, left: Query, right: Query) -> Query:
        kind = exp.Intersect if self.intersect else exp.Except
        return kind(this=left, expression=right, distinct=self.distinct)

    @override
    def label(self) -> str:
        kind = "Intersect" if self.intersect else "Except"
        return kind if self.distinct else f"{kind} all"
