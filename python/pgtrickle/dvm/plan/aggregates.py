"""Aggregate calls of a SELECT, to the aggregate functions that the plan maintains."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.analysis.functions import (
    BUILTIN,
    COUNTING,
    HYPOTHETICAL,
    TRUTHS,
    UNORDERED,
    Aggregates,
    called_name,
)
from pgtrickle.dvm.analysis.types import FLOATS, infer, never_null
from pgtrickle.dvm.dialect import PLAIN_AGGREGATES
from pgtrickle.dvm.operators.aggregates.count import Count, RowCount, ValueCount
from pgtrickle.dvm.operators.aggregates.extremum import Extremum
from pgtrickle.dvm.operators.aggregates.rescan import Reread, Rescan
from pgtrickle.dvm.operators.aggregates.sum import SumOrAvg, domain_of
from pgtrickle.dvm.operators.aggregates.truth import Truth
from pgtrickle.dvm.operators.base import Operator, Output, PlanColumn
from pgtrickle.dvm.plan.orders import in_order, settled
from pgtrickle.dvm.plan.scope import refused
from pgtrickle.dvm.sqlast import Expr, binary, case, col, number, rewritten, substituted, to_sql

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pgtrickle.dvm.operators.aggregates.base import AggregateCall
    from pgtrickle.dvm.plan.names import Names


@dataclass(slots=True)
class CallBuilder:
    """Collects the calls over one child, each distinct call and argument once."""

    child: Operator
    names: Names
    aggregates: Aggregates
    keys: Mapping[str, Output]
    grouped: bool
    calls: dict[str, AggregateCall] = field(default_factory=dict)
    arguments: dict[str, Output] = field(default_factory=dict)

    def replaced(self, expression: Expr) -> Expr:
        """Return a copy in which each aggregate call is the column of its result, and each group key its column."""

        def visit(node: Expr) -> Expr | None:
            if self.aggregates.is_call(node):
                return col(self._call(node).name)
            key = self.keys.get(to_sql(node.unnest()))
            return col(key.name) if key is not None else None

        return rewritten(expression, visit)

    def empty(self, expression: Expr) -> Expr:
        """Return what `expression`, whose calls are replaced, is where an outer join found no group: results are NULL, counts 0."""
        counts = {call.name: number(0) for call in self.calls.values() if _counts(call)}
        return substituted(expression, counts)

    def _call(self, node: Expr) -> AggregateCall:
        text = to_sql(node)
        if text not in self.calls:
            self.calls[text] = self._built(node, self.names.column(called_name(node)))
        return self.calls[text]

    def _built(self, node: Expr, name: str) -> AggregateCall:
        simple = not isinstance(node.this, exp.Distinct | exp.Order) and not node.expressions
        if isinstance(node, PLAIN_AGGREGATES) and simple:
            return self._plain(node, name)
        truth = TRUTHS.get(called_name(node)) if isinstance(node, exp.Anonymous) else None
        if truth is not None and not isinstance(node.expressions[0], exp.Distinct | exp.Order):
            return self._truth(node.expressions[0], name, conjunction=truth)
        return self._rescan(node, name)

    def _plain(self, node: Expr, name: str) -> AggregateCall:
        if isinstance(node, exp.Count):
            return self._count(node, name)
        if isinstance(node, exp.Min | exp.Max):
            argument = self._argument(node.this)
            return Extremum(name=name, argument=argument.name, greatest=isinstance(node, exp.Max))
        domain = domain_of(infer(node.this, self._columns))
        if domain is None:
            return self._rescan(node, name)
        argument = self._argument(node.this)
        # A group has rows; all rows together may be none, and then a sum is NULL.
        always = self.grouped and never_null(node.this, self._columns)
        counted = RowCount() if always else ValueCount(argument.name)
        average = isinstance(node, exp.Avg)
        return SumOrAvg(
            name=name, argument=argument.name, domain=domain, average=average, counted=counted
        )

    def _count(self, node: exp.Count, name: str) -> AggregateCall:
        if isinstance(node.this, exp.Star) or never_null(node.this, self._columns):
            return Count(name=name, argument=None, kept=RowCount())
        # IS DISTINCT FROM NULL, because a composite whose fields are NULL counts, and IS NOT NULL denies it.
        argument = self._argument(case((binary(exp.NullSafeNEQ, node.this, exp.Null()), number(1))))
        return Count(name=name, argument=argument.name, kept=ValueCount(argument.name))

    def _truth(self, value: Expr, name: str, *, conjunction: bool) -> AggregateCall:
        deciding = exp.Not(this=value.copy()) if conjunction else value
        return Truth(
            name=name,
            argument=self._argument(value).name,
            decisive=self._argument(case((deciding, number(1)))).name,
            conjunction=conjunction,
        )

    def _rescan(self, node: Expr, name: str) -> AggregateCall:
        completed = self._completed(node)
        read = {column.name: column for column in completed.find_all(exp.Column)}
        inputs = {column: col(self._argument(node).name) for column, node in read.items()}
        return Rescan(name=name, kept=Reread(substituted(completed, inputs)))

    def _completed(self, node: Expr) -> Expr:
        """Return the call with an order inside in which every result is the same."""
        completed = node.copy()
        call = completed
        while isinstance(call, exp.Filter):
            call = call.this
        name = called_name(call)
        if isinstance(call, exp.WithinGroup) or name in UNORDERED or name in HYPOTHETICAL:
            return completed
        if isinstance(call, exp.Dot):
            call = call.expression
        arguments = [call.this] if isinstance(call, PLAIN_AGGREGATES) else call.expressions
        last = arguments[-1] if arguments else None
        if last is None or isinstance(last, exp.Star) or _distinct(arguments[0]):
            return completed
        values = [*arguments[:-1], last.this if isinstance(last, exp.Order) else last]
        if name in ("sum", "avg") and not self._drifts(values[0]):
            return completed
        given = list(last.expressions) if isinstance(last, exp.Order) else []
        by = [in_order(part) for value in values for part in settled(value, self._columns)]
        ordered = exp.Order(
            this=values[-1].copy(), expressions=[*(each.copy() for each in given), *by]
        )
        if isinstance(call, PLAIN_AGGREGATES):
            call.set("this", ordered)
        else:
            call.set("expressions", [*(value.copy() for value in values[:-1]), ordered])
        return completed

    def _drifts(self, value: Expr) -> bool:
        """Return whether the order of addition shows: floats, and what may be floats."""
        facts = infer(value, self._columns)
        return facts is None or facts.name in FLOATS

    def _argument(self, expression: Expr) -> Output:
        text = to_sql(expression)
        if text not in self.arguments:
            self.arguments[text] = Output(self.names.column("argument"), expression.copy())
        return self.arguments[text]

    @property
    def _columns(self) -> dict[str, PlanColumn]:
        return {column.name: column for column in self.child.columns}


def _counts(call: AggregateCall) -> bool:
    """Return whether the call is 0 over no rows; PostgreSQL's others are NULL."""
    if not isinstance(call, Rescan):
        return isinstance(call, Count)
    name = called_name(call.kept.call)
    if name not in BUILTIN:
        raise refused(f"a correlated subquery of the aggregate {name}", "PGT256")
    return name in COUNTING


def _distinct(argument: Expr) -> bool:
    inner = argument.this if isinstance(argument, exp.Order) else argument
    return isinstance(inner, exp.Distinct)
