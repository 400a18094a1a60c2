"""UNION, INTERSECT and EXCEPT, with ALL and without, of columns whose types differ, nested."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.law import domains as d
from tests.law.compose import inputs
from tests.law.compose.select import limited, where_clause
from tests.law.features import Feature
from tests.law.queries import Query
from tests.law.relations import Field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.law.compose.composer import Composer
    from tests.law.domains import Domain
    from tests.law.joins import From

_NUMBERS = ("int", "bigint", "numeric(12,2)", "numeric")
_WORDS = ("UNION", "EXCEPT", "EXCEPT ALL", "INTERSECT", "INTERSECT ALL")


def set_operation(composer: Composer, depth: int) -> Query:
    """Return two or three queries combined, their columns of types that fit each other."""
    dice = composer.dice
    first = inputs.clause(composer, depth, most=2)
    usable = [field for field in first.fields if field.domain.equality] or list(first.fields[:1])
    wanted = dice.some(usable, 1, 3)
    settled = [field.settled for field in wanted]
    domains = [field.domain for field in wanted]
    sql = _branch(composer, first, [field.ref for field in wanted], depth)
    for _ in range(1 if composer.full() else dice.weighted(((75, 1), (25, 2)))):
        other = inputs.clause(composer, depth - 1, most=2)
        columns, settled, domains = _fitting(composer, other, settled, domains)
        word = _word(composer, domains)
        sql = f"{sql} {word} {_branch(composer, other, columns, depth)}"
        if word != "UNION ALL":
            settled = [one and two.canonical for one, two in zip(settled, domains, strict=True)]
        if dice.chance(50):
            sql = f"({sql})"
    return _finished(composer, sql, word, settled, domains)


def _finished(
    composer: Composer, sql: str, word: str, settled: Sequence[bool], domains: Sequence[Domain]
) -> Query:
    fields = tuple(
        Field(f"u{place}", f"u{place}", domain, known)
        for place, (domain, known) in enumerate(zip(domains, settled, strict=True), start=1)
    )
    distinct = word in {"UNION", "EXCEPT", "INTERSECT"} and not sql.startswith("(")
    key = tuple(field.name for field in fields) if distinct else None
    comparable = all(field.domain.equality for field in fields)
    names = tuple(field.name for field in fields)
    if comparable and all(settled) and composer.on(Feature.TOP_K) and composer.dice.chance(25):
        sql = f"{sql}{limited(composer, fields, names)}"
    return Query(sql, fields, frozenset(), frozenset(), key=key)


def _word(composer: Composer, domains: Sequence[Domain]) -> str:
    all_only = not all(domain.equality for domain in domains)
    plain = composer.on(Feature.UNION_ALL) and composer.dice.chance(50)
    if plain or all_only or not composer.on(Feature.SET_OPERATION):
        composer.use(Feature.UNION_ALL)
        return "UNION ALL"
    composer.use(Feature.SET_OPERATION)
    return composer.dice.pick(_WORDS)


def _branch(composer: Composer, clause: From, columns: Sequence[str], depth: int) -> str:
    where = where_clause(composer, clause, depth)
    items = ", ".join(f"{column} AS u{place}" for place, column in enumerate(columns, start=1))
    return f"SELECT {items} FROM {clause.sql}{where}"


def _fitting(
    composer: Composer, clause: From, settled: Sequence[bool], domains: Sequence[Domain]
) -> tuple[list[str], list[bool], list[Domain]]:
    """Return columns of a clause that fit the types so far, and what comes out."""
    columns: list[str] = []
    known: list[bool] = []
    found: list[Domain] = []
    for domain, sure in zip(domains, settled, strict=True):
        field = _alike(composer, clause, domain)
        if field is None:
            columns.append(composer.dice.pick((domain.null, *domain.literals()[:1])))
            known.append(sure)
            found.append(domain)
        else:
            columns.append(field.ref)
            known.append(sure and field.settled)
            found.append(_common(domain, field.domain))
    return columns, known, found


def _alike(composer: Composer, clause: From, domain: Domain) -> Field | None:
    """Return a field of the type, or of another numeric one."""
    same = [field for field in clause.fields if field.domain.type == domain.type]
    near = [field for field in clause.fields if field.domain.type in _NUMBERS]
    mixed = near if domain.type in _NUMBERS else []
    usable = [*same, *same, *mixed]
    return composer.dice.pick(usable) if usable else None


def _common(one: Domain, two: Domain) -> Domain:
    """Return the domain that holds the values of both."""
    if one.type == two.type:
        return one if one.additive or not two.additive else two
    if {one.type, two.type} == {"int", "bigint"}:
        return d.BIGINT
    return d.NUMERIC
