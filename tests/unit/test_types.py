"""Types and nullability that the compiler infers; where it cannot tell it must say so."""

from __future__ import annotations

import pytest

from pgtrickle.dvm.analysis.types import infer, never_null
from pgtrickle.dvm.operators.base import PlanColumn
from pgtrickle.dvm.parse.read import read_expression
from pgtrickle.dvm.schema import TypeFacts

COLUMNS = {
    "i": PlanColumn(name="i", type=TypeFacts(name="integer"), not_null=True),
    "b": PlanColumn(name="b", type=TypeFacts(name="bigint")),
    "n": PlanColumn(name="n", type=TypeFacts(name="numeric(10,2)", scale=2), not_null=True),
    "u": PlanColumn(name="u", type=TypeFacts(name="numeric", exact=False)),
    "f": PlanColumn(name="f", type=TypeFacts(name="double precision", exact=False)),
    "x": PlanColumn(name="x"),
}


@pytest.mark.parametrize(
    ("text", "name", "scale"),
    [
        ("i", "integer", None),
        ("i + b", "bigint", None),
        ("-(i)", "integer", None),
        ("n + (1)::numeric", "numeric", 2),
        ("n * n", "numeric", 4),
        ("n * ((1)::numeric - n)", "numeric", 4),
        ("COALESCE(n, (0)::numeric)", "numeric", None),
        ("CASE WHEN (i > 1) THEN n END", "numeric(10,2)", 2),
        ("(i)::numeric", "numeric", 0),
        ("(n)::numeric(10,3)", "numeric", 3),
        ("2.50", "numeric", 2),
        ("n + u", "numeric", None),
    ],
)
def test_known_types_are_inferred_with_their_scale(text: str, name: str, scale: int | None) -> None:
    facts = infer(read_expression(text), COLUMNS)
    assert facts is not None
    assert (facts.name, facts.scale) == (name, scale)


@pytest.mark.parametrize(
    "text", ["x", "i + x", "f * n", "upper(x)", "n / n", "CASE WHEN true THEN x END"]
)
def test_what_cannot_be_told_is_unknown(text: str) -> None:
    assert infer(read_expression(text), COLUMNS) is None


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("i", True),
        ("b", False),
        ("i + n", True),
        ("i + b", False),
        ("COALESCE(b, 0)", True),
        ("CASE WHEN (i > 1) THEN n END", False),
        ("upper(x)", False),
    ],
)
def test_not_null_only_where_it_is_certain(text: str, *, expected: bool) -> None:
    assert never_null(read_expression(text), COLUMNS) is expected
