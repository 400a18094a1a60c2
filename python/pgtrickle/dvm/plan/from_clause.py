"""The FROM clause: tables, derived tables and inner joins, to one join of inputs with its conditions."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.operators.scan import Scan
from pgtrickle.dvm.schema import QualifiedName, Relation, Schema
from pgtrickle.dvm.sqlast import Expr, Query, col
from pgtrickle.errors import UnsupportedQueryError

if TYPE_CHECKING:
    from collections.abc import Callable

    from pgtrickle.dvm.operators.base import Operator
    from pgtrickle.dvm.plan.names import Names


@dataclass(slots=True)
class Scope:
    """What a SELECT can refer to: the column behind each (alias, name)."""

    columns: dict[tuple[str, str], str] = field(default_factory=dict)

    def bound(self, expression: Expr) -> Expr:
        """Return a copy whose columns are the plan's own."""

        def bind(node: Expr) -> Expr:
            return col(self._resolved(node)) if isinstance(node, exp.Column) else node

        return expression.copy().transform(bind)

    def _resolved(self, column: exp.Column) -> str:
        found = self.columns.get((column.table, column.name))
        if found is None:
            raise UnsupportedQueryError(
                f'column "{column.name}" is not a stored column of a source',
                code="PGT230",
                detail="System columns and whole-row references cannot be maintained.",
                hint="Name the columns that you need, or use refresh_mode FULL.",
            )
        return found


@dataclass(slots=True)
class FromClause:
    """The inputs of a SELECT, flattened, and the conditions that stood between them."""

    schema: Schema
    names: Names
    needed: dict[str, set[str]]
    subplan: Callable[[Query], Operator]
    scope: Scope = field(default_factory=Scope)
    inputs: list[Operator] = field(default_factory=list)
    conditions: list[Expr] = field(default_factory=list)

    def add(self, item: Expr) -> None:
        """Take one FROM item with the joins that hang on it."""
        if isinstance(item, exp.Subquery) and isinstance(item.this, exp.Table | exp.Subquery):
            self.add(item.this)
        elif isinstance(item, exp.Table) and item.db:
            self._add_table(item)
        elif isinstance(item, exp.Subquery) and isinstance(item.this, exp.Query):
            self._add_derived(item)
        else:
            raise UnsupportedQueryError(
                "the FROM clause holds something other than tables and subqueries",
                code="PGT231",
                detail="Functions, LATERAL, VALUES and WITH queries have no differential form yet.",
            )
        for join in item.args.get("joins") or []:
            self.join(join)

    def join(self, join: exp.Join) -> None:
        """Take one join: its right side, and its condition."""
        if join.side or join.kind not in ("", "INNER", "CROSS") or join.method:
            raise UnsupportedQueryError(
                f"{join.side or join.kind or join.method} JOIN has no differential form yet",
                code="PGT232",
            )
        self.add(join.this)
        if join.args.get("on") is not None:
            self.conditions.append(join.args["on"])

    def _add_table(self, item: exp.Table) -> None:
        relation = self.schema.relation(QualifiedName(item.db, item.name))
        if relation is None or item.args.get("only") or item.args.get("sample"):
            raise UnsupportedQueryError(
                f'table "{item.name}" is read in a way that cannot be captured',
                code="PGT233",
                detail="FROM ONLY and unknown relations have no differential form.",
            )
        alias = item.alias_or_name
        shown = self._shown(item, relation)
        wanted = self.needed.get(alias, set())
        keys = {column for key in relation.keys[:1] for column in key}
        names = {
            source: self.names.column(source)
            for source, name in shown.items()
            if name in wanted or source in keys
        }
        self.inputs.append(Scan(relation=relation, names=names))
        self.scope.columns.update({(alias, shown[source]): name for source, name in names.items()})

    def _shown(self, item: exp.Table, relation: Relation) -> dict[str, str]:
        alias = item.args.get("alias")
        renamed = [column.name for column in alias.columns] if alias else []
        stored = [column.name for column in relation.columns]
        shown = [*renamed, *stored[len(renamed) :]]
        return {
            source.name: name
            for source, name in zip(relation.columns, shown, strict=True)
            if source.generated is None
        }

    def _add_derived(self, item: exp.Subquery) -> None:
        child = self.subplan(item.this)
        alias = item.args.get("alias")
        renamed = [column.name for column in alias.columns] if alias else []
        own = item.this.named_selects
        for column, name in zip(child.columns, [*renamed, *own[len(renamed) :]], strict=False):
            self.scope.columns[(item.alias_or_name, name)] = column.name
        self.inputs.append(child)
