"""The five stages, top to bottom: parse, normalise, plan; then differentiate and render per set of changed sources."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgtrickle.dvm.normalise.inline_views import inline_views
from pgtrickle.dvm.normalise.passes import normalise
from pgtrickle.dvm.parse.read import read
from pgtrickle.dvm.parse.support import reject, require_observable
from pgtrickle.dvm.plan.build import build, build_full, source_uses
from pgtrickle.errors import UnsupportedQueryError

if TYPE_CHECKING:
    from pgtrickle.dvm.plan.model import MaintenancePlan, SourceUse, Stage
    from pgtrickle.dvm.schema import Schema


@dataclass(frozen=True, slots=True, kw_only=True)
class Compiled:
    """A maintenance plan with its stages and the sources it reads, and why it is not differential if it is not."""

    plan: MaintenancePlan
    sources: tuple[SourceUse, ...]
    schema: Schema
    stages: tuple[Stage, ...] = ()
    fallback: UnsupportedQueryError | None = None


def compile_query(sql: str, schema: Schema, *, differential: bool = True) -> Compiled:
    """Return the plan of a query that PostgreSQL printed.

    Without a differential form, or when none is wanted, the plan evaluates the query in full; `fallback` says why, and whether
    it may change unobserved even where FULL was asked for. StageUnknownError asks for the types of the next stage.
    """
    query = read(sql)
    reject(query, schema)
    fallback = None
    try:
        require_observable(schema)
        if differential:
            built = build(normalise(query, schema), schema)
            roots = [built.plan.root, *(stage.plan.root for stage in built.stages)]
            return Compiled(
                plan=built.plan,
                stages=built.stages,
                sources=source_uses(roots, schema),
                schema=schema,
            )
    except UnsupportedQueryError as error:
        fallback = error
    plan = build_full(inline_views(query.copy(), schema), schema)
    uses = source_uses([plan.root], schema)
    return Compiled(plan=plan, sources=uses, schema=schema, fallback=fallback)
