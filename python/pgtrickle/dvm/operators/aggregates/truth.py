"""bool_and(x), every(x) and bool_or(x).

Rule: kept are the number of values and the number of those that decide (false for bool_and, true for bool_or); both are sums
of weights. The result is whether a deciding value is there, NULL when there is no value at all.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.operators.aggregates.base import Accumulator, AggregateCall
from pgtrickle.dvm.operators.aggregates.count import ValueCount
from pgtrickle.dvm.sqlast import Expr, binary, call, case, col, number

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True, kw_only=True)
class Truth(AggregateCall):
    """bool_and(argument) when `conjunction`, else bool_or; `decisive` is 1 for a value that decides, else NULL."""

    argument: str
    decisive: str
    conjunction: bool

    @property
    @override
    def accumulators(self) -> tuple[Accumulator, ...]:
        return (ValueCount(self.argument), ValueCount(self.decisive))

    @override
    def native(self) -> Expr:
        return call("bool_and" if self.conjunction else "bool_or", col(self.argument))

    @override
    def final(self, kept: Mapping[Accumulator, Expr]) -> Expr:
        values, deciding = (kept[accumulator] for accumulator in self.accumulators)
        decided = binary(exp.EQ if self.conjunction else exp.GT, deciding, number(0))
        return case((binary(exp.EQ, values, number(0)), exp.Null()), default=decided)
