"""A set-returning function in FROM, applied to each row of the child.

Rule: d(A x f(A)) = dA x f(dA). Linear: what a function returns for a row depends on that row alone.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.operators.base import Operator, PlanColumn
from pgtrickle.dvm.sqlast import WEIGHT, Expr, Query, col, derived, select, to_sql

if TYPE_CHECKING:
    from pgtrickle.dvm.differentiate.sources import Leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class RowFunction(Operator):
    """Each row of `child` with every row of `item`, a FROM item over the child's columns; `outer` keeps rows without any."""

    child: Operator
    item: Expr
    names: tuple[str, ...]
    outer: bool = False

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        return (*self.child.columns, *(PlanColumn(name=name) for name in self.names))

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return (self.child,)

    @override
    def full(self, leaves: Leaves) -> Query:
        return self._applied(self.child.full(leaves), [])

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        changes = leaves.delta(self.child)
        return None if changes is None else self._applied(changes, [col(WEIGHT)])

    def _applied(self, rows: Query, weight: list[Expr]) -> Query:
        query = select([*self.references(), *weight], derived(rows, "rows"))
        side = "LEFT" if self.outer else None
        kind = None if self.outer else "CROSS"
        on = exp.true() if self.outer else None
        query.append("joins", exp.Join(this=self.item.copy(), side=side, kind=kind, on=on))
        return query

    @override
    def label(self) -> str:
        return f"RowFunction {to_sql(self.item)}"
