"""What would happen to a query, before anything is created."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgtrickle.catalog.model import RefreshMode
from pgtrickle.monitor.explain import tree_lines

if TYPE_CHECKING:
    from pgtrickle.catalog.introspect import QueryFacts
    from pgtrickle.dvm.compile import Compiled


@dataclass(frozen=True, slots=True, kw_only=True)
class Validation:
    """How a query would be maintained."""

    query: str
    mode: RefreshMode
    reasons: tuple[str, ...]
    hints: tuple[str, ...]
    sources: dict[str, tuple[str, ...]]
    operators: tuple[str, ...]


def validation(facts: QueryFacts, compiled: Compiled) -> Validation:
    """Return what the compiler says of a query that PostgreSQL has read."""
    found = compiled.fallback
    return Validation(
        query=facts.query,
        mode=RefreshMode.DIFFERENTIAL if found is None else RefreshMode.FULL,
        reasons=() if found is None else (f"{found.code}: {found.message}",),
        hints=(found.hint,) if found is not None and found.hint else (),
        sources={str(use.relation): use.columns for use in compiled.sources},
        operators=tuple(tree_lines(compiled.plan.root)),
    )
