"""ORDER BY lists: complete ones determine a place for every row, up to rows that are alike in all columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.law.compose.composer import Composer
    from tests.law.relations import Field

_DIRECTIONS = ("", "", " DESC", " NULLS FIRST", " DESC NULLS LAST")


def some_terms(composer: Composer, fields: Sequence[Field], least: int, most: int) -> list[str]:
    """Return a few terms, each in some direction."""
    dice = composer.dice
    ordered = [field for field in fields if field.domain.equality]
    return [f"{field.ref}{dice.pick(_DIRECTIONS)}" for field in dice.some(ordered, least, most)]


def complete(
    composer: Composer, fields: Sequence[Field], key: tuple[str, ...] | None, *, least: int = 0
) -> list[str]:
    """Return terms that order the rows completely; or not, where that is on, and then it is recorded."""
    first = some_terms(composer, fields, least, 2)
    if composer.leaves_open():
        return first
    rest = list(key) if key is not None else [image(field) for field in fields]
    return [*first, *rest]


def image(field: Field) -> str:
    """Return a term that ties only values which print alike, or that nobody can tell apart."""
    exact = field.domain.canonical or not field.settled
    return field.ref if exact and field.domain.equality else f"({field.ref})::text"


def clause(terms: Sequence[str], keyword: str = "ORDER BY") -> str:
    """Return the terms with their keyword and a space before, or nothing for no terms."""
    return f" {keyword} {', '.join(terms)}" if terms else ""
