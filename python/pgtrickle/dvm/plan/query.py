"""A query of any form, to an operator: SELECT, set operations, VALUES, with their WITH clauses."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.analysis.keys import row_key
from pgtrickle.dvm.operators.aggregate import Aggregate
from pgtrickle.dvm.operators.base import Operator, Output
from pgtrickle.dvm.operators.constant import Constant
from pgtrickle.dvm.operators.distinct_on import DistinctOn
from pgtrickle.dvm.operators.filter import Filter
from pgtrickle.dvm.operators.project import Project
from pgtrickle.dvm.operators.set_operation import SetOperation
from pgtrickle.dvm.operators.top_k import TopK
from pgtrickle.dvm.operators.union_all import UnionAll
from pgtrickle.dvm.operators.window import Window
from pgtrickle.dvm.plan.clauses import with_ties
from pgtrickle.dvm.plan.links import link_columns
from pgtrickle.dvm.plan.orders import completed
from pgtrickle.dvm.plan.scope import Scope, refused
from pgtrickle.dvm.plan.select import SelectPlan
from pgtrickle.dvm.plan.subqueries import Inner
from pgtrickle.dvm.sqlast import (
    Expr,
    Query,
    binary,
    col,
    columns_in,
    conjuncts,
    ident,
    number,
    select,
    shown_names,
)

if TYPE_CHECKING:
    from pgtrickle.dvm.plan.builder import Builder


def plan_query(query: Query, builder: Builder, *, visible: bool) -> Project:
    """Return the tree of a query; at the root (`visible`) its columns keep the user's names."""
    inside = builder.within(query.args.get("with_"))
    if isinstance(query, exp.Subquery):
        limited = any(query.args.get(clause) for clause in ("limit", "offset"))
        if limited:
            raise refused("LIMIT on a query in parentheses", "PGT253")
        return plan_query(query.this, inside, visible=visible)
    if isinstance(query, exp.SetOperation):
        return _set_operation(query, inside, visible=visible)
    if isinstance(query, exp.Values):
        return _values(query, inside, visible=visible)
    if not isinstance(query, exp.Select):
        raise refused("a query of this form", "PGT257")
    return _select(query, inside, Scope()).project(visible=visible, extra=[])


def _select(node: exp.Select, builder: Builder, scope: Scope) -> SelectPlan:
    plan = SelectPlan(
        builder=builder,
        node=node,
        scope=scope,
        subplan=_subplan,
        inner=partial(plan_inner, builder),
    )
    plan.build()
    if scope.outer is None and plan.links:
        raise refused("a column of a query around, outside of its reach", "PGT256")
    return plan


def _subplan(query: Query, builder: Builder) -> Operator:
    return plan_query(query, builder, visible=False)


def plan_inner(builder: Builder, query: Query, scope: Scope) -> Inner:
    """Return the plan of a subquery that may read the scope around it."""
    inside = builder.within(query.args.get("with_"))
    bare = query.unnest() if isinstance(query, exp.Subquery) else query
    if not isinstance(bare, exp.Query):
        raise refused("a subquery of this form", "PGT256")
    if not isinstance(bare, exp.Select):
        rows = inside.input(plan_query(bare, inside, visible=False))
        return Inner(rows=rows, outputs=_references(rows, len(shown_names(bare))), conditions=())
    plan = _select(_grouped(bare), inside, Scope(outer=scope))
    if plan.links:
        return _linked(plan, inside)
    around = [value for _, value in plan.outputs if plan.scope.correlated(value)]
    if around:
        return _linked(plan, inside)
    project = plan.project(visible=False, extra=[])
    rows = inside.input(project)
    outputs = _references(rows, len(plan.outputs))
    certain = _empty(plan) is not None
    single = certain or _at_most_one(project, frozenset())
    return Inner(rows=rows, outputs=outputs, conditions=(), single=single, certain=certain)


def _grouped(node: exp.Select) -> exp.Select:
    """Return SELECT DISTINCT of plain columns as GROUP BY of the same: that has a form for each value of the links."""
    distinct = node.args.get("distinct")
    clauses = ("group", "having", "limit", "offset", "windows")
    others = any(node.args.get(clause) for clause in clauses)
    if distinct is None or distinct.args.get("on") is not None or others:
        return node
    values = [each.unalias() for each in node.selects]
    if not all(isinstance(value, exp.Column) for value in values):
        return node
    grouped = node.copy()
    grouped.set("distinct", None)
    grouped.set("group", exp.Group(expressions=[value.copy() for value in values]))
    return grouped


