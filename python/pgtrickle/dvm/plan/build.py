"""Stage 3: the normalised query, to an operator tree and the plan for its storage."""

from __future__ import annotations

from sqlglot import exp

from pgtrickle.dvm.analysis.keys import row_key
from pgtrickle.dvm.differentiate.sources import readable
from pgtrickle.dvm.operators.aggregate import Aggregate
from pgtrickle.dvm.operators.aggregates.count import RowCount
from pgtrickle.dvm.operators.base import Operator, Output, PlanColumn
from pgtrickle.dvm.operators.filter import Filter
from pgtrickle.dvm.operators.inner_join import InnerJoin
from pgtrickle.dvm.operators.opaque import Opaque
from pgtrickle.dvm.operators.project import Project
from pgtrickle.dvm.operators.scan import Scan
from pgtrickle.dvm.plan.aggregates import CallBuilder
from pgtrickle.dvm.plan.clauses import require_plain
from pgtrickle.dvm.plan.from_clause import FromClause, Scope
from pgtrickle.dvm.plan.model import (
    ROW_COUNT,
    Bag,
    FullPlan,
    GroupsPlan,
    Identity,
    Keyed,
    MaintenancePlan,
    RowsPlan,
    SourceUse,
)
from pgtrickle.dvm.plan.names import Names
from pgtrickle.dvm.schema import HIDDEN_PREFIX, QualifiedName, Schema
from pgtrickle.dvm.sqlast import Expr, Query, col, to_sql
from pgtrickle.errors import UnsupportedQueryError


def build(query: Query, schema: Schema) -> MaintenancePlan:
    """Return the differential plan of `query`; raise UnsupportedQueryError when it has none."""
    names = Names()
    root = _query(query, schema, names, visible=True)
    if isinstance(root.child, Aggregate):
        return _groups_plan(root, root.child)
    return _rows_plan(root)


def build_full(query: Query, schema: Schema) -> FullPlan:
    """Return the plan that evaluates `query` in full, tables replaced by the stored ones."""
    kept = query.copy()
    found = set()
    for node in list(kept.find_all(exp.Table)):
        relation = schema.relation(QualifiedName(node.db, node.name)) if node.db else None
        if relation is not None:
            found.add(relation.name)
            _put(node, readable(relation, node.alias_or_name))
    columns = tuple(PlanColumn(name=name) for name in query.named_selects)
    root = Opaque(query=kept, outputs=columns, relations=frozenset(found))
    return FullPlan(root=root, visible=tuple(query.named_selects), identity=Bag())


def source_uses(plan: MaintenancePlan, schema: Schema) -> tuple[SourceUse, ...]:
    """Return each relation that the plan reads, with the columns it needs of it."""
    uses: dict[QualifiedName, dict[str, None]] = {}
    for operator in plan.root.walk():
        if isinstance(operator, Scan):
            # Virtual columns were replaced by their expressions: the plan depends on those too.
            virtual = [column.name for column in operator.relation.columns if column.generated]
            needed = dict.fromkeys((*operator.names, *virtual))
            uses.setdefault(operator.relation.name, {}).update(needed)
        elif isinstance(operator, Opaque):
            for name in sorted(operator.relations):
                columns = [
                    column.name
                    for column in schema.relations[name].columns
                    if column.generated is None
                ]
                uses.setdefault(name, {}).update(dict.fromkeys(columns))
    return tuple(SourceUse(name, tuple(columns)) for name, columns in uses.items())


def _put(node: exp.Table, stored: Expr) -> None:
    alias = node.args.get("alias")
    if alias and alias.columns:
        stored.args["alias"].set("columns", [column.copy() for column in alias.columns])
    if node.args.get("joins"):
        stored.set("joins", [join.copy() for join in node.args["joins"]])
    node.replace(stored)


def _query(query: Query, schema: Schema, names: Names, *, visible: bool) -> Project:
    """Return the tree of one SELECT; at the root (`visible`) its columns keep the user's names."""
    select = require_plain(query)
    clause = FromClause(
        schema=schema,
        names=names,
        needed=_needed(select),
        subplan=lambda inner: _inner(inner, schema, names),
    )
    clause.add(select.args["from_"].this)
    for join in select.args.get("joins") or []:
        clause.join(join)
    rows = _joined(clause, select)
    outputs = [
        (name, clause.scope.bound(selection.unalias()))
        for name, selection in zip(select.named_selects, select.selects, strict=True)
    ]
    rows, outputs = _grouped(select, clause.scope, rows, outputs, names)
    named = [Output(name if visible else names.column(name), value) for name, value in outputs]
    return Project(child=rows, outputs=tuple(named))


def _inner(query: Query, schema: Schema, names: Names) -> Operator:
    inner = _query(query, schema, names, visible=False)
    if isinstance(inner.child, Aggregate):
        raise UnsupportedQueryError(
            "an aggregate below another operator has no differential form yet",
            code="PGT240",
            hint="Make the inner query a stream table of its own and read that one.",
        )
    kept = row_key(inner.child)
    shown = {
        output.expression.name
        for output in inner.outputs
        if isinstance(output.expression, exp.Column)
    }
    extra = [Output(names.column(name), col(name)) for name in kept or () if name not in shown]
    return Project(child=inner.child, outputs=(*inner.outputs, *extra))


