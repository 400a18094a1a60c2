"""Stage 3: the normalised query, to an operator tree, its stages, and the plan for its storage."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgtrickle.dvm.operators.opaque import Opaque
from pgtrickle.dvm.operators.scan import Scan
from pgtrickle.dvm.plan.builder import Builder
from pgtrickle.dvm.plan.check import require_closed, require_native_keys
from pgtrickle.dvm.plan.model import Bag, FullPlan, MaintenancePlan, SourceUse, Stage
from pgtrickle.dvm.plan.opaque import opaque
from pgtrickle.dvm.plan.parts import part
from pgtrickle.dvm.plan.query import plan_query

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pgtrickle.dvm.operators.base import Operator
    from pgtrickle.dvm.schema import QualifiedName, Schema
    from pgtrickle.dvm.sqlast import Query


@dataclass(frozen=True, slots=True)
class Built:
    """A plan with the stages that it stands on, in order."""

    plan: MaintenancePlan
    stages: tuple[Stage, ...]


def build(query: Query, schema: Schema) -> Built:
    """Return the differential plan of `query`.

    Raise UnsupportedQueryError when it has none, StageUnknownError when the types of a stage must be asked for first.
    """
    builder = Builder(schema)
    plan = part(plan_query(query, builder, visible=True))
    for root in (plan.root, *(stage.plan.root for stage in builder.stages)):
        require_closed(root)
        require_native_keys(root)
    return Built(plan, tuple(builder.stages))


def build_full(query: Query, schema: Schema) -> FullPlan:
    """Return the plan that evaluates `query` in full, tables replaced by the stored ones."""
    root = opaque(query, schema, query.named_selects)
    return FullPlan(root=root, visible=tuple(query.named_selects), identity=Bag())


def source_uses(roots: Iterable[Operator], schema: Schema) -> tuple[SourceUse, ...]:
    """Return each relation that the trees under `roots` read, with the columns they need of it."""
    uses: dict[QualifiedName, dict[str, None]] = {}
    for operator in (operator for root in roots for operator in root.walk()):
        if isinstance(operator, Scan):
            # Virtual columns were replaced by their expressions: the plan depends on those too.
            virtual = [column.name for column in operator.relation.columns if column.generated]
            needed = dict.fromkeys((*operator.names, *virtual))
            uses.setdefault(operator.relation.name, {}).update(needed)
        elif isinstance(operator, Opaque):
            for name in sorted(operator.relations):
                columns = [
                    column.name
                    for column in schema.relations[name].columns
                    if column.generated is None
                ]
                uses.setdefault(name, {}).update(dict.fromkeys(columns))
    return tuple(SourceUse(name, tuple(columns)) for name, columns in uses.items())
