"""Left and full outer join.

Rule: A LEFT JOIN B = A * B + (A anti B, padded with NULLs), so its delta is the delta of that inner join plus the padded
delta of that anti join; a full join adds (B anti A, padded). A right join is a left join seen from the other side.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.operators.base import Operator, PlanColumn
from pgtrickle.dvm.operators.exists import Exists, Keeps
from pgtrickle.dvm.operators.inner_join import InnerJoin
from pgtrickle.dvm.sqlast import (
    WEIGHT,
    Expr,
    Query,
    all_of,
    col,
    derived,
    select,
    to_sql,
    union_all,
    where,
)

if TYPE_CHECKING:
    from pgtrickle.dvm.differentiate.sources import Leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class OuterJoin(Operator):
    """All rows of `left` with the matching ones of `right`, NULLs where there is none; `both` keeps unmatched right rows too."""

    left: Operator
    right: Operator
    conditions: tuple[Expr, ...]
    both: bool = False

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        right = tuple(replace(column, not_null=False) for column in self.right.columns)
        if not self.both:
            return (*self.left.columns, *right)
        return (*(replace(column, not_null=False) for column in self.left.columns), *right)

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return (self.left, self.right)

    @override
    def full(self, leaves: Leaves) -> Query:
        query = select(self.references(), derived(self.left.full(leaves), "input_1"))
        other = derived(self.right.full(leaves), "input_2")
        side = "FULL" if self.both else "LEFT"
        query.append("joins", exp.Join(this=other, side=side, on=all_of(self.conditions)))
        return query

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        matched = self._inner.delta(leaves)
        if matched is None:
            return None
        parts = [matched, self._padded(self._without(self.left, self.right), leaves)]
        if self.both:
            parts.append(self._padded(self._without(self.right, self.left), leaves))
        return union_all([part for part in parts if part is not None])

    @property
    def _inner(self) -> InnerJoin:
        return InnerJoin(inputs=(self.left, self.right), conditions=self.conditions)

    def _without(self, kept: Operator, other: Operator) -> Exists:
        return Exists(left=kept, right=other, conditions=self.conditions, keeps=Keeps.UNMATCHED)

    def _padded(self, kept: Exists, leaves: Leaves) -> Query | None:
        changes = kept.delta(leaves)
        if changes is None:
            return None
        return self._filled(kept, changes, [col(WEIGHT)], leaves)

    def _filled(self, kept: Exists, rows: Query, weight: list[Expr], leaves: Leaves) -> Query:
        """Return `rows` with the other side's columns as NULLs of their types: joined to no row of it."""
        nothing = where(
            select(kept.right.references(), derived(kept.right.full(leaves), "others")),
            exp.false(),
        )
        query = select([*self.references(), *weight], derived(rows, "rows"))
        query.append(
            "joins", exp.Join(this=derived(nothing, "nothing"), side="LEFT", on=exp.true())
        )
        return query

    @override
    def label(self) -> str:
        kind = "FullJoin" if self.both else "LeftJoin"
        return f"{kind} {' AND '.join(to_sql(condition) for condition in self.conditions)}".rstrip()
