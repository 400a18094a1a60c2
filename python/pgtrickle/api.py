"""The client: what a person does with stream tables, over one connection.

with pgtrickle.connect("postgresql://…") as client:
    client.install()
    client.create_stream_table("revenue", "SELECT region, sum(amount) AS total FROM orders GROUP BY region")
    client.refresh_stream_table("revenue")
"""

from __future__ import annotations

import os
import warnings
from contextlib import ExitStack
from typing import TYPE_CHECKING, Self

from pgtrickle import embedded
from pgtrickle._core import PlanCache
from pgtrickle.catalog import migrate, plans, store
from pgtrickle.catalog.introspect import describe_query
from pgtrickle.catalog.model import (
    CaptureFailure,
    RefreshMode,
    RefreshRecord,
    RefreshReport,
    Status,
    StreamTable,
    VerifyReport,
)
from pgtrickle.catalog.names import existing_name, new_name
from pgtrickle.cdc import cleanup
from pgtrickle.config import Settings
from pgtrickle.dag.graph import waves
from pgtrickle.dvm.normalise.passes import rewrites
from pgtrickle.dvm.parse.read import read
from pgtrickle.errors import (
    ConfigurationError,
    DuplicateNameError,
    PgtrickleError,
    PgtrickleWarning,
    SuspendedError,
    UnknownStreamTableError,
)
from pgtrickle.monitor.explain import Explanation, explain
from pgtrickle.monitor.status import BufferSize, TableStatus, buffer_sizes, table_status
from pgtrickle.monitor.validation import Validation, validation
from pgtrickle.pg.connection import connect as open_connection
from pgtrickle.refresh import create as creation
from pgtrickle.refresh.alter import Alteration, alter
from pgtrickle.refresh.drop import drop, drop_abandoned
from pgtrickle.refresh.engine import AS_USUAL, RefreshEngine, Request
from pgtrickle.refresh.plans import CacheReport, Plans
from pgtrickle.refresh.prepare import prepare
from pgtrickle.refresh.rebuild import rebuild
from pgtrickle.refresh.verify import Audit

if TYPE_CHECKING:
    from pathlib import Path
    from types import TracebackType

    from pgtrickle.dvm.normalise.passes import Rewrite
    from pgtrickle.dvm.schema import QualifiedName
    from pgtrickle.pg.connection import Connection

DEFAULT_SCHEDULE = "1s"


def connect(dsn: str | None = None, *, settings: Settings | None = None) -> Client:
    """Return a client for the database that `dsn` or the PG* variables name.

    With neither, an embedded PostgreSQL is started below the user's data directory, and a warning says where.
    """
    resources = ExitStack()
    if dsn is None and not any(
        name in os.environ for name in ("PGHOST", "PGDATABASE", "PGSERVICE", "PGPORT")
    ):
        server = resources.enter_context(embedded.default_server())
        dsn = server.dsn()
        _say_where(server.data_dir)
    try:
        connection = open_connection(dsn)
    except BaseException:
        resources.close()
        raise
    resources.callback(connection.close)
    return Client(connection, settings or Settings(), resources)


def _say_where(data_dir: Path) -> None:
    warnings.warn(
        f"no server was named: using the embedded PostgreSQL in {data_dir}",
        PgtrickleWarning,
        stacklevel=3,
    )


