"""What a refresh costs when one source changes, and which indexes would make it cheaper.

From what the plan reads (`reads`) and the indexes that are there, as values. No table is asked for its size: a class says with
what the cost grows, not how long it takes.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp

from pgtrickle.dvm.analysis.reads import Purpose, Read, reads_of
from pgtrickle.dvm.schema import quoted
from pgtrickle.dvm.sqlast import col, table, to_sql

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from pgtrickle.dvm.plan.model import MaintenancePlan
    from pgtrickle.dvm.schema import QualifiedName

# The columns of each index by which rows can be looked up, in order; None stands for an expression.
Indexes: TypeAlias = "Mapping[QualifiedName, Sequence[tuple[str | None, ...]]]"


class Complexity(StrEnum):
    """With what the cost of a refresh grows, cheapest first."""

    CHANGE = "O(change)"
    LOOKUPS = "O(change), with index lookups"
    MATCHES = "O(change * matching rows)"
    GROUPS = "O(rows of the changed groups)"
    WHOLE = "reads all of a table"
    EVERYTHING = "computes everything again"


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceCost:
    """What a change of `source` costs, and each thing that is read for it."""

    source: str
    complexity: Complexity
    reads: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexAdvice:
    """An index that is missing: the statement that makes it, and the sources whose changes it is for."""

    table: str
    columns: tuple[str, ...]
    sources: tuple[str, ...]
    statement: str


Reads: TypeAlias = "Mapping[QualifiedName, tuple[Read, ...]]"


def reads_by_source(
    parts: Sequence[tuple[MaintenancePlan, QualifiedName]], sources: Iterable[QualifiedName]
) -> Reads:
    """Return what is read when each source changes alone; `parts` are the stages in order, then the whole."""
    found: dict[QualifiedName, tuple[Read, ...]] = {}
    for source in sorted(sources):
        moved = {source}
        reads: dict[Read, None] = {}
        for plan, storage in parts:
            if plan.root.reads() & moved:
                reads.update(dict.fromkeys(reads_of(plan, moved)))
                moved.add(storage)
        found[source] = tuple(reads)
    return found


def costs(reads: Reads, indexes: Indexes) -> tuple[SourceCost, ...]:
    """Return the cost of a change of each source."""
    order = list(Complexity)
    return tuple(
        SourceCost(
            source=str(source),
            complexity=max(
                (_complexity(read, indexes) for read in found),
                key=order.index,
                default=Complexity.CHANGE,
            ),
            reads=tuple(dict.fromkeys(_described(read, indexes) for read in found)),
        )
        for source, found in reads.items()
    )


def missing_indexes(
    reads: Reads, indexes: Indexes, suggestable: Iterable[QualifiedName]
) -> tuple[IndexAdvice, ...]:
    """Return the indexes that would serve a look-up in a `suggestable` relation, and that are not there."""
    wanted: dict[tuple[QualifiedName, tuple[str, ...]], dict[str, None]] = {}
    own = set(suggestable)
    for source, found in reads.items():
        for read in found:
            for name in read.tables if read.relation in own and read.columns else ():
                if not _covered(read, indexes.get(name, ())):
                    key = name, tuple(sorted(read.columns))
                    wanted.setdefault(key, {})[str(source)] = None
    return tuple(
        IndexAdvice(
            table=str(name),
            columns=columns,
            sources=tuple(sources),
            statement=_create(name, columns),
        )
        for (name, columns), sources in wanted.items()
    )


def _complexity(read: Read, indexes: Indexes) -> Complexity:
    if read.purpose is Purpose.RECOMPUTE:
        return Complexity.EVERYTHING
    if not _served(read, indexes):
        return Complexity.WHOLE
    if read.purpose is not Purpose.MATCHES:
        return Complexity.GROUPS
    return Complexity.LOOKUPS if read.one_row else Complexity.MATCHES


def _described(read: Read, indexes: Indexes) -> str:
    if read.purpose is Purpose.RECOMPUTE or not read.columns:
        why = "" if read.purpose is Purpose.RECOMPUTE else ": no equality leads to its rows"
        return f"all of {read.relation}{why}"
    columns = ", ".join(quoted(name) for name in sorted(read.columns))
    if not _served(read, indexes):
        return f"all of {read.relation}: no index on ({columns})"
    rows = {
        Purpose.EXTREMUM: "the rows of groups whose extremum left",
        Purpose.GROUP: "the rows of changed groups",
        Purpose.PARTITION: "the rows of changed partitions",
    }.get(read.purpose, "one row each" if read.one_row else "the matching rows")
    return f"{read.relation} by ({columns}): {rows}"


def _served(read: Read, indexes: Indexes) -> bool:
    """Return whether each table has an index that begins with a column of the look-up; a key always has one."""
    return read.one_row or (
        bool(read.columns)
        and all(
            any(index[0] in read.columns for index in indexes.get(name, ())) for name in read.tables
        )
    )


def _covered(read: Read, indexes: Sequence[tuple[str | None, ...]]) -> bool:
    """Return whether some index begins with all columns of the look-up, in any order."""
    first = len(read.columns)
    return read.one_row or any(set(index[:first]) == read.columns for index in indexes)


def _create(name: QualifiedName, columns: Sequence[str]) -> str:
    entries = exp.IndexParameters(columns=[exp.Ordered(this=col(each)) for each in columns])
    index = exp.Index(table=table(name), params=entries)
    return to_sql(exp.Create(this=index, kind="INDEX"))
