"""Makes the text of a query smaller: one clause, column, join, operand or level less at a time.

Most of what it proposes is no valid query; whoever asks tries each and keeps what still fails in the same way.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

if TYPE_CHECKING:
    from collections.abc import Iterator

_CLAUSES = ("where", "having", "limit", "offset", "distinct", "windows", "qualify")
_LISTS = ("expressions", "joins", "laterals")


@dataclass(frozen=True, slots=True)
class Shorter:
    """A query with a part left out: the tables it still reads, and the column that it lost if one."""

    sql: str
    tables: frozenset[str]
    lost: int | None = None
    same_columns: bool = True


def shorter(sql: str) -> Iterator[Shorter]:
    """Yield smaller queries, those that lose most first; nothing for text that cannot be read."""
    try:
        root = sqlglot.parse_one(sql, dialect="postgres")
    except SqlglotError:
        return
    seen = {sql}
    for found in _proposals(root):
        if found.sql not in seen and len(found.sql) < len(sql):
            seen.add(found.sql)
            yield found


def _proposals(root: exp.Expression) -> Iterator[Shorter]:
    places = list(enumerate(root.walk(bfs=True)))
    for _, node in places[1:]:
        if isinstance(node, exp.Query) and not isinstance(node, exp.Subquery | exp.Table):
            yield _shown(node.copy(), same_columns=False)
    for place, node in places:
        for changed, lost in _at(root, place, node):
            yield _shown(changed, lost=lost)


def _shown(
    query: exp.Expression, *, lost: int | None = None, same_columns: bool = True
) -> Shorter:
    tables = frozenset(table.this.sql(dialect="postgres") for table in query.find_all(exp.Table))
    return Shorter(query.sql(dialect="postgres"), tables, lost, same_columns)


def _at(
    root: exp.Expression, place: int, node: exp.Expression
) -> Iterator[tuple[exp.Expression, int | None]]:
    """Yield the tree with something left out at one of its nodes."""
    if isinstance(node, exp.Select):
        yield from _select(root, place, node)
    for replacement in _instead(node):
        yield _replaced(root, place, replacement), None
    if isinstance(node, exp.With):
        yield from ((tree, None) for tree in _without_one(root, place, "expressions", 2))
    if isinstance(node, exp.Group | exp.Order | exp.In | exp.Values | exp.Array | exp.Cube):
        yield from ((tree, None) for tree in _without_one(root, place, "expressions", 2))


def _select(
    root: exp.Expression, place: int, node: exp.Select
) -> Iterator[tuple[exp.Expression, int | None]]:
    for clause in (*_CLAUSES, "group", "with_", "with"):
        if node.args.get(clause):
            yield _without(root, place, clause), None
    if node.args.get("order") and not node.args.get("limit"):
        yield _without(root, place, "order"), None
    for kind in _LISTS:
        least = 2 if kind == "expressions" else 1
        for number, tree in enumerate(_without_one(root, place, kind, least)):
            yield tree, number if kind == "expressions" and node is root else None


def _instead(node: exp.Expression) -> Iterator[exp.Expression]:
    """Yield parts of an expression that may stand in its place."""
    match node:
        case exp.SetOperation():
            yield node.left
            yield node.right
        case exp.Connector() | exp.Binary():
            yield node.left
            yield node.right
        case exp.Not() | exp.Paren() | exp.Filter() | exp.Window() | exp.Neg() | exp.Cast():
            yield node.this
        case exp.Case():
            yield from (branch.args["true"] for branch in node.args["ifs"])
            if node.args.get("default"):
                yield node.args["default"]
        case exp.Coalesce() | exp.Greatest():
            yield node.this
        case exp.Order() if isinstance(node.parent, exp.Window | exp.AggFunc):
            return
        case _:
            return


def _replaced(root: exp.Expression, place: int, replacement: exp.Expression) -> exp.Expression:
    tree = root.copy()
    target = _node(tree, place)
    if target is tree:
        return replacement.copy()
    target.replace(replacement.copy())
    return tree


def _without(root: exp.Expression, place: int, clause: str) -> exp.Expression:
    tree = root.copy()
    _node(tree, place).set(clause, None)
    return tree


def _without_one(
    root: exp.Expression, place: int, kind: str, least: int
) -> Iterator[exp.Expression]:
    count = len(_node(root, place).args.get(kind) or ())
    for number in range(count if count >= least else 0):
        tree = root.copy()
        node = _node(tree, place)
        items = list(node.args[kind])
        node.set(kind, [*items[:number], *items[number + 1 :]])
        yield tree


def _node(tree: exp.Expression, place: int) -> exp.Expression:
    for number, node in enumerate(tree.walk(bfs=True)):
        if number == place:
            return node
    raise AssertionError("the copy of a tree has as many nodes as the tree")
