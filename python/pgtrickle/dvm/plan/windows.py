"""Window functions of a SELECT, to one operator for each way of partitioning.

Where ties would leave a choice the order is completed with the row's identity: in the OVER clause itself where a finer order
means the same (row_number, lag, ROWS frames), else by sorting the rows before the functions see them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.analysis.keys import row_key
from pgtrickle.dvm.operators.base import Output
from pgtrickle.dvm.operators.window import Window
from pgtrickle.dvm.plan.orders import completed, in_order
from pgtrickle.dvm.sqlast import Expr, as_text, col, to_sql

if TYPE_CHECKING:
    from collections.abc import Callable

    from pgtrickle.dvm.operators.base import Operator
    from pgtrickle.dvm.plan.builder import Builder

# Functions of the row's place, for which peers do not exist: a finer order is still the order that was written.
_SEVERAL = 2
_BY_PLACE = frozenset({"row_number", "rownumber", "ntile", "lag", "lead"})


def add_windows(
    builder: Builder, rows: Operator, values: list[Expr]
) -> tuple[Operator, Callable[[Expr], Expr]]:
    """Return the rows with the results of all window functions in `values`, and what replaces those by columns."""
    found: dict[str, exp.Window] = {}
    for value in values:
        for node in value.find_all(exp.Window):
            found.setdefault(to_sql(node), node)
    names = {text: builder.names.column("window") for text in found}
    rows = _told_apart(builder, rows, list(found.values()))
    for partition, texts in _partitions(found).items():
        child = builder.input(rows)
        keys = tuple(
            Output(builder.names.column("partition"), key)
            for key in _keys(found[texts[0]], partition)
        )
        functions = tuple(Output(names[text], _settled(found[text], child)) for text in texts)
        rows = Window(
            child=child,
            keys=keys,
            functions=functions,
            order=_sorted([found[t] for t in texts], child),
        )

    def replace_in(expression: Expr) -> Expr:
        def visit(node: Expr) -> Expr:
            name = names.get(to_sql(node)) if isinstance(node, exp.Window) else None
            return col(name) if name else node

        return expression.copy().transform(visit)

    return rows, replace_in


def _told_apart(builder: Builder, rows: Operator, nodes: list[exp.Window]) -> Operator:
    """Return the rows, equal ones numbered where several functions might each number them in an order of their own."""
    placed = [node for node in nodes if _by_place(node) or _rows_frame(node)]
    if len(placed) < _SEVERAL or row_key(rows) is not None:
        return rows
    child = builder.input(rows)
    images = [
        col(column.name)
        if column.type is not None and column.type.exact and column.type.comparable
        else as_text(col(column.name))
        for column in child.columns
    ]
    keys = tuple(Output(builder.names.column("partition"), image) for image in images)
    copy = exp.Window(
        this=exp.RowNumber(), partition_by=[image.copy() for image in images], over="OVER"
    )
    return Window(child=child, keys=keys, functions=(Output(builder.names.column("copy"), copy),))


def _partitions(found: dict[str, exp.Window]) -> dict[frozenset[str], list[str]]:
    """Return the functions by what they partition by; those that share columns go together by what they share."""
    groups: dict[frozenset[str], list[str]] = {}
    for text, node in found.items():
        own = frozenset(to_sql(key) for key in node.args.get("partition_by") or [])
        for known in list(groups):
            common = known & own
            if common or known == own:
                together = [*groups.pop(known), text]
                groups[common] = [*groups.get(common, []), *together]
                break
        else:
            groups[own] = [text]
    return groups


def _keys(node: exp.Window, partition: frozenset[str]) -> list[Expr]:
    keys = node.args.get("partition_by") or []
    return [key.copy() for key in keys if to_sql(key) in partition]


def _rows_frame(node: exp.Window) -> bool:
    spec = node.args.get("spec")
    return spec is not None and str(spec.args.get("kind") or "").upper() == "ROWS"


def _by_place(node: exp.Window) -> bool:
    function = node.this
    while isinstance(function, exp.IgnoreNulls | exp.RespectNulls | exp.Filter):
        function = function.this
    name = function.name if isinstance(function, exp.Anonymous) else function.key
    return name.lower() in _BY_PLACE


def _settled(node: exp.Window, child: Operator) -> Expr:
    """Return the function with its order completed, where that means the same."""
    settled = node.copy()
    if not (_by_place(node) or _rows_frame(node)):
        return settled
    order = node.args.get("order")
    given = order.expressions if order is not None else []
    whole = completed(given, child)
    # One row needs no order.
    settled.set("order", exp.Order(expressions=list(whole)) if whole else None)
    return settled


def _sorted(nodes: list[exp.Window], child: Operator) -> tuple[exp.Ordered, ...]:
    """Return the order in which the rows come to the functions: PostgreSQL keeps it where theirs ends."""
    longest: list[exp.Ordered] = []
    for node in nodes:
        keys = [in_order(key) for key in node.args.get("partition_by") or []]
        order = node.args.get("order")
        own = [*keys, *(each.copy() for each in (order.expressions if order is not None else []))]
        if len(own) > len(longest):
            longest = own
    return completed(longest, child)
