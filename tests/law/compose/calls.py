"""Aggregate calls of every family, with FILTER, DISTINCT and ORDER BY inside."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.law import domains as d
from tests.law.aggregates import aggregate
from tests.law.compose.orders import clause as order_clause
from tests.law.compose.orders import complete, image
from tests.law.expressions import Value, predicate
from tests.law.features import Feature

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from tests.law.compose.composer import Composer
    from tests.law.domains import Domain
    from tests.law.relations import Field

    Key = tuple[str, ...] | None
    Maker = Callable[[Composer, Sequence[Field], Key], Value | None]

_EXACT = {"int", "bigint", "numeric(12,2)", "numeric"}
_NUMBERS = _EXACT | {"float8"}
FAMILIES = (
    Feature.AGGREGATE_BOOL,
    Feature.AGGREGATE_BIT,
    Feature.AGGREGATE_SPREAD,
    Feature.AGGREGATE_DISTINCT,
    Feature.AGGREGATE_COLLECT,
    Feature.AGGREGATE_ORDERED_SET,
    Feature.AGGREGATE_REGRESSION,
    Feature.CASE_ARGUMENT,
)


def call(composer: Composer, fields: Sequence[Field], key: Key) -> Value:
    """Return one aggregate of a family that is on, else one of the first five."""
    families = [each for each in FAMILIES if composer.on(each)]
    if families and composer.dice.chance(75):
        family = composer.dice.pick(families)
        found = _MAKERS[family](composer, fields, key)
        if found is not None:
            composer.use(family)
            return found
    return aggregate(composer.dice, fields, composer.features)[0]


def _filter(composer: Composer, fields: Sequence[Field]) -> str:
    if not composer.dice.chance(18):
        return ""
    return f" FILTER (WHERE {predicate(composer.dice, fields)})"


def _pick(composer: Composer, fields: Sequence[Field], types: set[str]) -> Field | None:
    usable = [field for field in fields if field.domain.type in types]
    return composer.dice.pick(usable) if usable else None


def _bool(composer: Composer, fields: Sequence[Field], _: Key) -> Value:
    name = composer.dice.pick(("bool_and", "bool_or", "every"))
    operand = _pick(composer, fields, {"bool"})
    plain = operand is not None and composer.dice.chance(50)
    argument = operand.ref if operand and plain else predicate(composer.dice, fields)
    return Value(f"{name}({argument}){_filter(composer, fields)}", d.BOOL)


def _bit(composer: Composer, fields: Sequence[Field], _: Key) -> Value | None:
    operand = _pick(composer, fields, {"int", "bigint"})
    if operand is None:
        return None
    name = composer.dice.pick(("bit_and", "bit_or", "bit_xor"))
    return Value(f"{name}({operand.ref}){_filter(composer, fields)}", operand.domain)


def _spread(composer: Composer, fields: Sequence[Field], _: Key) -> Value | None:
    """A deviation of floats depends on the order of rows, in its last digits."""
    floats = composer.on(Feature.INCOMPLETE_ORDER)
    operand = _pick(composer, fields, _NUMBERS if floats else _EXACT)
    if operand is None:
        return None
    if operand.domain.type == "float8":
        composer.leaves_open(100)
    names = ("stddev", "stddev_pop", "stddev_samp", "variance", "var_pop", "var_samp")
    sql = f"{composer.dice.pick(names)}({operand.ref}){_filter(composer, fields)}"
    rounded = operand.domain.type == "float8"
    return Value(sql, d.FLOAT_ROUNDED if rounded else d.NUMERIC, operand.settled)


def _distinct(composer: Composer, fields: Sequence[Field], _: Key) -> Value | None:
    """Of two equal values, whichever comes first is kept: 1.0 or 1.00."""
    dice = composer.dice
    if dice.chance(50):
        usable = [field for field in fields if field.domain.equality]
        if usable:
            return Value(
                f"count(DISTINCT {dice.pick(usable).ref}){_filter(composer, fields)}", d.BIGINT
            )
    operand = _pick(composer, fields, _EXACT)
    if operand is None:
        return None
    name = dice.pick(("sum", "avg", "max"))
    domain = operand.domain if name == "max" else d.NUMERIC
    if name == "sum" and operand.domain.type == "int":
        domain = d.BIGINT
    sql = f"{name}(DISTINCT {operand.ref}){_filter(composer, fields)}"
    return Value(sql, domain, operand.settled and operand.domain.canonical)


def _collect(composer: Composer, fields: Sequence[Field], key: Key) -> Value | None:
    dice = composer.dice
    usable = [field for field in fields if field.settled and not field.domain.type.endswith("]")]
    if not usable:
        return None
    kind = dice.weighted(((30, _array), (25, _joined), (25, _json), (20, _object)))
    return kind(composer, dice.pick(usable), fields, key)


def _order(composer: Composer, operand: Field, fields: Sequence[Field], key: Key) -> str:
    """Return an order inside the call: by the operand itself, or by anything that is complete."""
    if composer.dice.chance(50) and not composer.leaves_open(30):
        terms = (operand.ref, image(operand)) if operand.domain.equality else (image(operand),)
        return order_clause(list(dict.fromkeys(terms)))
    return order_clause(complete(composer, fields, key))


def _array(composer: Composer, operand: Field, fields: Sequence[Field], key: Key) -> Value:
    domain = operand.domain
    collected = replace(
        domain, type=f"{domain.type}[]", values=("{}",), extremes=False, additive=False
    )
    if domain.equality and domain.canonical and composer.dice.chance(25):
        sql = f"array_agg(DISTINCT {operand.ref} ORDER BY {operand.ref})"
    else:
        sql = f"array_agg({operand.ref}{_order(composer, operand, fields, key)})"
    return Value(f"{sql}{_filter(composer, fields)}", collected)


def _joined(composer: Composer, operand: Field, fields: Sequence[Field], key: Key) -> Value:
    if operand.domain.type == "text" and composer.dice.chance(25):
        sql = f"string_agg(DISTINCT {operand.ref}, ',' ORDER BY {operand.ref})"
    else:
        order = _order(composer, operand, fields, key)
        sql = f"string_agg(({operand.ref})::text, ','{order})"
    return Value(f"{sql}{_filter(composer, fields)}", d.TEXT)


def _json(composer: Composer, operand: Field, fields: Sequence[Field], key: Key) -> Value:
    """A number that is not finite has no place in jsonb but as text."""
    name, domain = composer.dice.pick((("json_agg", d.JSON), ("jsonb_agg", d.JSONB)))
    order = _order(composer, operand, fields, key)
    return Value(f"{name}({operand.ref}{order}){_filter(composer, fields)}", _opaque(domain))


def _object(composer: Composer, operand: Field, fields: Sequence[Field], key: Key) -> Value:
    """Of two values under one name the last one stays."""
    name = composer.dice.pick(fields)
    label = f"coalesce(({(name if name.settled else operand).ref})::text, 'none')"
    order = _order(composer, operand, fields, key)
    sql = f"jsonb_object_agg({label}, {operand.ref}{order})"
    return Value(f"{sql}{_filter(composer, fields)}", _opaque(d.JSONB))


def _opaque(domain: Domain) -> Domain:
    return replace(domain, values=("[]",))


def _ordered_set(composer: Composer, fields: Sequence[Field], _: Key) -> Value | None:
    """Of equally frequent values PostgreSQL's mode gives the first in the order."""
    dice = composer.dice
    usable = [field for field in fields if field.domain.equality]
    operand = dice.pick(usable) if usable else None
    if operand is None:
        return None
    settled = operand.settled and operand.domain.canonical
    within = f"WITHIN GROUP (ORDER BY {operand.ref}{dice.pick(('', ' DESC'))})"
    rest = _filter(composer, fields)
    if operand.domain.type in _NUMBERS and dice.chance(30):
        sql = f"percentile_cont({dice.pick(('0.5', '0.25', '0'))}) {within}{rest}"
        return Value(sql, d.FLOAT_ROUNDED, operand.domain.type != "float8")
    if dice.chance(25):
        literal = dice.pick(operand.domain.literals())
        return Value(f"{dice.pick(('rank', 'dense_rank'))}({literal}) {within}{rest}", d.BIGINT)
    name = dice.pick(("mode()", "percentile_disc(0.5)", "percentile_disc(0.9)"))
    return Value(f"{name} {within}{rest}", operand.domain, settled)


