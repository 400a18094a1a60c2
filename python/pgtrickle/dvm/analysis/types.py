"""What the compiler can tell of an expression's type and nullability.

Only what decides a strategy: integers, numeric with its scale, NOT NULL. Where it cannot tell it says None or False,
and the caller takes the way that is right for any type.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from sqlglot import exp

from pgtrickle.dvm.schema import TypeFacts

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pgtrickle.dvm.sqlast import Expr

SMALLINT, INTEGER, BIGINT = "smallint", "integer", "bigint"
INTEGERS = (SMALLINT, INTEGER, BIGINT)
NUMERIC = "numeric"
BOOLEAN = "boolean"
FLOATS = frozenset({"real", "double precision"})

_MAX_INTEGER = 2**31
_MAX_BIGINT = 2**63


class Typed(Protocol):
    """A column whose type may be known."""

    @property
    def type(self) -> TypeFacts | None:
        """The type, None where unknown."""
        ...

    @property
    def not_null(self) -> bool:
        """Whether NULL can be excluded."""
        ...


def is_numeric(facts: TypeFacts) -> bool:
    """Return whether the type is numeric, with or without a modifier."""
    return facts.name == NUMERIC or facts.name.startswith("numeric(")


def numeric(scale: int | None) -> TypeFacts:
    """Return numeric with a known scale, or with none."""
    return TypeFacts(name=NUMERIC, exact=scale is not None, scale=scale)


def infer(expression: Expr, columns: Mapping[str, Typed]) -> TypeFacts | None:
    """Return the type of `expression` over `columns`, None where the compiler cannot tell."""
    match expression:
        case exp.Paren() | exp.Neg():
            return infer(expression.this, columns)
        case exp.Column():
            column = columns.get(expression.name)
            return column.type if column else None
        case exp.Literal(is_string=False):
            return _literal(expression.name)
        case exp.Cast():
            return _cast(expression, columns)
        case exp.Add() | exp.Sub() | exp.Mul():
            left, right = (
                infer(side, columns) for side in (expression.this, expression.expression)
            )
            return _arithmetic(expression, left, right) if left and right else None
        case exp.Coalesce():
            return _common(
                [infer(part, columns) for part in (expression.this, *expression.expressions)]
            )
        case exp.Case():
            return _case(expression, columns)
        case _:
            return None


def _literal(text: str) -> TypeFacts:
    if not text.isdigit():
        mantissa, _, decimals = text.partition(".")
        plain = mantissa.isdigit() and decimals.isdigit()
        return numeric(len(decimals) if plain else None)
    value = int(text)
    if value < _MAX_INTEGER:
        return TypeFacts(name=INTEGER)
    return TypeFacts(name=BIGINT) if value < _MAX_BIGINT else numeric(0)


def _cast(expression: exp.Cast, columns: Mapping[str, Typed]) -> TypeFacts | None:
    target = expression.to
    source = infer(expression.this, columns)
    kinds = exp.DType
    if target.this in (kinds.SMALLINT, kinds.INT, kinds.BIGINT):
        names = {kinds.SMALLINT: SMALLINT, kinds.INT: INTEGER, kinds.BIGINT: BIGINT}
        return TypeFacts(name=names[target.this])
    if target.this is kinds.DECIMAL:
        modifiers = [parameter.name for parameter in target.expressions]
        if modifiers:
            scale = modifiers[1] if len(modifiers) > 1 else "0"
            return numeric(int(scale)) if scale.isdigit() else None
        if source and source.name in INTEGERS:
            return numeric(0)
        return numeric(source.scale if source and is_numeric(source) else None)
    return None


def _arithmetic(expression: Expr, left: TypeFacts, right: TypeFacts) -> TypeFacts | None:
    if left.name in INTEGERS and right.name in INTEGERS:
        return max(left, right, key=lambda side: INTEGERS.index(side.name))
    sides = [numeric(0) if side.name in INTEGERS else side for side in (left, right)]
    if not all(is_numeric(side) for side in sides):
        return None
    scales = [side.scale for side in sides if side.scale is not None]
    if len(scales) < len(sides):
        return numeric(None)
    return numeric(sum(scales) if isinstance(expression, exp.Mul) else max(scales))


def _case(expression: exp.Case, columns: Mapping[str, Typed]) -> TypeFacts | None:
    results = [branch.args["true"] for branch in expression.args["ifs"]]
    default = expression.args.get("default")
    if default is not None:
        results.append(default)
    return _common([infer(part, columns) for part in results if not isinstance(part, exp.Null)])


def _common(types: list[TypeFacts | None]) -> TypeFacts | None:
    """Return the one type that all branches share; branches of different numeric scale share none."""
    first = types[0] if types else None
    if first is None or any(other is None for other in types):
        return None
    if all(other == first for other in types):
        return first
    if all(other is not None and is_numeric(other) for other in types):
        scales = {other.scale for other in types if other is not None}
        return numeric(scales.pop() if len(scales) == 1 else None)
    return None


def never_null(expression: Expr, columns: Mapping[str, Typed]) -> bool:
    """Return whether `expression` is certainly not NULL."""
    match expression:
        case exp.Paren() | exp.Neg():
            return never_null(expression.this, columns)
        case exp.Column():
            column = columns.get(expression.name)
            return column is not None and column.not_null
        case exp.Literal():
            return True
        case exp.Add() | exp.Sub() | exp.Mul():
            known = infer(expression, columns) is not None
            return known and all(
                never_null(side, columns) for side in (expression.this, expression.expression)
            )
        case exp.Cast():
            known = infer(expression, columns) is not None
            return known and never_null(expression.this, columns)
        case exp.Coalesce():
            return any(
                never_null(part, columns) for part in (expression.this, *expression.expressions)
            )
        case _:
            return False
