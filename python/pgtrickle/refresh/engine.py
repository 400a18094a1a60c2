"""One refresh is one REPEATABLE READ transaction: locks, then the snapshot, the delta, the apply, the frontier.

The order is what makes it exact. Locks come before the snapshot, so no TRUNCATE can change what the snapshot reads; the tree of
partitions is compared with the live one after the delta ran; the frontier moves in the transaction that wrote the rows.
"""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from pgtrickle.catalog import fingerprint, store
from pgtrickle.catalog.model import Action, RefreshReport, Scope, Status, StreamTable
from pgtrickle.cdc.cleanup import clean_up, empty_stage_buffers
from pgtrickle.dvm.render import storage as stored
from pgtrickle.dvm.render.delta import delta, reads_window
from pgtrickle.engines.postgres import Step, run
from pgtrickle.errors import (
    ConflictError,
    InternalError,
    LayoutChangedError,
    QueryError,
    RefreshError,
    SourceChangedError,
    SourceError,
    SuspendedError,
)
from pgtrickle.pg.execute import translated
from pgtrickle.refresh.apply import Counts, Moment, Outcome, apply, refreshing
from pgtrickle.refresh.decide import Decision, Delta, Full, Rebuild, Skip, WindowFacts, decide
from pgtrickle.refresh.prepare import Prepared, prepare
from pgtrickle.refresh.window import Window

if TYPE_CHECKING:
    from collections.abc import Set as AbstractSet

    from pgtrickle._core import PlanCache
    from pgtrickle.config import Settings
    from pgtrickle.dvm.schema import QualifiedName
    from pgtrickle.pg.connection import Connection


# Parts and stages have negative numbers in the key of a plan, sources positive ones.
MAX_PARTS = 1_000_000

Auditor: TypeAlias = Callable[[Prepared], None]


