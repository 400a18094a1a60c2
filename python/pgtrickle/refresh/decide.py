"""What a refresh does, decided from facts alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from pgtrickle.catalog.model import RefreshMode

if TYPE_CHECKING:
    from pgtrickle.dvm.schema import QualifiedName


class WindowFacts(NamedTuple):
    """What is known of the window between the frontier and the snapshot of this refresh."""

    mode: RefreshMode
    changed: tuple[QualifiedName, ...]
    marks: tuple[str, ...]
    same_epoch: bool
    same_fingerprint: bool
    skippable: bool = True
    full_requested: bool = False


@dataclass(frozen=True, slots=True)
class Skip:
    """Nothing to do: the stored rows are right as they are."""

    reason: str


@dataclass(frozen=True, slots=True)
class Delta:
    """Apply the changes of exactly these sources."""

    changed: tuple[QualifiedName, ...]


@dataclass(frozen=True, slots=True)
class Full:
    """Compare all rows with the query; the capture is sound."""

    reason: str


@dataclass(frozen=True, slots=True)
class Rebuild:
    """Install capture anew, then compare all rows with the query: changes may have been missed."""

    reason: str


Decision: TypeAlias = Skip | Delta | Full | Rebuild


def decide(facts: WindowFacts) -> Decision:
    """Return the cheapest refresh that is correct; what may have been missed comes first."""
    if not facts.same_epoch:
        return Rebuild("the database was restored or moved: stored snapshots mean nothing here")
    if "truncate" in facts.marks:
        return Rebuild("a source was truncated")
    if not facts.same_fingerprint:
        return Rebuild("a source, its triggers or a view below changed its definition")
    if "gap" in facts.marks:
        return Rebuild("a capture trigger failed and left a gap")
    if facts.marks:
        return Full(f"source marked: {', '.join(facts.marks)}")
    if facts.full_requested:
        return Full("requested")
    if not facts.changed and facts.skippable:
        return Skip("no changes in the window")
    if facts.mode is RefreshMode.FULL:
        return Full("refresh mode is FULL")
    return Delta(facts.changed)
