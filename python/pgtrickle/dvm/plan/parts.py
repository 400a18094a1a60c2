"""How the rows of an operator are stored and kept: one plan for the whole query, one for each stage."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.analysis.keys import row_key
from pgtrickle.dvm.operators.aggregate import Aggregate
from pgtrickle.dvm.operators.aggregates.count import RowCount
from pgtrickle.dvm.operators.base import Output
from pgtrickle.dvm.operators.partitioned import Partitioned
from pgtrickle.dvm.operators.project import Project
from pgtrickle.dvm.plan.model import (
    ROW_COUNT,
    Bag,
    GroupsPlan,
    Identity,
    Keyed,
    MaintenancePlan,
    PartitionsPlan,
    RecomputePlan,
    RowsPlan,
)
from pgtrickle.dvm.schema import HIDDEN_PREFIX
from pgtrickle.dvm.sqlast import col

if TYPE_CHECKING:
    from collections.abc import Iterable


def part(root: Project) -> MaintenancePlan:
    """Return how the rows of `root` are kept; its output names are those of the stored columns."""
    rows = root.child
    if isinstance(rows, Aggregate):
        return _groups_plan(root, rows)
    visible = tuple(output.name for output in root.outputs)
    if isinstance(rows, Partitioned) and rows.partition:
        return _partitions_plan(root, rows, visible)
    root, hidden, identity = _identified(root)
    plan = RecomputePlan if rows.staged else RowsPlan
    return plan(root=root, visible=visible, hidden=hidden, identity=identity)


def _identified(root: Project) -> tuple[Project, tuple[str, ...], Identity]:
    """Return `root` with hidden outputs for its key columns, their names, and the identity of its rows."""
    key = None if root.expands else row_key(root.child)
    if key is None:
        return root, (), Bag()
    shown = _shown(root)
    hidden = _hidden(name for name in key.columns if name not in shown)
    shown.update({extra.expression.name: extra.name for extra in hidden})
    identity = Keyed(
        tuple(shown[name] for name in key.columns), frozenset(shown[name] for name in key.nullable)
    )
    wider = Project(child=root.child, outputs=(*root.outputs, *hidden), expands=root.expands)
    return wider, tuple(extra.name for extra in hidden), identity


def _shown(root: Project) -> dict[str, str]:
    """Return the output under which each plain column of the child is stored."""
    return {
        output.expression.name: output.name
        for output in reversed(root.outputs)
        if isinstance(output.expression, exp.Column)
    }


def _hidden(names: Iterable[str], prefix: str = "key") -> list[Output]:
    return [
        Output(f"{HIDDEN_PREFIX}{prefix}_{position}", col(name))
        for position, name in enumerate(names, start=1)
    ]


def _partitions_plan(root: Project, rows: Partitioned, visible: tuple[str, ...]) -> PartitionsPlan:
    root, hidden, identity = _identified(root)
    shown = _shown(root)
    extra = _hidden((name for name in rows.partition if name not in shown), "partition")
    shown.update({output.expression.name: output.name for output in extra})
    return PartitionsPlan(
        root=Project(child=rows, outputs=(*root.outputs, *extra), expands=root.expands),
        partitions=rows,
        visible=visible,
        hidden=(*hidden, *(output.name for output in extra)),
        stored_keys={name: shown[name] for name in rows.partition},
        identity=identity,
    )


def _groups_plan(root: Project, groups: Aggregate) -> MaintenancePlan:
    shown = _shown(root)
    stored_keys = {
        key.name: shown.get(key.name, f"{HIDDEN_PREFIX}key_{position}")
        for position, key in enumerate(groups.keys, start=1)
    }
    accumulators = {
        kept: ROW_COUNT if kept == RowCount() else f"{HIDDEN_PREFIX}acc_{position}"
        for position, kept in enumerate(groups.accumulators)
    }
    not_null = {column.name for column in groups.columns if column.not_null}
    nullable = frozenset(stored for key, stored in stored_keys.items() if key not in not_null)
    return GroupsPlan(
        root=root,
        groups=groups,
        visible=tuple(output.name for output in root.outputs),
        stored_keys=stored_keys,
        accumulators=accumulators,
        identity=Keyed(tuple(stored_keys.values()), nullable),
    )
