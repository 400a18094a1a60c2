"""The audit's SQL: what the view shows against what the defining query says.

Rows are equal as PostgreSQL's EXCEPT ALL finds them equal; a value whose type has no such equality stands for itself as text.
Equal rows may look different (1.0 and 1.00): those are counted apart, because SQL often leaves open which of them to show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.render.identity import StoredTypes
from pgtrickle.dvm.render.storage import visible_rows
from pgtrickle.dvm.sqlast import (
    Expr,
    Query,
    as_text,
    binary,
    col,
    derived,
    named,
    number,
    select,
    table,
    to_sql,
    union_all,
    where,
    with_tables,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle.dvm.plan.model import MaintenancePlan
    from pgtrickle.dvm.schema import QualifiedName, Relation

MISSING, EXTRA = "missing", "extra"
_KIND, _ROW, _TOTAL, _NUMBER = "kind", "row", "total", "number"


def wanted_rows(plan: MaintenancePlan) -> str:
    """Return the query for the rows that the view should show."""
    return to_sql(visible_rows(plan))


def stored_rows(plan: MaintenancePlan, view: QualifiedName) -> str:
    """Return the query for the rows that the view shows, columns in the order of `wanted_rows`."""
    return to_sql(select(map(col, plan.visible), table(view)))


def differences(
    plan: MaintenancePlan, storage: Relation, view: QualifiedName, *, shown: int
) -> str:
    """Return the statement that finds the rows which only one side has.

    Its rows are kind, number of rows of that kind, and values as texts; at most `shown` rows of a kind, in the order of
    their texts, so that the two versions of a row that differs stand together.
    """
    types = StoredTypes.of(storage)
    comparands = [named(types.comparand(name, col(name)), name) for name in plan.visible]
    values = exp.Array(expressions=[as_text(col(name)) for name in plan.visible])
    only = {
        MISSING: _except_all("wanted", "stored"),
        EXTRA: _except_all("stored", "wanted"),
    }
    found = union_all(
        [
            select(
                [named(exp.Literal.string(kind), _KIND), named(values, _ROW)], derived(rows, kind)
            )
            for kind, rows in only.items()
        ]
    )
    total = exp.Window(this=exp.Count(this=exp.Star()), partition_by=[col(_KIND)])
    place = exp.Window(
        this=exp.RowNumber(), partition_by=[col(_KIND)], order=exp.Order(expressions=[col(_ROW)])
    )
    numbered = select(
        [col(_KIND), col(_ROW), named(total, _TOTAL), named(place, _NUMBER)],
        derived(found, "found"),
    )
    listed = where(
        select([col(_KIND), col(_TOTAL), col(_ROW)], derived(numbered, "numbered")),
        binary(exp.LTE, col(_NUMBER), number(shown)),
    )
    listed.set("order", exp.Order(expressions=[col(_ROW), col(_KIND)]))
    return to_sql(with_tables(listed, _sides(plan, view, comparands)))


def may_look_different(plan: MaintenancePlan, storage: Relation) -> bool:
    """Say whether some column's equal values may look different."""
    types = StoredTypes.of(storage).types
    return not all(types[name].exact for name in plan.visible)


def unlike_images(plan: MaintenancePlan, storage: Relation, view: QualifiedName) -> str:
    """Return the statement that counts the rows of the query that the view does not show exactly as they look."""
    types = StoredTypes.of(storage)
    images = [named(types.image(name, col(name)), name) for name in plan.visible]
    rows = derived(_except_all("wanted", "stored"), "counted")
    counted = select([exp.Count(this=exp.Star())], rows)
    return to_sql(with_tables(counted, _sides(plan, view, images)))


def _sides(
    plan: MaintenancePlan, view: QualifiedName, outputs: Sequence[Expr]
) -> list[tuple[str, Expr]]:
    """Return both sides, each with `outputs` of its columns."""
    return [
        ("wanted", select(outputs, derived(visible_rows(plan), "wanted"))),
        ("stored", select(outputs, table(view))),
    ]


def _except_all(left: str, right: str) -> Query:
    sides = [select([exp.Star()], table(name)) for name in (left, right)]
    return exp.Except(this=sides[0], expression=sides[1], distinct=False)
