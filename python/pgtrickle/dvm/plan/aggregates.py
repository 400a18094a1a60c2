"""Aggregate calls of a SELECT, to the aggregate functions that the plan maintains."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.analysis.types import FLOATS, infer, never_null
from pgtrickle.dvm.operators.aggregates.count import Count, RowCount, ValueCount
from pgtrickle.dvm.operators.aggregates.extremum import Extremum
from pgtrickle.dvm.operators.aggregates.rescan import Reread, Rescan
from pgtrickle.dvm.operators.aggregates.sum import SumOrAvg, domain_of
from pgtrickle.dvm.operators.base import Operator, Output, PlanColumn
from pgtrickle.dvm.sqlast import Expr, binary, col, number, to_sql
from pgtrickle.errors import UnsupportedQueryError

if TYPE_CHECKING:
    from pgtrickle.dvm.operators.aggregates.base import AggregateCall
    from pgtrickle.dvm.plan.names import Names

SUPPORTED = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)


@dataclass(slots=True)
class CallBuilder:
    """Collects the calls over one child, each distinct call and argument once."""

    child: Operator
    names: Names
    grouped: bool
    calls: dict[str, AggregateCall] = field(default_factory=dict)
    arguments: dict[str, Output] = field(default_factory=dict)

    def replaced(self, expression: Expr) -> Expr:
        """Return a copy in which each aggregate call is the column of its result."""

        def visit(node: Expr) -> Expr:
            if isinstance(node, exp.Filter | exp.WithinGroup | exp.Window) or (
                isinstance(node, exp.AggFunc) and not isinstance(node, SUPPORTED)
            ):
                raise _unsupported(node)
            return col(self._call(node).name) if isinstance(node, SUPPORTED) else node

        return expression.copy().transform(visit)

    def _call(self, node: exp.AggFunc) -> AggregateCall:
        if isinstance(node.this, exp.Distinct | exp.Order) or node.expressions:
            raise _unsupported(node)
        text = to_sql(node)
        if text not in self.calls:
            self.calls[text] = self._built(node, self.names.column(node.key))
        return self.calls[text]

    def _built(self, node: exp.AggFunc, name: str) -> AggregateCall:
        if isinstance(node, exp.Count):
            return self._count(node, name)
        argument = self._argument(node.this)
        if isinstance(node, exp.Min | exp.Max):
            return Extremum(name=name, argument=argument.name, greatest=isinstance(node, exp.Max))
        facts = infer(node.this, self._columns)
        domain = domain_of(facts)
        if domain is None:
            ordered = facts is None or facts.name in FLOATS
            return Rescan(name=name, kept=Reread(type(node), argument.name, ordered))
        # A group has rows; all rows together may be none, and then a sum is NULL.
        always = self.grouped and never_null(node.this, self._columns)
        counted = RowCount() if always else ValueCount(argument.name)
        average = isinstance(node, exp.Avg)
        return SumOrAvg(
            name=name, argument=argument.name, domain=domain, average=average, counted=counted
        )

    def _count(self, node: exp.Count, name: str) -> AggregateCall:
        if isinstance(node.this, exp.Star):
            return Count(name=name, argument=None, kept=RowCount())
        if never_null(node.this, self._columns):
            return Count(name=name, argument=None, kept=RowCount())
        # IS DISTINCT FROM NULL, because a composite whose fields are NULL counts, and IS NOT NULL denies it.
        present = exp.Case(
            ifs=[exp.If(this=binary(exp.NullSafeNEQ, node.this, exp.Null()), true=number(1))]
        )
        argument = self._argument(present)
        return Count(name=name, argument=argument.name, kept=ValueCount(argument.name))

    def _argument(self, expression: Expr) -> Output:
        text = to_sql(expression)
        if text not in self.arguments:
            self.arguments[text] = Output(self.names.column("argument"), expression.copy())
        return self.arguments[text]

    @property
    def _columns(self) -> dict[str, PlanColumn]:
        return {column.name: column for column in self.child.columns}


def _unsupported(node: Expr) -> UnsupportedQueryError:
    kind = node.this if isinstance(node, exp.Filter | exp.WithinGroup | exp.Window) else node
    return UnsupportedQueryError(
        f"this use of aggregate {kind.key} has no differential form yet",
        code="PGT201",
        detail="count, sum, avg, min and max are maintained, without DISTINCT or ORDER BY inside.",
        hint="Create the stream table with refresh_mode FULL.",
    )
