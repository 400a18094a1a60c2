"""UNION ALL: the rows of all inputs together.

Rule: d(A + B) = dA + dB. Linear. PostgreSQL gives the columns one type for all branches; an input without a change takes
part as an empty branch, so that the types are the same whichever inputs changed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.operators.base import Operator, PlanColumn
from pgtrickle.dvm.sqlast import (
    WEIGHT,
    Query,
    col,
    derived,
    named,
    number,
    select,
    union_all,
    where,
)

if TYPE_CHECKING:
    from pgtrickle.dvm.differentiate.sources import Leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class UnionAll(Operator):
    """Append the inputs, column by column; `names` are the output's."""

    inputs: tuple[Operator, ...]
    names: tuple[str, ...]

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        found = []
        for name, parts in zip(
            self.names, zip(*(child.columns for child in self.inputs), strict=False), strict=False
        ):
            first = parts[0].type
            same = all(part.type == first for part in parts)
            never = all(part.not_null for part in parts)
            found.append(PlanColumn(name=name, type=first if same else None, not_null=never))
        return tuple(found)

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return self.inputs

    @override
    def full(self, leaves: Leaves) -> Query:
        return union_all([self._branch(child, child.full(leaves)) for child in self.inputs])

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        changes = [leaves.delta(child) for child in self.inputs]
        if all(change is None for change in changes):
            return None
        branches = []
        for child, change in zip(self.inputs, changes, strict=True):
            if change is not None:
                branches.append(self._branch(child, change, weighted=True))
            else:
                weighted = select(
                    [*child.references(), named(number(1), WEIGHT)],
                    derived(child.full(leaves), "rows"),
                )
                empty = self._branch(child, weighted, weighted=True)
                branches.append(where(empty, exp.false()))
        return union_all(branches)

    def _branch(self, child: Operator, rows: Query, *, weighted: bool = False) -> exp.Select:
        columns = list(child.columns)[: len(self.names)]
        outputs = [
            named(col(column.name), name) for column, name in zip(columns, self.names, strict=True)
        ]
        weight = [col(WEIGHT)] if weighted else []
        return select([*outputs, *weight], derived(rows, "branch"))

    @override
    def label(self) -> str:
        return f"UnionAll of {len(self.inputs)}"
