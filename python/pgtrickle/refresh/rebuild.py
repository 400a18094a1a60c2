"""Rebuild: when changes may have been missed, capture is installed anew and storage is compared with the query.

The view and its storage stay: readers see the old rows until the difference is committed.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from pgtrickle.catalog import store
from pgtrickle.catalog.definitions import read_defined_relations
from pgtrickle.catalog.model import Action, RefreshReport, Scope, StreamTable
from pgtrickle.cdc.epoch import adopt_epoch
from pgtrickle.pg.execute import translated
from pgtrickle.refresh.apply import Outcome, apply, look, refreshing
from pgtrickle.refresh.capture import capture
from pgtrickle.refresh.engine import Auditor, refills, report
from pgtrickle.refresh.prepare import begin_steps, prepare

if TYPE_CHECKING:
    from pgtrickle.config import Settings
    from pgtrickle.pg.connection import Connection


def rebuild(
    connection: Connection,
    table: StreamTable,
    reason: str,
    settings: Settings,
    audit: Auditor | None = None,
) -> RefreshReport:
    """Bring a stream table back to the law after its capture was broken or its sources changed."""
    started = time.perf_counter()
    prepare(connection, table, settings)
    _recapture(connection, table, settings)
    adopt_epoch(connection, table.id, settings)
    table = store.load(connection, table.name)
    outcome = Outcome(Action.FULL, Scope.ALL, reason)
    with translated(f"rebuild stream table {table.name}"), refreshing(connection):
        fingerprint, moment = look(connection, table, begin_steps(table, settings))
        # Compiled here, from the catalog of the very snapshot whose fingerprint is stored.
        prepared = prepare(connection, table, settings)
        counts = apply(connection, prepared, refills(prepared), moment, outcome, commit=False)
        store.activate(connection, table.id, fingerprint=fingerprint, snapshot=moment.snapshot)
        if audit is not None:
            audit(prepared)
    return report(table, moment.snapshot, outcome, counts, started)


def _recapture(connection: Connection, table: StreamTable, settings: Settings) -> None:
    names = [dependency.source.relation for dependency in table.dependencies]
    relations = read_defined_relations(connection, names)
    for dependency in table.dependencies:
        capture(
            connection,
            relations[dependency.source.relation],
            dependency.columns,
            capture_failure=dependency.source.capture_failure,
            settings=settings,
        )
