"""sum(x) and avg(x) over integers and over numeric of a fixed scale.

Rule: d(sum) = the sum of weight * x, kept with the count of values, because a sum over no values is NULL and not 0.
avg is sum / count: PostgreSQL divides the same two numbers, so the digits agree. NaN cannot be subtracted again;
it is counted apart and the sum holds the finite values only. Floats and numeric without a fixed scale are not here.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.analysis.types import BIGINT, INTEGERS, NUMERIC, is_numeric
from pgtrickle.dvm.operators.aggregates.base import Accumulator, Additive, AggregateCall, weight
from pgtrickle.dvm.operators.aggregates.count import RowCount, ValueCount
from pgtrickle.dvm.sqlast import Expr, binary, case, cast, col, number, rows_where, total

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pgtrickle.dvm.schema import TypeFacts


class Domain(StrEnum):
    """What is summed, and so in which type the sum is kept."""

    SMALL = "small"
    BIG = "big"
    NUMERIC = "numeric"


def domain_of(facts: TypeFacts | None) -> Domain | None:
    """Return how values of this type are summed exactly by addition; None when they are not."""
    if facts is None:
        return None
    if facts.name in INTEGERS:
        return Domain.BIG if facts.name == BIGINT else Domain.SMALL
    return Domain.NUMERIC if is_numeric(facts) and facts.scale is not None else None


def _nan() -> Expr:
    return cast(exp.Literal.string("NaN"), NUMERIC)


@dataclass(frozen=True, slots=True)
class Total(Additive):
    """The sum of the group's finite values, 0 when there are none."""

    argument: str
    domain: Domain

    @property
    def _type(self) -> str:
        return BIGINT if self.domain is Domain.SMALL else NUMERIC

    @override
    def initial(self) -> Expr:
        summed: Expr = total(col(self.argument))
        if self.domain is Domain.NUMERIC:
            summed = rows_where(summed, binary(exp.NEQ, col(self.argument), _nan()))
        return exp.Coalesce(this=summed, expressions=[number(0)])

    @override
    def change(self) -> Expr:
        value: Expr = col(self.argument)
        if self.domain is Domain.NUMERIC:
            finite = binary(exp.NEQ, value, _nan())
            value = case((finite, value), default=number(0))
        else:
            value = cast(value, self._type)
        moved = exp.Coalesce(this=total(binary(exp.Mul, value, weight())), expressions=[number(0)])
        return cast(moved, self._type)


@dataclass(frozen=True, slots=True)
class NanCount(Additive):
    """The number of NaN values in the group."""

    argument: str

    @override
    def initial(self) -> Expr:
        return rows_where(exp.Count(this=exp.Star()), binary(exp.EQ, col(self.argument), _nan()))

    @override
    def change(self) -> Expr:
        is_nan = binary(exp.EQ, col(self.argument), _nan())
        return total(case((is_nan, weight()), default=number(0)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SumOrAvg(AggregateCall):
    """sum(argument), or avg(argument) when `average`."""

    argument: str
    domain: Domain
    average: bool
    counted: RowCount | ValueCount

    @property
    def _total(self) -> Total:
        return Total(self.argument, self.domain)

    @property
    def _nans(self) -> NanCount | None:
        return NanCount(self.argument) if self.domain is Domain.NUMERIC else None

    @property
    @override
    def accumulators(self) -> tuple[Accumulator, ...]:
        kept: tuple[Accumulator, ...] = (self._total, self.counted)
        return (*kept, self._nans) if self._nans else kept

    @override
    def native(self) -> Expr:
        function = exp.Avg if self.average else exp.Sum
        return function(this=col(self.argument))

    @override
    def final(self, kept: Mapping[Accumulator, Expr]) -> Expr:
        result = kept[self._total]
        counted = kept[self.counted]
        if self.average:
            divisor = exp.Nullif(this=counted.copy(), expression=number(0))
            result = binary(exp.Div, cast(result, NUMERIC), cast(divisor, NUMERIC))
        branches: list[tuple[Expr, Expr]] = []
        if isinstance(self.counted, ValueCount):
            branches.append((binary(exp.EQ, counted, number(0)), exp.Null()))
        if self._nans:
            branches.append((binary(exp.GT, kept[self._nans], number(0)), _nan()))
        return case(*branches, default=result) if branches else result.copy()
