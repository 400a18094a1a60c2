"""Which columns identify a row of an operator's output.

A key of a join is the union of its inputs' keys, less what the others determine through equalities: joined to the
primary key of a dimension, the dimension's key adds nothing. Read-only facts; no operator is changed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp

from pgtrickle.dvm.analysis.types import INTEGERS
from pgtrickle.dvm.operators.aggregate import Aggregate
from pgtrickle.dvm.operators.distinct_on import DistinctOn
from pgtrickle.dvm.operators.exists import Exists
from pgtrickle.dvm.operators.filter import Filter
from pgtrickle.dvm.operators.inner_join import InnerJoin
from pgtrickle.dvm.operators.outer_join import OuterJoin
from pgtrickle.dvm.operators.project import Project
from pgtrickle.dvm.operators.recursion import Recursion
from pgtrickle.dvm.operators.scan import Scan
from pgtrickle.dvm.operators.set_operation import SetOperation
from pgtrickle.dvm.operators.stage import StageScan
from pgtrickle.dvm.operators.top_k import TopK
from pgtrickle.dvm.operators.window import Window
from pgtrickle.dvm.plan.model import Identity, Keyed
from pgtrickle.dvm.sqlast import Expr, conjuncts

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from collections.abc import Set as AbstractSet

    from pgtrickle.dvm.operators.base import Operator

Pairs: TypeAlias = frozenset[frozenset[str]]


def equalities(conditions: Iterable[Expr]) -> Pairs:
    """Return the pairs of columns that the conjuncts of `conditions` make equal."""
    pairs = set()
    for condition in (part for whole in conditions for part in conjuncts(whole)):
        if isinstance(condition, exp.EQ):
            left, right = condition.this.unnest(), condition.expression.unnest()
            if isinstance(left, exp.Column) and isinstance(right, exp.Column):
                pairs.add(frozenset({left.name, right.name}))
    return frozenset(pairs)


def _determining(pairs: Pairs, join: Operator) -> Pairs:
    """Return the pairs in which one column's value fixes the other's.

    Both must have one type: a timestamp equals a timestamptz in a daylight saving gap although another timestamp does too.
    """
    types = {column.name: column.type for column in join.columns}

    def same(pair: frozenset[str]) -> bool:
        found = [types.get(name) for name in pair]
        names = {facts.name for facts in found if facts is not None}
        return None not in found and (len(names) == 1 or names <= set(INTEGERS))

    return frozenset(pair for pair in pairs if same(pair))


@dataclass(frozen=True, slots=True)
class Part:
    """One input of a join: its key, and all columns that the key determines."""

    key: frozenset[str]
    columns: frozenset[str]


def row_key(  # noqa: C901, PLR0911 - one case for each operator
    operator: Operator, known: Pairs = frozenset()
) -> Keyed | None:
    """Return columns of `operator` that no two rows share, NULLs counted as equal; None for a bag."""
    match operator:
        case Scan():
            return _scan_key(operator)
        case StageScan():
            return _renamed(operator.stage.plan.identity, operator.names)
        case Filter():
            return row_key(operator.child, known | equalities([operator.predicate]))
        case Project():
            return _project_key(operator, known)
        case InnerJoin():
            return _join_key(operator, known | equalities(operator.conditions))
        case OuterJoin():
            return _outer_key(operator)
        case Exists():
            return row_key(operator.left, known)
        case Window() | TopK():
            return row_key(operator.child, known)
        case Aggregate() | DistinctOn():
            return _columns_key(operator, [key.name for key in operator.keys])
        case SetOperation(distinct=True):
            return _columns_key(operator, operator.names)
        case Recursion(distinct=True):
            return _columns_key(operator, [column.name for column in operator.columns])
        case _:
            return None


def _columns_key(operator: Operator, names: Sequence[str]) -> Keyed:
    nullable = {column.name for column in operator.columns if not column.not_null}
    return Keyed(tuple(names), frozenset(name for name in names if name in nullable))


def _scan_key(scan: Scan) -> Keyed | None:
    own = {column.name for column in scan.relation.columns if not column.type.native}
    for key in scan.relation.keys:
        if all(column in scan.names and column not in own for column in key):
            return Keyed(tuple(scan.names[column] for column in key))
    return None


def _renamed(identity: Identity, names: Mapping[str, str]) -> Keyed | None:
    if not isinstance(identity, Keyed) or any(name not in names for name in identity.columns):
        return None
    return Keyed(
        tuple(names[name] for name in identity.columns),
        frozenset(names[name] for name in identity.nullable),
    )


def _project_key(project: Project, known: Pairs) -> Keyed | None:
    if project.expands:
        return None
    outputs = {
        output.expression.name: output.name
        for output in project.outputs
        if isinstance(output.expression, exp.Column)
    }
    below = {renamed: column for column, renamed in outputs.items()}
    pairs = frozenset(frozenset(below.get(name, name) for name in pair) for pair in known)
    key = row_key(project.child, pairs)
    return _renamed(key, outputs) if key is not None else None


def _join_key(join: InnerJoin, known: Pairs) -> Keyed | None:
    parts: list[Part] = []
    ordered: list[str] = []
    nullable: set[str] = set()
    for child in join.inputs:
        key = row_key(child, known)
        if key is None:
            return None
        parts.append(_part(child, key))
        ordered.extend(key.columns)
        nullable |= key.nullable
    pairs = _determining(known, join)
    kept = set(ordered)
    for part in reversed(parts):
        without = kept - part.key
        if part.key <= _determined(without, parts, pairs):
            kept = without
    return Keyed(tuple(name for name in ordered if name in kept), frozenset(nullable & kept))


def _outer_key(join: OuterJoin) -> Keyed | None:
    """Return the key of the preserved side when it has at most one match, else the keys of both sides."""
    left, right = row_key(join.left), row_key(join.right)
    if left is None or right is None:
        return None
    if not join.both:
        pairs = _determining(equalities(join.conditions), join)
        known = frozenset(column.name for column in join.left.columns)
        if frozenset(right.columns) <= _determined(known, [], pairs):
            return left
    missing = {*right.columns, *(left.columns if join.both else left.nullable)}
    return Keyed((*left.columns, *right.columns), frozenset(missing))


def _part(child: Operator, key: Keyed) -> Part:
    return Part(frozenset(key.columns), frozenset(column.name for column in child.columns))


def _determined(columns: AbstractSet[str], parts: list[Part], pairs: Pairs) -> frozenset[str]:
    """Return every column whose value follows from those of `columns`."""
    reached = frozenset(columns)
    while True:
        wider = reached.union(
            *(pair for pair in pairs if pair & reached),
            *(part.columns for part in parts if part.key <= reached),
        )
        if wider == reached:
            return reached
        reached = wider
