"""WITH: a query under a name, read once or twice; and recursion over edges, where data may hold cycles."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from tests.law import domains as d
from tests.law.features import Feature
from tests.law.queries import Query
from tests.law.relations import Column, Field, KeyKind, Source, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.law.compose.composer import Composer
    from tests.law.dice import Dice

_EDGES = "edge"
_NODE = d.NODE
_COST = d.INT


def edges(dice: Dice) -> Table:
    """Return the table that recursion walks, with a key or without."""
    columns = (Column("src", _NODE, nullable=False), Column("dst", _NODE), Column("cost", _COST))
    if dice.chance(50):
        keyed = (columns[0], Column("dst", _NODE, nullable=False), columns[2])
        return Table(_EDGES, keyed, keyed[:2], KeyKind.PRIMARY)
    return Table(_EDGES, columns, (), KeyKind.NONE)


@dataclass(frozen=True, slots=True)
class _Named:
    """A query under a name, with the tables that it reads."""

    source: Source
    head: str
    bases: frozenset[str]

    def read_in(self, text: str) -> int:
        return len(re.findall(rf"\b{self.source.name} q\d", text))


def cte(composer: Composer, depth: int) -> Query:
    """Return a query that names one or two others first."""
    found: list[_Named] = []
    for _ in range(composer.dice.weighted(((75, 1), (25, 2)))):
        found.append(_named(composer, found, depth))
    return _read(composer, "WITH", found, depth)


def _named(composer: Composer, before: Sequence[_Named], depth: int) -> _Named:
    outside = set(composer.ledger.bases)
    composer.ledger.bases.clear()
    earlier = (named.source for named in before)
    inner = composer.over((*earlier, *composer.sources)).query(depth - 1)
    bases = frozenset(composer.ledger.bases)
    composer.ledger.bases.clear()
    composer.ledger.bases |= outside
    name = composer.alias("w")
    how = composer.dice.pick(("AS", "AS", "AS MATERIALIZED", "AS NOT MATERIALIZED"))
    source = Source(name, inner.fields, frozenset(), "cte", key=inner.key)
    return _Named(source, f"{name} {how} ({inner.sql})", bases)


def _read(composer: Composer, word: str, found: Sequence[_Named], depth: int) -> Query:
    """Return a query over named ones; what nobody reads is left out, with the tables that it reads."""
    often = tuple(named.source for named in found) * 3
    main = composer.over((*often, *composer.sources[:2])).query(depth - 1)
    text = main.sql
    heads: list[str] = []
    for named in reversed(found):
        readings = named.read_in(text)
        if readings:
            heads.insert(0, named.head)
            text = f"{named.head} {text}"
            composer.ledger.bases |= named.bases
            composer.use(Feature.CTE_TWICE if readings > 1 else Feature.CTE)
    if not heads:
        return main
    composer.use(Feature.CTE)
    inner = f"SELECT * FROM ({main.sql}) AS m" if main.sql.startswith("WITH ") else main.sql
    sql = f"{word} {', '.join(heads)} {inner}"
    return Query(sql, main.fields, frozenset(), frozenset(), key=main.key)


def recursive(composer: Composer, depth: int) -> Query:
    """Return a query over what can be reached along the edges.

    With UNION a cycle ends by itself; with UNION ALL a depth ends it.
    """
    dice = composer.dice
    every = composer.on(Feature.RECURSIVE_UNION_ALL) and (
        not composer.on(Feature.RECURSIVE_UNION) or dice.chance(50)
    )
    composer.use(Feature.RECURSIVE_UNION_ALL if every else Feature.RECURSIVE_UNION)
    composer.ledger.leaves += 2
    name = composer.alias("w")
    sql, fields = _with_depth(dice, name) if every else _closure(dice, name)
    key = None if every else tuple(field.name for field in fields)
    source = Source(name, fields, frozenset(), "cte", key=key)
    return _read(composer, "WITH RECURSIVE", [_Named(source, sql, frozenset({_EDGES}))], depth)


def _start(dice: Dice) -> str:
    return dice.pick((" WHERE src = 1", "", " WHERE cost > 1", " WHERE src IN (1, 2)"))


def _closure(dice: Dice, name: str) -> tuple[str, tuple[Field, ...]]:
    """Nodes that can be reached, or pairs of them; no column grows, so UNION ends."""
    more = dice.pick(("", " AND e.cost <> 2", " WHERE e.dst IS NOT NULL"))
    if dice.chance(40):
        body = (
            f"SELECT src FROM {_EDGES}{_start(dice)} UNION "
            f"SELECT e.dst FROM {name} r JOIN {_EDGES} e ON e.src = r.n{more}"
        )
        return f"{name}(n) AS ({body})", (Field("n", "n", _NODE),)
    step = dice.pick(("SELECT r.n, e.dst", "SELECT r.n, e.dst", "SELECT e.src, e.dst"))
    body = (
        f"SELECT src, dst FROM {_EDGES}{_start(dice)} UNION "
        f"{step} FROM {name} r JOIN {_EDGES} e ON e.src = r.m{more}"
    )
    return f"{name}(n, m) AS ({body})", (Field("n", "n", _NODE), Field("m", "m", _NODE))


def _with_depth(dice: Dice, name: str) -> tuple[str, tuple[Field, ...]]:
    """Paths with their length and cost; a node is reached as often as there are paths."""
    most = dice.between(1, 3)
    word = "UNION" if dice.chance(20) else "UNION ALL"
    body = (
        f"SELECT src, 0, cost FROM {_EDGES}{_start(dice)} {word} "
        f"SELECT e.dst, r.depth + 1, r.cost + e.cost FROM {name} r JOIN {_EDGES} e ON e.src = r.n "
        f"WHERE r.depth < {most}"
    )
    fields = (Field("n", "n", _NODE), Field("depth", "depth", d.INT), Field("cost", "cost", d.INT))
    return f"{name}(n, depth, cost) AS ({body})", fields
