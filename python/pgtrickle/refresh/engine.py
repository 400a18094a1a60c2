"""One refresh is one REPEATABLE READ transaction: locks, then the snapshot, the delta, the apply, the frontier.

The order is what makes it exact. Locks come before the snapshot, so no TRUNCATE can change what the snapshot reads; the tree of
partitions is compared with the live one after the delta ran; the frontier moves in the transaction that wrote the rows.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from psycopg.pq import TransactionStatus

from pgtrickle._core import PlanCache
from pgtrickle.catalog import fingerprint, store
from pgtrickle.catalog.model import Action, RefreshReport, Scope, Status, StreamTable
from pgtrickle.dvm.render import storage as stored
from pgtrickle.dvm.render.delta import delta
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.engines.postgres import Row, Step, run
from pgtrickle.errors import (
    ConflictError,
    InternalError,
    QueryError,
    RefreshError,
    SourceChangedError,
    SourceError,
    UnknownStreamTableError,
)
from pgtrickle.pg.execute import translated
from pgtrickle.pg.lease import refresh_key
from pgtrickle.pg.statement import statement
from pgtrickle.refresh.decide import Decision, Delta, Full, Rebuild, Skip, WindowFacts, decide
from pgtrickle.refresh.prepare import Prepared, prepare
from pgtrickle.refresh.window import Window

if TYPE_CHECKING:
    from pgtrickle.config import Settings
    from pgtrickle.pg.connection import Connection

FINISH = statement("pgtrickle.refresh.statements", "finish.sql")


@dataclass(slots=True)
class RefreshEngine:
    """Refreshes stream tables over one connection; remembers plans, never positions."""

    connection: Connection
    settings: Settings
    plans: PlanCache
    rebuild: Callable[[StreamTable, str], RefreshReport]
    prepared: dict[QualifiedName, Prepared] = field(default_factory=dict)

    def refresh(
        self, name: QualifiedName, *, full: bool = False, audit: Callable[[Prepared], Any] | None = None
    ) -> RefreshReport:
        """Bring one stream table to the present; repeat when another transaction was in the way.

        `audit` runs inside the transaction, on the rows and the snapshot of this refresh.
        """
        attempt = 1
        while True:
            try:
                return self._once(name, full=full, audit=audit)
            except (ConflictError, SourceChangedError):
                self.forget(name)
                if attempt >= self.settings.conflict_attempts:
                    raise
            time.sleep(random.uniform(0.01, 0.05) * attempt)  # noqa: S311
            attempt += 1

    def forget(self, name: QualifiedName) -> None:
        """Load the stream table anew at its next refresh."""
        self.prepared.pop(name, None)

    def _once(
        self, name: QualifiedName, *, full: bool, audit: Callable[[Prepared], Any] | None
    ) -> RefreshReport:
        started = time.perf_counter()
        table = self._prepared(name)
        try:
            with translated(f'refresh stream table "{name}"'):
                window = self._open(table)
                decision = decide(self._facts(table, window, full=full))
                report = self._act(table, window, decision, started)
                if audit is not None and not isinstance(decision, Rebuild):
                    audit(table)
                self.connection.execute("COMMIT", prepare=False)
        except QueryError as error:
            self._roll_back()
            raise SourceError(
                f'the query of stream table "{name}" no longer fits its sources',
                detail=error.message,
                hint="Restore the source and refresh, or drop the stream table and create it anew.",
            ) from error
        except BaseException:
            self._roll_back()
            raise
        if isinstance(decision, Rebuild):
            self.forget(name)
            return self.rebuild(table.table, decision.reason)
        return report

    def _prepared(self, name: QualifiedName) -> Prepared:
        if name not in self.prepared:
            table = store.load(self.connection, name)
            if table.status is Status.POPULATING:
                raise RefreshError(
                    f'stream table "{name}" is still being created',
                    hint="Wait for create_stream_table, or drop it if its creator is gone.",
                )
            self.prepared[name] = prepare(self.connection, table, self.settings)
        return self.prepared[name]

    def _open(self, prepared: Prepared) -> Window:
        """Take the locks, then in one round trip the lease, the frontier, the snapshot and the changed set."""
        table = prepared.table
        self.connection.execute(prepared.begin, prepare=False)
        lease = refresh_key(table.id)
        sources = [dependency.source.id for dependency in table.dependencies]
        rows = run(
            self.connection,
            [
                Step(prepared.window, (lease.space, lease.object, table.id, sources)),
                Step(fingerprint.AT_SNAPSHOT, (table.id,)),
            ],
        )
        if rows[0] is None:
            raise UnknownStreamTableError(f'stream table "{table.name}" does not exist any more')
        window = Window.read(prepared, rows[0], rows[1])
        if not window.leased:
            raise ConflictError(f'another refresh of stream table "{table.name}" is running')
        if window.generation != table.generation:
            raise SourceChangedError(f'stream table "{table.name}" was changed meanwhile')
        if not window.unassigned:
            raise InternalError("the refresh transaction had written before it took its snapshot")
        return window

    def _facts(self, prepared: Prepared, window: Window, *, full: bool) -> WindowFacts:
        return WindowFacts(
            mode=prepared.table.effective_mode,
            changed=window.changed,
            marks=window.marks,
            same_epoch=window.same_epoch,
            same_fingerprint=window.same_fingerprint,
            skippable=prepared.skippable,
            full_requested=full,
        )

    def _act(
        self, prepared: Prepared, window: Window, decision: Decision, started: float
    ) -> RefreshReport:
        match decision:
            case Skip(reason) | Rebuild(reason):
                return _report(prepared, window, (Action.NO_DATA, Scope.DELTA, reason), None, started)
            case Delta(changed):
                position = (window.frontier, window.applied_xid)
                apply = Step(self._delta_text(prepared, changed), position)
                outcome = (Action.DIFFERENTIAL, Scope.DELTA, "changes in the window")
            case Full(reason):
                apply = Step(stored.refill(prepared.plan, prepared.storage))
                outcome = (Action.FULL, Scope.ALL, reason)
        counts = self._apply(prepared, window, apply, outcome)
        return _report(prepared, window, outcome, counts, started)

    def _apply(
        self, prepared: Prepared, window: Window, apply: Step, outcome: tuple[Action, Scope, str]
    ) -> Row | None:
        table = prepared.table
        action, scope, reason = outcome
        finish = (table.id, prepared.storage_oid, window.snapshot, action.value, scope.value, reason)
        steps = [apply, Step(fingerprint.LIVE, (table.id,)), Step(FINISH, finish)]
        _, live, counts = run(self.connection, steps)
        if live is None or live[0] != window.tree:
            raise SourceChangedError(
                f'a source of stream table "{table.name}" changed its partitions during the refresh',
                hint="The next refresh reads the new shape.",
            )
        return counts

    def _delta_text(self, prepared: Prepared, changed: tuple[QualifiedName, ...]) -> str:
        """Return the apply statement for this changed set, compiled once per generation."""
        table = prepared.table
        ids = [d.source.id for d in table.dependencies if d.source.relation in changed]
        text = self.plans.get(table.id, table.generation, ids)
        if text is None:
            text = delta(prepared.plan, prepared.storage, prepared.buffers, changed)
            self.plans.put(table.id, table.generation, ids, text)
        return text

    def _roll_back(self) -> None:
        connection = self.connection
        if not connection.closed and connection.info.transaction_status != TransactionStatus.IDLE:
            connection.execute("ROLLBACK", prepare=False)


def _report(
    prepared: Prepared,
    window: Window,
    outcome: tuple[Action, Scope, str],
    counts: Row | None,
    started: float,
) -> RefreshReport:
    action, scope, reason = outcome
    inserted, updated, deleted = counts or (0, 0, 0)
    return RefreshReport(
        stream_table=str(prepared.table.name),
        action=action,
        scope=scope,
        reason=reason,
        inserted=inserted,
        updated=updated,
        deleted=deleted,
        elapsed_ms=(time.perf_counter() - started) * 1000,
        snapshot=window.snapshot,
    )
