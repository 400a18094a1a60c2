"""A stream table explained: from the very plan that runs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgtrickle.dvm.plan.model import FullPlan, GroupsPlan, Keyed
from pgtrickle.dvm.render.delta import delta
from pgtrickle.dvm.render.storage import columns

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from pgtrickle.catalog.model import RefreshMode, StreamTable
    from pgtrickle.dvm.differentiate.sources import Buffer
    from pgtrickle.dvm.operators.base import Operator
    from pgtrickle.dvm.plan.model import MaintenancePlan
    from pgtrickle.dvm.schema import QualifiedName, Relation


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """How a stream table is stored and maintained; `deltas` holds the SQL for each single changed source."""

    stream_table: str
    query: str
    mode: RefreshMode
    reasons: tuple[str, ...]
    operators: tuple[str, ...]
    identity: str
    strategy: str
    visible_columns: tuple[str, ...]
    hidden_columns: tuple[str, ...]
    deltas: dict[str, str]


def explain(
    table: StreamTable,
    plan: MaintenancePlan,
    storage: Relation,
    buffers: Mapping[QualifiedName, Buffer],
) -> Explanation:
    """Return the explanation of one stream table."""
    stored = [column.name for column in storage.columns]
    return Explanation(
        stream_table=str(table.name),
        query=table.query,
        mode=table.effective_mode,
        reasons=table.reasons,
        operators=tuple(tree_lines(plan.root)),
        identity=_identity(plan),
        strategy=_strategy(plan),
        visible_columns=plan.visible,
        hidden_columns=tuple(name for name in stored if name not in plan.visible),
        deltas=_deltas(plan, storage, buffers),
    )


def tree_lines(operator: Operator, depth: int = 0) -> Iterator[str]:
    """Yield the operator tree, one indented line each."""
    yield "  " * depth + operator.label()
    for child in operator.children:
        yield from tree_lines(child, depth + 1)


def _identity(plan: MaintenancePlan) -> str:
    if not isinstance(plan.identity, Keyed):
        return "no key: rows are matched by image and multiplicity"
    names = ", ".join(plan.identity.columns)
    return f"key ({names})" + (
        ", NULLs match by hash and recheck" if plan.identity.nullable else ""
    )


def _strategy(plan: MaintenancePlan) -> str:
    match plan:
        case GroupsPlan():
            return f"aggregate, {plan.groups.strategy.value}"
        case FullPlan():
            return "full: the query is evaluated and compared with what is stored"
        case _:
            return "upsert by key" if isinstance(plan.identity, Keyed) else "exact multiplicities"


def _deltas(
    plan: MaintenancePlan, storage: Relation, buffers: Mapping[QualifiedName, Buffer]
) -> dict[str, str]:
    if isinstance(plan, FullPlan):
        return {}
    return {
        str(name): delta(plan, storage, buffers, [name], pretty=True)
        for name in sorted(plan.root.reads())
        if name in buffers and columns(plan)
    }
