"""WITH: a query under a name, read once or twice; and recursion over edges, where data may hold cycles."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.law import domains as d
from tests.law.features import Feature
from tests.law.queries import Query
from tests.law.relations import Column, Field, KeyKind, Source, Table

if TYPE_CHECKING:
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


def cte(composer: Composer, depth: int) -> Query:
    """Return a query that names one or two others first."""
    dice = composer.dice
    heads: list[str] = []
    sources: list[Source] = []
    for _ in range(dice.weighted(((75, 1), (25, 2)))):
        inner = composer.over((*sources, *composer.sources)).query(depth - 1)
        name = composer.alias("w")
        how = dice.pick(("AS", "AS", "AS MATERIALIZED", "AS NOT MATERIALIZED"))
        heads.append(f"{name} {how} ({inner.sql})")
        sources.append(Source(name, inner.fields, frozenset(), "cte", key=inner.key))
    return _read(composer, f"WITH {', '.join(heads)}", sources, depth)


def _read(composer: Composer, head: str, sources: list[Source], depth: int) -> Query:
    """Return a query over named ones; each name's readings are counted."""
    often = tuple(sources) * 3
    main = composer.over((*often, *composer.sources[:2])).query(depth - 1)
    sql = (
        f"{head} {main.sql}"
        if not main.sql.startswith("WITH ")
        else f"{head} SELECT * FROM ({main.sql}) AS m"
    )
    if any(sql.count(f" {source.name} q") > 1 for source in sources):
        composer.use(Feature.CTE_TWICE)
    composer.use(Feature.CTE)
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
    composer.ledger.bases.add(_EDGES)
    composer.ledger.leaves += 2
    name = composer.alias("w")
    sql, fields = _with_depth(dice, name) if every else _closure(dice, name)
    key = None if every else tuple(field.name for field in fields)
    source = Source(name, fields, frozenset(), "cte", key=key)
    return _read(composer, f"WITH RECURSIVE {sql}", [source], depth)


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
