"""A database with the catalog installed, and short words for what capture tests do in it."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from psycopg import sql
from typing_extensions import override

from pgtrickle.catalog import store
from pgtrickle.catalog.model import (
    CaptureFailure,
    Dependency,
    NewStreamTable,
    RefreshMode,
)
from pgtrickle.catalog.relations import read_relations
from pgtrickle.cdc.trigger.install import Captured, ensure_capture
from pgtrickle.config import Settings
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.pg.connection import connect

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from pgtrickle.catalog.model import Source, StreamTableId
    from pgtrickle.pg.connection import Connection

QUICK = Settings(ddl_lock_timeout_ms=2_000, ddl_lock_attempts=3)
PATIENCE = 20.0


@dataclass
class Lab:
    """A connection to a test's database, and more of them on request."""

    dsn: str
    connection: Connection
    others: list[Connection] = field(default_factory=list)

    def run(self, script: str) -> None:
        """Run a script of statements."""
        self.connection.execute(script.encode(), prepare=False)

    def rows(self, query: str, *values: object) -> list[tuple[Any, ...]]:
        """Return the rows of a query."""
        return self.connection.execute(query.encode(), values or None).fetchall()

    def value(self, query: str, *values: object) -> Any:  # noqa: ANN401
        """Return the one value of a query."""
        return self.rows(query, *values)[0][0]

    def another(self, dsn: str | None = None) -> Connection:
        """Return one more connection, closed with the lab."""
        connection = connect(dsn or self.dsn)
        self.others.append(connection)
        return connection

    def captured(
        self,
        table: str,
        columns: Sequence[str] = (),
        *,
        failure: CaptureFailure = CaptureFailure.REBUILD,
        pairing: Sequence[str] | None = None,
    ) -> Captured:
        """Capture a table of schema public, or `schema.table`; no columns means all."""
        name = named(table)
        relation = read_relations(self.connection, [name])[name]
        return ensure_capture(
            self.connection,
            relation,
            columns or [column.name for column in relation.columns],
            capture_failure=failure,
            settings=QUICK,
            pairing=pairing,
        )

    def capture(self, table: str, *columns: str) -> Source:
        """Capture a table and return the source."""
        return self.captured(table, columns).source

    def changes(self, source: Source, *, since: str | None = None) -> list[tuple[Any, ...]]:
        """Return action and captured values in the order of change_id, all or those not in a snapshot."""
        values = "".join(
            f", {sql.Identifier(column.buffer_column).as_string()}" for column in source.columns
        )
        since = since or "1:1:"
        return self.rows(
            f"SELECT action::text{values} FROM {source.buffer}"
            f" WHERE xid >= pg_snapshot_xmin('{since}')"
            f" AND NOT pg_visible_in_snapshot(xid, '{since}') ORDER BY change_id"
        )

    def marks(self, source: Source) -> list[tuple[str, str | None]]:
        """Return kind and detail of a source's marks."""
        query = "SELECT kind, detail FROM pgtrickle_changes.marks WHERE source_id = %s ORDER BY change_id"
        return [(kind, detail) for kind, detail in self.rows(query, source.id)]

    def snapshot(self) -> str:
        """Return the snapshot that a statement would run on now."""
        return str(self.value("SELECT pg_current_snapshot()::text"))

    def consumer(
        self, name: str, *needs: tuple[Source, Sequence[str]], relations: Sequence[str] = ()
    ) -> StreamTableId:
        """Register a stream table that reads the given columns of sources."""
        return store.register(
            self.connection,
            NewStreamTable(
                name=named(name),
                query="SELECT 1",
                query_hash="",
                refresh_mode=RefreshMode.AUTO,
                effective_mode=RefreshMode.DIFFERENTIAL,
                reasons=(),
                schedule="1s",
                settings={},
                relations=tuple(map(named, relations)),
                dependencies=tuple(
                    Dependency(source=source, columns=tuple(columns)) for source, columns in needs
                ),
            ),
        )

    def stand_at(self, id_: StreamTableId, snapshot: str) -> None:
        """Store where a consumer stands."""
        store.activate(self.connection, id_, fingerprint="", snapshot=snapshot)

    def close(self) -> None:
        """Close every connection."""
        for connection in (*self.others, self.connection):
            connection.close()


def named(text: str) -> QualifiedName:
    """Return the name for `table` (in public) or `schema.table`."""
    schema, dot, name = text.rpartition(".")
    return QualifiedName(schema if dot else "public", name)


def until(condition: Callable[[], bool]) -> None:
    """Return as soon as `condition` holds."""
    deadline = time.monotonic() + PATIENCE
    while not condition():
        assert time.monotonic() < deadline, "it never came true"
        time.sleep(0.005)


def blocked(connection: Connection, watcher: Connection) -> Callable[[], bool]:
    """Return a check whether the backend of `connection` waits for a lock."""
    pid = connection.info.backend_pid
    query = "SELECT EXISTS (SELECT FROM pg_locks WHERE pid = %s AND NOT granted)"
    return lambda: watcher.execute(query, (pid,)).fetchone() == (True,)


class Task(threading.Thread):
    """Work in the background; `result` waits for it and passes its exception on."""

    def __init__(self, work: Callable[[], Any]) -> None:
        super().__init__(daemon=True)
        self.work = work
        self.outcome: Any = None
        self.error: BaseException | None = None
        self.start()

    @override
    def run(self) -> None:
        try:
            self.outcome = self.work()
        except BaseException as error:
            self.error = error

    def result(self) -> Any:  # noqa: ANN401
        """Return what the work returned."""
        self.join(PATIENCE)
        assert not self.is_alive(), "the task does not end"
        if self.error is not None:
            raise self.error
        return self.outcome
