"""LATERAL subqueries: rows of the right side that belong to a row of the left, the best few, or a summary."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.law.aggregates import aggregate
from tests.law.compose.correlation import correlate
from tests.law.compose.orders import clause as order_clause
from tests.law.compose.orders import complete
from tests.law.expressions import predicate, value
from tests.law.features import Feature
from tests.law.queries import select_list

if TYPE_CHECKING:
    from tests.law.compose.composer import Composer
    from tests.law.joins import From
    from tests.law.relations import Field


def lateral(composer: Composer, left: From, inner: From) -> From:
    """Return the left input with a subquery beside it that reads its rows."""
    dice = composer.dice
    limited = composer.on(Feature.LATERAL_LIMIT) and (
        not composer.on(Feature.LATERAL) or dice.chance(50)
    )
    if limited:
        composer.use(Feature.LATERAL_LIMIT)
        sql, fields = _best(composer, left, inner)
    else:
        composer.use(Feature.LATERAL)
        kind = dice.weighted(((40, _rows), (35, _summary), (15, _unpivoted)))
        sql, fields = kind(composer, left, inner)
    alias = composer.alias()
    scope = tuple(replace(field, ref=f"{alias}.{field.name}") for field in fields)
    joined = f"{left.sql} {_spelled(composer, f'({sql}) AS {alias}', scope)}"
    return replace(left, sql=joined, fields=(*left.fields, *scope), key=None)


def _spelled(composer: Composer, right: str, scope: tuple[Field, ...]) -> str:
    dice = composer.dice
    if dice.chance(40):
        return f"CROSS JOIN LATERAL {right}"
    kind = "LEFT JOIN" if dice.chance(75) else "JOIN"
    test = predicate(dice, scope) if dice.chance(20) else "true"
    return f"{kind} LATERAL {right} ON {test}"


def _rows(composer: Composer, left: From, inner: From) -> tuple[str, tuple[Field, ...]]:
    chosen = [value(composer.dice, inner.fields) for _ in range(composer.dice.between(1, 2))]
    columns, fields = select_list(composer.dice, chosen, inner)
    return f"SELECT {columns} FROM {inner.sql}{_where(composer, left, inner)}", fields


def _best(composer: Composer, left: From, inner: From) -> tuple[str, tuple[Field, ...]]:
    sql, fields = _rows(composer, left, inner)
    terms = complete(composer, inner.fields, inner.key)
    offset = " OFFSET 1" if composer.dice.chance(15) else ""
    return f"{sql}{order_clause(terms)} LIMIT {composer.dice.between(1, 2)}{offset}", fields


def _summary(composer: Composer, left: From, inner: From) -> tuple[str, tuple[Field, ...]]:
    """One row for each row of the left, also where nothing belongs to it."""
    dice = composer.dice
    chosen = [
        aggregate(dice, inner.fields, composer.features)[0] for _ in range(dice.between(1, 2))
    ]
    columns, fields = select_list(dice, chosen, inner)
    return f"SELECT {columns} FROM {inner.sql}{_where(composer, left, inner)}", fields


def _unpivoted(composer: Composer, left: From, inner: From) -> tuple[str, tuple[Field, ...]]:
    """Columns of the left as rows; the inner input gives the type of them."""
    dice = composer.dice
    model = dice.pick(left.fields)
    alike = [field for field in left.fields if field.domain == model.domain]
    rows = ", ".join(f"({field.ref})" for field in dice.some(alike, 1, 3))
    alias = composer.alias()
    sql = f"SELECT {alias}.u, {inner.fields[0].ref} AS w FROM (VALUES {rows}) AS {alias}(u), {inner.sql}"
    settled = all(field.settled for field in alike)
    fields = (replace(model, name="u", settled=settled), replace(inner.fields[0], name="w"))
    return f"{sql}{_where(composer, left, inner)}", fields


def _where(composer: Composer, left: From, inner: From) -> str:
    tests = [*inner.conditions, *correlate(composer, left.fields, inner.fields)]
    if composer.dice.chance(20):
        tests.append(predicate(composer.dice, inner.fields))
    return f" WHERE {' AND '.join(tests)}" if tests else ""
