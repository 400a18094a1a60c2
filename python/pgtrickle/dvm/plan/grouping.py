"""GROUPING SETS, ROLLUP and CUBE: one aggregate for each set of keys, their rows together.

A key that a set leaves out is NULL there, of the key's own type. GROUPING() is a constant in each set.
"""

from __future__ import annotations

from itertools import combinations, product
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.operators.aggregate import Aggregate
from pgtrickle.dvm.operators.base import Operator, Output
from pgtrickle.dvm.operators.outer_join import OuterJoin
from pgtrickle.dvm.operators.project import Project
from pgtrickle.dvm.operators.union_all import UnionAll
from pgtrickle.dvm.plan.scope import refused
from pgtrickle.dvm.sqlast import Expr, case, col, number, rewritten, to_sql

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pgtrickle.dvm.plan.aggregates import CallBuilder
    from pgtrickle.dvm.plan.builder import Builder

MAX_SETS = 64


def grouping_sets(group: exp.Group | None) -> list[list[Expr]] | None:
    """Return the sets of keys of a GROUP BY clause; None when it has one set in the plain way."""
    if group is None:
        return None
    if not any(
        isinstance(each, exp.GroupingSets | exp.Rollup | exp.Cube) for each in group.expressions
    ):
        return None
    sets = [
        [key for part in parts for key in part]
        for parts in product(*(_sets(each) for each in group.expressions))
    ]
    if len(sets) > MAX_SETS:
        raise refused(f"GROUP BY with more than {MAX_SETS} grouping sets", "PGT255")
    return sets


def written_keys(group: exp.Group | None) -> list[Expr]:
    """Return the expressions that a GROUP BY clause groups by, in whatever sets."""
    sets = grouping_sets(group)
    if sets is not None:
        return [key for each in sets for key in each]
    return list(group.expressions) if group is not None else []


def _sets(element: Expr) -> list[list[Expr]]:
    match element:
        case exp.Rollup():
            units = [_unit(each) for each in element.expressions]
            return [_flat(units[:length]) for length in range(len(units), -1, -1)]
        case exp.Cube():
            units = [_unit(each) for each in element.expressions]
            return [
                _flat(chosen)
                for length in range(len(units), -1, -1)
                for chosen in combinations(units, length)
            ]
        case exp.GroupingSets():
            return [found for each in element.expressions for found in _sets(each)]
        case _:
            return [_unit(element)]


def _unit(element: Expr) -> list[Expr]:
    bare = element.unnest()
    return list(bare.expressions) if isinstance(bare, exp.Tuple) else [bare]


def _flat(units: Sequence[list[Expr]]) -> list[Expr]:
    return [key for unit in units for key in unit]


def grouped_rows(
    builder: Builder, calls: CallBuilder, sets: list[list[str]], markers: list[list[str]]
) -> tuple[Operator, dict[str, str], list[str]]:
    """Return the groups of every set together, the new name of each key and call, and a column for each marker.

    `sets` and `markers` name keys by their text; a marker is the list of keys of one GROUPING().
    """
    branches = [_branch(builder, calls, set(chosen), markers) for chosen in sets if chosen]
    empty = [_empty_branch(builder, calls, branches, markers) for chosen in sets if not chosen]
    old = [*(key.name for key in calls.keys.values())] if branches else []
    old += [call.name for call in calls.calls.values()]
    names = [builder.names.column(name) for name in old]
    marks = [builder.names.column("grouping") for _ in markers]
    rows = UnionAll(inputs=(*branches, *empty), names=(*names, *marks))
    return rows, dict(zip(old, names, strict=True)), marks


def _branch(
    builder: Builder, calls: CallBuilder, chosen: set[str], markers: list[list[str]]
) -> Operator:
    keys = tuple(
        Output(key.name, key.expression if text in chosen else case((exp.false(), key.expression)))
        for text, key in calls.keys.items()
    )
    groups = builder.input(_groups(calls, keys))
    return _shown(builder, groups, [col(key.name) for key in keys], calls, chosen, markers)


def _empty_branch(
    builder: Builder, calls: CallBuilder, branches: list[Operator], markers: list[list[str]]
) -> Operator:
    """Return the set without keys: one row in any case. Its NULLs get their types from a join to no row of a branch."""
    rows = builder.input(_groups(calls, ()))
    keys: list[Expr] = []
    if branches:
        typed = builder.again(branches[0])
        rows = OuterJoin(left=rows, right=typed, conditions=(exp.false(),))
        keys = [col(column.name) for column in typed.columns[: len(calls.keys)]]
    return _shown(builder, rows, keys, calls, set(), markers)


def _groups(calls: CallBuilder, keys: tuple[Output, ...]) -> Aggregate:
    return Aggregate(
        child=calls.child,
        keys=keys,
        arguments=tuple(calls.arguments.values()),
        calls=tuple(calls.calls.values()),
    )


def _shown(
    builder: Builder,
    rows: Operator,
    keys: Sequence[Expr],
    calls: CallBuilder,
    chosen: set[str],
    markers: list[list[str]],
) -> Operator:
    shown: list[Expr] = [*keys, *(col(call.name) for call in calls.calls.values())]
    for marker in markers:
        bits = [0 if key in chosen else 1 for key in marker]
        shown.append(number(sum(bit << place for place, bit in enumerate(reversed(bits)))))
    outputs = tuple(Output(builder.names.column("grouped"), value) for value in shown)
    return Project(child=rows, outputs=outputs)


def replaced_markers(
    expression: Expr, markers: dict[str, str], bind: Callable[[Expr], Expr]
) -> Expr:
    """Return `expression` with each GROUPING() as its column."""

    def visit(node: Expr) -> Expr | None:
        if not isinstance(node, exp.Grouping):
            return None
        return col(markers[to_sql(bind(node))])

    return rewritten(expression, visit)
