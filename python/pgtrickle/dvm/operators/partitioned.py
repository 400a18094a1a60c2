"""Operators whose rows fall into partitions that do not bear on each other.

Rule: K = the partitions of all rows that came or went; the operator's rows outside of K stay, those inside are computed again
and compared with what is stored. So such an operator needs storage, at the root or as a stage, and reads the
partitions that changed, whole.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, ClassVar

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.operators.base import Operator
from pgtrickle.dvm.schema import HIDDEN_PREFIX
from pgtrickle.dvm.sqlast import (
    Expr,
    Query,
    all_of,
    any_of,
    binary,
    col,
    derived,
    named,
    number,
    select,
    table,
    union_all,
    where,
)
from pgtrickle.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pgtrickle.dvm.differentiate.sources import Leaves


class Partitioned(Operator):
    """An operator that can be computed for some partitions alone."""

    __slots__ = ()
    staged: ClassVar[bool] = True

    @property
    @abstractmethod
    def partition(self) -> tuple[str, ...]:
        """The output columns whose values tell the partition of a row; none means that all rows are one."""

    @abstractmethod
    def affected(self, leaves: Leaves) -> Query | None:
        """Return the partitions of rows that came or went, under the names of `partition`; None when none did."""

    @abstractmethod
    def within(self, leaves: Leaves, keys: str) -> Query:
        """Return the operator's rows in the partitions listed in the named query `keys`."""

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        raise InternalError(
            "an operator with partitions was asked for its delta without its storage"
        )


def distinct_values(rows: Query, values: Mapping[str, Expr]) -> exp.Select:
    """Return each combination of `values` in `rows` once."""
    outputs: list[Expr] = [
        exp.Alias(this=value.copy(), alias=exp.Identifier(this=name, quoted=True))
        for name, value in values.items()
    ]
    query = select(outputs or [number(1)], derived(rows, "changes"))
    query.set("distinct", exp.Distinct())
    return query


def restricted(
    rows: Query, columns: Sequence[str], values: Mapping[str, Expr], keys: str, *, nullable: bool
) -> Query:
    """Return the `rows` whose `values` are listed in the named query `keys`.

    Plain equality can use an index; keys with a NULL are looked for apart, and only when there are any.
    """
    outputs = [col(name) for name in columns]
    # Under names of their own: a column of the rows may be called like the key that it is compared with.
    own = {name: f"{HIDDEN_PREFIX}k{position}" for position, name in enumerate(values)}
    renamed = select([named(col(name), own[name]) for name in values] or [number(1)], table(keys))
    listed = select([number(1)], derived(renamed, "k"))
    equal = [binary(exp.EQ, value, col(own[name], "k")) for name, value in values.items()]
    same = where(
        select(outputs, derived(rows, "rows")), exp.Exists(this=where(listed.copy(), *equal))
    )
    if not nullable or not values:
        return same
    absent = [binary(exp.NullSafeEQ, value, exp.Null()) for value in values.values()]
    listed_absent = [binary(exp.NullSafeEQ, col(own[name], "k"), exp.Null()) for name in values]
    alike = [binary(exp.NullSafeEQ, value, col(own[name], "k")) for name, value in values.items()]
    some = exp.Exists(this=where(listed.copy(), any_of(listed_absent)))
    with_null = where(
        select(outputs, derived(rows, "rows")),
        some,
        any_of(absent),
        exp.Exists(this=where(listed.copy(), all_of(alike))),
    )
    return union_all([same, with_null])
