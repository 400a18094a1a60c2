"""The audit: stored rows against the defining query, inside the refresh's own transaction and snapshot."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgtrickle.catalog.model import RefreshReport, VerifyReport
from pgtrickle.dvm.render.storage import differences
from pgtrickle.engines.postgres import Step, run
from pgtrickle.errors import RefreshError

if TYPE_CHECKING:
    from pgtrickle.pg.connection import Connection
    from pgtrickle.refresh.prepare import Prepared


@dataclass(slots=True)
class Audit:
    """Compares when called by the refresh; `report` tells what was found."""

    connection: Connection
    found: tuple[int, int, int] | None = None

    def __call__(self, prepared: Prepared) -> None:
        """Count missing rows, extra rows and all rows of `prepared`."""
        text = differences(prepared.plan, prepared.storage, prepared.table.name)
        row = run(self.connection, [Step(text)])[0]
        self.found = (row[0], row[1], row[2]) if row else None

    def report(self, refresh: RefreshReport) -> VerifyReport:
        """Return the audit of the snapshot that `refresh` read."""
        if self.found is None:
            raise RefreshError("the refresh ended without an audit")
        missing, extra, rows = self.found
        return VerifyReport(
            stream_table=refresh.stream_table,
            matches=missing == 0 and extra == 0,
            missing=missing,
            extra=extra,
            rows=rows,
            snapshot=refresh.snapshot,
        )
