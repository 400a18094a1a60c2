"""What a plan stores: the query that fills storage, its columns and its index."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from pgtrickle.dvm.differentiate.sources import BufferLeaves
from pgtrickle.dvm.plan.check import foreign_key
from pgtrickle.dvm.plan.model import (
    ROW_HASH,
    FullPlan,
    GroupsPlan,
    Keyed,
    MaintenancePlan,
    PartitionsPlan,
    RecomputePlan,
    RowsPlan,
)
from pgtrickle.dvm.render.identity import MAX_COLUMNS, StoredTypes
from pgtrickle.dvm.render.rows import Tables, apply_rows
from pgtrickle.dvm.render.statements import insert_into
from pgtrickle.dvm.sqlast import (
    WEIGHT,
    Query,
    col,
    derived,
    named,
    number,
    select,
    table,
    to_sql,
    union_all,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from pgtrickle.dvm.plan.model import Identity, Stage
    from pgtrickle.dvm.schema import Relation


@dataclass(frozen=True, slots=True)
class IndexSpec:
    """The index by which stored rows are found; entries are columns or expressions, as SQL text."""

    entries: tuple[str, ...]
    unique: bool
    method: Literal["btree", "hash"] = "btree"


def columns(plan: MaintenancePlan) -> tuple[str, ...]:
    """Return the stored columns that the plan computes, visible ones first."""
    match plan:
        case RowsPlan() | PartitionsPlan() | RecomputePlan():
            return (*plan.visible, *plan.hidden)
        case GroupsPlan():
            hidden = [name for name in plan.stored_keys.values() if name not in plan.visible]
            return (*plan.visible, *hidden, *plan.accumulators.values())
        case FullPlan():
            return plan.visible


def layout(plan: MaintenancePlan, stages: Iterable[Stage] = ()) -> str:
    """Return how the plan and its stages store their rows: a table filled under one layout fits no other."""
    return "\n".join(_layout(each) for each in (plan, *(stage.plan for stage in stages)))


def _layout(plan: MaintenancePlan) -> str:
    match plan.identity:
        case Keyed(key, nullable):
            identity = f"key {json.dumps([key, sorted(nullable)])}"
        case _:
            identity = "bag"
    return f"{type(plan).__name__} {identity} {json.dumps(columns(plan))}"


def contents(plan: MaintenancePlan) -> Query:
    """Return the query for what storage must hold now, in the order of `columns`."""
    leaves = BufferLeaves()
    if not isinstance(plan, GroupsPlan):
        return select(map(col, columns(plan)), derived(plan.root.full(leaves), "contents"))
    accumulated = [named(kept.initial(), name) for kept, name in plan.accumulators.items()]
    state = plan.groups.state(leaves, accumulated)
    outputs = [output.aliased() for output in plan.root.outputs]
    hidden = [
        named(col(key), stored)
        for key, stored in plan.stored_keys.items()
        if stored not in plan.visible
    ]
    return select(
        [*outputs, *hidden, *map(col, plan.accumulators.values())], derived(state, "state")
    )


def visible_rows(plan: MaintenancePlan) -> Query:
    """Return the defining query, completed, with the user's columns only; from the sources, no stage in between."""
    full = plan.root.full(BufferLeaves(reads_stages=False))
    return select(map(col, plan.visible), derived(full, "contents"))


def fill(plan: MaintenancePlan, storage: Relation) -> str:
    """Return the statement that fills empty storage."""
    names = columns(plan)
    rows = contents(plan)
    if isinstance(plan.identity, Keyed):
        return to_sql(insert_into(storage.name, names, rows))
    hashed = StoredTypes.of(storage).image_hash({name: col(name) for name in names})
    with_hash = select([*map(col, names), named(hashed, ROW_HASH)], derived(rows, "rows"))
    return to_sql(insert_into(storage.name, [*names, ROW_HASH], with_hash))


def refill(plan: MaintenancePlan, storage: Relation, *, pretty: bool = False) -> str:
    """Return the statement of a full refresh: the difference of query and storage, applied.

    Only rows that differ are touched, so readers are never blocked and nothing downstream sees more than what changed.
    """
    names = columns(plan)
    wanted = select([*map(col, names), named(number(1), WEIGHT)], derived(contents(plan), "wanted"))
    stored = select([*map(col, names), named(number(-1), WEIGHT)], table(storage.name))
    changes: tuple[Tables, Query] = ([], union_all([wanted, stored]))
    types = StoredTypes.of(storage)
    return to_sql(apply_rows(storage.name, names, plan.identity, types, changes), pretty=pretty)


def require_native_keys(plan: MaintenancePlan, storage: Relation) -> None:
    """Raise when a key turned out to be of an extension's type, where the compiler could not tell."""
    names = set(plan.identity.columns if isinstance(plan.identity, Keyed) else ())
    if isinstance(plan, PartitionsPlan):
        names.update(plan.stored_keys.values())
    for column in storage.columns:
        if column.name in names and not column.type.native:
            raise foreign_key(column.type.name)


def indexes(plan: MaintenancePlan, storage: Relation) -> list[IndexSpec]:
    """Return the indexes that the apply statements need."""
    types = StoredTypes.of(storage)
    found = [_identity_index(plan.identity, types)]
    if isinstance(plan, PartitionsPlan):
        keys = tuple(plan.stored_keys.values())
        if not _leads_index(keys, plan.identity, types):
            found.append(_equality_index(keys, types))
    return [spec for spec in found if spec is not None]


def _leads_index(keys: tuple[str, ...], identity: Identity, types: StoredTypes) -> bool:
    """Return whether the index of the identity also finds rows by `keys` alone."""
    if not isinstance(identity, Keyed) or types.found_by_hash(identity):
        return False
    return identity.columns[: len(keys)] == keys


def _identity_index(identity: Identity, types: StoredTypes) -> IndexSpec | None:
    if not isinstance(identity, Keyed):
        return IndexSpec((to_sql(col(ROW_HASH)),), unique=False)
    if not identity.columns:
        return None
    if not types.found_by_hash(identity):
        return _equality_index(identity.columns, types, unique=True)
    hashed = types.key_hash({name: col(name) for name in identity.columns})
    return IndexSpec((to_sql(hashed),), unique=False) if hashed is not None else None


def _equality_index(
    names: Sequence[str], types: StoredTypes, *, unique: bool = False
) -> IndexSpec | None:
    """Return the index in which rows are found by plain equality of the columns, or of some of them.

    A value too long for a btree entry is found by a hash index, which has one column.
    """
    comparable = [name for name in names if types.types[name].comparable]
    short = [name for name in comparable if types.fit([name])][:MAX_COLUMNS]
    if short and types.fit(short):
        return IndexSpec(_entries(short), unique=unique and len(short) == len(names))
    one = next((name for name in comparable if types.types[name].hashable), None)
    return IndexSpec(_entries([one]), unique=False, method="hash") if one is not None else None


def _entries(names: Iterable[str]) -> tuple[str, ...]:
    return tuple(to_sql(col(name)) for name in names)
