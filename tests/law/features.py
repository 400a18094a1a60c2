"""What the grammar may use, and what of it must be maintained differentially.

To switch an operator on when it lands, move its feature into `MAINTAINED`: from then on a query made only of
maintained features is created as DIFFERENTIAL, and a fallback to FULL breaks the law. All other features are
drawn too, in AUTO, and held against the law in whatever mode they get.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable


class Feature(StrEnum):
    """An operator, or a way to use one."""

    OUTER_JOIN = "outer_join"  # LEFT, RIGHT, FULL, in chains, with any condition
    SEMI_JOIN = "semi_join"  # EXISTS, IN, = ANY
    ANTI_JOIN = "anti_join"  # NOT EXISTS
    NOT_IN = "not_in"  # with NULLs on both sides
    QUANTIFIED = "quantified"  # > ALL, <> ALL, <= ANY
    NESTED_PREDICATE = "nested_predicate"  # a subquery under OR, NOT, IS TRUE, CASE
    PREDICATE_VALUE = "predicate_value"  # EXISTS or IN in the SELECT list
    DISTINCT = "distinct"
    DISTINCT_ON = "distinct_on"
    UNION_ALL = "union_all"
    SET_OPERATION = "set_operation"  # UNION, INTERSECT [ALL], EXCEPT [ALL]
    WINDOW = "window"
    WINDOW_FRAME = "window_frame"  # ROWS, RANGE, GROUPS, EXCLUDE
    WINDOW_OVER_GROUPS = "window_over_groups"
    SCALAR_SUBQUERY = "scalar_subquery"
    CORRELATED_SCALAR = "correlated_scalar"
    LATERAL = "lateral"
    LATERAL_LIMIT = "lateral_limit"
    TABLE_FUNCTION = "table_function"  # generate_series and unnest in FROM
    SET_RETURNING = "set_returning"  # the same in the SELECT list
    VALUES = "values"
    CTE = "cte"
    CTE_TWICE = "cte_twice"
    RECURSIVE_UNION = "recursive_union"
    RECURSIVE_UNION_ALL = "recursive_union_all"
    GROUPING_SETS = "grouping_sets"
    TOP_K = "top_k"
    WITH_TIES = "with_ties"
    HAVING = "having"
    NESTED_AGGREGATE = "nested_aggregate"  # GROUP BY in a derived table or view
    NESTED_OPERATOR = "nested_operator"  # any other operator there that is not linear
    AGGREGATE_BOOL = "aggregate_bool"
    AGGREGATE_BIT = "aggregate_bit"
    AGGREGATE_SPREAD = "aggregate_spread"  # stddev and variance
    AGGREGATE_DISTINCT = "aggregate_distinct"
    AGGREGATE_COLLECT = "aggregate_collect"  # string_agg, array_agg, json_agg …
    AGGREGATE_ORDERED_SET = "aggregate_ordered_set"  # mode, percentile_*, rank(x)
    AGGREGATE_REGRESSION = "aggregate_regression"  # corr, covar_*, regr_*
    CASE_ARGUMENT = "case_argument"
    INCOMPLETE_ORDER = "incomplete_order"  # SQL leaves the result open; the completed query decides
    TRUNCATE = "truncate"  # no operator: a statement in the script


# How an operator may be used, rather than an operator: not drawn, but on whenever enabled.
COMPOSITIONS = frozenset({Feature.NESTED_AGGREGATE, Feature.NESTED_OPERATOR, Feature.TRUNCATE})

# What must be differential today.
MAINTAINED: frozenset[Feature] = frozenset({Feature.CASE_ARGUMENT, Feature.TRUNCATE})

# What may look at more than the delta when it is differential: it depends on one value, or is small and global.
SCANS_ALL: frozenset[Feature] = frozenset(
    {
        Feature.SCALAR_SUBQUERY,
        Feature.SEMI_JOIN,
        Feature.ANTI_JOIN,
        Feature.NOT_IN,
        Feature.QUANTIFIED,
        Feature.TOP_K,
        Feature.WITH_TIES,
        Feature.WINDOW,
        Feature.WINDOW_FRAME,
        Feature.WINDOW_OVER_GROUPS,
        Feature.LATERAL_LIMIT,
        Feature.CORRELATED_SCALAR,
        Feature.RECURSIVE_UNION,
        Feature.RECURSIVE_UNION_ALL,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """Switches of the grammar."""

    on: frozenset[Feature] = frozenset()
    nested_aggregates: bool = False  # GROUP BY in a derived table or view
    aggregate_expressions: bool = True  # sum(x) * 2, max(x) - min(x)
    aggregate_filters: bool = True
    having: bool = False
    ungrouped: bool = True  # aggregates without GROUP BY
    inputs: int = 4
    depth: int = 4

    def only(self, wanted: Iterable[Feature]) -> Features:
        """Return the same with these features, as far as they are on, and all compositions."""
        return replace(self, on=(frozenset(wanted) | COMPOSITIONS) & self.on)

    def drawn(self) -> tuple[Feature, ...]:
        """Return the features of which a case draws a few, in a stable order."""
        return tuple(feature for feature in Feature if feature in self.on - COMPOSITIONS)


FIRST_OPERATORS = Features()
ALL_OPERATORS = Features(on=frozenset(Feature))


def chosen(names: Iterable[str]) -> Features:
    """Return the features with these names; a composition that is not named stays off."""
    return replace(ALL_OPERATORS, on=frozenset(Feature(name.strip()) for name in names))
