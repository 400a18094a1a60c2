"""One refresh is one REPEATABLE READ transaction: locks, then the snapshot, the delta, the apply, the frontier.

The order is what makes it exact. Locks come before the snapshot, so no TRUNCATE can change what the snapshot reads; the tree of
partitions is compared with the live one after the delta ran; the frontier moves in the transaction that wrote the rows.
"""

from __future__ import annotations

import random
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

import psycopg

from pgtrickle.catalog import fingerprint, store
from pgtrickle.catalog.model import Action, RefreshReport, Scope, Status, StreamTable
from pgtrickle.cdc.cleanup import clean_up, empty_stage_buffers
from pgtrickle.dvm.render import storage as stored
from pgtrickle.engines.postgres import Step, run
from pgtrickle.errors import (
    ConflictError,
    DatabaseError,
    LayoutChangedError,
    PgtrickleError,
    QueryError,
    RefreshError,
    SourceChangedError,
    SourceError,
    SuspendedError,
)
from pgtrickle.pg.connection import roll_back
from pgtrickle.pg.execute import translated
from pgtrickle.refresh.apply import Counts, Outcome, apply, refreshing
from pgtrickle.refresh.decide import Decision, Delta, Full, Rebuild, Skip, WindowFacts, decide
from pgtrickle.refresh.repeat import Guess, guess, repeat
from pgtrickle.refresh.window import Window, opened

if TYPE_CHECKING:
    from collections.abc import Callable

    from pgtrickle.config import Settings
    from pgtrickle.dvm.schema import QualifiedName
    from pgtrickle.pg.connection import Connection
    from pgtrickle.refresh.plans import Plans
    from pgtrickle.refresh.prepare import Prepared