class Client:
    """Stream tables of one database. Not for use by several threads at once."""

    def __init__(
        self, connection: Connection, settings: Settings, resources: ExitStack | None = None
    ) -> None:
        self._connection = connection
        self._settings = settings
        self._resources = resources or ExitStack()
        self._engine = RefreshEngine(
            connection=connection,
            settings=settings,
            plans=Plans(connection, settings, PlanCache(settings.plan_cache_capacity)),
            rebuild=lambda table, reason, audit: rebuild(
                connection, table, reason, settings, audit
            ),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def dsn(self) -> str:
        """The connection string of this client's database, without the password."""
        return self._connection.info.dsn

    def close(self) -> None:
        """Close the connection, and stop the embedded server if this client started it."""
        self._resources.close()

    def install(self) -> int:
        """Create or upgrade the catalog; return its version. Safe to repeat."""
        version = migrate.install(self._connection)
        drop_abandoned(self._connection, self._settings)
        return version

    def uninstall(self, *, cascade: bool = False) -> None:
        """Remove every stream table, trigger and catalog object; sources are left as they were."""
        migrate.uninstall(self._connection, cascade=cascade, settings=self._settings)
        self._engine.clear()

    def create_stream_table(  # noqa: PLR0913 - the arguments are the product's vocabulary
        self,
        name: str,
        query: str,
        *,
        schedule: str = DEFAULT_SCHEDULE,
        refresh_mode: str = "AUTO",
        capture_failure: str = "rebuild",
        strict: bool = False,
        if_not_exists: bool = False,
    ) -> StreamTable:
        """Create a stream table for `query`, fill it, and return it as stored.

        AUTO falls back to FULL with a warning that names the reason; DIFFERENTIAL and `strict` refuse instead.
        """
        migrate.require_installed(self._connection)
        drop_abandoned(self._connection, self._settings)
        resolved = new_name(self._connection, name)
        request = creation.Request(
            name=resolved,
            query=query,
            schedule=schedule,
            refresh_mode=_mode(refresh_mode),
            capture_failure=_capture_failure(capture_failure),
            strict=strict,
        )
        try:
            planned = creation.plan(self._connection, request)
        except DuplicateNameError:
            if if_not_exists and (existing := self._find(resolved)):
                return existing
            raise
        for message in [
            *planned.fallback_warnings,
            *creation.create(self._connection, planned, self._settings),
        ]:
            warnings.warn(message, PgtrickleWarning, stacklevel=2)
        return store.load(self._connection, resolved)

    def drop_stream_table(self, name: str, *, cascade: bool = False) -> None:
        """Drop a stream table, and with `cascade` everything that reads it."""
        table = self._load(name)
        for dropped in drop(self._connection, table, cascade=cascade, settings=self._settings):
            self._engine.forget(dropped)

    def alter_stream_table(  # noqa: PLR0913 - the arguments are the product's vocabulary
        self,
        name: str,
        *,
        query: str | None = None,
        schedule: str | None = None,
        refresh_mode: str | None = None,
        status: str | None = None,
        capture_failure: str | None = None,
        cascade: bool = False,
    ) -> StreamTable:
        """Change a stream table while it is read, and return it as stored; what is not given stays.

        A new query keeps the view with its grants, and may add columns at the end. If it drops, retypes or moves
        columns, dependants stop it; `cascade` lets views among them be created again.
        """
        wanted = Alteration(
            query=query,
            schedule=schedule,
            refresh_mode=None if refresh_mode is None else _mode(refresh_mode),
            status=None if status is None else _status(status),
            capture_failure=None if capture_failure is None else _capture_failure(capture_failure),
            cascade=cascade,
        )
        migrate.require_installed(self._connection)
        drop_abandoned(self._connection, self._settings)
        table = self._load(name)
        try:
            messages = alter(self._connection, table, wanted, self._settings)
        finally:
            self._engine.forget(table.name)
        for message in messages:
            warnings.warn(message, PgtrickleWarning, stacklevel=2)
        return store.load(self._connection, table.name)

    def refresh_stream_table(
        self, name: str, *, full: bool = False, include_suspended: bool = False
    ) -> RefreshReport:
        """Bring a stream table to the present and say what was done; a suspended one only when asked to."""
        resolved = self._resolve(name)
        return self._refresh(resolved, Request(full=full, include_suspended=include_suspended))

    def refresh_all(self) -> list[RefreshReport]:
        """Refresh every stream table, sources before those that read them, then clean the buffers.

        A table that fails is marked and does not stop the others; its error is warned about. A suspended one is left
        out, with a warning.
        """
        tables = {table.name: table for table in store.load_all(self._connection)}
        reports = []
        for name in (name for wave in waves(tables.values()) for name in wave):
            if tables[name].status is Status.POPULATING:
                continue
            if tables[name].status is Status.SUSPENDED:
                message = f"stream table {name} is suspended: it was left out"
                warnings.warn(message, PgtrickleWarning, stacklevel=2)
                continue
            try:
                reports.append(self._refresh(name, AS_USUAL))
            except PgtrickleError as error:
                warnings.warn(str(error), PgtrickleWarning, stacklevel=2)
        self.clean_up()
        return reports

    def clean_up(self) -> int:
        """Remove from all change buffers what every consumer has applied; return how many rows went."""
        return sum(
            cleanup.clean_up(self._connection, source) for source in store.sources(self._connection)
        )

    def verify(self, name: str) -> VerifyReport:
        """Refresh a stream table and compare it with its query, in one snapshot.

        `missing` rows are in the query and not in the table, `extra` rows the other way round; the report shows some of
        them. Both sides are read once when they agree, and compared by the database when they seem not to.
        """
        audit = Audit(self._connection)
        report = self._refresh(self._resolve(name), Request(audit=audit))
        return audit.report(report)

    def stream_tables(self) -> list[StreamTable]:
        """Return every stream table as stored, oldest first."""
        migrate.require_installed(self._connection)
        return store.load_all(self._connection)

    def status(self) -> list[TableStatus]:
        """Return how each stream table stands."""
        migrate.require_installed(self._connection)
        return table_status(self._connection)

    def change_buffer_sizes(self) -> list[BufferSize]:
        """Return the size of each change buffer."""
        migrate.require_installed(self._connection)
        return buffer_sizes(self._connection)

    def refresh_history(self, name: str | None = None, *, limit: int = 100) -> list[RefreshRecord]:
        """Return the latest refreshes that did something, newest first."""
        migrate.require_installed(self._connection)
        id_ = self._load(name).id if name is not None else None
        return store.history(self._connection, id_, limit)

    def validate_query(self, query: str) -> Validation:
        """Say how `query` would be maintained; nothing is created."""
        migrate.require_installed(self._connection)
        facts = describe_query(self._connection, None, query)
        creation.require_same_reading(self._connection, facts)
        return validation(facts, creation.compiled_for(self._connection, facts, RefreshMode.AUTO))

    def explain_query_rewrite(self, query: str) -> list[Rewrite]:
        """Say what each pass of the compiler makes of `query` before it is planned; nothing is created."""
        migrate.require_installed(self._connection)
        facts = describe_query(self._connection, None, query)
        return rewrites(read(facts.query), facts.schema)

    def explain_stream_table(self, name: str) -> Explanation:
        """Return the operator tree, keys, strategies, costs, missing indexes and delta SQL of a stream table."""
        ready = prepare(self._connection, self._load(name), self._settings)
        parts = [(part.plan, part.storage) for part in ready.parts]
        return explain(self._connection, ready.table, parts, ready.buffers)

    def clear_caches(self) -> None:
        """Forget every compiled plan, of this client and in the catalog; what is needed again is compiled again."""
        migrate.require_installed(self._connection)
        plans.clear(self._connection)
        self._engine.clear()

    def cache_report(self) -> CacheReport:
        """Return how often this client found a compiled plan, in its memory or in the catalog."""
        return self._engine.plans.report()

    def _refresh(self, name: QualifiedName, request: Request) -> RefreshReport:
        if name not in self._engine.prepared:
            migrate.require_installed(self._connection)
        try:
            report = self._engine.refresh(name, request)
        except (UnknownStreamTableError, SuspendedError):
            raise
        except PgtrickleError as error:
            if not error.retryable:
                self._record_failure(name, error)
            raise
        known = self._engine.prepared.get(name)
        if known is None or known.table.error is not None:
            store.clear_error(self._connection, store.load(self._connection, name).id)
            self._engine.forget(name)
        return report

    def _record_failure(self, name: QualifiedName, error: PgtrickleError) -> None:
        self._engine.forget(name)
        table = self._find(name)
        if table is not None and table.status is not Status.POPULATING:
            store.mark_error(self._connection, table.id, str(error))

    def _resolve(self, name: str) -> QualifiedName:
        return existing_name(self._connection, name)

    def _load(self, name: str) -> StreamTable:
        migrate.require_installed(self._connection)
        return store.load(self._connection, self._resolve(name))

    def _find(self, name: QualifiedName) -> StreamTable | None:
        try:
            return store.load(self._connection, name)
        except UnknownStreamTableError:
            return None


def _mode(value: str) -> RefreshMode:
    try:
        return RefreshMode(value.upper())
    except ValueError:
        raise ConfigurationError(
            f'unknown refresh mode "{value}"', hint=f"Use one of {', '.join(RefreshMode)}."
        ) from None


def _status(value: str) -> Status:
    allowed = (Status.ACTIVE, Status.SUSPENDED)
    if value.upper() not in allowed:
        raise ConfigurationError(
            f'a stream table cannot be altered to status "{value}"',
            hint=f"Use one of {', '.join(allowed)}.",
        )
    return Status(value.upper())


def _capture_failure(value: str) -> CaptureFailure:
    try:
        return CaptureFailure(value)
    except ValueError:
        raise ConfigurationError(
            f'unknown capture_failure "{value}"', hint=f"Use one of {', '.join(CaptureFailure)}."
        ) from None
