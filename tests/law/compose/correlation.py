"""Conditions between a subquery and the query around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.law.compose.composer import Composer
    from tests.law.relations import Field

Pair = tuple["Field", "Field"]


def pairs(outer: Sequence[Field], inner: Sequence[Field]) -> list[Pair]:
    """Return fields that can be compared, those with one name first and more often.

    A field without a qualifier could be taken for one of the subquery's own.
    """
    found = [
        (mine, theirs)
        for mine in outer
        for theirs in inner
        if mine.domain.type == theirs.domain.type and mine.domain.equality and mine.ref != mine.name
    ]
    twins = [pair for pair in found if pair[0].name == pair[1].name]
    return [*twins * 3, *found]


def correlate(composer: Composer, outer: Sequence[Field], inner: Sequence[Field]) -> list[str]:
    """Return one or two conditions, none where nothing can be compared."""
    dice = composer.dice
    found = pairs(outer, inner)
    if not found:
        return []
    mine, theirs = dice.pick(found)
    if dice.chance(12):
        return [f"{theirs.ref} {dice.pick(('<', '<>', '>='))} {mine.ref}"]
    if dice.chance(8):
        return [f"{theirs.ref} IS NOT DISTINCT FROM {mine.ref}"]
    tests = [f"{theirs.ref} = {mine.ref}"]
    if dice.chance(15):
        one, two = dice.pick(found)
        tests.append(f"{two.ref} {dice.pick(('=', '<>', '<'))} {one.ref}")
    return tests
