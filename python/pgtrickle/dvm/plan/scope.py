"""What a SELECT can refer to: its own FROM items, then those of the queries around it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.sqlast import Expr, col, columns_in, rewritten
from pgtrickle.errors import UnsupportedQueryError

if TYPE_CHECKING:
    from collections.abc import Mapping


@dataclass(slots=True)
class Scope:
    """The plan's column behind each (alias, name); `outer` is the scope around a subquery."""

    columns: dict[tuple[str, str], str] = field(default_factory=dict)
    outer: Scope | None = None

    def bound(self, expression: Expr) -> Expr:
        """Return a copy whose columns are the plan's own; columns without a table are so already."""

        def bind(node: Expr) -> Expr | None:
            if isinstance(node, exp.Column) and node.table:
                return col(self._resolved(node))
            return None

        return rewritten(expression, bind)

    def bound_inside(self, query: Expr) -> Expr:
        """Return a copy of a subquery in which the columns of this scope and those around are the plan's own."""
        copy = exp.Paren(this=query.copy())
        for column in list(copy.find_all(exp.Column)):
            name = self._found(column) if column.table else None
            if name is not None:
                column.replace(col(name))
        inside: Expr = copy.this
        return inside.pop()

    def correlated(self, bound: Expr) -> bool:
        """Return whether a bound expression reads a query around this one."""
        own = set(self.columns.values())
        around = self._around()
        return any(name in around and name not in own for name in columns_in(bound))

    def _around(self) -> set[str]:
        found: set[str] = set()
        scope = self.outer
        while scope is not None:
            found |= set(scope.columns.values())
            scope = scope.outer
        return found

    def _found(self, column: exp.Column) -> str | None:
        scope: Scope | None = self
        while scope is not None:
            found = scope.columns.get((column.table, column.name))
            if found is not None:
                return found
            scope = scope.outer
        return None

    def _resolved(self, column: exp.Column) -> str:
        found = self._found(column)
        if found is not None:
            return found
        raise UnsupportedQueryError(
            f'column "{column.name}" is not a stored column of a source',
            code="PGT230",
            detail="System columns and whole-row references cannot be maintained.",
            hint="Name the columns that you need, or use refresh_mode FULL.",
        )

    def renamed(self, names: Mapping[str, str]) -> None:
        """Let references follow columns that an operator gave new names."""
        for reference, name in self.columns.items():
            self.columns[reference] = names.get(name, name)


def refused(what: str, code: str, *, hint: str | None = None) -> UnsupportedQueryError:
    """Return the refusal of something that has no differential form."""
    return UnsupportedQueryError(
        f"{what} has no differential form",
        code=code,
        hint=hint or "Create the stream table with refresh_mode FULL.",
    )