def _references(rows: Operator, width: int) -> tuple[Expr, ...]:
    return tuple(col(column.name) for column in rows.columns[:width])


def _empty(plan: SelectPlan) -> tuple[Expr, ...] | None:
    """Return what the outputs are over no rows, for an aggregate that has a row in any case."""
    calls = plan.calls
    if calls is None or not plan.ungrouped or plan.node.args.get("limit"):
        return None
    return tuple(calls.empty(value) for _, value in plan.outputs)


def _linked(plan: SelectPlan, builder: Builder) -> Inner:
    """Return a subquery that reads the query around: its links become the condition of a join."""
    _require_linkable(plan)
    empty = _empty(plan)
    chosen, one = _chosen(plan, builder)
    own = {column.name for column in chosen.columns}
    # What does not read the query around is computed below the join: where nothing matches it must be NULL.
    below = [not plan.scope.correlated(value) for _, value in plan.outputs]
    outside = [value for (_, value), inside in zip(plan.outputs, below, strict=True) if not inside]
    read = {name for value in (*outside, *plan.links, *(empty or ())) for name in columns_in(value)}
    # Under new names: the same subquery may be planned again for another join of the same rows.
    kept = tuple(Output(builder.names.column(name), col(name)) for name in sorted(read & own))
    renamed = {output.expression.name: col(output.name) for output in kept}
    computed = [Output(builder.names.column(name), value) for name, value in plan.outputs]
    outputs = (*kept, *(each for each, inside in zip(computed, below, strict=True) if inside))
    rows = builder.input(Project(child=chosen, outputs=outputs, expands=plan.expands))
    results = [
        col(each.name) if inside else _renamed(each.expression, renamed)
        for each, inside in zip(computed, below, strict=True)
    ]
    conditions = tuple(_renamed(link, renamed) for link in plan.links)
    keys = link_columns(conditions, {output.name for output in outputs})
    single = one or empty is not None or _at_most_one(rows, keys)
    always = None
    if empty is not None:
        if not keys:
            raise refused("an aggregate that is not linked by an equality", "PGT256")
        always = (min(keys), tuple(_renamed(value, renamed) for value in empty))
    return Inner(
        rows=rows, outputs=tuple(results), conditions=conditions, always=always, single=single
    )


def _renamed(value: Expr, names: dict[str, exp.Column]) -> Expr:
    copy = exp.Paren(this=value.copy())
    for column in list(copy.find_all(exp.Column)):
        if not column.table and column.name in names:
            column.replace(names[column.name].copy())
    result: Expr = copy.this
    return result.pop()


def _require_linkable(plan: SelectPlan) -> None:
    if plan.calls is not None and plan.node.args.get("having") is not None and plan.ungrouped:
        raise refused("HAVING in a correlated aggregate without GROUP BY", "PGT256")
    if plan.node.args.get("distinct") is not None:
        raise refused("DISTINCT in a correlated subquery", "PGT256")
    if plan.ungrouped and isinstance(plan.rows, Window):
        # Over no rows there is a group all the same, and the function of it is not NULL.
        raise refused("a window function over a correlated aggregate without GROUP BY", "PGT256")
    around = any(plan.scope.correlated(value) for _, value in plan.outputs)
    limited = plan.node.args.get("limit") or plan.node.args.get("offset")
    if plan.expands and (around or limited):
        raise refused("a set-returning function of the query around", "PGT256")
    having = plan.node.args.get("having") is not None
    if having and plan.calls is not None and not plan.calls.grouped:
        raise refused("HAVING in a correlated aggregate without GROUP BY", "PGT256")


