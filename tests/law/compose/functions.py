"""Functions that return sets, and VALUES, as inputs; the same functions in a SELECT list."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.law import domains as d
from tests.law.expressions import Value
from tests.law.features import Feature
from tests.law.relations import Field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.law.compose.composer import Composer
    from tests.law.domains import Domain
    from tests.law.joins import From

_OF_A_FIELD: dict[str, tuple[tuple[str, Domain], ...]] = {
    "int": (("generate_series(1, least({}, 3))", d.INT), ("generate_series({}, 2)", d.INT)),
    "bigint": (("generate_series(1::bigint, least({}, 2))", d.BIGINT),),
    "int[]": (("unnest({})", d.INT),),
    "text": (
        ("string_to_table({}, 'a')", d.TEXT),
        ("unnest(string_to_array({}, ' '))", d.TEXT),
    ),
    "jsonb": (("jsonb_object_keys(CASE WHEN jsonb_typeof({0}) = 'object' THEN {0} END)", d.TEXT),),
}
_CONSTANT: tuple[tuple[str, Domain], ...] = (
    ("generate_series(1, 3)", d.INT),
    ("unnest(ARRAY[1, 2, 2, NULL])", d.INT),
    ("unnest(ARRAY['a', 'b', ''])", d.TEXT),
)


def _call(composer: Composer, fields: Sequence[Field]) -> Value:
    dice = composer.dice
    usable = [field for field in fields if field.settled and field.domain.type in _OF_A_FIELD]
    if usable and dice.chance(75):
        field = dice.pick(usable)
        template, domain = dice.pick(_OF_A_FIELD[field.domain.type])
        return Value(template.format(field.ref), domain)
    pairs = [
        (one, two) for one in fields for two in fields if one.domain == two.domain and one.settled
    ]
    if pairs and dice.chance(60):
        one, two = dice.pick(pairs)
        if two.settled and not one.domain.type.endswith("]"):
            return Value(f"unnest(ARRAY[{one.ref}, {two.ref}])", one.domain)
    template, domain = dice.pick(_CONSTANT)
    return Value(template, domain)


def table_function(composer: Composer, fields: Sequence[Field]) -> From:
    """Return a call in FROM, over the fields of what stands left of it."""
    composer.use(Feature.TABLE_FUNCTION)
    call = _call(composer, fields)
    alias = composer.alias()
    scope = [Field("g", f"{alias}.g", call.domain)]
    if composer.dice.chance(30):
        scope.append(Field("place", f"{alias}.place", d.BIGINT))
        return composer.relation(
            f"{call.sql} WITH ORDINALITY AS {alias}(g, place)", scope, (f"{alias}.place",)
        )
    return composer.relation(f"{call.sql} AS {alias}(g)", scope, None)


def set_returning(composer: Composer, fields: Sequence[Field]) -> Value:
    """Return a call for the SELECT list."""
    composer.use(Feature.SET_RETURNING)
    return _call(composer, fields)


def values_list(composer: Composer) -> From:
    """Return VALUES as an input, with rows that join with those of tables."""
    composer.use(Feature.VALUES)
    dice = composer.dice
    columns = _columns_like(composer)
    rows = [
        tuple(
            column.domain.null if dice.chance(12) else dice.pick(column.domain.literals())
            for column in columns
        )
        for _ in range(dice.between(1, 3))
    ]
    alias = composer.alias()
    text = ", ".join(f"({', '.join(row)})" for row in rows)
    names = ", ".join(column.name for column in columns)
    scope = [column.within(alias) for column in columns]
    return composer.relation(f"(VALUES {text}) AS {alias}({names})", scope, None)


def _columns_like(composer: Composer) -> list[Field]:
    """Return columns with the names and types of some source's first ones."""
    source = composer.dice.pick(composer.sources)
    return composer.dice.some(source.fields[:4], 1, 2)
