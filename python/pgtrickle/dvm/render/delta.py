"""Stage 5: a plan and the set of changed sources, to the one statement that applies the window."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgtrickle.dvm.differentiate.sources import Buffer, BufferLeaves
from pgtrickle.dvm.plan.model import (
    FullPlan,
    GroupsPlan,
    MaintenancePlan,
    PartitionsPlan,
    RecomputePlan,
    RowsPlan,
)
from pgtrickle.dvm.render.groups import GroupsStatement
from pgtrickle.dvm.render.identity import StoredTypes
from pgtrickle.dvm.render.partitions import partition_changes
from pgtrickle.dvm.render.recursion import apply_recursion, recursion_of
from pgtrickle.dvm.render.rows import apply_rows
from pgtrickle.dvm.render.storage import columns, refill
from pgtrickle.dvm.sqlast import to_sql
from pgtrickle.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from pgtrickle.dvm.schema import QualifiedName, Relation


def delta(
    plan: MaintenancePlan,
    storage: Relation,
    buffers: Mapping[QualifiedName, Buffer],
    changed: Collection[QualifiedName],
    *,
    pretty: bool = False,
) -> str:
    """Return the apply statement for a window in which exactly `changed` have changed.

    It reads the frontier that the refresh publishes in its transaction; a plan that computes its rows again does not, see
    `reads_window`.
    """
    leaves = BufferLeaves(buffers=buffers, changed=sorted(changed))
    types = StoredTypes.of(storage)
    match plan:
        case GroupsPlan():
            statement = GroupsStatement(
                plan=plan, target=storage.name, types=types, leaves=leaves
            ).build()
        case RowsPlan():
            rows = plan.root.delta(leaves)
            if rows is None:
                raise InternalError("a delta was asked for although no source has changed")
            changes = (leaves.delta_tables(), rows)
            statement = apply_rows(storage.name, columns(plan), plan.identity, types, changes)
        case PartitionsPlan():
            rows = partition_changes(plan, storage, leaves)
            changes = (leaves.delta_tables(), rows)
            statement = apply_rows(storage.name, columns(plan), plan.identity, types, changes)
        case RecomputePlan():
            recursion = recursion_of(plan, storage)
            if recursion is None:
                return refill(plan, storage, pretty=pretty)
            statement = apply_recursion(plan, recursion, storage, leaves)
        case FullPlan():
            raise InternalError("a plan without a differential form was asked for its delta")
    return to_sql(statement, pretty=pretty, last_use=True)


def reads_window(plan: MaintenancePlan) -> bool:
    """Return whether the plan's apply statement reads the changes of the window only."""
    return not isinstance(plan, RecomputePlan | FullPlan)