@dataclass(slots=True)
class RefreshEngine:
    """Refreshes stream tables over one connection; remembers plans, never positions."""

    connection: Connection
    settings: Settings
    plans: PlanCache
    rebuild: Callable[[StreamTable, str, Auditor | None], RefreshReport]
    prepared: dict[QualifiedName, Prepared] = field(default_factory=dict)
    intact: dict[QualifiedName, tuple[str, str]] = field(default_factory=dict)
    woken: set[QualifiedName] = field(default_factory=set)

    def refresh(
        self,
        name: QualifiedName,
        *,
        full: bool = False,
        audit: Auditor | None = None,
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
            time.sleep(random.uniform(0.01, 0.05) * attempt)  # noqa: S311 - jitter, not a secret
            attempt += 1

    def forget(self, name: QualifiedName) -> None:
        """Load the stream table anew at its next refresh."""
        self.prepared.pop(name, None)
        self.intact.pop(name, None)

    def _once(self, name: QualifiedName, *, full: bool, audit: Auditor | None) -> RefreshReport:
        started = time.perf_counter()
        try:
            table = self._prepared(name)
        except LayoutChangedError as changed:
            return self.rebuild(store.load(self.connection, name), changed.message, audit)
        try:
            with translated(f"refresh stream table {name}"), refreshing(self.connection):
                window = self._window(table)
                same, tree = self._shape(table, window)
                decision = decide(self._facts(table, window, same_fingerprint=same, full=full))
                done = self._act(table, window, decision, tree, commit=audit is None)
                if audit is not None and not isinstance(decision, Rebuild):
                    audit(table)
        except QueryError as error:
            raise self._misfit(table.table, error) from error
        if isinstance(decision, Rebuild):
            self.forget(name)
            return self.rebuild(table.table, decision.reason, audit)
        if window.buffered_bytes >= self.settings.cleanup_at_bytes:
            self._clean_up(table)
        if table.stage_buffers and isinstance(decision, Delta | Full):
            empty_stage_buffers(self.connection, table.stage_buffers)
        return report(table.table, window.snapshot, *done, started)

    def _misfit(self, table: StreamTable, error: QueryError) -> SourceError:
        """Return what it means that a statement no longer fits: the stream table changed, or its sources did."""
        now = store.load(self.connection, table.name)
        if (now.id, now.generation) != (table.id, table.generation):
            return SourceChangedError(f"stream table {table.name} was changed meanwhile")
        return SourceError(
            f"the query of stream table {table.name} no longer fits its sources",
            detail=error.message,
            hint="Restore the source and refresh, or give it another query with alter_stream_table.",
        )

    def _clean_up(self, prepared: Prepared) -> None:
        """Remove what all consumers have applied from buffers that have grown."""
        for dependency in prepared.table.dependencies:
            clean_up(self.connection, dependency.source, settings=self.settings)

    def _prepared(self, name: QualifiedName) -> Prepared:
        if name not in self.prepared:
            table = store.load(self.connection, name)
            if table.status is Status.POPULATING:
                raise RefreshError(
                    f"stream table {name} is still being created",
                    hint="Wait for create_stream_table, or drop it if its creator is gone.",
                )
            if table.status is Status.SUSPENDED and name not in self.woken:
                raise SuspendedError(
                    f"stream table {name} is suspended",
                    hint="Make it active with alter_stream_table(status='ACTIVE'), or refresh it"
                    " once with include_suspended=True.",
                )
            self.prepared[name] = prepare(self.connection, table, self.settings)
        return self.prepared[name]

    def _window(self, prepared: Prepared) -> Window:
        """Lock the sources, then take the lease, the frontier, the snapshot and the changed set in one statement."""
        table = prepared.table
        row = run(self.connection, [*prepared.begin, Step(prepared.window)])[-1]
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

    def _shape(self, prepared: Prepared, window: Window) -> tuple[bool, str]:
        """Return whether the sources are as they were stored, and their tree of partitions.

        The fingerprint is computed again only when a version of a catalog row that it reads is new.
        """
        name = prepared.table.name
        seen = (window.versions, window.fingerprint)
        if not prepared.partitioned and self.intact.get(name) == seen:
            return True, ""
        row = run(self.connection, [Step(fingerprint.AT_SNAPSHOT, (prepared.table.id,))])[0]
        found, tree = row if row else ("", "")
        if found == window.fingerprint:
            self.intact[name] = seen
        return found == window.fingerprint, tree

    def _facts(
        self, prepared: Prepared, window: Window, *, same_fingerprint: bool, full: bool
    ) -> WindowFacts:
        return WindowFacts(
            mode=prepared.table.effective_mode,
            changed=window.changed,
            marks=window.marks,
            same_epoch=window.same_epoch,
            same_fingerprint=same_fingerprint,
            skippable=prepared.skippable,
            full_requested=full,
        )

    def _act(
        self,
        prepared: Prepared,
        window: Window,
        decision: Decision,
        tree: str,
        *,
        commit: bool,
    ) -> tuple[Outcome, Counts]:
        match decision:
            case Skip(reason) | Rebuild(reason):
                return Outcome(Action.NO_DATA, Scope.DELTA, reason), Counts()
            case Delta(changed):
                changes, scope = self._changes(prepared, window, changed)
                outcome = Outcome(Action.DIFFERENTIAL, scope, "changes in the window")
            case Full(reason):
                changes = refills(prepared)
                outcome = Outcome(Action.FULL, Scope.ALL, reason)
        moment = Moment(window.snapshot, tree, window.touched)
        counts = apply(self.connection, prepared, changes, moment, outcome, commit=commit)
        return outcome, counts

    def _changes(
        self, prepared: Prepared, window: Window, changed: tuple[QualifiedName, ...]
    ) -> tuple[list[Step], Scope]:
        """Return the statements that apply the window: each stage that may have changed, then the whole."""
        steps: list[Step] = []
        scope = Scope.DELTA
        moved = set(changed)
        for number, part in enumerate(prepared.parts):
            mine = part.reads & moved
            if not mine:
                continue
            text = sized(self._delta_text(prepared, number, mine), window.buffered_bytes)
            if reads_window(part.plan):
                steps.append(Step(text, (window.frontier, window.applied_xid)))
            else:
                steps.append(Step(text))
                scope = Scope.ALL
            moved.add(part.storage.name)
        return steps, scope

    def _delta_text(
        self, prepared: Prepared, number: int, changed: AbstractSet[QualifiedName]
    ) -> str:
        """Return the apply statement of one part for this changed set, compiled once per generation."""
        table, part = prepared.table, prepared.parts[number]
        known = {d.source.relation: int(d.source.id) for d in table.dependencies}
        known.update({each.storage.name: -1 - i for i, each in enumerate(prepared.parts)})
        ids = [known[part.storage.name] - MAX_PARTS, *sorted(known[name] for name in changed)]
        text = self.plans.get(table.id, table.generation, ids)
        if text is None:
            text = delta(part.plan, part.storage, prepared.buffers, changed)
            self.plans.put(table.id, table.generation, ids, text)
        return text


def sized(text: str, buffered_bytes: int) -> str:
    """Return the statement marked with the window's order of magnitude.

    A prepared statement keeps the plan of its first use; a plan for ten changes is not one for a million, so each
    magnitude is a statement of its own.
    """
    return f"{text} -- {len(str(buffered_bytes))}"


def refills(prepared: Prepared) -> list[Step]:
    """Return the statements that compare each stage, then the whole, with what it should be."""
    return [Step(stored.refill(part.plan, part.storage)) for part in prepared.parts]


def report(
    table: StreamTable, snapshot: str, outcome: Outcome, counts: Counts, started: float
) -> RefreshReport:
    """Return what a refresh did, timed from `started`."""
    return RefreshReport(
        stream_table=str(table.name),
        action=outcome.action,
        scope=outcome.scope,
        reason=outcome.reason,
        inserted=counts.inserted,
        updated=counts.updated,
        deleted=counts.deleted,
        elapsed_ms=(time.perf_counter() - started) * 1000,
        snapshot=snapshot,
    )