Auditor: TypeAlias = "Callable[[Prepared], None]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """How one refresh is wanted; `audit` runs inside its transaction, on its rows and its snapshot."""

    full: bool = False
    include_suspended: bool = False
    audit: Auditor | None = None


AS_USUAL = Request()


@dataclass(slots=True)
class RefreshEngine:
    """Refreshes stream tables over one connection; remembers plans, never positions."""

    connection: Connection
    settings: Settings
    plans: Plans
    rebuild: Callable[[StreamTable, str, Auditor | None], RefreshReport]
    prepared: dict[QualifiedName, Prepared] = field(default_factory=dict)
    intact: dict[QualifiedName, tuple[str, str]] = field(default_factory=dict)
    guesses: dict[QualifiedName, Guess] = field(default_factory=dict)

    def refresh(self, name: QualifiedName, request: Request = AS_USUAL) -> RefreshReport:
        """Bring one stream table to the present; repeat when another transaction was in the way."""
        attempt = 1
        while True:
            try:
                report = self._once(name, request)
            except (ConflictError, SourceChangedError):
                self.forget(name)
                if attempt >= self.settings.conflict_attempts:
                    raise
            else:
                self.plans.save()
                return report
            time.sleep(random.uniform(0.01, 0.05) * attempt)  # noqa: S311 - jitter, not a secret
            attempt += 1

    def forget(self, name: QualifiedName) -> None:
        """Load the stream table anew at its next refresh."""
        self.prepared.pop(name, None)
        self.intact.pop(name, None)
        self.guesses.pop(name, None)

    def clear(self) -> None:
        """Forget everything that was compiled, and load every stream table anew."""
        self.prepared.clear()
        self.intact.clear()
        self.guesses.clear()
        self.plans.clear()

    def _once(self, name: QualifiedName, request: Request) -> RefreshReport:
        started = time.perf_counter()
        try:
            table = self._prepared(name)
        except LayoutChangedError as changed:
            return self._rebuild(store.load(self.connection, name), changed.message, request)
        window: Window | None = None
        try:
            with translated(f"refresh stream table {name}"), refreshing(self.connection):
                repeated = self._repeat(table) if request == AS_USUAL else None
                if repeated is not None:
                    seen, outcome, counts = repeated
                    self._clean_up(table, seen)
                    return report(table.table, seen.snapshot, outcome, counts, started)
                window = self._window(table)
                require_refreshable(table.table.name, window.status, request)
                same, tree = self._shape(table, window)
                facts = self._facts(table, window, same_fingerprint=same, full=request.full)
                decision = decide(facts)
                done = self._act(table, window, decision, tree, request)
                if request.audit is not None and not isinstance(decision, Rebuild):
                    request.audit(table)
        except (QueryError, DatabaseError) as error:
            raise self._cause(table.table, window, error) from error
        if isinstance(decision, Rebuild):
            self.forget(name)
            return self._rebuild(table.table, decision.reason, request)
        self._clean_up(table, window)
        return report(table.table, window.snapshot, *done, started)

    def _repeat(self, prepared: Prepared) -> tuple[Window, Outcome, Counts] | None:
        """Try to refresh in one round trip; return what was done, or None where it takes more than a repetition."""
        name = prepared.table.name
        guessed = self.guesses.pop(name, None)
        if guessed is None:
            return None
        try:
            window, counts = repeat(self.connection, prepared, guessed)
        except (psycopg.ProgrammingError, psycopg.IntegrityError):
            # The statements were for other facts, or another refresh was first: the usual way finds out, and tells.
            roll_back(self.connection)
            return None
        if counts is not None:
            self.guesses[name] = guessed
            return window, guessed.outcome, counts
        same = self.intact.get(name) == (window.versions, window.fingerprint)
        decision = decide(self._facts(prepared, window, same_fingerprint=same, full=False))
        if isinstance(decision, Skip) and window.status is Status.ACTIVE:
            self.guesses[name] = guessed
            return window, Outcome(Action.NO_DATA, Scope.DELTA, decision.reason), Counts()
        return None

    def _rebuild(self, table: StreamTable, reason: str, request: Request) -> RefreshReport:
        require_refreshable(table.name, table.status, request)
        return self.rebuild(table, reason, request.audit)

    def _cause(
        self, table: StreamTable, window: Window | None, error: PgtrickleError
    ) -> PgtrickleError:
        """Return what it means that a statement failed: another transaction was first, or the sources changed.

        Another refresh may commit between the snapshot of this one and its lease. The rows it stored are then not seen, and
        stored again: refused by the key, before the frontier would be.
        """
        now = store.load(self.connection, table.name)
        if (now.id, now.generation) != (table.id, table.generation):
            return SourceChangedError(f"stream table {table.name} was changed meanwhile")
        if window is not None and now.frontier != window.read_from:
            return ConflictError(f"another refresh of stream table {table.name} was first")
        if isinstance(error, QueryError):
            return SourceError(
                f"the query of stream table {table.name} no longer fits its sources",
                detail=error.message,
                hint="Restore the source and refresh, or give it another query with alter_stream_table.",
            )
        return error

    def _clean_up(self, prepared: Prepared, window: Window) -> None:
        """Remove what all consumers have applied from buffers that have grown."""
        if window.buffered_bytes >= self.settings.cleanup_at_bytes:
            for dependency in prepared.table.dependencies:
                clean_up(self.connection, dependency.source, settings=self.settings)
        if prepared.stage_buffers and window.changed:
            empty_stage_buffers(self.connection, prepared.stage_buffers)

    def _prepared(self, name: QualifiedName) -> Prepared:
        if name not in self.prepared:
            table = store.load(self.connection, name)
            self.prepared[name] = self.plans.prepare(table)
        return self.prepared[name]

    def _window(self, prepared: Prepared) -> Window:
        """Lock the sources, then take the lease, the frontier, the snapshot and the changed set in one statement."""
        row = run(self.connection, [*prepared.begin, Step(prepared.window, (None,))])[-1]
        return opened(prepared, row)

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
        request: Request,
    ) -> tuple[Outcome, Counts]:
        match decision:
            case Skip(reason) | Rebuild(reason):
                return Outcome(Action.NO_DATA, Scope.DELTA, reason), Counts()
            case Delta(changed):
                changes, scope = self._changes(prepared, window, changed)
                outcome = Outcome(Action.DIFFERENTIAL, scope, "changes in the window")
            case Full(reason):
                changes = [Step(self.plans.refill(prepared, part)) for part in prepared.parts]
                outcome = Outcome(Action.FULL, Scope.ALL, reason)
        commit = request.audit is None
        counts = apply(self.connection, prepared, changes, tree, outcome, commit=commit)
        if isinstance(decision, Delta) and request == AS_USUAL:
            guessed = guess(prepared, window, changes, outcome)
            if guessed is not None:
                self.guesses[prepared.table.name] = guessed
        return outcome, counts

    def _changes(
        self, prepared: Prepared, window: Window, changed: tuple[QualifiedName, ...]
    ) -> tuple[list[Step], Scope]:
        """Return the statements that apply the window: each stage that may have changed, then the whole."""
        steps: list[Step] = []
        scope = Scope.DELTA
        moved = set(changed)
        for part in prepared.parts:
            mine = part.facts.reads & moved
            if not mine:
                continue
            text = self.plans.delta(prepared, part, mine)
            steps.append(Step(sized(text, window.buffered_bytes)))
            if not part.facts.reads_window:
                scope = Scope.ALL
            moved.add(part.storage.name)
        return steps, scope


def require_refreshable(name: QualifiedName, status: Status, request: Request) -> None:
    """Raise unless the stream table is filled, and active or asked for all the same."""
    if status is Status.POPULATING:
        raise RefreshError(
            f"stream table {name} is still being created",
            hint="Wait for create_stream_table, or drop it if its creator is gone.",
        )
    if status is Status.SUSPENDED and not request.include_suspended:
        raise SuspendedError(
            f"stream table {name} is suspended",
            hint="Make it active with alter_stream_table(status='ACTIVE'), or refresh it"
            " once with include_suspended=True.",
        )


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
