"""SELECT over a FROM clause: plain rows, DISTINCT, DISTINCT ON, and the first few rows of an order."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.law import domains as d
from tests.law.compose import inputs
from tests.law.compose.functions import set_returning
from tests.law.compose.orders import clause as order_clause
from tests.law.compose.orders import complete, image, some_terms
from tests.law.compose.subqueries import (
    PREDICATES,
    SCALARS,
    conditions,
    predicate_value,
    scalar,
)
from tests.law.compose.windows import Rows, named, window
from tests.law.expressions import Value, value
from tests.law.features import Feature
from tests.law.queries import Query, select_list

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.law.compose.composer import Composer
    from tests.law.joins import From
    from tests.law.relations import Field


def where_clause(composer: Composer, clause: From, depth: int) -> str:
    """Return WHERE with a space before, or nothing."""
    tests = [*clause.conditions, *conditions(composer, clause.fields, depth)]
    return f" WHERE {' AND '.join(tests)}" if tests else ""


def item(composer: Composer, clause: From, depth: int) -> Value:
    """Return one column of a SELECT list."""
    fields = clause.fields
    kinds: list[tuple[int, Callable[[], Value]]] = [(60, lambda: value(composer.dice, fields))]
    if composer.on(Feature.WINDOW):
        kinds.append((60, lambda: window(composer, Rows(fields, clause.key))))
    if composer.on(*SCALARS) and not composer.full():
        kinds.append((45, lambda: scalar(composer, fields, depth)))
    if composer.on(Feature.PREDICATE_VALUE) and composer.on(*PREDICATES) and not composer.full():
        kinds.append((30, lambda: predicate_value(composer, fields, depth)))
    return composer.dice.weighted(kinds)()


def _items(composer: Composer, clause: From, depth: int) -> list[Value]:
    """Return the columns; half of the time those come first that tell rows apart."""
    dice = composer.dice
    chosen = [item(composer, clause, depth) for _ in range(dice.between(1, 4))]
    if clause.key is None or not dice.chance(50):
        return chosen
    by_ref = {field.ref: field for field in clause.fields}
    key = [by_ref[ref] for ref in clause.key if ref in by_ref]
    plain = [Value(field.ref, field.domain, field.settled, plain=True) for field in key]
    return [*plain, *chosen]


def _key(clause: From, chosen: Sequence[Value], fields: Sequence[Field]) -> tuple[str, ...] | None:
    """Return the names of the key's columns where all of them are selected."""
    if clause.key is None:
        return None
    names: dict[str, str] = {}
    for each, field in zip(chosen, fields, strict=True):
        names.setdefault(each.sql, field.name)
    if any(ref not in names for ref in clause.key):
        return None
    return tuple(names[ref] for ref in clause.key)


def _query(sql: str, fields: Sequence[Field], key: tuple[str, ...] | None) -> Query:
    return Query(sql, tuple(fields), frozenset(), frozenset(), key=key)


def projected(composer: Composer, depth: int) -> Query:
    """Return a SELECT without more."""
    clause = inputs.clause(composer, depth)
    where = where_clause(composer, clause, depth)
    chosen = _items(composer, clause, depth)
    multiplied = composer.on(Feature.SET_RETURNING) and composer.dice.chance(60)
    if multiplied:
        chosen.append(set_returning(composer, clause.fields))
    chosen, windows = named(composer, chosen)
    columns, fields = select_list(composer.dice, chosen, clause)
    key = None if multiplied else _key(clause, chosen, fields)
    return _query(f"SELECT {columns} FROM {clause.sql}{where}{windows}", fields, key)


def distinct(composer: Composer, depth: int) -> Query:
    """Return a SELECT DISTINCT: of equal rows that print differently, any may stay."""
    composer.use(Feature.DISTINCT)
    clause = inputs.clause(composer, depth)
    where = where_clause(composer, clause, depth)
    drawn = [item(composer, clause, depth) for _ in range(composer.dice.between(1, 3))]
    chosen = [_comparable(each) for each in drawn]
    columns, fields = select_list(composer.dice, chosen, clause)
    key = tuple(field.name for field in fields)
    return _query(f"SELECT DISTINCT {columns} FROM {clause.sql}{where}", fields, key)


def _comparable(found: Value) -> Value:
    """Return the value as one that has an equality; it is unsettled where equals print differently."""
    if not found.domain.equality:
        return Value(f"({found.sql}) IS NULL", d.BOOL)
    return replace(found, settled=found.settled and found.domain.canonical)


def distinct_on(composer: Composer, depth: int) -> Query:
    """Return the first row of each group in an order."""
    composer.use(Feature.DISTINCT_ON)
    dice = composer.dice
    clause = inputs.clause(composer, depth)
    where = where_clause(composer, clause, depth)
    usable = [field for field in clause.fields if field.domain.equality]
    groups = dice.some(usable, 1, 2)
    chosen = [
        *(Value(field.ref, field.domain, field.settled, plain=True) for field in groups),
        *_items(composer, clause, depth),
    ]
    columns, fields = select_list(dice, chosen, clause)
    heads = [field.ref for field in groups] or [image(clause.fields[0])]
    terms = [f"{ref}{dice.pick(('', ' DESC'))}" for ref in heads]
    terms += complete(composer, clause.fields, clause.key)
    on = ", ".join(heads)
    order = order_clause(terms)
    key = tuple(field.name for field in fields[: len(groups)]) if groups else None
    return _query(
        f"SELECT DISTINCT ON ({on}) {columns} FROM {clause.sql}{where}{order}", fields, key
    )


def top(composer: Composer, depth: int) -> Query:
    """Return the first rows of a SELECT, by LIMIT and OFFSET or by FETCH FIRST."""
    clause = inputs.clause(composer, depth)
    where = where_clause(composer, clause, depth)
    chosen = _items(composer, clause, depth)
    columns, fields = select_list(composer.dice, chosen, clause)
    rest = limited(composer, clause.fields, clause.key)
    key = _key(clause, chosen, fields)
    return _query(f"SELECT {columns} FROM {clause.sql}{where}{rest}", fields, key)


def limited(composer: Composer, fields: Sequence[Field], key: tuple[str, ...] | None) -> str:
    """Return ORDER BY and LIMIT; WITH TIES needs no complete order to be determined."""
    dice = composer.dice
    count = dice.weighted(((15, 1), (30, 2), (30, 3), (20, 5), (5, 0)))
    ties = composer.on(Feature.WITH_TIES) and (not composer.on(Feature.TOP_K) or dice.chance(50))
    terms = some_terms(composer, fields, 1, 2) if ties else []
    if terms:
        composer.use(Feature.WITH_TIES)
        return f"{order_clause(terms)} FETCH FIRST {max(count, 1)} ROWS WITH TIES"
    composer.use(Feature.TOP_K)
    order = order_clause(complete(composer, fields, key))
    offset = f" OFFSET {dice.between(1, 3)}" if dice.chance(25) else ""
    if dice.chance(10):
        return f"{order}{offset or ' OFFSET 1'}"
    return f"{order} LIMIT {count}{offset}"
