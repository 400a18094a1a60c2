"""Makes a query smaller: first its text, by leaving out tokens, then its tree, by putting a part for the whole.

Most of what it proposes is no valid query; whoever asks tries each and keeps what still fails in the same way.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from tests.law.shrink_text import cuts

if TYPE_CHECKING:
    from collections.abc import Iterator


@dataclass(frozen=True, slots=True)
class Shorter:
    """A query with a part left out: the column that it lost if one, and whether an order went too."""

    sql: str
    lost: int | None = None
    same_columns: bool = True
    loosens: bool = False

    def reads(self, name: str) -> bool:
        """Return whether the text names a relation; a column of the same name counts too."""
        word = re.escape(name)
        return re.search(rf"(?<![\w.\"]){word}(?![\w.\"])", self.sql) is not None


def shorter(sql: str) -> Iterator[Shorter]:
    """Yield smaller queries, those that lose most first."""
    seen = {sql}
    for cut in cuts(sql):
        if cut.text not in seen:
            seen.add(cut.text)
            yield Shorter(cut.text, cut.lost, same_columns=not cut.root, loosens=cut.loosens)
    try:
        root = sqlglot.parse_one(sql, dialect="postgres")
    except SqlglotError:
        return
    for place, node in enumerate(root.walk(bfs=True)):
        for part in _instead(node):
            text = _replaced(root, place, part).sql(dialect="postgres")
            if text not in seen and len(text) < len(sql):
                seen.add(text)
                yield Shorter(text)


def _instead(node: exp.Expr) -> Iterator[exp.Expr]:
    """Yield parts of an expression that may stand in its place."""
    match node:
        case exp.Connector() | exp.Binary():
            yield node.left
            yield node.right
        case exp.Not() | exp.Paren() | exp.Filter() | exp.Neg() | exp.Cast() | exp.Coalesce():
            yield node.this
        case exp.Case():
            yield from (branch.args["true"] for branch in node.args["ifs"])
            if node.args.get("default"):
                yield node.args["default"]
        case exp.Greatest() | exp.Length() | exp.Upper():
            yield node.this
        case _:
            return


def _replaced(root: exp.Expr, place: int, replacement: exp.Expr) -> exp.Expr:
    tree = root.copy()
    target = _node(tree, place)
    if target is tree:
        return replacement.copy()
    target.replace(replacement.copy())
    return tree


def _node(tree: exp.Expr, place: int) -> exp.Expr:
    for number, node in enumerate(tree.walk(bfs=True)):
        if number == place:
            return node
    raise AssertionError("the copy of a tree has as many nodes as the tree")
