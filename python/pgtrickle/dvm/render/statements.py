"""MERGE, INSERT and DELETE as trees."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.sqlast import Expr, Query, col, ident, table

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pgtrickle.dvm.schema import QualifiedName

TARGET = "t"
SOURCE = "d"


def merge(target: QualifiedName, source: Expr, on: Expr, whens: Sequence[exp.When]) -> exp.Merge:
    """Return `MERGE INTO target AS t USING source ON on …`."""
    return exp.Merge(
        this=table(target, alias=TARGET),
        using=source,
        on=on,
        whens=exp.Whens(expressions=list(whens)),
    )


def when_delete(condition: Expr) -> exp.When:
    """Return the branch that deletes a matched row."""
    return exp.When(matched=True, source=False, condition=condition, then=exp.Var(this="DELETE"))


def when_update(values: Mapping[str, Expr]) -> exp.When:
    """Return the branch that sets columns of a matched row."""
    assignments = [exp.EQ(this=col(name), expression=value) for name, value in values.items()]
    return exp.When(matched=True, source=False, then=exp.Update(expressions=assignments))


def when_keep() -> exp.When:
    """Return the branch that leaves a matched row as it is."""
    return exp.When(matched=True, source=False, then=exp.Var(this="DO NOTHING"))


def when_insert(values: Mapping[str, Expr], condition: Expr | None = None) -> exp.When:
    """Return the branch that inserts a row for an unmatched source row."""
    insert = exp.Insert(
        this=exp.Tuple(expressions=[col(name) for name in values]),
        expression=exp.Tuple(expressions=list(values.values())),
    )
    return exp.When(matched=False, source=False, condition=condition, then=insert)


def insert_into(target: QualifiedName, columns: Sequence[str], rows: Query) -> exp.Insert:
    """Return `INSERT INTO target (columns) rows`."""
    holder = exp.Schema(this=table(target), expressions=[ident(name) for name in columns])
    return exp.Insert(this=holder, expression=rows)
