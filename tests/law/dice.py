"""Choices from small ranges, simplest first, so that failures shrink; drawn by hypothesis or from a seed."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING, TypeVar

from hypothesis import strategies as st

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hypothesis.strategies import DrawFn, SearchStrategy

T = TypeVar("T")

_RANGES: tuple[SearchStrategy[int], ...] = tuple(st.integers(0, most) for most in range(200))


class Dice:
    """Draws from ranges that shrink towards zero, the first item, and "no"."""

    def __init__(self, roll: Callable[[int], int]) -> None:
        self._roll = roll

    @classmethod
    def drawn(cls, draw: DrawFn) -> Dice:
        """Return dice that hypothesis throws, and can throw again with smaller numbers."""
        return cls(lambda most: draw(_RANGES[most]))

    @classmethod
    def seeded(cls, seed: int) -> Dice:
        """Return dice that a seed determines."""
        source = random.Random(seed)  # noqa: S311 - to be repeated, not to be kept secret
        return cls(lambda most: source.randint(0, most))

    def upto(self, most: int) -> int:
        """Return a number from 0 to `most`, which is below 200."""
        return self._roll(most) if most > 0 else 0

    def between(self, least: int, most: int) -> int:
        """Return a number from `least` to `most`."""
        return least + self.upto(most - least)

    def chance(self, percent: int) -> bool:
        """Return True in about `percent` of the draws."""
        return self.upto(99) >= 100 - percent

    def pick(self, items: Sequence[T]) -> T:
        """Return one item."""
        return items[self.upto(len(items) - 1)]

    def weighted(self, items: Sequence[tuple[int, T]]) -> T:
        """Return one item, each as often as its weight says; weights add up to 200 at most."""
        roll = self.upto(sum(weight for weight, _ in items) - 1)
        for weight, item in items:
            if roll < weight:
                return item
            roll -= weight
        raise AssertionError("weights changed under the roll")

    def some(self, items: Sequence[T], least: int, most: int) -> list[T]:
        """Return distinct items, at least and at most so many, in the order drawn."""
        rest = list(items)
        wanted = self.between(min(least, len(rest)), min(most, len(rest)))
        return [rest.pop(self.upto(len(rest) - 1)) for _ in range(wanted)]
