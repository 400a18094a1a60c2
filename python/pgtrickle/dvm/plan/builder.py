"""The state of one build: names that are unique in the plan, and the stages found so far."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.analysis.functions import Aggregates
from pgtrickle.dvm.analysis.keys import row_key
from pgtrickle.dvm.operators.base import Operator, Output
from pgtrickle.dvm.operators.project import Project
from pgtrickle.dvm.operators.stage import StageScan
from pgtrickle.dvm.plan.check import require_closed
from pgtrickle.dvm.plan.model import Keyed, Stage
from pgtrickle.dvm.plan.names import Names
from pgtrickle.dvm.plan.parts import part
from pgtrickle.dvm.schema import Column, Relation, RelationKind, Schema, TypeFacts
from pgtrickle.dvm.sqlast import col, shown_names

if TYPE_CHECKING:
    from pgtrickle.dvm.plan.model import MaintenancePlan
    from pgtrickle.dvm.sqlast import Query


class StageUnknownError(Exception):
    """The types of a stage are not known yet: PostgreSQL must be asked before the plan can go on."""

    def __init__(self, plan: MaintenancePlan) -> None:
        super().__init__("the types of a stage are not known yet")
        self.plan = plan


@dataclass(frozen=True, slots=True, kw_only=True)
class Cte:
    """A WITH query: its text, the names of its columns, and the builder with what it can refer to itself.

    `recursive` is the WITH clause up to it when it refers to itself; `rows` are those that its name stands for while its own
    step is planned.
    """

    query: Query
    columns: tuple[str, ...]
    builder: Builder
    recursive: exp.With | None = None
    rows: Operator | None = None


@dataclass(slots=True)
class Builder:
    """Builds one plan: `ctes` are the WITH queries in reach, `stages` what got storage of its own."""

    schema: Schema
    names: Names = field(default_factory=Names)
    stages: list[Stage] = field(default_factory=list)
    ctes: dict[str, Cte] = field(default_factory=dict)
    built: dict[int, Operator] = field(default_factory=dict)
    known: dict[int, tuple[Operator, Stage]] = field(default_factory=dict)

    @property
    def aggregates(self) -> Aggregates:
        """Which calls are aggregates."""
        return Aggregates.of(self.schema.functions)

    @property
    def returns_sets(self) -> bool:
        """Whether the query calls some function that returns several rows."""
        return any(function.returns_set for function in self.schema.functions)

    def input(self, operator: Operator) -> Operator:
        """Return `operator` as it can stand below another one: what needs storage becomes a stage."""
        if isinstance(operator, Project) and operator.child.staged:
            return replace(operator, child=self._stage(operator.child))
        return self._stage(operator) if operator.staged else operator

    def _stage(self, operator: Operator) -> Operator:
        if id(operator) not in self.known:
            self.known[id(operator)] = (operator, self._new_stage(operator))
        _, stage = self.known[id(operator)]
        return StageScan(
            stage=stage, names={column.name: column.name for column in operator.columns}
        )

    def _new_stage(self, operator: Operator) -> Stage:
        outputs = tuple(Output(column.name, col(column.name)) for column in operator.columns)
        plan = part(Project(child=operator, outputs=outputs))
        require_closed(operator)
        number = len(self.stages) + 1
        if number > len(self.schema.stages):
            raise StageUnknownError(plan)
        facts = self.schema.stages[number - 1]
        relation = Relation(
            name=facts.storage,
            kind=RelationKind.STAGE,
            columns=_columns(operator, facts.types),
            stored_as=facts.storage,
            keys=_keys(plan),
        )
        stage = Stage(number=number, relation=relation, plan=plan)
        self.stages.append(stage)
        return stage

    def keyed(self, operator: Operator) -> Operator:
        """Return `operator` with the key of its rows among its columns, after those that the query shows."""
        if not isinstance(operator, Project) or operator.expands:
            return operator
        key = row_key(operator.child)
        shown = {
            output.expression.name
            for output in operator.outputs
            if isinstance(output.expression, exp.Column)
        }
        missing = [name for name in (key.columns if key is not None else ()) if name not in shown]
        extra = tuple(Output(self.names.column(name), col(name)) for name in missing)
        return replace(operator, outputs=(*operator.outputs, *extra))

    def within(self, clause: exp.With | None) -> Builder:
        """Return the builder for a query with this WITH clause; each WITH query is planned once, where it is first read."""
        if clause is None:
            return self
        inside = self
        for position, cte in enumerate(clause.expressions):
            alias = cte.args["alias"]
            renamed = [column.name for column in alias.columns]
            own = shown_names(cte.this)
            columns = (*renamed, *own[len(renamed) :])
            itself = any(
                each.name == alias.name and not each.db for each in cte.find_all(exp.Table)
            )
            upto = None
            if itself and clause.args.get("recursive"):
                before = [each.copy() for each in clause.expressions[: position + 1]]
                upto = exp.With(expressions=before, recursive=True)
            known = Cte(query=cte.this, columns=columns, builder=inside, recursive=upto)
            inside = replace(inside, ctes={**inside.ctes, alias.name: known})
        return inside

    def again(self, operator: Operator) -> Project:
        """Return `operator` under new column names: for a second reference to the same rows."""
        outputs = tuple(
            Output(self.names.column(column.name), col(column.name)) for column in operator.columns
        )
        return Project(child=operator, outputs=outputs)


def _columns(operator: Operator, types: tuple[TypeFacts, ...]) -> tuple[Column, ...]:
    return tuple(
        Column(name=column.name, type=facts, not_null=column.not_null)
        for column, facts in zip(operator.columns, types, strict=False)
    )


def _keys(plan: MaintenancePlan) -> tuple[tuple[str, ...], ...]:
    identity = plan.identity
    plain = isinstance(identity, Keyed) and not identity.nullable
    return (identity.columns,) if isinstance(identity, Keyed) and plain else ()
