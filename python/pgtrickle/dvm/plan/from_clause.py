"""The FROM clause: tables, derived tables, functions and joins, to one operator."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.operators.constant import Constant
from pgtrickle.dvm.operators.inner_join import InnerJoin
from pgtrickle.dvm.operators.outer_join import OuterJoin
from pgtrickle.dvm.operators.row_function import RowFunction
from pgtrickle.dvm.operators.scan import Scan
from pgtrickle.dvm.plan.recursion import plan_recursion
from pgtrickle.dvm.plan.scope import Scope, refused
from pgtrickle.dvm.plan.subqueries import Attached
from pgtrickle.dvm.schema import QualifiedName, Relation
from pgtrickle.dvm.sqlast import (
    Expr,
    Query,
    conjuncts,
    ident,
    in_parentheses,
    number,
    reads_tables,
    select,
    shown_names,
)
from pgtrickle.errors import UnsupportedQueryError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pgtrickle.dvm.operators.base import Operator
    from pgtrickle.dvm.plan.builder import Builder, Cte
    from pgtrickle.dvm.plan.subqueries import Inner


@dataclass(slots=True)
class Joined:
    """Inputs joined so far, all by inner joins, and the conditions between them."""

    inputs: list[Operator] = field(default_factory=list)
    conditions: list[Expr] = field(default_factory=list)

    def operator(self) -> Operator:
        """Return the join of all inputs."""
        if not self.inputs:
            one_row = select([number(1)])
            return Constant(query=one_row, names=())
        if len(self.inputs) == 1 and not self.conditions:
            return self.inputs[0]
        return InnerJoin(inputs=tuple(self.inputs), conditions=tuple(self.conditions))


@dataclass(slots=True)
class FromClause:
    """Reads the items of one FROM clause into `scope`; `lateral` plans a subquery that reads the items before it."""

    builder: Builder
    needed: dict[str, set[str]]
    subplan: Callable[[Query, Builder], Operator]
    lateral: Callable[[Query, Scope], Inner]
    scope: Scope

    def read(self, node: exp.Select) -> Joined:
        """Return all items of the FROM clause of `node`, joined."""
        start = node.args.get("from_")
        joined = Joined()
        if start is not None:
            self._add(joined, start.this)
        for join in node.args.get("joins") or []:
            self._join(joined, join)
        return joined

    def _add(self, joined: Joined, item: Expr) -> None:
        """Take one FROM item with the joins that hang on it."""
        if item.args.get("joins"):
            bare = item.copy()
            joins = bare.args["joins"]
            bare.set("joins", None)
            # Inner joins in parentheses are joins like any other, and functions in them may read what stands before.
            inner = Joined() if any(join.side for join in joins) else joined
            self._add(inner, bare)
            for join in joins:
                self._join(inner, join)
            if inner is not joined:
                joined.inputs.extend(inner.inputs)
                joined.conditions.extend(inner.conditions)
        elif in_parentheses(item):
            self._add(joined, item.this)
        else:
            self._item(joined, item, outer=False)

    def _item(self, joined: Joined, item: Expr, *, outer: bool) -> None:
        if isinstance(item, exp.Table) and isinstance(item.this, exp.Identifier):
            joined.inputs.append(self._table(item))
        elif isinstance(item, exp.Subquery) and isinstance(item.this, exp.Query):
            joined.inputs.append(
                self._named(item, self.subplan(item.this, self.builder), item.this)
            )
        elif isinstance(item, exp.Values):
            joined.inputs.append(self._values(item))
        elif isinstance(item, exp.Lateral) and isinstance(item.this, exp.Subquery):
            self._lateral(joined, item, outer=outer)
        elif isinstance(item, exp.Table | exp.Unnest | exp.Lateral):
            self._function(joined, item, outer=outer)
        else:
            raise refused("something other than tables, subqueries and functions in FROM", "PGT231")

    def _join(self, joined: Joined, join: exp.Join) -> None:
        """Take one join: its right side, and its condition."""
        if join.method or join.kind not in ("", "INNER", "CROSS", "OUTER"):
            raise refused(f"{join.method or join.kind} JOIN", "PGT232")
        condition = join.args.get("on")
        target = join.this
        moving = _is_moving(target) and not target.args.get("joins")
        if not join.side or (moving and join.side == "LEFT" and _is_true(condition)):
            if moving:
                self._item(joined, target, outer=bool(join.side))
            else:
                self._add(joined, target)
            if not join.side and condition is not None:
                self._on(joined, conjuncts(condition))
            return
        if moving and not isinstance(target, exp.Values):
            self._outer_lateral(joined, target, join)
            return
        right = Joined()
        self._add(right, target)
        sides = [joined.operator(), right.operator()]
        if join.side == "RIGHT":
            sides.reverse()
        bound = () if condition is None else tuple(map(self.scope.bound, conjuncts(condition)))
        if any(each.find(exp.Query) for each in bound):
            raise refused("a subquery in the condition of an outer join", "PGT232")
        left, other = (self.builder.input(side) for side in sides)
        both = join.side == "FULL"
        joined.inputs = [OuterJoin(left=left, right=other, conditions=bound, both=both)]
        joined.conditions = []

    def _on(self, joined: Joined, parts: list[Expr]) -> None:
        """Take the condition of an inner join; its subqueries are joined to what stands before it."""
        plain = [part for part in parts if not reads_tables(part)]
        joined.conditions.extend(map(self.scope.bound, plain))
        others = [part for part in parts if reads_tables(part)]
        if not others:
            return
        attached = Attached(
            builder=self.builder,
            scope=self.scope,
            rows=self.builder.input(joined.operator()),
            plan=self.lateral,
        )
        kept = [attached.condition(part) for part in others]
        joined.inputs = [attached.rows]
        joined.conditions = [each for each in kept if each is not None]

    def _outer_lateral(self, joined: Joined, target: Expr, join: exp.Join) -> None:
        """Take LEFT JOIN LATERAL with a condition: it is one more condition of the join."""
        condition = join.args.get("on")
        lateral = isinstance(target, exp.Lateral) and isinstance(target.this, exp.Subquery)
        if join.side != "LEFT" or not lateral or not reads_tables(target) or condition is None:
            raise refused("an outer join to a function with a condition", "PGT231")
        query = target.this.this
        inner = self.lateral(query, self.scope)
        plain = all(isinstance(output, exp.Column) for output in inner.outputs)
        if inner.always is not None or not plain or reads_tables(condition):
            raise refused("an outer join to LATERAL with a condition of this form", "PGT231")
        left = self.builder.input(joined.operator())
        self._bind(target, [output.name for output in inner.outputs], shown_names(query))
        on = map(self.scope.bound, conjuncts(condition))
        outer = OuterJoin(left=left, right=inner.rows, conditions=(*inner.conditions, *on))
        joined.inputs, joined.conditions = [outer], []

    def _table(self, item: exp.Table) -> Operator:
        if not item.db:
            return self._cte(item)
        relation = self.builder.schema.relation(QualifiedName(item.db, item.name))
        if relation is None or item.args.get("only") or item.args.get("sample"):
            raise UnsupportedQueryError(
                f'table "{item.name}" is read in a way that cannot be captured',
                code="PGT233",
                detail="FROM ONLY and unknown relations have no differential form.",
            )
        alias = item.alias_or_name
        shown = _shown(item, relation)
        wanted = self.needed.get(alias, set())
        keys = {column for key in relation.keys[:1] for column in key}
        names = {
            source: self.builder.names.column(source)
            for source, name in shown.items()
            if name in wanted or source in keys
        }
        self.scope.columns.update({(alias, shown[source]): name for source, name in names.items()})
        return Scan(relation=relation, names=names)

    def _cte(self, item: exp.Table) -> Operator:
        cte = self.builder.ctes.get(item.name)
        if cte is None:
            raise refused(f'reading "{item.name}"', "PGT233")
        built = self.builder.built
        if cte.rows is not None:
            again = self.builder.again(cte.rows)
            self._bind(item, [column.name for column in again.columns], list(cte.columns))
            return again
        if cte.recursive is not None:
            return self._recursive(item, cte)
        if id(cte.query) not in built:
            built[id(cte.query)] = cte.builder.keyed(
                cte.builder.input(self.subplan(cte.query, cte.builder))
            )
        again = self.builder.again(built[id(cte.query)])
        self._bind(item, [column.name for column in again.columns], list(cte.columns))
        return again

    def _recursive(self, item: exp.Table, cte: Cte) -> Operator:
        """Take a recursive WITH query: evaluated as a whole, a stage of its own."""
        built = self.builder.built
        if id(cte.query) not in built:
            rows = plan_recursion(self.builder, item.name, cte, self.subplan)
            built[id(cte.query)] = self.builder.input(rows)
        again = self.builder.again(built[id(cte.query)])
        self._bind(item, [column.name for column in again.columns], list(cte.columns))
        return again

    def _named(self, item: Expr, child: Operator, query: Query) -> Operator:
        child = self.builder.keyed(self.builder.input(child))
        self._bind(item, [column.name for column in child.columns], shown_names(query))
        return child

    def _bind(self, item: Expr, columns: list[str], own: list[str]) -> None:
        alias = item.args.get("alias")
        renamed = [column.name for column in alias.columns] if alias else []
        for column, name in zip(columns, [*renamed, *own[len(renamed) :]], strict=False):
            self.scope.columns[(item.alias_or_name, name)] = column

    def _values(self, item: exp.Values) -> Operator:
        width = len(item.expressions[0].expressions)
        names = tuple(self.builder.names.column("value") for _ in range(width))
        rows = item.copy()
        if any(rows.find_all(exp.Column, exp.Query)):
            raise refused("VALUES that read other items", "PGT231")
        columns = [ident(name) for name in names]
        rows.set("alias", exp.TableAlias(this=ident("constant"), columns=columns))
        query = select([exp.Star()], rows)
        self._bind(item, list(names), [f"column{number + 1}" for number in range(width)])
        return Constant(query=query, names=names)

    def _function(self, joined: Joined, item: Expr, *, outer: bool) -> None:
        """Take a function in FROM: it is applied to each row of the items before it."""
        alias = item.args.get("alias")
        columns = [column.name for column in alias.columns] if alias else []
        ordinal = _called(item).args.get("offset")
        if isinstance(ordinal, exp.Identifier):
            columns.append(ordinal.name)
        if not columns or item.find(exp.Query) or item.args.get("joins"):
            raise refused("a function in FROM without column names", "PGT231")
        names = tuple(self.builder.names.column(name) for name in columns)
        call = self.scope.bound(item)
        renamed = [ident(name) for name in names]
        if isinstance(ordinal, exp.Identifier):
            _called(call).set("offset", renamed.pop())
        call.set("alias", exp.TableAlias(this=ident("called"), columns=renamed))
        child = self.builder.input(joined.operator())
        joined.inputs = [RowFunction(child=child, item=call, names=names, outer=outer)]
        joined.conditions = []
        self._bind(item, list(names), columns)

    def _lateral(self, joined: Joined, item: exp.Lateral, *, outer: bool) -> None:
        query = item.this.this
        if not reads_tables(query):
            self._row_subquery(joined, item, outer=outer)
            return
        inner = self.lateral(query, self.scope)
        rows: Operator
        plain = all(isinstance(output, exp.Column) for output in inner.outputs)
        outer = outer and not inner.certain
        if outer and inner.always is None and not plain:
            raise refused(
                "an outer join to LATERAL that computes with the rows before it", "PGT231"
            )
        if outer or inner.always is not None:
            left = self.builder.input(joined.operator())
            rows = OuterJoin(left=left, right=inner.rows, conditions=inner.conditions)
        else:
            joined.inputs.append(inner.rows)
            joined.conditions.extend(inner.conditions)
            if plain:
                self._bind(item, [output.name for output in inner.outputs], shown_names(query))
                return
            rows = joined.operator()
        rows, names = inner.computed(rows, self.builder)
        self._bind(item, names, shown_names(query))
        joined.inputs, joined.conditions = [rows], []

    def _row_subquery(self, joined: Joined, item: exp.Lateral, *, outer: bool) -> None:
        """Take a LATERAL subquery without tables: a function of the row."""
        query = item.this.this
        names = tuple(self.builder.names.column(name) for name in shown_names(query))
        call = exp.Lateral(this=exp.Subquery(this=self.scope.bound_inside(query)))
        columns = [ident(name) for name in names]
        call.set("alias", exp.TableAlias(this=ident("called"), columns=columns))
        child = self.builder.input(joined.operator())
        joined.inputs = [RowFunction(child=child, item=call, names=names, outer=outer)]
        joined.conditions = []
        self._bind(item, list(names), shown_names(query))


def _shown(item: exp.Table, relation: Relation) -> dict[str, str]:
    alias = item.args.get("alias")
    renamed = [column.name for column in alias.columns] if alias else []
    stored = [column.name for column in relation.columns]
    shown = [*renamed, *stored[len(renamed) :]]
    return {
        source.name: name
        for source, name in zip(relation.columns, shown, strict=True)
        if source.generated is None
    }


def _called(item: Expr) -> Expr:
    called: Expr = item.this if isinstance(item, exp.Lateral) else item
    return called


def _is_moving(item: Expr) -> bool:
    """Return whether the item may read those before it: a function, or LATERAL."""
    if isinstance(item, exp.Table):
        return not isinstance(item.this, exp.Identifier)
    return isinstance(item, exp.Lateral | exp.Unnest | exp.Values)


def _is_true(condition: Expr | None) -> bool:
    bare = condition.unnest() if condition is not None else None
    return isinstance(bare, exp.Boolean) and bool(bare.this)
