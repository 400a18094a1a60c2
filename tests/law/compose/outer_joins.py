"""LEFT, RIGHT and FULL joins, with conditions of every kind: equal, not equal, on one side only, constant."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.law.expressions import predicate
from tests.law.features import Feature
from tests.law.joins import Budget, From, comparable, condition, merged, shared_names, without

if TYPE_CHECKING:
    from tests.law.compose.composer import Composer
    from tests.law.relations import Field


def outer(composer: Composer, left: From, right: From, budget: Budget) -> From:
    """Return an outer join of two inputs."""
    composer.use(Feature.OUTER_JOIN)
    dice = composer.dice
    kind = dice.weighted(((50, "LEFT"), (25, "RIGHT"), (25, "FULL")))
    shared = shared_names(left, right)
    if shared and dice.chance(20):
        return _using(left, right, kind, dice.some(shared, 1, 2))
    test = _full_condition(composer, left, right) if kind == "FULL" else ""
    test = test or _condition(composer, left, right, budget)
    word = f"{kind} OUTER JOIN" if dice.chance(10) else f"{kind} JOIN"
    return merged(left, right, f"{left.sql} {word} {right.sql} ON {test}")


def _condition(composer: Composer, left: From, right: From, budget: Budget) -> str:
    dice = composer.dice
    if budget.loose > 0 and dice.chance(12):
        budget.spend()
        return dice.pick(("false", "true", "NULL"))
    if budget.loose > 0 and dice.chance(8):
        budget.spend()
        return predicate(dice, dice.pick((left, right)).fields)
    test = condition(dice, left, right, budget).sql
    if dice.chance(25):
        side = dice.pick((left, right))
        return f"{test} AND {predicate(dice, side.fields)}"
    return test


def _full_condition(composer: Composer, left: From, right: From) -> str:
    """Return a condition that PostgreSQL can use for FULL: an equality, perhaps with more."""
    dice = composer.dice
    pairs = comparable(left, right)
    if not pairs or dice.chance(8):
        return dice.pick(("false", "true"))
    mine, theirs = dice.pick(pairs)
    test = f"{mine.ref} = {theirs.ref}"
    if dice.chance(25):
        one, two = dice.pick(pairs)
        return f"{test} AND {one.ref} = {two.ref}"
    if dice.chance(20):
        return f"{test} AND {predicate(dice, dice.pick((left, right)).fields)}"
    return test


def _using(left: From, right: From, kind: str, names: list[str]) -> From:
    sql = f"{left.sql} {kind} JOIN {right.sql} USING ({', '.join(names)})"
    if kind == "LEFT":
        return merged(left, replace(right, fields=without(right.fields, names)), sql)
    if kind == "RIGHT":
        return merged(replace(left, fields=without(left.fields, names)), right, sql)
    both = merged(left, right, sql)
    whole = tuple(_merged_column(left, right, name) for name in names)
    return replace(both, fields=(*whole, *without(both.fields, names)))


def _merged_column(left: From, right: From, name: str) -> Field:
    """Return the column that USING makes of two; by its name alone it could be ambiguous further up."""
    mine, theirs = (
        next(field for field in side.fields if field.name == name) for side in (left, right)
    )
    return replace(mine, ref=f"coalesce({mine.ref}, {theirs.ref})")
