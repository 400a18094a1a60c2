"""Aggregates whose value cannot follow from a change alone: sums of floats, numeric without a fixed scale, and the like.

Rule: a group with any net change is read again from the sources. Float addition depends on the order, so the values are
added in their own order, in full refresh and audit too: the law is about that completed query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.operators.aggregates.base import Accumulator, AggregateCall, Strategy
from pgtrickle.dvm.sqlast import Expr, col

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(frozen=True, slots=True)
class Reread(Accumulator):
    """The result of `function` over `argument`, read from the group's rows."""

    function: type[exp.AggFunc]
    argument: str
    ordered: bool
    strategy = Strategy.RESCAN

    @override
    def initial(self) -> Expr:
        value: Expr = col(self.argument)
        if self.ordered:
            by = exp.Ordered(this=value.copy(), nulls_first=False)
            value = exp.Order(this=value, expressions=[by])
        return self.function(this=value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Rescan(AggregateCall):
    """A call that is computed again for each changed group."""

    kept: Reread

    @property
    @override
    def accumulators(self) -> tuple[Accumulator, ...]:
        return (self.kept,)

    @override
    def native(self) -> Expr:
        return self.kept.initial()

    @override
    def final(self, kept: Mapping[Accumulator, Expr]) -> Expr:
        return kept[self.kept].copy()
