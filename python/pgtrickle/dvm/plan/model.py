"""A maintenance plan: the operator tree and how its rows are stored and identified."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from pgtrickle.dvm.schema import HIDDEN_PREFIX, QualifiedName

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pgtrickle.dvm.operators.aggregate import Aggregate
    from pgtrickle.dvm.operators.aggregates.base import Accumulator
    from pgtrickle.dvm.operators.base import Operator
    from pgtrickle.dvm.operators.partitioned import Partitioned
    from pgtrickle.dvm.operators.project import Project
    from pgtrickle.dvm.schema import Relation

ROW_HASH = HIDDEN_PREFIX + "row_hash"
ROW_COUNT = HIDDEN_PREFIX + "count"


@dataclass(frozen=True, slots=True)
class Keyed:
    """A stored row is known by these columns; `nullable` ones match NULL with NULL."""

    columns: tuple[str, ...]
    nullable: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class Bag:
    """Stored rows may be duplicates; they are told apart by nothing but how many there are."""


Identity: TypeAlias = Keyed | Bag


@dataclass(frozen=True, slots=True, kw_only=True)
class RowsPlan:
    """Storage holds the rows of `root`, whose columns are named as stored; deltas net per row."""

    root: Operator
    visible: tuple[str, ...]
    hidden: tuple[str, ...]
    identity: Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsPlan:
    """Storage holds the groups of `root.child`: results, keys, and hidden accumulators.

    `stored_keys` names the stored column of each group key; `accumulators` the hidden column of each kept value.
    """

    root: Project
    groups: Aggregate
    visible: tuple[str, ...]
    stored_keys: Mapping[str, str]
    accumulators: Mapping[Accumulator, str]
    identity: Keyed


@dataclass(frozen=True, slots=True, kw_only=True)
class FullPlan:
    """Storage holds the rows of a query that is only ever evaluated in full."""

    root: Operator
    visible: tuple[str, ...]
    identity: Bag


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionsPlan:
    """Storage holds the rows of `root`, a projection of `partitions`; a change is applied to whole partitions.

    `stored_keys` names the stored column of each column of the partition.
    """

    root: Project
    partitions: Partitioned
    visible: tuple[str, ...]
    hidden: tuple[str, ...]
    stored_keys: Mapping[str, str]
    identity: Identity


@dataclass(frozen=True, slots=True, kw_only=True)
class RecomputePlan:
    """Storage holds the rows of `root`, which are computed again after any change, and compared."""

    root: Operator
    visible: tuple[str, ...]
    hidden: tuple[str, ...]
    identity: Identity


MaintenancePlan: TypeAlias = RowsPlan | GroupsPlan | PartitionsPlan | RecomputePlan | FullPlan


@dataclass(frozen=True, slots=True, kw_only=True)
class Stage:
    """A part of a query with storage of its own: `relation` is that storage, `plan` how it is kept.

    `number` counts from 1, in an order in which each stage reads only those before it.
    """

    number: int
    relation: Relation
    plan: MaintenancePlan


@dataclass(frozen=True, slots=True)
class SourceUse:
    """A relation that a plan reads, with the columns that it needs."""

    relation: QualifiedName
    columns: tuple[str, ...]
