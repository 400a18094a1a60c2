"""What a refresh reads besides the change itself: which relations, and by which columns.

Follows the operators' own rules. A join looks the other inputs up by what its equalities give; a semi join looks up both sides;
groups that are read again and partitions are looked up by their keys. Where no equality leads to a relation, all of it is
read. Facts about the plan alone: whether an index serves them is `cost`'s question.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.operators.aggregates.base import Strategy
from pgtrickle.dvm.operators.distinct_on import DistinctOn
from pgtrickle.dvm.operators.exists import Exists
from pgtrickle.dvm.operators.inner_join import InnerJoin
from pgtrickle.dvm.operators.outer_join import OuterJoin
from pgtrickle.dvm.operators.project import Project
from pgtrickle.dvm.operators.scan import Scan
from pgtrickle.dvm.operators.stage import StageScan
from pgtrickle.dvm.operators.union_all import UnionAll
from pgtrickle.dvm.operators.window import Window
from pgtrickle.dvm.plan.model import FullPlan, GroupsPlan, PartitionsPlan, RecomputePlan, RowsPlan
from pgtrickle.dvm.sqlast import Expr, columns_in, conjuncts

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from pgtrickle.dvm.operators.base import Operator, Output
    from pgtrickle.dvm.operators.partitioned import Partitioned
    from pgtrickle.dvm.plan.model import MaintenancePlan
    from pgtrickle.dvm.schema import QualifiedName, Relation


class Purpose(StrEnum):
    """Why a relation is read."""

    MATCHES = "matches"
    EXTREMUM = "extremum"
    GROUP = "group"
    PARTITION = "partition"
    RECOMPUTE = "recompute"


@dataclass(frozen=True, slots=True, kw_only=True)
class Read:
    """A relation that is read, by the values of `columns`; whole when there are none.

    `tables` hold its rows: an index would stand there. `one_row` says that the columns include a key.
    """

    relation: QualifiedName
    columns: frozenset[str] = frozenset()
    purpose: Purpose
    tables: tuple[QualifiedName, ...] = ()
    one_row: bool = False


def reads_of(plan: MaintenancePlan, changed: AbstractSet[QualifiedName]) -> Iterator[Read]:
    """Yield what `plan` reads to follow a change of the relations in `changed`."""
    match plan:
        case RowsPlan():
            yield from _for_changes(plan.root, changed)
        case GroupsPlan():
            groups = plan.groups
            yield from _for_changes(groups.child, changed)
            if groups.strategy is not Strategy.ALGEBRAIC:
                again = groups.strategy is Strategy.RESCAN
                purpose = Purpose.GROUP if again else Purpose.EXTREMUM
                yield from _rows(groups.child, _plain(groups.keys), purpose)
        case PartitionsPlan():
            yield from _for_changes(plan.partitions, changed)
            yield from _partitions(plan.partitions)
        case RecomputePlan() | FullPlan():
            for name in sorted(plan.root.reads()):
                yield Read(relation=name, purpose=Purpose.RECOMPUTE)


def _partitions(rows: Partitioned) -> Iterator[Read]:
    for child in rows.children:
        columns = _names(child)
        if isinstance(rows, Window | DistinctOn):
            columns = _plain(rows.keys)
        yield from _rows(child, columns, Purpose.PARTITION)


def _for_changes(operator: Operator, changed: AbstractSet[QualifiedName]) -> Iterator[Read]:
    """Yield what the delta of `operator` reads."""
    moved = [child for child in operator.children if child.reads() & changed]
    for child in moved:
        yield from _for_changes(child, changed)
    match operator:
        case InnerJoin():
            for driver in moved:
                others = [child for child in operator.inputs if child is not driver]
                yield from _joined(others, operator.conditions, _names(driver))
        case Exists() | OuterJoin():
            yield from _matched(operator, changed)


def _matched(join: Exists | OuterJoin, changed: AbstractSet[QualifiedName]) -> Iterator[Read]:
    """Yield how the matches of each side are found; those of a row are counted even when the other side changed."""
    both = isinstance(join, OuterJoin) and join.both
    if join.reads() & changed:
        yield from _joined([join.right], join.conditions, _names(join.left))
    if join.right.reads() & changed or (both and join.left.reads() & changed):
        yield from _joined([join.left], join.conditions, _names(join.right))


def _joined(
    inputs: Sequence[Operator],
    conditions: Iterable[Expr],
    known: frozenset[str],
    purpose: Purpose = Purpose.MATCHES,
) -> Iterator[Read]:
    """Yield how rows with the values of `known` columns find their matches in `inputs`, the nearest first."""
    parts = [part for condition in conditions for part in conjuncts(condition)]
    waiting = list(inputs)
    while waiting:
        links = [(child, _linked(child, parts, known)) for child in waiting]
        child, columns = next((link for link in links if link[1]), links[0])
        yield from _rows(child, columns, purpose)
        if columns:
            # What is found through rows that were all read is no look-up any more.
            known |= _names(child)
        waiting.remove(child)


def _linked(child: Operator, conditions: Iterable[Expr], known: frozenset[str]) -> frozenset[str]:
    """Return the columns of `child` whose values are given: known ones, or equal to something known."""
    own = _names(child)
    found = set(own & known)
    for condition in conditions:
        if isinstance(condition, exp.EQ):
            sides = condition.this.unnest(), condition.expression.unnest()
            for mine, theirs in (sides, sides[::-1]):
                needed = columns_in(theirs)
                given = needed and needed <= known and not needed & own
                if isinstance(mine, exp.Column) and mine.name in own and given:
                    found.add(mine.name)
    return frozenset(found)


def _rows(operator: Operator, columns: frozenset[str], purpose: Purpose) -> Iterator[Read]:
    """Yield how the rows of `operator` with given values of `columns` are read."""
    match operator:
        case Scan():
            yield _read(operator.relation, operator.names, columns, purpose)
        case StageScan():
            yield _read(operator.stage.relation, operator.names, columns, purpose)
        case Project():
            below = {each.name: each.expression for each in operator.outputs}
            given = (below[name] for name in columns if name in below)
            plain = frozenset(each.name for each in given if isinstance(each, exp.Column))
            yield from _rows(operator.child, plain, purpose)
        case UnionAll():
            for child in operator.children:
                renamed = zip(operator.names, child.columns, strict=False)
                own = frozenset(column.name for name, column in renamed if name in columns)
                yield from _rows(child, own, purpose)
        case InnerJoin() | OuterJoin() | Exists():
            yield from _joined(operator.children, operator.conditions, columns, purpose)
        case _:
            for child in operator.children:
                yield from _rows(child, columns & _names(child), purpose)


def _read(
    relation: Relation, names: Mapping[str, str], columns: frozenset[str], purpose: Purpose
) -> Read:
    sources = frozenset(source for source, name in names.items() if name in columns)
    return Read(
        relation=relation.name,
        columns=sources,
        purpose=purpose,
        tables=relation.members or (relation.stored_as,),
        one_row=any(sources.issuperset(key) for key in relation.keys),
    )


def _names(operator: Operator) -> frozenset[str]:
    return frozenset(column.name for column in operator.columns)


def _plain(outputs: Iterable[Output]) -> frozenset[str]:
    """Return the columns that outputs show as they are."""
    return frozenset(
        output.expression.name for output in outputs if isinstance(output.expression, exp.Column)
    )
