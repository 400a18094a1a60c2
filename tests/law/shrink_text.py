"""Leaves tokens out of a query's text: a clause, a join, an item of a list, an operand, a level.

It knows parentheses and keywords and no more, so what it keeps is spelled as it was: an error about a
spelling survives. Most proposals are no valid query.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

_NAME = r'(?:\w+|"(?:[^"]|"")+")'
_TOKEN = re.compile(rf"'(?:[^']|'')*'|{_NAME}(?:\.{_NAME})*|::|[(),\[\]]|[^\s\w'\"(),\[\]:]+|:")
_JOINS = frozenset({"LEFT", "RIGHT", "FULL", "INNER", "CROSS", "NATURAL", "JOIN"})
_SETS = frozenset({"UNION", "INTERSECT", "EXCEPT"})
_LIMITS = frozenset({"LIMIT", "OFFSET", "FETCH"})
_LOOSE = frozenset({"ORDER", "PARTITION"})  # leaving these out may leave the result open
_CLAUSES = frozenset(
    {"SELECT", "FROM", "WHERE", "GROUP", "HAVING", "WINDOW", "ROWS", "RANGE", "GROUPS", "EXCLUDE"}
)
_BREAKS = _CLAUSES | _LIMITS | _LOOSE | _SETS | {"FILTER", "OVER"}
_DROPPED = (_CLAUSES | _LIMITS | _LOOSE | {"FILTER", "OVER", "DISTINCT", "NOT"}) - {
    "SELECT",
    "FROM",
}
_OPEN, _CLOSE = frozenset("(["), frozenset(")]")


@dataclass(frozen=True, slots=True)
class Cut:
    """A text with tokens left out: whether an order went with them, and the column of the result if one."""

    text: str
    loosens: bool = False
    lost: int | None = None
    root: bool = False


def cuts(text: str) -> Iterator[Cut]:
    """Yield shorter texts, large cuts first."""
    tokens = _TOKEN.findall(text)
    levels = list(_levels(tokens))
    for start, end in levels[1:]:
        if tokens[start : start + 1] and tokens[start].upper() in {"SELECT", "WITH"}:
            yield Cut(" ".join(tokens[start:end]), root=True)
    ranges = sorted(set(_ranges(tokens, levels)), key=lambda each: each[0] - each[1])
    items = _root_items(tokens)
    for start, end in ranges:
        kept = [*tokens[:start], *tokens[end:]]
        loosens = any(token.upper() in _LOOSE for token in tokens[start:end]) or _ordered(
            tokens, start
        )
        yield Cut(" ".join(kept), loosens=loosens, lost=items.get((start, end)))


def _levels(tokens: Sequence[str]) -> Iterator[tuple[int, int]]:
    """Yield where the content of each pair of parentheses begins and ends, the whole text first."""
    yield 0, len(tokens)
    opened: list[int] = []
    for place, token in enumerate(tokens):
        if token in _OPEN:
            opened.append(place + 1)
        elif token in _CLOSE and opened:
            yield opened.pop(), place


def _flat(tokens: Sequence[str], start: int, end: int) -> list[int]:
    """Return the places of the tokens that stand directly in this level."""
    found: list[int] = []
    depth = 0
    for place in range(start, end):
        if tokens[place] in _CLOSE:
            depth -= 1
        if depth == 0:
            found.append(place)
        if tokens[place] in _OPEN:
            depth += 1
    return found


def _ranges(tokens: Sequence[str], levels: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    for start, end in levels:
        flat = _flat(tokens, start, end)
        words = [tokens[place].upper() for place in flat]
        for number, word in enumerate(words):
            here = flat[number]
            if word in _SETS:
                rest = (
                    flat[number + 1] + (words[number + 1] == "ALL")
                    if number + 1 < len(flat)
                    else here
                )
                yield start, max(rest, here + 1)
                yield here, end
            elif word in _DROPPED:
                yield here, _until(flat, words, number, _BREAKS, end)
            elif word in _JOINS and (number == 0 or words[number - 1] not in _JOINS):
                yield here, _until(flat, words, number + 2, _BREAKS | _JOINS, end)
            elif word in {"AND", "OR"}:
                stops = _BREAKS | _JOINS | {"AND", "OR", "THEN", "ELSE", ","}
                yield here, _until(flat, words, number, stops, end)
                yield _since(flat, words, number, stops | {"ON", "WHEN"}, start), here + 1
            elif word == ",":
                yield here, _until(flat, words, number, _BREAKS | {","}, end)
                yield (
                    _since(flat, words, number, _BREAKS | {",", "BY", "DISTINCT"}, start),
                    here + 1,
                )
            elif word == "::":
                yield here, _until(flat, words, number + 1, frozenset(words), end)


def _until(
    flat: Sequence[int], words: Sequence[str], number: int, stops: frozenset[str], end: int
) -> int:
    for place, word in zip(flat[number + 1 :], words[number + 1 :], strict=True):
        if word in stops:
            return place
    return end


def _since(
    flat: Sequence[int], words: Sequence[str], number: int, stops: frozenset[str], start: int
) -> int:
    for place, word in zip(reversed(flat[:number]), reversed(words[:number]), strict=True):
        if word in stops:
            return place + 1
    return start


def _ordered(tokens: Sequence[str], start: int) -> bool:
    """Return whether a place is in an ORDER BY list."""
    if tokens[start].upper() in _BREAKS:
        return False
    depth = 0
    for token in reversed(tokens[:start]):
        depth += (token in _CLOSE) - (token in _OPEN)
        if depth < 0:
            return False
        if depth == 0 and token.upper() in _BREAKS:
            return token.upper() == "ORDER"
    return False


def _root_items(tokens: Sequence[str]) -> dict[tuple[int, int], int]:
    """Return which range is which column of the result, where the text is one SELECT."""
    if not tokens or tokens[0].upper() != "SELECT":
        return {}
    flat = _flat(tokens, 0, len(tokens))
    words = [tokens[place].upper() for place in flat]
    if "FROM" not in words or any(word in _SETS for word in words):
        return {}
    last = words.index("FROM")
    commas = [flat[number] for number in range(last) if words[number] == ","]
    edges = [0, *commas, flat[last]]
    found: dict[tuple[int, int], int] = {}
    for number, (before, after) in enumerate(pairwise(edges)):
        found[before, after] = number
        found[before + 1, after + 1] = number
    return found
