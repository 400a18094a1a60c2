"""Orders made complete: where ties would leave a choice, something is added that tells rows apart."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.analysis.keys import row_key
from pgtrickle.dvm.analysis.types import FLOATS, infer
from pgtrickle.dvm.sqlast import Expr, as_text, col, to_sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from pgtrickle.dvm.analysis.types import Typed
    from pgtrickle.dvm.operators.base import Operator


def in_order(value: Expr) -> exp.Ordered:
    """Return `value` as an ascending sort key, NULLs last."""
    return exp.Ordered(this=value.copy(), nulls_first=False)


def settled(value: Expr, columns: Mapping[str, Typed]) -> list[Expr]:
    """Return sort keys under which only values that look the same are ties, whatever the type."""
    if isinstance(value.unnest(), exp.Literal | exp.Null | exp.Boolean):
        return []
    facts = infer(value, columns)
    if facts is None or not facts.comparable:
        return [as_text(value)]
    return [value] if facts.exact or facts.name in FLOATS else [value, as_text(value)]


def completed(order: Iterable[exp.Ordered], child: Operator) -> tuple[exp.Ordered, ...]:
    """Return `order` with the identity of the child's rows after it: the key, or the whole row."""
    given = [each.copy() for each in order]
    columns = {column.name: column for column in child.columns}
    key = row_key(child)
    names = key.columns if key is not None else tuple(columns)
    seen = {to_sql(each.this.unnest()) for each in given}
    added: list[exp.Ordered] = []
    for name in names:
        # A key column is told apart by its own equality; a whole row by how it looks.
        parts = [col(name)] if key is not None else settled(col(name), columns)
        added.extend(in_order(part) for part in parts if to_sql(part) not in seen)
    return (*given, *added)
