"""The window of a refresh: from the stored frontier to the snapshot that this transaction reads with."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple, Self

from pgtrickle.catalog.model import Status
from pgtrickle.errors import ConflictError, InternalError, SourceChangedError
from pgtrickle.frontier import Frontier, Snapshot

if TYPE_CHECKING:
    from pgtrickle.dvm.schema import QualifiedName
    from pgtrickle.engines.postgres import Row
    from pgtrickle.refresh.prepare import Prepared


class Window(NamedTuple):
    """What `window.sql` says, as one value.

    `versions` are those of all catalog rows that the fingerprint is made of. `facts` are all that a refresh decides from but
    for its position; `go` says that they are those that were expected.
    """

    leased: bool
    frontier: str
    applied_xid: str
    snapshot: str
    unassigned: bool
    status: Status
    generation: int
    fingerprint: str
    same_epoch: bool
    marks: tuple[str, ...]
    changed: tuple[QualifiedName, ...]
    buffered_bytes: int
    versions: str
    facts: str
    go: bool

    @property
    def read_from(self) -> Frontier:
        """What had been applied before this window."""
        return Frontier(Snapshot.parse(self.frontier), int(self.applied_xid) or None)

    @classmethod
    def read(cls, prepared: Prepared, row: Row) -> Self:
        """Return the window of `prepared` from the row that describes it."""
        leased, frontier, applied_xid, snapshot, unassigned = row[:5]
        status, generation, fingerprint, same_epoch, marks, flags = row[5:11]
        _touched, buffered_bytes, versions, facts, go = row[11:16]
        return cls(
            leased=leased,
            frontier=frontier,
            applied_xid=applied_xid,
            snapshot=snapshot,
            unassigned=unassigned,
            status=Status(status),
            generation=generation,
            fingerprint=fingerprint,
            same_epoch=same_epoch,
            marks=tuple(marks or ()),
            changed=tuple(
                name for name, flag in zip(prepared.sources, flags, strict=False) if flag
            ),
            buffered_bytes=buffered_bytes,
            versions=versions,
            facts=facts,
            go=go,
        )


def opened(prepared: Prepared, row: Row | None) -> Window:
    """Return the window that `row` describes; raise unless a refresh may use it."""
    table = prepared.table
    if row is None:
        raise SourceChangedError(f"stream table {table.name} was dropped meanwhile")
    window = Window.read(prepared, row)
    if not window.leased:
        raise ConflictError(f"another refresh of stream table {table.name} is running")
    if window.generation != table.generation:
        raise SourceChangedError(f"stream table {table.name} was changed meanwhile")
    if not window.unassigned:
        raise InternalError("the refresh transaction had written before it took its snapshot")
    return window
