"""Scalar expressions and predicates over fields, every one immutable and without errors at run time."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.law import domains as d

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.law.dice import Dice
    from tests.law.domains import Domain
    from tests.law.relations import Field


@dataclass(frozen=True, slots=True)
class Value:
    """An expression as SQL, with its type and whether its printed form is determined."""

    sql: str
    domain: Domain
    settled: bool = True
    plain: bool = False  # a bare column


# Per type: templates over one operand, and what they give. Simplest first.
_TRANSFORMS: dict[str, tuple[tuple[str, Domain], ...]] = {
    "int": (
        ("{} + 1", d.INT),
        ("- {}", d.INT),
        ("{} * 2", d.INT),
        ("{} % 2", d.INT),
        ("coalesce({}, 0)", d.INT),
        ("({})::text", d.TEXT),
        ("({})::bigint", d.BIGINT),
        ("({})::numeric", d.NUMERIC),
        ("({})::numeric(12,2)", d.MONEY),
        ("{} > 1", d.BOOL),
    ),
    "bigint": (
        ("{} + 1", d.BIGINT),
        ("{} % 3", d.BIGINT),
        ("coalesce({}, 0)", d.BIGINT),
        ("({})::text", d.TEXT),
    ),
    "numeric(12,2)": (
        ("{} + 1", d.NUMERIC),
        ("{} * 1.5", d.NUMERIC),
        ("coalesce({}, 0)", d.NUMERIC),
        ("round({}, 1)", d.NUMERIC),
        ("({})::text", d.TEXT),
    ),
    "numeric": (
        ("{} + 1", d.NUMERIC),
        ("{} * 1.50", d.NUMERIC),
        ("coalesce({}, 0.00)", d.NUMERIC),
        ("round({}, 1)", d.NUMERIC),
        ("({})::text", d.TEXT),
    ),
    "float8": (("{} * 2", d.FLOAT), ("coalesce({}, 0.5)", d.FLOAT), ("- {}", d.FLOAT)),
    "text": (
        ("upper({})", d.TEXT),
        ("{} || 'z'", d.TEXT),
        ("coalesce({}, 'none')", d.TEXT),
        ("length({})", d.INT),
        ("nullif({}, '')", d.TEXT),
    ),
    "bool": (("NOT {}", d.BOOL), ("{} IS TRUE", d.BOOL), ("coalesce({}, false)", d.BOOL)),
    "date": (("{} + 1", d.DATE), ("coalesce({}, '2024-01-01'::date)", d.DATE)),
    "timestamptz": (("{} AT TIME ZONE 'UTC'", d.PLAIN_STAMP), ("{} IS NULL", d.BOOL)),
    "jsonb": (("{} ->> 'a'", d.TEXT), ("{} -> 'a'", d.JSONB), ("jsonb_typeof({})", d.TEXT)),
    "json": (("{} ->> 'a'", d.TEXT), ("json_typeof({})", d.TEXT)),
    "uuid": (("({})::text", d.TEXT), ("{} IS NOT NULL", d.BOOL)),
}
_ORDERED = ("int", "bigint", "numeric(12,2)", "numeric", "float8", "text", "date", "timestamptz")
_COMPARISONS = ((18, "="), (30, "<>"), (17, ">="), (10, "<"), (25, "IS DISTINCT FROM"))


def value(dice: Dice, fields: Sequence[Field], *, plain: int = 65) -> Value:
    """Return a column in `plain` of 100 cases, else an expression over columns."""
    field = dice.pick(fields)
    bare = Value(field.ref, field.domain, field.settled, plain=True)
    if not field.settled or dice.chance(plain):
        return bare
    return dice.weighted(((60, _transform), (20, _case), (20, _pair)))(dice, field, fields)


def _transform(dice: Dice, field: Field, fields: Sequence[Field]) -> Value:
    templates = _TRANSFORMS.get(field.domain.type)
    if templates is None:
        return _case(dice, field, fields)
    template, domain = dice.pick(templates)
    if field.domain is d.FLOAT_ROUNDED and domain is d.FLOAT:
        domain = d.FLOAT_ROUNDED
    return Value(template.format(field.ref), domain)


def _case(dice: Dice, field: Field, fields: Sequence[Field]) -> Value:
    other = dice.pick((field.domain.null, *field.domain.literals()))
    condition = predicate(dice, fields)
    sql = f"CASE WHEN {condition} THEN {field.ref} ELSE {other} END"
    return Value(sql, field.domain)


def _pair(dice: Dice, field: Field, fields: Sequence[Field]) -> Value:
    partners = [other for other in fields if other.domain == field.domain and other.settled]
    other = dice.pick(partners)
    match field.domain.type:
        case "int" | "bigint" | "numeric" | "float8":
            template = dice.pick(("{} + {}", "coalesce({}, {})", "{} - {}", "greatest({}, {})"))
        case "text":
            template = dice.pick(("{} || {}", "coalesce({}, {})"))
        case _:
            template = "coalesce({}, {})"
    return Value(template.format(field.ref, other.ref), field.domain)


def predicate(dice: Dice, fields: Sequence[Field], depth: int = 0) -> str:
    """Return a condition over the fields; mostly one that many rows satisfy."""
    if depth < 2 and dice.chance(22):
        left, right = predicate(dice, fields, depth + 1), predicate(dice, fields, depth + 1)
        return f"({left} {'AND' if dice.chance(25) else 'OR'} {right})"
    if dice.chance(8):
        return f"NOT ({predicate(dice, fields, 2)})"
    field = dice.pick(fields)
    if dice.chance(25):
        return f"{field.ref} IS {'NULL' if dice.chance(15) else 'NOT NULL'}"
    return _test(dice, field, fields)


def _test(dice: Dice, field: Field, fields: Sequence[Field]) -> str:
    kind, ref = field.domain.type, field.ref
    literal = dice.pick(field.domain.literals())
    if kind == "bool":
        return dice.pick((ref, f"{ref} IS NOT TRUE", f"{ref} = false"))
    if kind in {"json", "jsonb"} and field.settled:
        return dice.pick((f"({ref} ->> 'a') IS NOT NULL", f"({ref} ->> 'a') = '1'"))
    if not field.domain.equality:
        return f"{ref} IS NOT NULL"
    if kind == "text" and dice.chance(30):
        return dice.pick((f"{ref} LIKE '%a%'", f"{ref} ILIKE 'a%'", f"{ref} ~ '^[ab]'"))
    if kind in _ORDERED and dice.chance(30):
        return _ranged(dice, field)
    twins = [other.ref for other in fields if other.domain == field.domain and other != field]
    operand = dice.pick(twins) if twins and dice.chance(25) else literal
    return f"{ref} {dice.weighted(_COMPARISONS)} {operand}"


def _ranged(dice: Dice, field: Field) -> str:
    first, second, third = (dice.pick(field.domain.literals()) for _ in range(3))
    return dice.pick(
        (
            f"{field.ref} IN ({first}, {second}, {third})",
            f"{field.ref} NOT IN ({first}, {second})",
            f"{field.ref} BETWEEN SYMMETRIC {first} AND {second}",
            f"{field.ref} = ANY (ARRAY[{first}, {second}, {third}])",
        )
    )
