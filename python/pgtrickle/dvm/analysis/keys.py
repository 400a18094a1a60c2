"""Which columns identify a row of an operator's output.

A key of a join is the union of its inputs' keys, less what the others determine through equalities: joined to the
primary key of a dimension, the dimension's key adds nothing. Read-only facts; no operator is changed here.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp

from pgtrickle.dvm.analysis.types import INTEGERS
from pgtrickle.dvm.operators.filter import Filter
from pgtrickle.dvm.operators.inner_join import InnerJoin
from pgtrickle.dvm.operators.project import Project
from pgtrickle.dvm.operators.scan import Scan
from pgtrickle.dvm.sqlast import Expr, conjuncts

if TYPE_CHECKING:
    from collections.abc import Iterable
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


def _determining(pairs: Pairs, join: InnerJoin) -> Pairs:
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


def row_key(operator: Operator, known: Pairs = frozenset()) -> tuple[str, ...] | None:
    """Return columns of `operator` that no two rows share and that are never NULL; None for a bag."""
    match operator:
        case Scan():
            return _scan_key(operator)
        case Filter():
            return row_key(operator.child, known | equalities([operator.predicate]))
        case Project():
            return _project_key(operator, known)
        case InnerJoin():
            return _join_key(operator, known | equalities(operator.conditions))
        case _:
            return None


def _scan_key(scan: Scan) -> tuple[str, ...] | None:
    for key in scan.relation.keys:
        if all(column in scan.names for column in key):
            return tuple(scan.names[column] for column in key)
    return None


def _project_key(project: Project, known: Pairs) -> tuple[str, ...] | None:
    outputs = {
        output.expression.name: output.name
        for output in project.outputs
        if isinstance(output.expression, exp.Column)
    }
    below = {renamed: column for column, renamed in outputs.items()}
    pairs = frozenset(frozenset(below.get(name, name) for name in pair) for pair in known)
    key = row_key(project.child, pairs)
    if key is None or any(column not in outputs for column in key):
        return None
    return tuple(outputs[column] for column in key)


def _join_key(join: InnerJoin, known: Pairs) -> tuple[str, ...] | None:
    parts: list[Part] = []
    ordered: list[str] = []
    for child in join.inputs:
        key = row_key(child, known)
        if key is None:
            return None
        parts.append(Part(frozenset(key), frozenset(column.name for column in child.columns)))
        ordered.extend(key)
    pairs = _determining(known, join)
    kept = set(ordered)
    for part in reversed(parts):
        without = kept - part.key
        if part.key <= _determined(without, parts, pairs):
            kept = without
    return tuple(column for column in ordered if column in kept)


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