def _joined(clause: FromClause, select: exp.Select) -> Operator:
    conditions = tuple(clause.scope.bound(condition) for condition in clause.conditions)
    rows = clause.inputs[0]
    if len(clause.inputs) > 1:
        rows = InnerJoin(inputs=tuple(clause.inputs), conditions=conditions)
    predicate = select.args.get("where")
    return Filter(child=rows, predicate=clause.scope.bound(predicate.this)) if predicate else rows


def _needed(select: exp.Select) -> dict[str, set[str]]:
    needed: dict[str, set[str]] = {}
    for column in select.find_all(exp.Column):
        if column.find_ancestor(exp.Select) is select:
            needed.setdefault(column.table, set()).add(column.name)
    return needed


def _grouped(
    select: exp.Select,
    scope: Scope,
    rows: Operator,
    outputs: list[tuple[str, Expr]],
    names: Names,
) -> tuple[Operator, list[tuple[str, Expr]]]:
    group = select.args.get("group")
    aggregated = any(value.find(exp.AggFunc) for _, value in outputs)
    if group is None and not aggregated:
        return rows, outputs
    bound = [scope.bound(key).unnest() for key in (group.expressions if group else ())]
    keys = {to_sql(key): Output(names.column(key.alias_or_name or "key"), key) for key in bound}
    calls = CallBuilder(rows, names, grouped=bool(keys))

    def read_group(value: Expr) -> Expr:
        return calls.replaced(_keys_replaced(value, keys))

    replaced = [(name, read_group(value)) for name, value in outputs]
    aggregate = Aggregate(
        child=rows,
        keys=tuple(keys.values()),
        arguments=tuple(calls.arguments.values()),
        calls=tuple(calls.calls.values()),
    )
    _require_grouped(replaced, aggregate)
    return aggregate, replaced


def _keys_replaced(value: Expr, keys: dict[str, Output]) -> Expr:
    """Return a copy in which group keys outside of aggregate calls are columns of the group."""

    def visit(node: Expr) -> Expr:
        key = keys.get(to_sql(node.unnest()))
        if key is None or (node.parent and node.find_ancestor(exp.AggFunc)):
            return node
        return col(key.name)

    return value.copy().transform(visit)


def _require_grouped(outputs: list[tuple[str, Expr]], aggregate: Aggregate) -> None:
    """Raise when an output reads a column that only functional dependency puts into the group."""
    known = {column.name for column in aggregate.columns}
    for name, value in outputs:
        if any(column.name not in known for column in value.find_all(exp.Column)):
            raise UnsupportedQueryError(
                f'column "{name}" is neither a group key nor an aggregate',
                code="PGT242",
                detail="PostgreSQL allows it because the primary key is in GROUP BY.",
                hint="Add the column to GROUP BY.",
            )


def _rows_plan(root: Project) -> RowsPlan:
    visible = tuple(output.name for output in root.outputs)
    key = row_key(root.child)
    if key is None:
        return RowsPlan(root=root, visible=visible, hidden=(), identity=Bag())
    shown = {
        output.expression.name: output.name
        for output in reversed(root.outputs)
        if isinstance(output.expression, exp.Column)
    }
    hidden = [
        Output(f"{HIDDEN_PREFIX}key_{position}", col(column))
        for position, column in enumerate(
            (column for column in key if column not in shown), start=1
        )
    ]
    shown.update({extra.expression.name: extra.name for extra in hidden})
    identity: Identity = Keyed(tuple(shown[column] for column in key))
    return RowsPlan(
        root=Project(child=root.child, outputs=(*root.outputs, *hidden)),
        visible=visible,
        hidden=tuple(extra.name for extra in hidden),
        identity=identity,
    )


def _groups_plan(root: Project, groups: Aggregate) -> GroupsPlan:
    shown = {
        output.expression.name: output.name
        for output in reversed(root.outputs)
        if isinstance(output.expression, exp.Column)
    }
    stored_keys = {
        key.name: shown.get(key.name, f"{HIDDEN_PREFIX}key_{position}")
        for position, key in enumerate(groups.keys, start=1)
    }
    accumulators = {
        kept: ROW_COUNT if kept == RowCount() else f"{HIDDEN_PREFIX}acc_{position}"
        for position, kept in enumerate(groups.accumulators)
    }
    not_null = {column.name for column in groups.columns if column.not_null}
    nullable = frozenset(stored for key, stored in stored_keys.items() if key not in not_null)
    return GroupsPlan(
        root=root,
        groups=groups,
        visible=tuple(output.name for output in root.outputs),
        stored_keys=stored_keys,
        accumulators=accumulators,
        identity=Keyed(tuple(stored_keys.values()), nullable),
    )
