"""The window of a refresh: from the stored frontier to the snapshot that this transaction reads with."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from pgtrickle.refresh.apply import Moment

if TYPE_CHECKING:
    from pgtrickle.dvm.schema import QualifiedName
    from pgtrickle.engines.postgres import Row
    from pgtrickle.refresh.prepare import Prepared


@dataclass(frozen=True, slots=True, kw_only=True)
class Window:
    """What `window.sql` and the fingerprint say, as one value."""

    leased: bool
    frontier: str
    applied_xid: str
    unassigned: bool
    generation: int
    same_epoch: bool
    same_fingerprint: bool
    marks: tuple[str, ...]
    changed: tuple[QualifiedName, ...]
    moment: Moment
    buffered_bytes: int

    @classmethod
    def read(cls, prepared: Prepared, row: Row, fingerprint: Row | None) -> Self:
        """Return the window of `prepared` from the two rows that describe it."""
        leased, frontier, applied_xid, snapshot, unassigned = row[:5]
        _status, generation, known, same_epoch, marks, flags, touched, buffered, _ = row[5:]
        found, tree = fingerprint[:2] if fingerprint else ("", "")
        relations = (dependency.source.relation for dependency in prepared.table.dependencies)
        return cls(
            leased=leased,
            frontier=frontier,
            applied_xid=applied_xid,
            unassigned=unassigned,
            generation=generation,
            same_epoch=same_epoch,
            same_fingerprint=found == known,
            marks=tuple(marks or ()),
            changed=tuple(name for name, flag in zip(relations, flags, strict=False) if flag),
            buffered_bytes=buffered,
            moment=Moment(snapshot, tree, tuple(touched)),
        )
