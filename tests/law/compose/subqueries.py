"""Subqueries: EXISTS, IN, ANY and ALL as conditions, and scalar ones as values."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.law import domains as d
from tests.law.compose import inputs
from tests.law.compose.calls import call
from tests.law.compose.correlation import correlate, pairs
from tests.law.compose.orders import clause as order_clause
from tests.law.compose.orders import complete
from tests.law.expressions import Value, predicate, value
from tests.law.features import Feature

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.law.compose.composer import Composer
    from tests.law.joins import From
    from tests.law.relations import Field

    Condition = Callable[[Composer, Sequence[Field], int], str]

PREDICATES = (Feature.SEMI_JOIN, Feature.ANTI_JOIN, Feature.NOT_IN, Feature.QUANTIFIED)
SCALARS = (Feature.SCALAR_SUBQUERY, Feature.CORRELATED_SCALAR)


def conditions(composer: Composer, fields: Sequence[Field], depth: int) -> list[str]:
    """Return conditions for WHERE: on columns, on subqueries."""
    dice = composer.dice
    found = [predicate(dice, fields)] if dice.chance(35) else []
    if composer.full():
        return found
    if composer.on(*PREDICATES) and dice.chance(70):
        found.append(test(composer, fields, depth))
    if composer.on(*SCALARS) and dice.chance(30):
        found.append(_compared(composer, fields, depth))
    return found


def test(composer: Composer, fields: Sequence[Field], depth: int) -> str:
    """Return a condition with a subquery, bare or under OR, NOT, CASE and the like."""
    dice = composer.dice
    kinds: list[tuple[Feature, tuple[Condition, ...]]] = [
        (Feature.SEMI_JOIN, (_exists, _exists, _in, _any)),
        (Feature.ANTI_JOIN, (_not_exists,)),
        (Feature.NOT_IN, (_not_in,)),
        (Feature.QUANTIFIED, (_quantified,)),
    ]
    feature, makers = dice.pick([each for each in kinds if composer.on(each[0])])
    composer.use(feature)
    sql = dice.pick(makers)(composer, fields, depth)
    if not composer.wants(Feature.NESTED_PREDICATE, 55):
        return sql
    template = dice.pick(
        (
            "({sql} OR {other})",
            "NOT ({sql})",
            "({sql}) IS NOT TRUE",
            "({sql}) IS NULL",
            "NOT ({sql} AND {other})",
            "CASE WHEN {other} THEN {sql} ELSE {sql} IS NULL END",
        )
    )
    if "{other}" not in template:
        return template.replace("{sql}", sql)
    second = not composer.full() and dice.chance(20)
    other = dice.pick(makers)(composer, fields, depth) if second else predicate(dice, fields)
    return sql.join(template.replace("{other}", other).split("{sql}"))


def _body(
    composer: Composer, fields: Sequence[Field], depth: int, *, correlated: int
) -> tuple[From, str]:
    """Return what a subquery reads and its WHERE, related to the outer fields in so many of 100 cases."""
    dice = composer.dice
    inner = inputs.clause(composer, depth - 1, most=2)
    tests = list(inner.conditions)
    if dice.chance(correlated):
        tests += correlate(composer, fields, inner.fields)
    if depth > 1:
        tests += conditions(composer, inner.fields, depth - 1)
    elif dice.chance(30):
        tests.append(predicate(dice, inner.fields))
    return inner, f" WHERE {' AND '.join(tests)}" if tests else ""


def _exists(composer: Composer, fields: Sequence[Field], depth: int) -> str:
    inner, where = _body(composer, fields, depth, correlated=85)
    return f"EXISTS (SELECT {composer.dice.pick(('1', '*', 'NULL'))} FROM {inner.sql}{where})"


def _not_exists(composer: Composer, fields: Sequence[Field], depth: int) -> str:
    return f"NOT {_exists(composer, fields, depth)}"


def _membership(composer: Composer, fields: Sequence[Field], depth: int, word: str) -> str:
    """Return `x IN (SELECT y …)` with one column or two."""
    dice = composer.dice
    inner, where = _body(composer, fields, depth, correlated=30)
    found = pairs(fields, inner.fields)
    if not found:
        return f"1 {word} (SELECT {_length(inner.fields)} FROM {inner.sql}{where})"
    mine, theirs = dice.pick(found)
    if dice.chance(25):
        one, two = dice.pick(found)
        columns = f"{theirs.ref} AS y1, {two.ref} AS y2"
        return f"({mine.ref}, {one.ref}) {word} (SELECT {columns} FROM {inner.sql}{where})"
    if mine.domain.type == "int" and mine.settled and dice.chance(15):
        return f"{mine.ref} + 1 {word} (SELECT {theirs.ref} FROM {inner.sql}{where})"
    distinct = "DISTINCT " if dice.chance(8) else ""
    return f"{mine.ref} {word} (SELECT {distinct}{theirs.ref} FROM {inner.sql}{where})"


def _in(composer: Composer, fields: Sequence[Field], depth: int) -> str:
    return _membership(composer, fields, depth, "IN")


def _not_in(composer: Composer, fields: Sequence[Field], depth: int) -> str:
    return _membership(composer, fields, depth, "NOT IN")


def _any(composer: Composer, fields: Sequence[Field], depth: int) -> str:
    return _membership(composer, fields, depth, "= ANY")


def _quantified(composer: Composer, fields: Sequence[Field], depth: int) -> str:
    dice = composer.dice
    inner, where = _body(composer, fields, depth, correlated=40)
    found = pairs(fields, inner.fields)
    if not found:
        return f"1 <> ALL (SELECT {_length(inner.fields)} FROM {inner.sql}{where})"
    mine, theirs = dice.pick(found)
    word = dice.pick(("> ALL", "<> ALL", "<= ANY", "< ALL", "<> ANY", ">= SOME"))
    return f"{mine.ref} {word} (SELECT {theirs.ref} FROM {inner.sql}{where})"


def scalar(composer: Composer, fields: Sequence[Field], depth: int) -> Value:
    """Return a scalar subquery, correlated or not, as a value."""
    dice = composer.dice
    correlated = composer.on(Feature.CORRELATED_SCALAR) and (
        not composer.on(Feature.SCALAR_SUBQUERY) or dice.chance(60)
    )
    composer.use(Feature.CORRELATED_SCALAR if correlated else Feature.SCALAR_SUBQUERY)
    inner, where = _body(composer, fields, depth, correlated=100 if correlated else 0)
    if dice.chance(20):
        return _first(composer, inner, where)
    found = call(composer, inner.fields, inner.key)
    having = " HAVING count(*) > 1" if composer.wants(Feature.HAVING, 20) else ""
    sql = f"(SELECT {found.sql} FROM {inner.sql}{where}{having})"
    if found.settled and found.domain.type in {"bigint", "numeric"} and dice.chance(20):
        return Value(f"coalesce({sql}, 0) + 1", found.domain)
    return Value(sql, found.domain, found.settled)


def _first(composer: Composer, inner: From, where: str) -> Value:
    """Return the one value of the first row."""
    found = value(composer.dice, inner.fields)
    terms = order_clause(complete(composer, inner.fields, inner.key))
    sql = f"(SELECT {found.sql} FROM {inner.sql}{where}{terms} LIMIT 1)"
    return Value(sql, found.domain, found.settled)


def _compared(composer: Composer, fields: Sequence[Field], depth: int) -> str:
    """Return a comparison with a scalar subquery."""
    dice = composer.dice
    found = scalar(composer, fields, depth)
    alike = [field.ref for field in fields if field.domain.type == found.domain.type]
    numbers = {"int", "bigint", "numeric", "numeric(12,2)"}
    if found.domain.type in numbers:
        alike = [field.ref for field in fields if field.domain.type in numbers]
    operators = ("<=", "=", ">", "<>", "IS DISTINCT FROM")
    if alike and found.domain.equality:
        return f"{dice.pick(alike)} {dice.pick(operators)} {found.sql}"
    return f"{found.sql} IS {dice.pick(('NOT NULL', 'NULL'))}"


def predicate_value(composer: Composer, fields: Sequence[Field], depth: int) -> Value:
    """Return a subquery's truth value for the SELECT list."""
    composer.use(Feature.PREDICATE_VALUE)
    sql = test(composer, fields, depth)
    if composer.dice.chance(30):
        return Value(f"CASE WHEN {sql} THEN 1 ELSE 0 END", d.INT)
    return Value(f"({sql})", d.BOOL)


def _length(fields: Sequence[Field]) -> str:
    """Return how long a field prints, of one whose printed form is determined; a constant where there is none."""
    settled = [field for field in fields if field.settled]
    return f"length(({settled[0].ref})::text)" if settled else "1"