def _regression(composer: Composer, fields: Sequence[Field], _: Key) -> Value | None:
    """They exist for floats only, and their last digits depend on the order of rows."""
    dice = composer.dice
    usable = [field for field in fields if field.domain.type in _NUMBERS]
    if not usable:
        return None
    one, two = dice.pick(usable), dice.pick(usable)
    arguments = f"(({one.ref})::float8, ({two.ref})::float8){_filter(composer, fields)}"
    if not composer.leaves_open(90):
        return Value(f"regr_count{arguments}", d.BIGINT)
    names = ("corr", "covar_pop", "covar_samp", "regr_slope", "regr_intercept", "regr_r2")
    name = dice.pick((*names, "regr_avgx", "regr_sxx", "regr_sxy"))
    return Value(f"{name}{arguments}", d.FLOAT_ROUNDED, settled=False)


def _case(composer: Composer, fields: Sequence[Field], _: Key) -> Value | None:
    dice = composer.dice
    operand = _pick(composer, fields, {"int", "numeric(12,2)"})
    test = predicate(dice, fields)
    if operand is None or dice.chance(25):
        return Value(
            f"sum(CASE WHEN {test} THEN 1 ELSE 0 END){_filter(composer, fields)}", d.BIGINT
        )
    name, domain = dice.pick((("sum", d.NUMERIC), ("count", d.BIGINT), ("max", operand.domain)))
    if name == "sum" and operand.domain.type == "int":
        domain = d.BIGINT
    otherwise = dice.pick(("", " ELSE 0", f" ELSE - {operand.ref}"))
    if name == "max" and otherwise:
        domain = d.INT if operand.domain.type == "int" else d.NUMERIC
    settled = name != "max" or domain.canonical
    return Value(f"{name}(CASE WHEN {test} THEN {operand.ref}{otherwise} END)", domain, settled)


_MAKERS: dict[Feature, Maker] = {
    Feature.AGGREGATE_BOOL: _bool,
    Feature.AGGREGATE_BIT: _bit,
    Feature.AGGREGATE_SPREAD: _spread,
    Feature.AGGREGATE_DISTINCT: _distinct,
    Feature.AGGREGATE_COLLECT: _collect,
    Feature.AGGREGATE_ORDERED_SET: _ordered_set,
    Feature.AGGREGATE_REGRESSION: _regression,
    Feature.CASE_ARGUMENT: _case,
}
