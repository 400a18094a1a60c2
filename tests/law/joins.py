"""FROM clauses: one to four inputs, joined in every spelling that an inner join has.

A join that can multiply rows (cross, non-equi, OR) is drawn from a small budget, so that results stay
a few hundred rows.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.law.expressions import predicate

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.law.dice import Dice
    from tests.law.relations import Field


@dataclass(frozen=True, slots=True)
class From:
    """A FROM clause: its text, the columns it yields, and conditions left for WHERE."""

    sql: str
    fields: tuple[Field, ...]
    bases: frozenset[str]
    operators: frozenset[str]
    conditions: tuple[str, ...] = ()
    leaves: int = 1
    listed: bool = False  # has a comma at the top, which binds weaker than JOIN
    key: tuple[str, ...] | None = None  # references that no two rows share; None where unknown

    def names(self) -> Counter[str]:
        """Return how often each column name is visible."""
        return Counter(field.name for field in self.fields)


@dataclass(slots=True)
class Budget:
    """How many joins of one query may still multiply rows."""

    loose: int

    def spend(self) -> None:
        self.loose -= 1


@dataclass(frozen=True, slots=True)
class Condition:
    """A join condition and the operator class it makes."""

    sql: str
    operator: str


def join(dice: Dice, inputs: Sequence[From], budget: Budget, *, top: bool = True) -> From:
    """Return the inputs joined, as a left-deep or bushy tree."""
    if len(inputs) == 1:
        return inputs[0]
    split = len(inputs) - 1
    if len(inputs) > 2 and dice.chance(20):
        split = dice.between(1, len(inputs) - 2)
    left = join(dice, inputs[:split], budget, top=top and split == len(inputs) - 1)
    right = join(dice, inputs[split:], budget, top=False)
    if len(inputs) - split > 1:
        right = replace(right, sql=f"({right.sql})")
    return _combine(dice, left, right, budget, top=top)


def _combine(dice: Dice, left: From, right: From, budget: Budget, *, top: bool) -> From:
    if left.listed or (top and dice.chance(15)):
        return _comma(dice, left, right, budget)
    shared = shared_names(left, right)
    spellings: list[tuple[int, Callable[[], From]]] = [(55, lambda: _on(dice, left, right, budget))]
    if shared:
        spellings.append((20, lambda: _using(dice, left, right, shared)))
        spellings.append((15, lambda: _natural(left, right)))
    if budget.loose > 0:
        spellings.append((10, lambda: _cross(left, right, budget)))
    return dice.weighted(spellings)()


def merged(left: From, right: From, sql: str, *operators: str) -> From:
    """Return two inputs as one; the keys of both tell its rows apart."""
    known = left.key is not None and right.key is not None
    return From(
        sql,
        (*left.fields, *right.fields),
        left.bases | right.bases,
        left.operators | right.operators | set(operators),
        (*left.conditions, *right.conditions),
        left.leaves + right.leaves,
        key=(*(left.key or ()), *(right.key or ())) if known else None,
    )


def shared_names(left: From, right: From) -> list[str]:
    """Return the common column names, or none where NATURAL would be refused."""
    left_names, right_names = left.names(), right.names()
    common = [name for name in left_names if name in right_names]
    for name in common:
        mine, theirs = _named(left, name), _named(right, name)
        alike = mine.domain.type == theirs.domain.type and mine.domain.equality
        if left_names[name] > 1 or right_names[name] > 1 or not alike:
            return []
    return common


def _named(relation: From, name: str) -> Field:
    return next(field for field in relation.fields if field.name == name)


def without(fields: Sequence[Field], names: Sequence[str]) -> tuple[Field, ...]:
    return tuple(field for field in fields if field.name not in names)


def _using(dice: Dice, left: From, right: From, shared: list[str]) -> From:
    columns = dice.some(shared, 1, 2)
    kept = replace(right, fields=without(right.fields, columns))
    return merged(left, kept, f"{left.sql} JOIN {right.sql} USING ({', '.join(columns)})", "using")


def _natural(left: From, right: From) -> From:
    kept = replace(right, fields=without(right.fields, shared_names(left, right)))
    return merged(left, kept, f"{left.sql} NATURAL JOIN {right.sql}", "natural")


def _cross(left: From, right: From, budget: Budget) -> From:
    budget.spend()
    return merged(left, right, f"{left.sql} CROSS JOIN {right.sql}", "cross")


def _on(dice: Dice, left: From, right: From, budget: Budget) -> From:
    found = condition(dice, left, right, budget)
    sql = f"{left.sql} {dice.pick(('JOIN', 'INNER JOIN'))} {right.sql} ON {found.sql}"
    return merged(left, right, sql, found.operator)


def _comma(dice: Dice, left: From, right: From, budget: Budget) -> From:
    found = condition(dice, left, right, budget)
    both = merged(left, right, f"{left.sql}, {right.sql}", found.operator, "comma")
    return replace(both, conditions=(*both.conditions, found.sql), listed=True)


def condition(dice: Dice, left: From, right: From, budget: Budget) -> Condition:
    """Return a condition between two inputs: an equality where there is one, mostly."""
    pairs = comparable(left, right)
    if not pairs:
        budget.spend()
        return Condition("true", "cross")
    mine, theirs = (field.ref for field in dice.pick(pairs))
    if budget.loose > 0 and dice.chance(22):
        budget.spend()
        operator = dice.pick(("<", "<>", ">="))
        return Condition(f"{mine} {operator} {theirs}", "non-equi")
    return dice.weighted(
        (
            (60, Condition(f"{mine} = {theirs}", "equi")),
            (10, Condition(f"{mine} IS NOT DISTINCT FROM {theirs}", "null-safe")),
            (10, _double(dice, pairs)),
            (10, _shifted(dice, pairs)),
            (10, _residual(dice, f"{mine} = {theirs}", left, right)),
        )
    )


def comparable(left: From, right: From) -> list[tuple[Field, Field]]:
    """Return comparable columns of both sides, those with the same name first."""
    pairs = [
        (mine, theirs)
        for mine in left.fields
        for theirs in right.fields
        if mine.domain.type == theirs.domain.type and mine.domain.equality
    ]
    twins = [pair for pair in pairs if pair[0].name == pair[1].name]
    return [*twins * (4 if len(twins) < len(pairs) else 1), *pairs]


def _double(dice: Dice, pairs: Sequence[tuple[Field, Field]]) -> Condition:
    first, second = dice.pick(pairs), dice.pick(pairs)
    tests = [f"{mine.ref} = {theirs.ref}" for mine, theirs in (first, second)]
    return Condition(" AND ".join(tests), "equi")


def _shifted(dice: Dice, pairs: Sequence[tuple[Field, Field]]) -> Condition:
    mine, theirs = dice.pick(pairs)
    if mine.domain.type in {"int", "bigint"}:
        return Condition(f"{mine.ref} + 1 = {theirs.ref}", "equi on expressions")
    if mine.domain.type == "text":
        return Condition(f"upper({mine.ref}) = upper({theirs.ref})", "equi on expressions")
    return Condition(f"{mine.ref} = {theirs.ref}", "equi")


def _residual(dice: Dice, equality: str, left: From, right: From) -> Condition:
    rest = predicate(dice, (*left.fields, *right.fields))
    return Condition(f"{equality} AND {rest}", "equi with residual")
