"""The order of the rewrites, and why each stands where it does."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple, TypeAlias

from pgtrickle.dvm.normalise.drop_order import drop_order
from pgtrickle.dvm.normalise.expand_generated import expand_generated
from pgtrickle.dvm.normalise.fold_filters import fold_filters
from pgtrickle.dvm.normalise.inline_views import inline_views
from pgtrickle.dvm.normalise.inline_windows import inline_windows
from pgtrickle.dvm.normalise.merged_columns import merged_columns
from pgtrickle.dvm.normalise.qualify import qualify
from pgtrickle.dvm.schema import Schema
from pgtrickle.dvm.sqlast import Query, to_sql

Pass: TypeAlias = Callable[[Query, Schema], Query]

PASSES: tuple[Pass, ...] = (
    inline_views,  # first: view bodies get every later pass
    drop_order,  # before planning: an order that nothing reads is not part of a multiset
    merged_columns,  # before qualify: it writes columns with their tables
    qualify,  # from here each column has its table
    expand_generated,  # needs the table of each column
    inline_windows,  # before planning: each window function is read by itself
    fold_filters,
)


class Rewrite(NamedTuple):
    """The query after one pass; `changed` tells whether the pass did anything."""

    name: str
    sql: str
    changed: bool


def normalise(query: Query, schema: Schema) -> Query:
    """Return a copy of `query` in the form that the plan builder reads."""
    normalised = query.copy()
    for rewrite in PASSES:
        normalised = rewrite(normalised, schema)
    return normalised


def rewrites(query: Query, schema: Schema) -> list[Rewrite]:
    """Return what each pass makes of `query`, in order."""
    found: list[Rewrite] = []
    normalised, before = query.copy(), to_sql(query)
    for rewrite in PASSES:
        normalised = rewrite(normalised, schema)
        after = to_sql(normalised)
        found.append(Rewrite(rewrite.__name__, after, changed=after != before))
        before = after
    return found
