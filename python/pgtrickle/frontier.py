"""A consumer's position: one PostgreSQL snapshot, never a sequence number.

A transaction that commits late keeps a low change_id and a low LSN; "greater than the last one" would skip
its rows for ever. So a batch is the difference of two snapshots. This module knows snapshots as values;
it never asks a server for one.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Iterable


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A `pg_snapshot` value: which transactions were complete at one moment."""

    xmin: int
    xmax: int
    in_progress: frozenset[int] = frozenset()

    @classmethod
    def parse(cls, text: str) -> Self:
        """Return the snapshot that PostgreSQL prints as `xmin:xmax:xip,xip`."""
        xmin, xmax, xips = text.split(":")
        return cls(int(xmin), int(xmax), frozenset(int(xip) for xip in xips.split(",") if xip))

    @override
    def __str__(self) -> str:
        return f"{self.xmin}:{self.xmax}:{','.join(map(str, sorted(self.in_progress)))}"

    def sees(self, xid: int) -> bool:
        """Return whether the effects of transaction `xid` are visible, as pg_visible_in_snapshot."""
        return xid < self.xmin or (xid < self.xmax and xid not in self.in_progress)

    def covers(self, other: Snapshot) -> bool:
        """Return whether every transaction that `other` sees is seen by this snapshot too."""
        beyond = max(0, other.xmax - self.xmax)
        if beyond > sum(xid >= self.xmax for xid in other.in_progress):
            return False
        return not any(other.sees(xid) for xid in self.in_progress)


@dataclass(frozen=True, slots=True)
class Frontier:
    """What a consumer has applied: all that `snapshot` sees, and its own last transaction.

    Rows that a refresh itself wrote to a buffer are consumed by downstream members of the same
    transaction, yet are not visible in its snapshot: `applied_xid` names them.
    """

    snapshot: Snapshot
    applied_xid: int | None = None

    def consumed(self, xid: int) -> bool:
        """Return whether rows of transaction `xid` have been applied."""
        return xid == self.applied_xid or self.snapshot.sees(xid)


def meet(snapshots: Iterable[Snapshot]) -> Snapshot | None:
    """Return the snapshot that sees exactly what every given one sees; None when there is none.

    Least xmin, least xmax, union of the lists of transactions in progress. Choosing one snapshot as "the oldest"
    would drop rows of a transaction that another one still waits for.
    """
    found = list(snapshots)
    if not found:
        return None
    xmin = min(snapshot.xmin for snapshot in found)
    xmax = min(snapshot.xmax for snapshot in found)
    waiting = frozenset[int]().union(*(snapshot.in_progress for snapshot in found))
    return Snapshot(xmin, xmax, frozenset(xid for xid in waiting if xid < xmax))
