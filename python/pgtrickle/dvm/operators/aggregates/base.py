"""Aggregate functions as values: what they keep, how that changes, and how a result is read from it.

An *accumulator* is a hidden column of storage. An additive one is moved by adding the window's change; an extremum by
comparing, unless the extremum itself may have left; a rescanned one only by reading the group's rows again.
Accumulators compare equal when they keep the same thing, so sum(x), avg(x) and count(x) share theirs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pgtrickle.dvm.sqlast import WEIGHT, Expr, col

if TYPE_CHECKING:
    from collections.abc import Mapping


class Strategy(StrEnum):
    """How a function follows a change."""

    ALGEBRAIC = "algebraic"
    EXTREMUM = "extremum"
    RESCAN = "rescan"


class Accumulator(ABC):
    """One hidden value that a group keeps."""

    __slots__ = ()
    strategy: Strategy

    @abstractmethod
    def initial(self) -> Expr:
        """Return the aggregate over a group's rows that gives the value from nothing."""


class Additive(Accumulator):
    """An accumulator that moves by a sum of weighted rows."""

    __slots__ = ()
    strategy = Strategy.ALGEBRAIC

    @abstractmethod
    def change(self) -> Expr:
        """Return the aggregate over weighted rows by which the value moves."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AggregateCall(ABC):
    """One aggregate in a query; `name` is the column that carries its result."""

    name: str

    @property
    @abstractmethod
    def accumulators(self) -> tuple[Accumulator, ...]:
        """What must be kept to know the result."""

    @abstractmethod
    def native(self) -> Expr:
        """Return the aggregate as the query states it, completed where SQL leaves the order open."""

    @abstractmethod
    def final(self, kept: Mapping[Accumulator, Expr]) -> Expr:
        """Return the result from the accumulators' values."""

    @property
    def strategy(self) -> Strategy:
        """The costliest strategy among the accumulators."""
        order = list(Strategy)
        return max((kept.strategy for kept in self.accumulators), key=order.index)


def weight() -> Expr:
    """Return the weight of the current change row."""
    return col(WEIGHT)
