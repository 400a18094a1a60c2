"""ORDER BY … LIMIT and OFFSET: some rows of all, by a complete order.

Rule: none that is local; any change may move any row in or out. The result is small: it is computed again and compared
with what is stored.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.operators.base import Operator, PlanColumn
from pgtrickle.dvm.sqlast import Expr, Query, derived, select, to_sql
from pgtrickle.errors import InternalError

if TYPE_CHECKING:
    from pgtrickle.dvm.differentiate.sources import Leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class TopK(Operator):
    """The rows of `child` in `order`, from `offset` on, as many as `limit` says."""

    staged: ClassVar[bool] = True
    child: Operator
    order: tuple[exp.Ordered, ...]
    limit: Expr | None
    offset: Expr | None

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        return self.child.columns

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return (self.child,)

    @override
    def full(self, leaves: Leaves) -> Query:
        query = select(self.references(), derived(self.child.full(leaves), "rows"))
        if self.order:
            query.set("order", exp.Order(expressions=[each.copy() for each in self.order]))
        for name, clause in (("limit", self.limit), ("offset", self.offset)):
            if clause is not None:
                query.set(name, clause.copy())
        return query

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        raise InternalError("a limit was asked for its delta: it is computed again")

    @override
    def label(self) -> str:
        order = ", ".join(to_sql(each) for each in self.order)
        return f"TopK by {order}"
