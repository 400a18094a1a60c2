"""Which calls are aggregates, and what their result depends on.

sqlglot reads five aggregates as such; every other one is a call by name. A name without a schema is PostgreSQL's own, since the
text was printed with an empty search path; others are those that the catalog listed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.dialect import PLAIN_AGGREGATES
from pgtrickle.dvm.schema import FunctionKind

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pgtrickle.dvm.schema import Function
    from pgtrickle.dvm.sqlast import Expr

TRUTHS = {"bool_and": True, "every": True, "bool_or": False}
# The result depends on the set or multiset of the arguments alone.
UNORDERED = frozenset(
    {
        "count",
        "min",
        "max",
        *TRUTHS,
        "bit_and",
        "bit_or",
        "bit_xor",
        "range_agg",
        "range_intersect_agg",
    }
)
# Those that are 0 over no rows.
COUNTING = frozenset({"count", "regr_count"})
ORDERED_SET = frozenset({"mode", "percentile_cont", "percentile_disc"})
HYPOTHETICAL = frozenset({"rank", "dense_rank", "percent_rank", "cume_dist"})
OTHERS = frozenset(
    {
        "any_value", "array_agg", "avg", "corr", "covar_pop", "covar_samp", "json_agg", "json_agg_strict",
        "json_object_agg", "json_object_agg_strict", "json_object_agg_unique", "json_object_agg_unique_strict",
        "jsonb_agg", "jsonb_agg_strict", "jsonb_object_agg", "jsonb_object_agg_strict", "jsonb_object_agg_unique",
        "jsonb_object_agg_unique_strict", "regr_avgx", "regr_avgy", "regr_count", "regr_intercept", "regr_r2",
        "regr_slope", "regr_sxx", "regr_sxy", "regr_syy", "stddev", "stddev_pop", "stddev_samp", "string_agg",
        "sum", "var_pop", "var_samp", "variance", "xmlagg",
    }
)  # fmt: skip
BUILTIN = UNORDERED | ORDERED_SET | OTHERS


@dataclass(frozen=True, slots=True)
class Aggregates:
    """Tells aggregate calls from others; `own` are those that users defined, with their schemas."""

    own: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, functions: Iterable[Function]) -> Aggregates:
        """Return what the catalog says."""
        return cls(
            frozenset(
                (function.schema, function.name)
                for function in functions
                if function.kind is FunctionKind.AGGREGATE and not function.builtin
            )
        )

    def is_call(self, node: Expr) -> bool:
        """Return whether the node is an aggregate call, with its FILTER or WITHIN GROUP, and not a window function."""
        if isinstance(node, exp.Filter):
            return self.is_call(node.this)
        if isinstance(node, exp.WithinGroup):
            return True
        if in_window(node):
            return False
        return isinstance(node, PLAIN_AGGREGATES) or self._by_name(node)

    def _by_name(self, node: Expr) -> bool:
        if isinstance(node, exp.Dot):
            called = node.expression
            return isinstance(called, exp.Anonymous) and (node.this.name, called.name) in self.own
        qualified = isinstance(node.parent, exp.Dot) and node.arg_key == "expression"
        return isinstance(node, exp.Anonymous) and not qualified and node.name.lower() in BUILTIN

    def found_in(self, expression: Expr) -> bool:
        """Return whether `expression` holds an aggregate call of its own SELECT."""
        return any(self.is_call(node) for node in own_nodes(expression))


def in_window(node: Expr) -> bool:
    """Return whether the call is the function of an OVER clause."""
    holder = node
    while isinstance(holder.parent, exp.Filter | exp.Dot | exp.IgnoreNulls | exp.RespectNulls):
        if holder.arg_key == "expression" and not isinstance(holder.parent, exp.Dot):
            return False
        holder = holder.parent
    return isinstance(holder.parent, exp.Window) and holder.arg_key == "this"


def own_nodes(expression: Expr) -> list[Expr]:
    """Return the nodes of `expression` outside of subqueries."""
    return list(expression.walk(prune=lambda node: isinstance(node, exp.Query)))


def called_name(node: Expr) -> str:
    """Return the name of the aggregate that is called, without its schema."""
    while isinstance(node, exp.Filter | exp.WithinGroup):
        node = node.this
    if isinstance(node, exp.Dot):
        node = node.expression
    return (node.name if isinstance(node, exp.Anonymous) else node.key).lower()
