"""Replace partitions: what the changed partitions hold now, against what is stored of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgtrickle.dvm.operators.partitioned import restricted
from pgtrickle.dvm.render.storage import columns
from pgtrickle.dvm.sqlast import (
    WEIGHT,
    Query,
    col,
    derived,
    named,
    number,
    select,
    table,
    union_all,
)
from pgtrickle.errors import InternalError

if TYPE_CHECKING:
    from pgtrickle.dvm.differentiate.sources import BufferLeaves
    from pgtrickle.dvm.plan.model import PartitionsPlan
    from pgtrickle.dvm.schema import Relation


def partition_changes(plan: PartitionsPlan, storage: Relation, leaves: BufferLeaves) -> Query:
    """Return the weighted rows: those of the changed partitions as they are now, less those stored."""
    affected = plan.partitions.affected(leaves)
    if affected is None:
        raise InternalError("a delta was asked for although no source has changed")
    keys = leaves.share("keys", affected)
    names = columns(plan)
    inside = plan.partitions.within(leaves, keys)
    outputs = [output.aliased() for output in plan.root.outputs]
    now = select(
        [*map(col, names), named(number(1), WEIGHT)],
        derived(select(outputs, derived(inside, "rows")), "now"),
    )
    stored_rows = select(map(col, names), table(storage.name))
    stored_values = {key: col(stored) for key, stored in plan.stored_keys.items()}
    nullable = any(
        not column.not_null for column in plan.partitions.columns if column.name in plan.stored_keys
    )
    kept = restricted(stored_rows, names, stored_values, keys, nullable=nullable)
    before = select([*map(col, names), named(number(-1), WEIGHT)], derived(kept, "before"))
    return union_all([now, before])
