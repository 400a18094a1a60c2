"""Clauses that the plan builder does not read: each is refused by name, with a code."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.errors import UnsupportedQueryError

if TYPE_CHECKING:
    from pgtrickle.dvm.sqlast import Query

_CLAUSES = {
    "with_": ("WITH", "PGT250"),
    "distinct": ("DISTINCT", "PGT251"),
    "having": ("HAVING", "PGT252"),
    "limit": ("LIMIT", "PGT253"),
    "offset": ("OFFSET", "PGT253"),
    "windows": ("WINDOW", "PGT254"),
    "qualify": ("QUALIFY", "PGT254"),
    "laterals": ("LATERAL", "PGT231"),
}
_NODES: dict[type[exp.Expr], tuple[str, str]] = {
    exp.Window: ("a window function", "PGT254"),
    exp.GroupingSets: ("GROUPING SETS", "PGT255"),
    exp.Cube: ("CUBE", "PGT255"),
    exp.Rollup: ("ROLLUP", "PGT255"),
    exp.Exists: ("EXISTS", "PGT256"),
}


def require_plain(query: Query) -> exp.Select:
    """Return `query` as a SELECT of FROM, WHERE and GROUP BY; raise for anything more."""
    if not isinstance(query, exp.Select):
        raise _refused("a set operation or VALUES", "PGT257")
    for clause, (name, code) in _CLAUSES.items():
        if query.args.get(clause):
            raise _refused(name, code)
    if query.args.get("from_") is None:
        raise _refused("a SELECT without FROM", "PGT258")
    for node in query.walk():
        _check(node, query)
    return query


def _check(node: exp.Expr, query: exp.Select) -> None:
    for kind, (name, code) in _NODES.items():
        if isinstance(node, kind):
            raise _refused(name, code)
    group = query.args.get("group")
    if group is not None and any(
        group.args.get(key) for key in ("rollup", "cube", "grouping_sets")
    ):
        raise _refused("GROUPING SETS", "PGT255")
    nested = (
        isinstance(node, exp.Query) and node is not query and not isinstance(node, exp.Subquery)
    )
    if nested and not _in_from(node):
        raise _refused("a subquery in an expression", "PGT256")


def _in_from(node: exp.Expr) -> bool:
    """Return whether a query stands in a FROM clause, as a derived table."""
    holder = node.parent
    return isinstance(holder, exp.Subquery) and isinstance(
        holder.parent, exp.From | exp.Join | exp.Subquery
    )


def _refused(name: str, code: str) -> UnsupportedQueryError:
    return UnsupportedQueryError(
        f"{name} has no differential form yet",
        code=code,
        hint="Create the stream table with refresh_mode FULL.",
    )
