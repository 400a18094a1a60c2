"""count(*) and count(x): how many rows, how many values.

Rule: d(count) = the sum of the weights (of the rows whose value is not NULL). Exact for any type.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.operators.aggregates.base import Accumulator, Additive, AggregateCall, weight
from pgtrickle.dvm.sqlast import Expr, case, cast, col, is_null, number, total

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class RowCount(Additive):
    """The number of rows in the group; a group whose count is 0 is gone."""

    @override
    def initial(self) -> Expr:
        return exp.Count(this=exp.Star())

    @override
    def change(self) -> Expr:
        return total(weight())


@dataclass(frozen=True, slots=True)
class ValueCount(Additive):
    """The number of rows in the group whose `argument` is not NULL."""

    argument: str

    @override
    def initial(self) -> Expr:
        return exp.Count(this=col(self.argument))

    @override
    def change(self) -> Expr:
        return total(case((is_null(col(self.argument)), number(0)), default=weight()))


@dataclass(frozen=True, slots=True, kw_only=True)
class Count(AggregateCall):
    """count(*) when `argument` is None, else count(argument)."""

    argument: str | None
    kept: RowCount | ValueCount

    @property
    @override
    def accumulators(self) -> tuple[Accumulator, ...]:
        return (self.kept,)

    @override
    def native(self) -> Expr:
        return exp.Count(this=col(self.argument) if self.argument else exp.Star())

    @override
    def final(self, kept: Mapping[Accumulator, Expr]) -> Expr:
        return cast(kept[self.kept], "bigint")
