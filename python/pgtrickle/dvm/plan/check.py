"""A built plan must make sense: every expression reads only what stands below it, and keys compare as PostgreSQL does."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgtrickle.dvm.operators.aggregate import Aggregate
from pgtrickle.dvm.operators.distinct_on import DistinctOn
from pgtrickle.dvm.operators.exists import Exists
from pgtrickle.dvm.operators.filter import Filter
from pgtrickle.dvm.operators.inner_join import InnerJoin
from pgtrickle.dvm.operators.outer_join import OuterJoin
from pgtrickle.dvm.operators.partitioned import Partitioned
from pgtrickle.dvm.operators.project import Project
from pgtrickle.dvm.operators.row_function import RowFunction
from pgtrickle.dvm.operators.top_k import TopK
from pgtrickle.dvm.operators.window import Window
from pgtrickle.dvm.plan.scope import refused
from pgtrickle.dvm.sqlast import columns_in, reads_tables

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pgtrickle.dvm.operators.base import Operator
    from pgtrickle.dvm.sqlast import Expr
    from pgtrickle.errors import UnsupportedQueryError


def require_closed(root: Operator) -> None:
    """Raise when an expression reads a table itself, whose changes nobody would follow, or a column that its inputs do not have.

    The latter is so where a subquery reads not the query around it but one further out, and in shapes that nobody thought of: better
    refused here than an error of PostgreSQL's, or a wrong name that happens to exist.
    """
    for operator in root.walk():
        known = {column.name for child in operator.children for column in child.columns}
        for expression in _expressions(operator):
            if reads_tables(expression):
                raise refused("a subquery in this place", "PGT256")
            if not columns_in(expression) <= known:
                raise refused("a reference from inside a subquery to a query further out", "PGT260")


def require_native_keys(root: Operator) -> None:
    """Raise when rows are grouped or compared by a type of an extension, as far as types are known here.

    The statements name `=` and run with pg_catalog alone on the search_path, where citext would be compared as text.
    """
    for operator in root.walk():
        names = _keys(operator)
        for column in operator.columns:
            if column.name in names and column.type is not None and not column.type.native:
                raise foreign_key(column.type.name)


def foreign_key(type_name: str) -> UnsupportedQueryError:
    """Return the refusal of a key whose equality is that of an extension."""
    return refused(
        f"grouping, partitioning or comparing rows by type {type_name} of an extension",
        "PGT261",
        hint="Use a built-in type as key, such as lower(x) for citext, or refresh_mode FULL.",
    )


def _keys(operator: Operator) -> set[str]:
    if isinstance(operator, Aggregate):
        return {key.name for key in operator.keys}
    return set(operator.partition) if isinstance(operator, Partitioned) else set()


def _expressions(operator: Operator) -> Iterable[Expr]:
    match operator:
        case Filter():
            return [operator.predicate]
        case Project():
            return [output.expression for output in operator.outputs]
        case InnerJoin() | OuterJoin() | Exists():
            return operator.conditions
        case Aggregate():
            return [output.expression for output in (*operator.keys, *operator.arguments)]
        case Window():
            outputs = (*operator.keys, *operator.functions)
            return [*(output.expression for output in outputs), *operator.order]
        case DistinctOn():
            return [key.expression for key in operator.keys]
        case TopK():
            return operator.order
        case RowFunction():
            return [operator.item]
        case _:
            return []
