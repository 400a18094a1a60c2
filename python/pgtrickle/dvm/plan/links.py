"""Links: the conditions in which a subquery compares its rows with the query around it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.plan.scope import Scope, refused
from pgtrickle.dvm.sqlast import Expr, col, columns_in, to_sql

if TYPE_CHECKING:
    from pgtrickle.dvm.operators.base import Output


def own_side(scope: Scope, link: Expr) -> Expr:
    """Return the subquery's side of an equality with the query around; raise for any other comparison."""
    if isinstance(link, exp.EQ):
        for side, other in ((link.this, link.expression), (link.expression, link.this)):
            around = not (columns_in(other) & set(scope.columns.values()))
            if not scope.correlated(side) and around:
                own: Expr = side.unnest()
                return own
    raise refused("a subquery compared with the query around by more than equalities", "PGT256")


def links_over(scope: Scope, links: list[Expr], keys: dict[str, Output]) -> list[Expr]:
    """Return the links, reading the group keys instead of what is below them."""
    moved: list[Expr] = []
    for link in links:
        own = own_side(scope, link)
        other = link.expression if link.this.unnest() == own else link.this
        key = col(keys[to_sql(own)].name)
        moved.append(exp.EQ(this=key, expression=exp.Paren(this=other.copy())))
    return moved


def link_columns(conditions: tuple[Expr, ...], own: set[str]) -> frozenset[str]:
    """Return the columns of the subquery that the query around fixes to a value."""
    found = set()
    for condition in conditions:
        if isinstance(condition, exp.EQ):
            for side, other in (
                (condition.this, condition.expression),
                (condition.expression, condition.this),
            ):
                bare = side.unnest()
                if (
                    isinstance(bare, exp.Column)
                    and bare.name in own
                    and not columns_in(other) & own
                ):
                    found.add(bare.name)
    return frozenset(found)
