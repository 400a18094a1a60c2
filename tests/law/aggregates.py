"""Aggregate calls over fields, with FILTER on some."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.law import domains as d
from tests.law.expressions import Value, predicate, value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.law.dice import Dice
    from tests.law.domains import Domain
    from tests.law.features import Features
    from tests.law.relations import Field

_SUMS: dict[str, Domain] = {
    "int": d.BIGINT,
    "bigint": d.NUMERIC,
    "numeric(12,2)": d.NUMERIC,
    "numeric": d.NUMERIC,
    "float8": d.FLOAT,
}
_CALLS = ((20, "count(*)"), (15, "count"), (25, "sum"), (14, "avg"), (13, "min"), (13, "max"))


def aggregate(dice: Dice, fields: Sequence[Field], features: Features) -> tuple[Value, str]:
    """Return an aggregate and its name, possibly inside an expression."""
    tested = fields if features.aggregate_filters else ()
    call, name = _call(dice, fields, tested)
    if features.aggregate_expressions and dice.chance(20):
        return _expression(dice, call, fields, tested), name
    return call, name


def _call(dice: Dice, fields: Sequence[Field], tested: Sequence[Field]) -> tuple[Value, str]:
    name = dice.weighted(_CALLS)
    operands = _operands(name, fields)
    if name == "count(*)" or not operands:
        return Value(f"count(*){_filter(dice, tested)}", d.BIGINT), "count(*)"
    operand = value(dice, operands, plain=80)
    if name not in _allowed(operand.domain):
        operand = value(dice, operands, plain=100)
    sql = f"{name}({operand.sql}){_filter(dice, tested)}"
    settled = name == "count" or (operand.settled and _settled(name, operand.domain))
    return Value(sql, _result(name, operand.domain), settled), name


def _allowed(domain: Domain) -> tuple[str, ...]:
    sums = ("sum", "avg") if domain.additive else ()
    extremes = ("min", "max") if domain.extremes else ()
    return ("count", *sums, *extremes)


def _operands(name: str, fields: Sequence[Field]) -> list[Field]:
    return [field for field in fields if name in _allowed(field.domain)]


def _result(name: str, domain: Domain) -> Domain:
    if name == "count":
        return d.BIGINT
    if name == "sum":
        return _SUMS[domain.type]
    if name == "avg":
        return d.FLOAT_ROUNDED if domain.type == "float8" else d.NUMERIC
    return domain


def _settled(name: str, domain: Domain) -> bool:
    """Return whether the order of rows cannot change how the result prints.

    Of two extremes that are equal, whichever comes first is kept. A sum of numerics has the largest
    scale of its rows, in any order; a sum of floats may be 0 or -0.
    """
    if name in {"min", "max"}:
        return domain.canonical
    return name == "count" or domain.type != "float8"


def _filter(dice: Dice, tested: Sequence[Field]) -> str:
    return f" FILTER (WHERE {predicate(dice, tested)})" if tested and dice.chance(18) else ""


def _expression(dice: Dice, call: Value, fields: Sequence[Field], tested: Sequence[Field]) -> Value:
    if call.domain.type in {"bigint", "numeric"} and call.settled:
        other, _ = _call(dice, fields, tested)
        if other.domain == call.domain and other.settled and dice.chance(50):
            return Value(f"{call.sql} + {other.sql}", call.domain)
        return Value(f"coalesce({call.sql}, 0) * 2", call.domain)
    return call
