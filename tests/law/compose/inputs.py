"""FROM clauses: tables, derived tables, VALUES and functions, joined in every way."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.law.compose.functions import table_function, values_list
from tests.law.compose.lateral import lateral
from tests.law.compose.outer_joins import outer
from tests.law.features import Feature
from tests.law.joins import Budget, From, join

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.law.compose.composer import Composer

_LATERALS = (Feature.LATERAL, Feature.LATERAL_LIMIT)
_JOINING = (Feature.OUTER_JOIN, *_LATERALS)


def clause(composer: Composer, depth: int, most: int = 3) -> From:
    """Return a FROM clause of up to `most` inputs."""
    dice = composer.dice
    least = 2 if composer.on(*_JOINING) and dice.chance(70) else 1
    wanted = least + dice.weighted(((60, 0), (30, 1), (10, 2)))
    result = relation(composer, depth)
    budget = Budget(1)
    for _ in range(min(wanted, most) - 1):
        if composer.full():
            break
        result = _joined(composer, result, depth, budget)
    return result


def relation(composer: Composer, depth: int) -> From:
    """Return one input."""
    kinds: list[tuple[int, Callable[[], From]]] = [
        (50, lambda: composer.read(composer.dice.pick(composer.sources)))
    ]
    if depth > 0 and not composer.full():
        kinds.append((35, lambda: derived(composer, depth)))
    if composer.on(Feature.VALUES):
        kinds.append((25, lambda: values_list(composer)))
    if composer.on(Feature.TABLE_FUNCTION):
        kinds.append((15, lambda: table_function(composer, ())))
    return composer.dice.weighted(kinds)()


def derived(composer: Composer, depth: int) -> From:
    """Return a query in parentheses as an input."""
    inner = composer.query(depth - 1)
    alias = composer.alias()
    renamed = composer.dice.chance(15)
    fields = tuple(
        replace(field, name=f"n{place}" if renamed else field.name)
        for place, field in enumerate(inner.fields, start=1)
    )
    names = {old.name: new.name for old, new in zip(inner.fields, fields, strict=True)}
    columns = f"({', '.join(field.name for field in fields)})" if renamed else ""
    key = None if inner.key is None else tuple(f"{alias}.{names[name]}" for name in inner.key)
    scope = [field.within(alias) for field in fields]
    return composer.relation(f"({inner.sql}) AS {alias}{columns}", scope, key)


def _joined(composer: Composer, left: From, depth: int, budget: Budget) -> From:
    dice = composer.dice
    kinds: list[tuple[int, Callable[[], From]]] = [
        (30, lambda: join(dice, [left, _right(composer, depth, budget)], budget, top=False))
    ]
    if composer.on(Feature.OUTER_JOIN):
        kinds.append((60, lambda: outer(composer, left, _right(composer, depth, budget), budget)))
    if composer.on(*_LATERALS):
        kinds.append((50, lambda: lateral(composer, left, relation(composer, depth - 1))))
    if composer.on(Feature.TABLE_FUNCTION):
        kinds.append((40, lambda: _beside(composer, left)))
    return dice.weighted(kinds)()


def _right(composer: Composer, depth: int, budget: Budget) -> From:
    """Return the right side of a join: one input, or a join in parentheses."""
    first = relation(composer, depth - 1)
    if composer.full() or not composer.dice.chance(15):
        return first
    second = relation(composer, depth - 1)
    if composer.on(Feature.OUTER_JOIN) and composer.dice.chance(50):
        both = outer(composer, first, second, budget)
    else:
        both = join(composer.dice, [first, second], budget, top=False)
    return replace(both, sql=f"({both.sql})")


def _beside(composer: Composer, left: From) -> From:
    """Return the input with a function of its rows beside it."""
    right = table_function(composer, left.fields)
    spelling, condition = composer.dice.pick(
        (("CROSS JOIN", ""), ("LEFT JOIN", " ON true"), ("CROSS JOIN LATERAL", ""))
    )
    return replace(
        left,
        sql=f"{left.sql} {spelling} {right.sql}{condition}",
        fields=(*left.fields, *right.fields),
        key=None,
    )