def _chosen(plan: SelectPlan, builder: Builder) -> tuple[Operator, bool]:
    """Return the rows of a linked subquery, and whether a limit leaves at most one for each value of the links."""
    rows = builder.input(plan.rows)
    limit, offset = plan.node.args.get("limit"), plan.node.args.get("offset")
    if limit is None and offset is None:
        return rows, False
    count = limit.expression if isinstance(limit, exp.Limit) else None
    if offset is not None or not isinstance(count, exp.Literal) or count.is_string:
        raise refused("OFFSET or a computed LIMIT in a correlated subquery", "PGT253")
    own = {column.name for column in rows.columns}
    keys = link_columns(tuple(plan.links), own)
    if len(keys) < len(plan.links):
        raise refused("LIMIT in a subquery that is linked by more than equalities", "PGT253")
    partition = tuple(Output(builder.names.column("link"), col(name)) for name in sorted(keys))
    order = completed(plan.order, rows)
    if count.name == "1":
        return builder.input(DistinctOn(child=rows, keys=partition, order=order)), True
    place = builder.names.column("place")
    numbered = exp.Window(
        this=exp.RowNumber(),
        partition_by=[col(name) for name in sorted(keys)],
        order=exp.Order(expressions=list(order)) if order else None,
        over="OVER",
    )
    windows = Window(child=rows, keys=partition, functions=(Output(place, numbered),))
    first = binary(exp.LTE, col(place), number(int(count.name)))
    return Filter(child=builder.input(windows), predicate=first), False


def _at_most_one(rows: Operator, fixed: frozenset[str]) -> bool:
    """Return whether no two rows agree in the columns of `fixed`."""
    inside: Operator = rows
    while isinstance(inside, Project | Filter):
        if isinstance(inside, Filter):
            fixed |= _constants(inside.predicate)
        elif inside.expands:
            return False
        else:
            below = {
                output.name: output.expression.name
                for output in inside.outputs
                if isinstance(output.expression, exp.Column)
            }
            fixed = frozenset(below[name] for name in fixed if name in below)
        inside = inside.child
    if isinstance(inside, TopK) and isinstance(inside.limit, exp.Limit):
        return bool(inside.limit.expression.name == "1")
    key = row_key(inside)
    return key is not None and set(key.columns) <= fixed


def _constants(predicate: Expr) -> frozenset[str]:
    found = set()
    for condition in conjuncts(predicate):
        if isinstance(condition, exp.EQ):
            sides = condition.this.unnest(), condition.expression.unnest()
            for side, other in (sides, sides[::-1]):
                if isinstance(side, exp.Column) and not columns_in(other):
                    found.add(side.name)
    return frozenset(found)


def _set_operation(query: exp.SetOperation, builder: Builder, *, visible: bool) -> Project:
    left, right = (
        builder.input(plan_query(side, builder, visible=False))
        for side in (query.left, query.right)
    )
    width = len(shown_names(query))
    names = tuple(builder.names.column(name) for name in shown_names(query))
    distinct = bool(query.args.get("distinct"))
    rows: Operator
    if isinstance(query, exp.Union):
        rows = UnionAll(inputs=(left, right), names=names)
        if distinct:
            keys = tuple(Output(builder.names.column(name), col(name)) for name in names)
            rows = Aggregate(child=rows, keys=keys, arguments=(), calls=())
            names = tuple(key.name for key in keys)
    else:
        rows = SetOperation(
            left=left,
            right=right,
            names=names,
            intersect=isinstance(query, exp.Intersect),
            distinct=distinct,
        )
    limit, offset = query.args.get("limit"), query.args.get("offset")
    if limit is not None or offset is not None:
        rows = builder.input(rows)
        order = _positions(query, names)
        chosen = tuple(order) if with_ties(limit) else completed(order, rows)
        rows = TopK(child=rows, order=chosen, limit=limit, offset=offset)
    shown = shown_names(query) if visible else [builder.names.column(name) for name in names]
    outputs = tuple(Output(name, col(own)) for name, own in zip(shown, names[:width], strict=True))
    return Project(child=rows, outputs=outputs)


def _positions(query: exp.SetOperation, names: tuple[str, ...]) -> list[exp.Ordered]:
    order = query.args.get("order")
    keys = [each.copy() for each in order.expressions] if order else []
    for each in keys:
        if not isinstance(each.this, exp.Literal):
            raise refused("ORDER BY of a set operation by something other than a column", "PGT253")
        each.set("this", col(names[int(each.this.name) - 1]))
    return keys


def _values(query: exp.Values, builder: Builder, *, visible: bool) -> Project:
    width = len(query.expressions[0].expressions)
    own = [f"column{position + 1}" for position in range(width)]
    names = tuple(builder.names.column(name) for name in own)
    rows = query.copy()
    columns = [ident(name) for name in names]
    rows.set("alias", exp.TableAlias(this=ident("constant"), columns=columns))
    constant = Constant(query=select([exp.Star()], rows), names=names)
    shown = own if visible else [builder.names.column(name) for name in own]
    return Project(
        child=constant,
        outputs=tuple(Output(name, col(inner)) for name, inner in zip(shown, names, strict=True)),
    )
