"""Subqueries in expressions and LATERAL ones, to joins.

A subquery is planned on its own; the conditions that compare it with the query around it become the condition of a join. Under an
aggregate or a limit only equalities can: what the subquery's side of them is becomes a group key, or a partition.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.analysis.types import never_null
from pgtrickle.dvm.operators.base import Operator, Output
from pgtrickle.dvm.operators.exists import Exists, Keeps
from pgtrickle.dvm.operators.inner_join import InnerJoin
from pgtrickle.dvm.operators.outer_join import OuterJoin
from pgtrickle.dvm.operators.project import Project
from pgtrickle.dvm.plan.scope import Scope, refused
from pgtrickle.dvm.sqlast import (
    Expr,
    Query,
    all_of,
    any_of,
    binary,
    case,
    col,
    is_null,
    reads_tables,
    rewritten,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from pgtrickle.dvm.plan.builder import Builder


@dataclass(frozen=True, slots=True, kw_only=True)
class Inner:
    """A planned subquery: `outputs` are computed from `rows`, `conditions` compare them with the query around.

    `always` holds, for a linked aggregate without GROUP BY, what each output is where no row matches, and the column that is
    NULL then. `single` says that at most one row can match, `certain` that one is there in any case.
    """

    rows: Operator
    outputs: tuple[Expr, ...]
    conditions: tuple[Expr, ...]
    always: tuple[str, tuple[Expr, ...]] | None = None
    single: bool = False
    certain: bool = False

    def computed(self, joined: Operator, builder: Builder) -> tuple[Operator, list[str]]:
        """Return the joined rows with a column for each output, right also where nothing matched."""
        plain = [value.name for value in self.outputs if isinstance(value, exp.Column)]
        if self.always is None and len(plain) == len(self.outputs):
            return joined, plain
        values = list(self.outputs)
        if self.always is not None:
            flag, empty = self.always
            missing = binary(exp.NullSafeEQ, col(flag), exp.Null())
            values = [
                case((missing, nothing), default=value)
                for value, nothing in zip(values, empty, strict=True)
            ]
        kept = [Output(column.name, col(column.name)) for column in joined.columns]
        added = [Output(builder.names.column("value"), value) for value in values]
        return Project(child=joined, outputs=(*kept, *added)), [value.name for value in added]


@dataclass(slots=True)
class Attached:
    """The rows of a SELECT, growing by what its subqueries add; `plan` plans one subquery."""

    builder: Builder
    scope: Scope
    rows: Operator
    plan: Callable[[Query, Scope], Inner]

    def condition(self, conjunct: Expr) -> Expr | None:
        """Take one conjunct of WHERE; None when a join has taken its place."""
        bare = conjunct.unnest()
        if not reads_tables(bare):
            return self.expression(conjunct)
        negated = isinstance(bare, exp.Not)
        tested = bare.this.unnest() if negated else bare
        if isinstance(tested, exp.Exists):
            self._keep(self._inner(only_existence(tested.this)), (), negated=negated)
            return None
        membership = self._membership(tested)
        if membership is not None and self._kept(membership, negated=negated):
            return None
        return self.expression(conjunct)

    def expression(self, expression: Expr) -> Expr:
        """Return `expression`, bound, in which each subquery is a column of the rows."""

        def visit(node: Expr) -> Expr | None:
            if not _is_subquery(node):
                return None
            return self._value(node) if reads_tables(node) else self._of_the_row(node)

        return self.scope.bound(rewritten(expression, visit))

    def _membership(self, node: Expr) -> Membership | None:
        """Return the comparison with a subquery that `node` is, its own side bound and free of subqueries."""
        found = _membership(node)
        if found is None:
            return None
        return replace(found, values=tuple(map(self.expression, found.values)))

    def _of_the_row(self, node: Expr) -> Expr:
        """Return a subquery that reads no table: it is a function of the row that it stands in."""
        return self.scope.bound_inside(node)

    def _kept(self, membership: Membership, *, negated: bool) -> bool:
        """Join a row comparison with a subquery; NOT IN needs both sides free of NULLs for that."""
        if membership.every == negated:
            # `IN`, or `NOT (op ALL)`: true for some row of the subquery.
            inner = self._inner(membership.query)
            true = self._compared(membership, inner)
            untrue = exp.Not(this=exp.Paren(this=all_of(true)))
            self._keep(inner, [untrue] if negated else true, negated=False)
            return True
        # `NOT IN`, or `op ALL`: no row for which the comparison is false, or unknown.
        inner = self._inner(membership.query)
        compared = all_of(self._compared(membership, inner))
        fails = compared if negated else exp.Not(this=exp.Paren(this=compared))
        if self._certain(membership, inner):
            self._keep(inner, [fails], negated=True)
            return True
        unknown = binary(exp.NullSafeEQ, compared, exp.Null())
        single = len(inner.outputs) == 1 and isinstance(compared.unnest(), exp.EQ) and negated
        if not single or inner.conditions:
            self._keep(inner, [any_of([fails, unknown])], negated=True)
            return True
        # One column: three joins that each can use an equality or a constant, instead of one that compares all pairs.
        value = membership.values[0]
        self._keep(inner, [fails], negated=True)
        again = self._inner(membership.query)
        self._keep(again, [is_null(again.outputs[0])], negated=True)
        once_more = self._inner(membership.query)
        self._keep(once_more, [is_null(value)], negated=True)
        return True

    def _keep(
        self, inner: Inner, conditions: list[Expr] | tuple[Expr, ...], *, negated: bool
    ) -> None:
        keeps = Keeps.UNMATCHED if negated else Keeps.MATCHED
        self.rows = Exists(
            left=self.builder.input(self.rows),
            right=inner.rows,
            conditions=(*inner.conditions, *conditions),
            keeps=keeps,
        )

    def _inner(self, query: Expr) -> Inner:
        bare = query.unnest()
        if not isinstance(bare, exp.Query):
            raise refused("a subquery of this form", "PGT256")
        inner = self.plan(bare, self.scope)
        if inner.always is not None and inner.conditions:
            # Where nothing matches there is a row all the same, so it is no plain join.
            raise refused("a correlated aggregate under EXISTS or IN", "PGT256")
        return inner

    def _compared(self, membership: Membership, inner: Inner) -> list[Expr]:
        if len(membership.values) != len(inner.outputs):
            raise refused("a row compared with a subquery of another width", "PGT256")
        if len(membership.values) > 1 and membership.operator is not exp.EQ:
            raise refused("an ordering of rows against a subquery", "PGT256")
        return [
            binary(membership.operator, value, output)
            for value, output in zip(membership.values, inner.outputs, strict=True)
        ]

    def _certain(self, membership: Membership, inner: Inner) -> bool:
        """Return whether no comparison can be unknown."""
        own = {column.name: column for column in self.rows.columns}
        inside = {column.name: column for column in inner.rows.columns}
        return all(never_null(value, own) for value in membership.values) and all(
            never_null(output, {**own, **inside}) for output in inner.outputs
        )

    def _value(self, node: Expr) -> Expr:
        if isinstance(node, exp.Exists):
            return self._mark(self._inner(only_existence(node.this)), ())
        membership = self._membership(node)
        if membership is not None:
            return self._truth(membership)
        return self._scalar(node.unnest())

    def _mark(self, inner: Inner, conditions: tuple[Expr, ...]) -> Expr:
        mark = self.builder.names.column("exists")
        self.rows = Exists(
            left=self.builder.input(self.rows),
            right=inner.rows,
            conditions=(*inner.conditions, *conditions),
            keeps=Keeps.MARKED,
            mark=mark,
        )
        return col(mark)

    def _truth(self, membership: Membership) -> Expr:
        """Return the truth value of a comparison with a subquery: true, false or unknown, as SQL has it."""
        inner = self._inner(membership.query)
        compared = all_of(self._compared(membership, inner))
        decisive = exp.Not(this=exp.Paren(this=compared)) if membership.every else compared
        decided = self._mark(inner, (decisive,))
        result = exp.false() if membership.every else exp.true()
        otherwise = exp.true() if membership.every else exp.false()
        if self._certain(membership, inner):
            return case((decided, result), default=otherwise)
        again = self._inner(membership.query)
        compared = all_of(self._compared(membership, again))
        unknown = self._mark(again, (binary(exp.NullSafeEQ, compared, exp.Null()),))
        return case((decided, result), (unknown, exp.Null()), default=otherwise)

    def _scalar(self, query: Expr) -> Expr:
        if not isinstance(query, exp.Query):
            raise refused("a subquery of this form", "PGT256")
        inner = self.plan(query, self.scope)
        plain = all(isinstance(output, exp.Column) for output in inner.outputs)
        if not inner.single or not (plain or inner.always):
            raise refused(
                "a scalar subquery that may return several rows",
                "PGT259",
                hint="Use an aggregate, LIMIT 1 with ORDER BY, or select by a primary key.",
            )
        left = self.builder.input(self.rows)
        if inner.certain:
            self.rows = InnerJoin(inputs=(left, inner.rows), conditions=())
            return inner.outputs[0].copy()
        joined = OuterJoin(left=left, right=inner.rows, conditions=inner.conditions)
        self.rows, (name, *_) = inner.computed(joined, self.builder)
        return col(name)


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """`values operator ANY (query)`, or ALL when `every`; IN is = ANY."""

    values: tuple[Expr, ...]
    query: Expr
    operator: type[exp.Binary]
    every: bool


def _membership(node: Expr) -> Membership | None:
    if isinstance(node, exp.In) and node.args.get("query") is not None:
        return Membership(
            values=_values(node.this), query=node.args["query"], operator=exp.EQ, every=False
        )
    right = node.args.get("expression")
    if isinstance(node, exp.Binary) and isinstance(right, exp.Any | exp.All):
        if not isinstance(right.this.unnest(), exp.Query):
            return None
        if isinstance(node, exp.Operator):
            raise refused("a comparison of a subquery by an operator of an extension", "PGT256")
        return Membership(
            values=_values(node.this),
            query=right.this,
            operator=type(node),
            every=isinstance(right, exp.All),
        )
    return None


def _values(value: Expr) -> tuple[Expr, ...]:
    bare = value.unnest()
    return tuple(bare.expressions) if isinstance(bare, exp.Tuple) else (value,)


def _is_subquery(node: Expr) -> bool:
    if isinstance(node, exp.Exists | exp.Subquery | exp.Select | exp.SetOperation):
        return True
    return _membership(node) is not None


def only_existence(query: Query) -> Query:
    """Return a subquery of EXISTS or IN without what bears neither on which rows there are nor on their number."""
    bare = query.unnest()
    if not isinstance(bare, exp.Select):
        return query
    kept = bare.copy()
    limit = kept.args.get("limit")
    count = limit.expression if isinstance(limit, exp.Limit) else None
    some = isinstance(count, exp.Literal) and count.name != "0"
    if some and not kept.args.get("offset"):
        kept.set("limit", None)
    if not kept.args.get("limit") and not kept.args.get("offset"):
        kept.set("order", None)
        kept.set("distinct", None)
    return kept
