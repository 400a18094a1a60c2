"""A recursive WITH query, to the operator that keeps its rows."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.operators.recursion import NEW_ROWS, OwnRows, Recursion
from pgtrickle.dvm.plan.check import require_closed
from pgtrickle.dvm.plan.opaque import opaque
from pgtrickle.dvm.sqlast import col, ident, named, select, table

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pgtrickle.dvm.operators.base import Operator
    from pgtrickle.dvm.operators.opaque import Opaque
    from pgtrickle.dvm.plan.builder import Builder, Cte
    from pgtrickle.dvm.sqlast import Expr, Query

# A query of any other clause is not a plain join of tables.
_PLAIN = frozenset(
    {"expressions", "from_", "joins", "where", "kind", "hint", "operation_modifiers"}
)


def plan_recursion(
    builder: Builder, name: str, cte: Cte, subplan: Callable[[Query, Builder], Operator]
) -> Opaque:
    """Return the rows of the recursive query `cte`, which calls itself `name`."""
    names = [builder.names.column(column) for column in cte.columns]
    outputs = [named(col(source), own) for source, own in zip(cte.columns, names, strict=True)]
    query = select(outputs, table(name))
    query.set("with_", cte.recursive)
    whole = opaque(query, builder.schema, names)
    union = cte.query
    if not isinstance(union, exp.Union) or not _differentiable(union, name, builder):
        return whole
    own = OwnRows(names=dict(zip(names, names, strict=True)))
    inside = replace(
        cte.builder,
        ctes={**cte.builder.ctes, name: replace(cte, recursive=None, rows=own)},
        built=dict(cte.builder.built),
    )
    base, step = subplan(union.this, cte.builder), subplan(union.expression, inside)
    require_closed(base)
    require_closed(step)
    return Recursion(
        query=whole.query,
        outputs=whole.outputs,
        relations=whole.relations,
        base=base,
        step=step,
        again=_over_new_rows(union.expression, name, builder),
        shown=cte.columns,
        distinct=bool(union.args.get("distinct")),
    )


def _differentiable(union: exp.Union, name: str, builder: Builder) -> bool:
    if any(union.args.get(clause) for clause in ("with_", "order", "limit", "offset")):
        return False
    sides = (union.this, union.expression)
    return all(_plain_join(side, name, builder) for side in sides)


def _plain_join(side: Expr, name: str, builder: Builder) -> bool:
    """Return whether a side is a join of stored tables, and of the recursive rows: it only grows with them."""
    if not isinstance(side, exp.Select) or builder.returns_sets:
        return False
    if any(side.args.get(clause) for clause in side.args if clause not in _PLAIN):
        return False
    start = side.args.get("from_")
    items = [*([start.this] if start is not None else []), *_joined(side)]
    plain = all(_is_table(item, name) for item in items)
    calls = any(builder.aggregates.found_in(value) for value in side.expressions)
    nested = [each for each in side.find_all(exp.Select, exp.SetOperation) if each is not side]
    return plain and not calls and not nested and side.find(exp.Window) is None


def _joined(side: Expr) -> Sequence[Expr]:
    return [
        item
        for join in side.find_all(exp.Join)
        for item in ([join.this] if not join.side and not join.method else [join])
    ]


def _is_table(item: Expr, name: str) -> bool:
    if isinstance(item, exp.Subquery) and isinstance(item.this, exp.Table) and not item.alias:
        return _is_table(item.this, name)
    if not isinstance(item, exp.Table) or not isinstance(item.this, exp.Identifier):
        return False
    return bool(item.db) or item.name == name


def _over_new_rows(step: Query, name: str, builder: Builder) -> Query:
    """Return the step as it was written, reading stored tables, and new rows where it refers to itself."""
    written = step.copy()
    for node in written.find_all(exp.Table):
        if not node.db and node.name == name:
            alias = node.args.get("alias") or exp.TableAlias(this=ident(name))
            node.set("this", ident(NEW_ROWS))
            node.set("alias", alias)
    return opaque(written, builder.schema, ()).query
