"""A stream table explained: from the very plan that runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgtrickle.catalog.indexes import read_indexes
from pgtrickle.dvm.analysis.cost import costs, missing_indexes, reads_by_source
from pgtrickle.dvm.operators.recursion import Recursion
from pgtrickle.dvm.plan.model import (
    FullPlan,
    GroupsPlan,
    Keyed,
    PartitionsPlan,
    RecomputePlan,
    RowsPlan,
)
from pgtrickle.dvm.render.delta import delta

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from pgtrickle.catalog.model import RefreshMode, StreamTable
    from pgtrickle.dvm.analysis.cost import IndexAdvice, SourceCost
    from pgtrickle.dvm.differentiate.sources import Buffer
    from pgtrickle.dvm.operators.base import Operator
    from pgtrickle.dvm.plan.model import MaintenancePlan
    from pgtrickle.dvm.schema import QualifiedName, Relation
    from pgtrickle.pg.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class StageExplanation:
    """A part of the query with storage of its own, and how that is kept."""

    storage: str
    operators: tuple[str, ...]
    identity: str
    strategy: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How a stream table is stored and maintained.

    `costs` says for each source what a change of it alone costs, `suggested_indexes` what would make that cheaper, and
    `deltas` holds its SQL.
    """

    stream_table: str
    query: str
    mode: RefreshMode
    reasons: tuple[str, ...]
    operators: tuple[str, ...]
    identity: str
    strategy: str
    visible_columns: tuple[str, ...]
    hidden_columns: tuple[str, ...]
    stages: tuple[StageExplanation, ...]
    costs: tuple[SourceCost, ...]
    suggested_indexes: tuple[IndexAdvice, ...]
    deltas: dict[str, str]


def explain(
    connection: Connection,
    table: StreamTable,
    parts: Sequence[tuple[MaintenancePlan, Relation]],
    buffers: Mapping[QualifiedName, Buffer],
) -> Explanation:
    """Return the explanation of one stream table; `parts` are its stages in order, then the whole."""
    plan, storage = parts[-1]
    stored = [column.name for column in storage.columns]
    sources = _sources(parts, buffers)
    reads = reads_by_source([(part, relation.name) for part, relation in parts], sources)
    tables = {name for found in reads.values() for read in found for name in read.tables}
    indexes = read_indexes(connection, sorted(tables))
    return Explanation(
        stream_table=str(table.name),
        query=table.query,
        mode=table.effective_mode,
        reasons=table.reasons,
        operators=tuple(tree_lines(plan.root)),
        identity=_identity(plan),
        strategy=_strategy(plan),
        visible_columns=plan.visible,
        hidden_columns=tuple(name for name in stored if name not in plan.visible),
        stages=tuple(
            StageExplanation(
                storage=str(relation.name),
                operators=tuple(tree_lines(staged.root)),
                identity=_identity(staged),
                strategy=_strategy(staged),
            )
            for staged, relation in parts[:-1]
        ),
        costs=costs(reads, indexes),
        suggested_indexes=missing_indexes(reads, indexes, suggestable=sources),
        deltas=_deltas(parts, buffers, sources),
    )


def tree_lines(operator: Operator, depth: int = 0) -> Iterator[str]:
    """Yield the operator tree, one indented line each."""
    yield "  " * depth + operator.label()
    for child in operator.children:
        yield from tree_lines(child, depth + 1)


def _identity(plan: MaintenancePlan) -> str:
    if not isinstance(plan.identity, Keyed):
        return "no key: rows are matched by image and multiplicity"
    names = ", ".join(plan.identity.columns)
    return f"key ({names})" + (
        ", NULLs match by hash and recheck" if plan.identity.nullable else ""
    )


def _strategy(plan: MaintenancePlan) -> str:
    match plan:
        case GroupsPlan():
            return f"aggregate, {plan.groups.strategy.value}"
        case FullPlan():
            return "full: the query is evaluated and compared with what is stored"
        case PartitionsPlan():
            keys = ", ".join(plan.stored_keys.values())
            return f"replace partitions: those of ({keys}) with a change are computed again"
        case RecomputePlan() if any(isinstance(each, Recursion) for each in plan.root.children):
            return "recursion: rows added to a source add theirs; after a loss all are computed again and compared"
        case RecomputePlan():
            return "recompute: after any change the rows are computed again and compared"
        case RowsPlan():
            return "upsert by key" if isinstance(plan.identity, Keyed) else "exact multiplicities"


def _sources(
    parts: Sequence[tuple[MaintenancePlan, Relation]], buffers: Mapping[QualifiedName, Buffer]
) -> list[QualifiedName]:
    """Return the captured relations that are no stages."""
    return sorted(name for name in buffers if all(name != storage.name for _, storage in parts))


def _deltas(
    parts: Sequence[tuple[MaintenancePlan, Relation]],
    buffers: Mapping[QualifiedName, Buffer],
    sources: Sequence[QualifiedName],
) -> dict[str, str]:
    """Return for each source the statements that follow a change of it alone: stages first, then the whole."""
    found: dict[str, str] = {}
    for source in sources:
        moved = {source}
        statements = []
        for plan, storage in parts:
            mine = plan.root.reads() & moved
            if isinstance(plan, FullPlan) or not mine:
                continue
            statements.append(delta(plan, storage, buffers, mine, pretty=True))
            moved.add(storage.name)
        if statements:
            found[str(source)] = ";\n\n".join(statements)
    return found
