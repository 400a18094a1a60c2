"""One SELECT, clause by clause in the order in which SQL evaluates them, to an operator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.analysis.functions import own_nodes
from pgtrickle.dvm.operators.aggregate import Aggregate
from pgtrickle.dvm.operators.base import Operator, Output
from pgtrickle.dvm.operators.distinct_on import DistinctOn
from pgtrickle.dvm.operators.filter import Filter
from pgtrickle.dvm.operators.project import Project
from pgtrickle.dvm.operators.top_k import TopK
from pgtrickle.dvm.plan.aggregates import CallBuilder
from pgtrickle.dvm.plan.clauses import distinct_keys, needed_columns, sort_keys, with_ties
from pgtrickle.dvm.plan.from_clause import FromClause, Joined
from pgtrickle.dvm.plan.grouping import grouped_rows, grouping_sets, replaced_markers, written_keys
from pgtrickle.dvm.plan.links import links_over, own_side
from pgtrickle.dvm.plan.orders import completed
from pgtrickle.dvm.plan.scope import Scope, refused
from pgtrickle.dvm.plan.subqueries import Attached, Inner
from pgtrickle.dvm.plan.windows import add_windows
from pgtrickle.dvm.schema import HIDDEN_PREFIX
from pgtrickle.dvm.sqlast import (
    Expr,
    all_of,
    col,
    columns_in,
    conjuncts,
    reads_tables,
    rewritten,
    shown_names,
    substituted,
    to_sql,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pgtrickle.dvm.plan.builder import Builder
    from pgtrickle.dvm.sqlast import Query


@dataclass(slots=True)
class SelectPlan:
    """The plan of one SELECT as it grows: `outputs` are its columns, `links` what compares it with the query around."""

    builder: Builder
    node: exp.Select
    scope: Scope
    subplan: Callable[[Query, Builder], Operator]
    inner: Callable[[Query, Scope], Inner]
    rows: Operator = field(init=False)
    outputs: list[tuple[str, Expr]] = field(init=False)
    order: list[exp.Ordered] = field(init=False)
    links: list[Expr] = field(default_factory=list)
    calls: CallBuilder | None = None

    def build(self) -> None:
        """Plan FROM, WHERE, GROUP BY, HAVING, windows and the select list."""
        joined = FromClause(
            builder=self.builder,
            needed=needed_columns(self.node),
            subplan=self.subplan,
            lateral=self.inner,
            scope=self.scope,
        ).read(self.node)
        self._where(joined)
        self.outputs = list(
            zip(shown_names(self.node), (each.unalias() for each in self.node.selects), strict=True)
        )
        self.order = sort_keys(self.node, [value for _, value in self.outputs])
        self._subqueries_below_groups()
        self._group()
        self._subqueries_in_outputs()
        self._windows()

    def _where(self, joined: Joined) -> None:
        clause = self.node.args.get("where")
        parts = conjuncts(clause.this) if clause else []
        plain: list[Expr] = []
        for part in (*parts,):
            if part.find(exp.Query):
                continue
            bound = self.scope.bound(part)
            (self.links if self.scope.correlated(bound) else plain).append(bound)
        linked = [each for each in joined.conditions if self.scope.correlated(each)]
        self.links.extend(linked)
        joined.conditions = [each for each in joined.conditions if each not in linked]
        inputs = [self.builder.input(each) for each in joined.inputs]
        self.rows = Joined(inputs=inputs, conditions=joined.conditions).operator()
        if plain:
            self.rows = Filter(child=self.rows, predicate=all_of(plain))
        attached = self._attached()
        kept = [attached.condition(part) for part in parts if part.find(exp.Query)]
        self.rows = attached.rows
        remaining = [each for each in kept if each is not None]
        if remaining:
            self.rows = Filter(child=self.builder.input(self.rows), predicate=all_of(remaining))

    def _attached(self) -> Attached:
        return Attached(builder=self.builder, scope=self.scope, rows=self.rows, plan=self.inner)

    def _values(self) -> list[Expr]:
        having = self.node.args.get("having")
        return [
            *(value for _, value in self.outputs),
            *([having.this] if having else []),
            *(each.this for each in self.order),
            *distinct_keys(self.node),
        ]

    def _group(self) -> None:
        group = self.node.args.get("group")
        aggregates = self.builder.aggregates
        aggregated = any(aggregates.found_in(value) for value in self._values())
        having = self.node.args.get("having")
        if group is None and not aggregated and having is None:
            self.outputs = [(name, self.scope.bound(value)) for name, value in self.outputs]
            self._rebind_order(self.scope.bound)
            return
        sets = grouping_sets(group)
        keys = self._keys(written_keys(group))
        grouped = bool(keys) and (sets is None or all(sets))
        keys.update(self._link_keys(keys))
        calls = CallBuilder(
            self.builder.input(self.rows), self.builder.names, aggregates, keys, grouped=grouped
        )
        self.calls = calls
        condition = having.this if having else None
        if sets is not None:
            condition = self._grouping_sets(calls, sets, condition)
        else:
            condition = self._groups(calls, keys, condition)
        if condition is not None:
            self._having(condition)

    def _subqueries_below_groups(self) -> None:
        """Replace subqueries in group keys and in the arguments of aggregates by columns of the rows that are grouped."""
        is_call = self.builder.aggregates.is_call
        group, having = self.node.args.get("group"), self.node.args.get("having")
        below = {to_sql(key): key for key in written_keys(group) if reads_tables(key)}
        for value in self._values():
            calls = (each for each in own_nodes(value) if is_call(each) and reads_tables(each))
            below.update({to_sql(each): each for each in calls})
        if not below:
            return
        self.rows = self.builder.input(self.rows)
        attached = self._attached()
        planned = {text: attached.expression(each) for text, each in below.items()}
        self.rows = attached.rows

        def replace_in(expression: Expr) -> Expr:
            return rewritten(expression, lambda each: planned.get(to_sql(each)))

        self.outputs = [(name, replace_in(value)) for name, value in self.outputs]
        self._rebind_order(replace_in)
        self.node = self.node.copy()
        if group is not None:
            self.node.set("group", replace_in(group))
        if having is not None:
            self.node.set("having", exp.Having(this=replace_in(having.this)))

    def _groups(
        self, calls: CallBuilder, keys: dict[str, Output], condition: Expr | None
    ) -> Expr | None:
        def read_group(value: Expr) -> Expr:
            return calls.replaced(self.scope.bound(value))

        self.outputs = [(name, read_group(value)) for name, value in self.outputs]
        self._rebind_order(read_group)
        condition = read_group(condition) if condition is not None else None
        needed = [value for _, value in self.outputs] + [each.this for each in self.order]
        self._determined_keys([*needed, *([condition] if condition is not None else [])], keys)
        self.rows = Aggregate(
            child=calls.child,
            keys=tuple(keys.values()),
            arguments=tuple(calls.arguments.values()),
            calls=tuple(calls.calls.values()),
        )
        self.links = links_over(self.scope, self.links, keys)
        self.scope.renamed(
            {
                key.expression.name: key.name
                for key in keys.values()
                if isinstance(key.expression, exp.Column)
            }
        )
        return condition

    def _grouping_sets(
        self, calls: CallBuilder, sets: list[list[Expr]], condition: Expr | None
    ) -> Expr | None:
        if self.links:
            raise refused("GROUPING SETS in a correlated subquery", "PGT255")
        markers: dict[str, list[str]] = {}
        for value in self._values():
            for node in (each for each in own_nodes(value) if isinstance(each, exp.Grouping)):
                bound = self.scope.bound(node)
                markers[to_sql(bound)] = [to_sql(key.unnest()) for key in bound.expressions]
        placeholders = {text: f"{HIDDEN_PREFIX}grouping_{n}" for n, text in enumerate(markers)}

        def read_group(value: Expr) -> Expr:
            marked = replaced_markers(value, placeholders, self.scope.bound)
            return calls.replaced(self.scope.bound(marked))

        self.outputs = [(name, read_group(value)) for name, value in self.outputs]
        self._rebind_order(read_group)
        condition = read_group(condition) if condition is not None else None
        texts = [[to_sql(self.scope.bound(key).unnest()) for key in each] for each in sets]
        self.rows, names, marks = grouped_rows(self.builder, calls, texts, list(markers.values()))
        names.update(zip(placeholders.values(), marks, strict=True))
        renamed = {old: col(new) for old, new in names.items()}
        self.outputs = [(name, substituted(value, renamed)) for name, value in self.outputs]
        self._rebind_order(lambda value: substituted(value, renamed))
        return substituted(condition, renamed) if condition is not None else None

    def _having(self, condition: Expr) -> None:
        self.rows = self.builder.input(self.rows)
        attached = self._attached()
        kept = [attached.condition(part) for part in conjuncts(condition)]
        self.rows = attached.rows
        remaining = [each for each in kept if each is not None]
        if remaining:
            self.rows = Filter(child=self.builder.input(self.rows), predicate=all_of(remaining))

    def _keys(self, expressions: list[Expr]) -> dict[str, Output]:
        bound = [self.scope.bound(key).unnest() for key in expressions]
        return {
            to_sql(key): Output(self.builder.names.column(key.alias_or_name or "key"), key)
            for key in bound
        }

    def _link_keys(self, keys: dict[str, Output]) -> dict[str, Output]:
        """Return, for each comparison with the query around, its inner side as one more group key."""
        found = {}
        for link in self.links:
            own = own_side(self.scope, link)
            if to_sql(own) not in keys:
                found[to_sql(own)] = Output(self.builder.names.column("link"), own)
        return found

    @property
    def ungrouped(self) -> bool:
        """Whether there is one row in any case: an aggregate without GROUP BY and HAVING."""
        return (
            self.calls is not None
            and not self.calls.grouped
            and self.node.args.get("group") is None
            and self.node.args.get("having") is None
        )

    def _determined_keys(self, values: list[Expr], keys: dict[str, Output]) -> None:
        """Add columns that a primary key in GROUP BY determines: grouping by them too changes nothing."""
        known = {key.name for key in keys.values()}
        known |= {call.name for call in self.calls.calls.values()} if self.calls else set()
        below = {column.name for column in self.rows.columns}
        for name in sorted({name for value in values for name in columns_in(value)} - known):
            if name in below:
                keys[name] = Output(self.builder.names.column(name), col(name))
        added = {key.expression.name: col(key.name) for text, key in keys.items() if text in below}
        if not added:
            return
        for value in values:
            for column in list(value.find_all(exp.Column)):
                if column.name in added and not column.table:
                    column.set("this", added[column.name].this.copy())

    def _rebind_order(self, bind: Callable[[Expr], Expr]) -> None:
        for each in self.order:
            each.set("this", bind(each.this))

    def _subqueries_in_outputs(self) -> None:
        """Replace subqueries in the select list and the order by columns of the rows."""
        values = [*(value for _, value in self.outputs), *(each.this for each in self.order)]
        if not any(value.find(exp.Query) for value in values):
            return
        self.rows = self.builder.input(self.rows)
        attached = self._attached()
        self.outputs = [(name, attached.expression(value)) for name, value in self.outputs]
        self._rebind_order(attached.expression)
        self.rows = attached.rows

    def _windows(self) -> None:
        values = [*(value for _, value in self.outputs), *(each.this for each in self.order)]
        windows = [node for value in values for node in value.find_all(exp.Window)]
        if not windows:
            return
        # What a subquery sees of its rows is one value of its links: that is a partition.
        links = [own_side(self.scope, link) for link in self.links]
        for window in windows if links else []:
            parts = window.args.get("partition_by") or []
            window.set("partition_by", [*parts, *(link.copy() for link in links)])
        self.rows, replace_in = add_windows(self.builder, self.builder.input(self.rows), values)
        self.outputs = [(name, replace_in(value)) for name, value in self.outputs]
        self._rebind_order(replace_in)

    @property
    def expands(self) -> bool:
        """Whether the select list may return several rows for one."""
        functions = self.builder.returns_sets
        return functions and any(
            value.find(exp.Func, exp.Unnest, exp.Dot) is not None for _, value in self.outputs
        )

    def project(self, *, visible: bool, extra: list[str]) -> Project:
        """Return the select list, then DISTINCT and LIMIT, as one projection; `extra` columns go along."""
        rows = self.rows
        if self.expands and rows.staged:
            rows = self.builder.input(rows)
        names = [name if visible else self.builder.names.column(name) for name, _ in self.outputs]
        outputs = [
            Output(name, value) for name, (_, value) in zip(names, self.outputs, strict=True)
        ]
        outputs.extend(Output(name, col(name)) for name in extra)
        distinct = self.node.args.get("distinct")
        limited = self.node.args.get("limit") or self.node.args.get("offset")
        if distinct is None and not limited:
            return Project(child=rows, outputs=tuple(outputs), expands=self.expands)
        return self._chosen(rows, outputs, distinct)

    def _chosen(self, rows: Operator, outputs: list[Output], distinct: exp.Expr | None) -> Project:
        """Return the rows that DISTINCT and LIMIT leave, over columns computed first."""
        sorts = [Output(self.builder.names.column("sort"), each.this.copy()) for each in self.order]
        inside = [Output(self.builder.names.column("column"), each.expression) for each in outputs]
        on = distinct.args.get("on") if distinct is not None else None
        keys = (
            []
            if on is None
            else [
                Output(self.builder.names.column("on"), self._bound_key(key))
                for key in on.expressions
            ]
        )
        computed: Operator = Project(
            child=self.builder.input(rows), outputs=(*inside, *sorts, *keys), expands=self.expands
        )
        if distinct is not None and on is None:
            # SELECT DISTINCT allows sort keys of the select list only.
            columns = {to_sql(each.expression): each.name for each in inside}
            sorts = [Output(columns[to_sql(sort.expression)], sort.expression) for sort in sorts]
            computed = Aggregate(
                child=Project(
                    child=computed.children[0], outputs=tuple(inside), expands=self.expands
                ),
                keys=tuple(Output(each.name + "_", col(each.name)) for each in inside),
                arguments=(),
                calls=(),
            )
            inside = [Output(key.name, col(key.name)) for key in computed.keys]
            sorts = [Output(sort.name + "_", sort.expression) for sort in sorts]
        order = [
            exp.Ordered(
                this=col(sort.name),
                desc=each.args.get("desc"),
                nulls_first=each.args.get("nulls_first"),
            )
            for sort, each in zip(sorts, self.order, strict=True)
        ]
        if on is not None:
            computed = DistinctOn(
                child=computed,
                keys=tuple(Output(key.name + "_", col(key.name)) for key in keys),
                order=completed(order, computed),
            )
        limit, offset = self.node.args.get("limit"), self.node.args.get("offset")
        if limit is not None or offset is not None:
            computed = self.builder.input(computed)
            ties = with_ties(limit)
            computed = TopK(
                child=computed,
                order=tuple(order) if ties else completed(order, computed),
                limit=limit,
                offset=offset,
            )
        shown = [
            Output(output.name, col(each.name))
            for output, each in zip(outputs, inside, strict=True)
        ]
        return Project(child=computed, outputs=tuple(shown))

    def _bound_key(self, key: Expr) -> Expr:
        """Return a DISTINCT ON key: an expression of the select list, as it was planned."""
        text = to_sql(key)
        for (_, value), written in zip(self.outputs, self.node.selects, strict=True):
            if to_sql(written.unalias()) == text:
                return value.copy()
        bound = self.scope.bound(key)
        return self.calls.replaced(bound) if self.calls else bound
