"""Refuse what cannot be maintained, before anything is planned.

Rejected: no mode can keep it (the same query gives other rows each time). Unsupported: only a full refresh can, for a
reason with a code.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.analysis.volatility import unstable_functions, volatile_functions
from pgtrickle.dvm.schema import CAPTURABLE, HIDDEN_PREFIX, RelationKind, Schema
from pgtrickle.errors import RejectedQueryError, UnsupportedQueryError

if TYPE_CHECKING:
    from pgtrickle.dvm.sqlast import Query


def reject(query: Query, schema: Schema) -> None:
    """Raise when no refresh mode can maintain `query`."""
    volatile = volatile_functions(schema.functions)
    if volatile:
        raise RejectedQueryError(
            f"the query calls volatile functions: {', '.join(volatile)}",
            detail="Such a query has no one result that a stream table could equal.",
            hint="Compute the value when the source row is written.",
        )
    if query.find(exp.TableSample):
        raise RejectedQueryError(
            "TABLESAMPLE picks other rows each time", hint="Filter on a column instead."
        )
    if query.find(exp.Lock):
        raise RejectedQueryError("FOR UPDATE and FOR SHARE have no place in a stored query")
    if not query.named_selects:
        raise RejectedQueryError("the query has no columns", hint="Select at least one column.")
    hidden = [name for name in query.named_selects if name.startswith(HIDDEN_PREFIX)]
    if hidden:
        raise RejectedQueryError(
            f'column names that begin with "{HIDDEN_PREFIX}" are reserved: {", ".join(hidden)}',
            hint="Give the column another name with AS.",
        )


def require_observable(schema: Schema) -> None:
    """Raise when the result may change without any change that is captured: then no window is ever quiet."""
    if schema.reads_clock:
        raise UnsupportedQueryError(
            "the query reads the clock or the current user",
            code="PGT220",
            detail="Its result changes without any change of its sources.",
            hint="Use refresh_mode FULL, or store the moment in a table and join it.",
        )
    unstable = unstable_functions(schema.functions)
    if unstable:
        raise UnsupportedQueryError(
            f"the query calls functions that are only stable: {', '.join(unstable)}",
            code="PGT221",
            detail="Their result may change without any change of the sources.",
            hint="Declare the function IMMUTABLE if it is, or use refresh_mode FULL.",
        )
    uncaptured = [
        f"{relation.kind.value} {relation.name}"
        for relation in schema.relations.values()
        if relation.kind not in CAPTURABLE and relation.kind is not RelationKind.VIEW
    ]
    if uncaptured:
        raise UnsupportedQueryError(
            f"changes of these sources cannot be captured: {', '.join(sorted(uncaptured))}",
            code="PGT222",
            hint="Use refresh_mode FULL, or copy the rows into a table.",
        )
