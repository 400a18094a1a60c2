"""The audit: stored rows against the defining query, inside the refresh's own transaction and snapshot.

Both sides stream through the core, which sums each to a fingerprint of 128 bits in constant memory. Equal fingerprints prove
that the rows are the same, down to how each value looks. Different ones are only a suspicion, because equal values may look different
(1.0 and 1.00): then the database compares, decides, and shows the rows that differ.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgtrickle._core import CopyError, MultisetHasher
from pgtrickle.catalog.model import Difference, DifferenceKind, RefreshReport, VerifyReport
from pgtrickle.catalog.wire import wire
from pgtrickle.dvm.render import audit
from pgtrickle.errors import InternalError, RefreshError
from pgtrickle.pg.copy import copy_out

if TYPE_CHECKING:
    from pgtrickle.pg.connection import Connection
    from pgtrickle.refresh.prepare import Prepared

# Differing rows of a kind that a report holds; it counts all.
SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Findings:
    """What an audit found."""

    rows: int
    missing: int = 0
    extra: int = 0
    unlike: int = 0
    differences: tuple[Difference, ...] = ()


@dataclass(slots=True)
class Audit:
    """Compares when called by the refresh; `report` tells what was found."""

    connection: Connection
    found: Findings | None = None

    def __call__(self, prepared: Prepared) -> None:
        """Compare the rows of `prepared` with its query."""
        stored = audit.stored_rows(prepared.plan, prepared.table.name)
        rows, seen = fingerprint(self.connection, stored)
        expected = fingerprint(self.connection, audit.wanted_rows(prepared.plan))
        if (rows, seen) == expected:
            self.found = Findings(rows=rows)
        else:
            self.found = compare(self.connection, prepared, rows)

    def report(self, refresh: RefreshReport) -> VerifyReport:
        """Return the audit of the snapshot that `refresh` read."""
        found = self.found
        if found is None:
            raise RefreshError("the refresh ended without an audit")
        return VerifyReport(
            stream_table=refresh.stream_table,
            matches=found.missing == 0 and found.extra == 0,
            missing=found.missing,
            extra=found.extra,
            unlike=found.unlike,
            rows=found.rows,
            differences=found.differences,
            snapshot=refresh.snapshot,
        )


def fingerprint(connection: Connection, query: str) -> tuple[int, str]:
    """Return the number of rows of `query` and the sum of their hashes: the same for the same rows in any order.

    The types of the columns count too, so the same bytes of another type have another sum.
    """
    sent = wire(connection, query)
    hasher = MultisetHasher([column.type_oid for column in sent.columns])
    try:
        for chunk in copy_out(connection, sent.copy):
            hasher.update(chunk)
        return hasher.finish()
    except CopyError as error:
        raise InternalError("the core cannot read what COPY sent") from error


def compare(connection: Connection, prepared: Prepared, rows: int) -> Findings:
    """Let the database find the rows that differ, among `rows` stored ones and those of the query."""
    plan, storage, view = prepared.plan, prepared.storage, prepared.table.name
    statement = audit.differences(plan, storage, view, shown=SHOWN)
    found = connection.execute(statement.encode()).fetchall()
    totals = {kind: total for kind, total, _ in found}
    missing = totals.get(DifferenceKind.MISSING, 0)
    return Findings(
        rows=rows,
        missing=missing,
        extra=totals.get(DifferenceKind.EXTRA, 0),
        unlike=_unlike(connection, prepared, missing),
        differences=tuple(
            Difference(
                kind=DifferenceKind(kind),
                row=dict(zip(plan.visible, values, strict=True)),
            )
            for kind, _, values in found
        ),
    )


def _unlike(connection: Connection, prepared: Prepared, missing: int) -> int:
    """Return how many rows look different from the query's beside those that are `missing`."""
    plan, storage, view = prepared.plan, prepared.storage, prepared.table.name
    if not audit.may_look_different(plan, storage):
        return 0
    counted = connection.execute(audit.unlike_images(plan, storage, view).encode()).fetchone()
    return max(0, counted[0] - missing) if counted else 0
