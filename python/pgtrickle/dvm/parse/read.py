"""Stage 1: SQL text that PostgreSQL printed, to a syntax tree."""

from __future__ import annotations

import sqlglot
from sqlglot import exp
from sqlglot.errors import SqlglotError

from pgtrickle.dvm.sqlast import DIALECT, Expr, Query
from pgtrickle.errors import UnsupportedQueryError

MAX_DEPTH = 200


def read(sql: str) -> Query:
    """Return the tree of one query."""
    tree = _parse(sql)
    if not isinstance(tree, exp.Query):
        raise UnsupportedQueryError(
            "the compiler cannot read this statement as a query",
            code="PGT211",
            hint="Write one SELECT.",
        )
    if _depth(tree) > MAX_DEPTH:
        raise UnsupportedQueryError(
            f"the query is nested more than {MAX_DEPTH} levels deep",
            code="PGT212",
            hint="Split it into several stream tables.",
        )
    return tree


def read_expression(sql: str) -> Expr:
    """Return the tree of one expression."""
    return _parse(sql)


def _parse(sql: str) -> Expr:
    try:
        return sqlglot.parse_one(sql, dialect=DIALECT)
    except (SqlglotError, RecursionError) as error:
        raise UnsupportedQueryError(
            "the compiler cannot read this query",
            code="PGT213",
            detail="PostgreSQL accepts it, but the SQL parser that the compiler uses does not.",
            hint="Rewrite the construct, or report it with the query.",
        ) from error


def _depth(tree: Expr) -> int:
    """Return the length of the longest path from the root, without recursion."""
    deepest, pending = 0, [(tree, 1)]
    while pending:
        node, depth = pending.pop()
        deepest = max(deepest, depth)
        pending.extend((child, depth + 1) for child in node.iter_expressions())
    return deepest
