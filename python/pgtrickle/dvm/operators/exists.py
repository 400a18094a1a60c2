"""Semi join, anti join, and the truth value of EXISTS as a column.

Rule. Let n be how many rows of B match a row of A now, and d by how much that number moved: n - d is how many did
before. For the rows of A that pass the test p (n > 0 for a semi join, n = 0 for an anti join):
d = (rows of A now that match some change of B) weighted p(n) - p(n - d), plus dA weighted p(n - d).
Right for any condition, duplicates and NULLs included; nothing of the past is read but the changes themselves.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.analysis.types import BOOLEAN
from pgtrickle.dvm.operators.base import Operator, PlanColumn
from pgtrickle.dvm.schema import HIDDEN_PREFIX, TypeFacts
from pgtrickle.dvm.sqlast import (
    WEIGHT,
    Expr,
    Query,
    all_of,
    binary,
    case,
    col,
    columns_in,
    derived,
    group_by,
    named,
    number,
    select,
    table,
    to_sql,
    total,
    union_all,
    where,
)

if TYPE_CHECKING:
    from pgtrickle.dvm.differentiate.sources import Leaves

_STAYS = HIDDEN_PREFIX + "stays"
_ROW = HIDDEN_PREFIX + "row"
_NOW = HIDDEN_PREFIX + "now"
_MOVED = HIDDEN_PREFIX + "moved"


class Keeps(StrEnum):
    """Which rows of the left side come out."""

    MATCHED = "matched"
    UNMATCHED = "unmatched"
    MARKED = "marked"


@dataclass(frozen=True, slots=True, kw_only=True)
class Exists(Operator):
    """The rows of `left` by whether `right` has a row for which all `conditions` are true; `mark` names the truth value."""

    left: Operator
    right: Operator
    conditions: tuple[Expr, ...]
    keeps: Keeps
    mark: str = ""

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        if self.keeps is not Keeps.MARKED:
            return self.left.columns
        truth = PlanColumn(name=self.mark, type=TypeFacts(name=BOOLEAN), not_null=True)
        return (*self.left.columns, truth)

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return (self.left, self.right)

    @override
    def full(self, leaves: Leaves) -> Query:
        return self._tested(self.left.full(leaves), leaves, [])

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        left, right = leaves.delta(self.left), leaves.delta(self.right)
        if right is None:
            return None if left is None else self._tested(left, leaves, [col(WEIGHT)])
        rows = leaves.share("touched", self._touched(leaves, left, right))
        counted = leaves.share("counted", self._counted(leaves, rows, right))
        return self._weighted(counted)

    def _tested(self, rows: Query, leaves: Leaves, weight: list[Expr]) -> Query:
        """Return `rows` of the left side that pass, when the right side has not changed."""
        found = exp.Exists(
            this=where(
                select([number(1)], derived(self.right.full(leaves), "others")), *self.conditions
            )
        )
        outputs: list[Expr] = [col(column.name) for column in self.left.columns]
        if self.keeps is Keeps.MARKED:
            outputs.append(named(found, self.mark))
        query = select([*outputs, *weight], derived(rows, "rows"))
        match self.keeps:
            case Keeps.MATCHED:
                return where(query, found)
            case Keeps.UNMATCHED:
                return where(query, exp.Not(this=found))
            case Keeps.MARKED:
                return query

    def _touched(self, leaves: Leaves, left: Query | None, right: Query) -> Query:
        """Return the rows of the left side whose matches may have moved, and those that came or went themselves."""
        columns = self.left.references()
        moved = exp.Exists(
            this=where(select([number(1)], derived(right, "moved")), *self.conditions)
        )
        stay = where(
            select(
                [*columns, named(number(1), _STAYS), named(number(0), WEIGHT)],
                derived(self.left.full(leaves), "rows"),
            ),
            moved,
        )
        parts = [stay]
        if left is not None:
            weighted = [*columns, named(number(0), _STAYS), col(WEIGHT)]
            parts.append(select(weighted, derived(left, "changes")))
        numbered = named(exp.Window(this=exp.RowNumber(), over="OVER"), _ROW)
        outputs = [*columns, col(_STAYS), col(WEIGHT), numbered]
        return select(outputs, derived(union_all(list(parts)), "rows"))

    def _counted(self, leaves: Leaves, rows: str, right: Query) -> Query:
        """Return the touched rows with the number of matches now and by how much it moved."""
        outputs: list[Expr] = [*self.left.references(), col(_STAYS), col(WEIGHT)]
        others = self.right.full(leaves)
        if not self._correlated:
            return select([*outputs, *self._constant_counts(others, right)], table(rows))
        numbered = select([*outputs, col(_ROW)], table(rows))
        query = select(
            [*outputs, _or_zero(_NOW), _or_zero(_MOVED)],
            derived(numbered, "touched"),
        )
        weight = named(total(col(WEIGHT, "others")), _MOVED)
        for name, matched, counted in (
            ("now", others, named(exp.Count(this=exp.Star()), _NOW)),
            ("moved", right, weight),
        ):
            joined = where(
                select(
                    [col(_ROW), counted],
                    table(rows, alias="touched"),
                    derived(matched, "others"),
                ),
                *self.conditions,
            )
            found = derived(group_by(joined, [col(_ROW)]), name)
            same = binary(exp.EQ, col(_ROW, name), col(_ROW, "touched"))
            query.append("joins", exp.Join(this=found, side="LEFT", on=same))
        return query

    @property
    def _correlated(self) -> bool:
        """Whether some condition compares the two sides: else all rows of the left side have the same matches, or none."""
        left = {column.name for column in self.left.columns}
        right = {column.name for column in self.right.columns}
        found = (columns_in(condition) for condition in self.conditions)
        return any(names & left and names & right for names in found)

    def _constant_counts(self, others: Query, right: Query) -> list[Expr]:
        left = {column.name for column in self.left.columns}
        own = [each for each in self.conditions if columns_in(each) & left]
        rest = [each for each in self.conditions if not columns_in(each) & left]
        counts = (
            (_NOW, where(select([exp.Count(this=exp.Star())], derived(others, "others")), *rest)),
            (_MOVED, where(select([_zero_or(total(col(WEIGHT)))], derived(right, "moved")), *rest)),
        )
        return [
            named(case((all_of(own), exp.Subquery(this=query)), default=number(0)), name)
            for name, query in counts
        ]

    def _weighted(self, counted: str) -> Query:
        match self.keeps:
            case Keeps.MATCHED:
                return self._part(counted, exp.GT, [])
            case Keeps.UNMATCHED:
                return self._part(counted, exp.EQ, [])
            case Keeps.MARKED:
                return union_all(
                    [
                        self._part(counted, exp.GT, [named(exp.true(), self.mark)]),
                        self._part(counted, exp.EQ, [named(exp.false(), self.mark)]),
                    ]
                )

    def _part(self, counted: str, passes: type[exp.Binary], mark: list[Expr]) -> Query:
        before = binary(exp.Sub, col(_NOW), col(_MOVED))
        passed_now = _one_if(binary(passes, col(_NOW), number(0)))
        passed_before = _one_if(binary(passes, before, number(0)))
        stayed = binary(exp.Mul, col(_STAYS), binary(exp.Sub, passed_now, passed_before))
        own = binary(exp.Mul, col(WEIGHT), passed_before)
        weight = named(binary(exp.Add, stayed, own), WEIGHT)
        weighed = select([*self.left.references(), *mark, weight], table(counted))
        outputs = [*self.references(), col(WEIGHT)]
        return where(
            select(outputs, derived(weighed, "weighed")), binary(exp.NEQ, col(WEIGHT), number(0))
        )

    @override
    def label(self) -> str:
        kinds = {
            Keeps.MATCHED: "SemiJoin",
            Keeps.UNMATCHED: "AntiJoin",
            Keeps.MARKED: f"Exists as {self.mark}",
        }
        conditions = " AND ".join(to_sql(condition) for condition in self.conditions)
        return f"{kinds[self.keeps]} {conditions}".rstrip()


def _one_if(condition: Expr) -> Expr:
    return case((condition, number(1)), default=number(0))


def _zero_or(value: Expr) -> Expr:
    return exp.Coalesce(this=value, expressions=[number(0)])


def _or_zero(name: str) -> Expr:
    return named(_zero_or(col(name)), name)
