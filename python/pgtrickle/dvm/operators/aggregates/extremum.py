"""min(x) and max(x).

Rule: values that came can only move the extremum outwards; it must be read again only when a value at least as extreme
as the kept one went and none at least as extreme came. "Came" and "went" are net of the window: a value that came and
went again is neither. Rows are netted by group and arguments first, so a positive net weight is a row that is there now.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.operators.aggregates.base import Accumulator, AggregateCall, Strategy, weight
from pgtrickle.dvm.sqlast import Expr, all_of, any_of, binary, col, is_null, number, rows_where

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class ExtremeValue(Accumulator):
    """The least, or the greatest, value of `argument` in the group."""

    argument: str
    greatest: bool
    strategy = Strategy.EXTREMUM

    @override
    def initial(self) -> Expr:
        function = exp.Max if self.greatest else exp.Min
        return function(this=col(self.argument))

    def came(self) -> Expr:
        """Return the most extreme value that is new in the window."""
        return rows_where(self.initial(), binary(exp.GT, weight(), number(0)))

    def went(self) -> Expr:
        """Return the most extreme value that left in the window."""
        return rows_where(self.initial(), binary(exp.LT, weight(), number(0)))

    def moved(self, stored: Expr, came: Expr) -> Expr:
        """Return the new extremum when the stored one has not left; NULLs are ignored."""
        function = exp.Greatest if self.greatest else exp.Least
        return function(this=stored.copy(), expressions=[came.copy()], ignore_nulls=True)

    def may_have_left(self, stored: Expr, came: Expr, went: Expr) -> Expr:
        """Return whether the stored extremum may be gone and is not replaced by what came."""
        beyond, inside = (exp.GTE, exp.LT) if self.greatest else (exp.LTE, exp.GT)
        replaced = any_of([is_null(came), binary(inside, came, stored)])
        return all_of([binary(beyond, went, stored), replaced])


@dataclass(frozen=True, slots=True, kw_only=True)
class Extremum(AggregateCall):
    """min(argument), or max(argument) when `greatest`."""

    argument: str
    greatest: bool

    @property
    def _kept(self) -> ExtremeValue:
        return ExtremeValue(self.argument, self.greatest)

    @property
    @override
    def accumulators(self) -> tuple[Accumulator, ...]:
        return (self._kept,)

    @override
    def native(self) -> Expr:
        return self._kept.initial()

    @override
    def final(self, kept: Mapping[Accumulator, Expr]) -> Expr:
        return kept[self._kept].copy()
