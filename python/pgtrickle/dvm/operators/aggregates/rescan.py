"""Aggregates whose value cannot follow from a change alone: sums of floats, arrays, percentiles, any with DISTINCT inside.

Rule: a group with any change is read again from the sources. Where the order of the values shows in the result, it is completed
with the arguments themselves, in full refresh and audit too: the law is about that completed query.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from typing_extensions import override

from pgtrickle.dvm.operators.aggregates.base import Accumulator, AggregateCall, Strategy

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pgtrickle.dvm.sqlast import Expr


@dataclass(frozen=True, slots=True)
class Reread(Accumulator):
    """The result of `call`, an aggregate over the arguments, read from the group's rows."""

    call: Expr
    strategy = Strategy.RESCAN

    @override
    def initial(self) -> Expr:
        return self.call.copy()


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
