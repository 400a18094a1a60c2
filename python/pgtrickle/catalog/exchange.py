"""A stream table's catalog rows change places with those of its replacement.

Afterwards the replacement's row owns what the stream table had: its old dependencies, and by name its old storage. Whoever
removes the replacement, its creator or the next session after a crash, removes exactly what is no longer needed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg.types.json import Jsonb

from pgtrickle.catalog.model import CAPTURE_FAILURE
from pgtrickle.errors import UnknownStreamTableError
from pgtrickle.pg.execute import translated
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle.catalog.model import (
        CaptureFailure,
        Dependency,
        RefreshMode,
        Status,
        StreamTable,
        StreamTableId,
    )
    from pgtrickle.pg.connection import Connection


def exchange(
    connection: Connection, table: StreamTable, replacement: StreamTable, *, reason: str, rows: int
) -> None:
    """Give `table` the query, mode, dependencies and frontier of `replacement`, and write its history."""
    ids = {"id": table.id, "replacement": replacement.id}
    query = statement("pgtrickle.catalog.statements", "exchange.sql")
    with translated(f"replace stream table {table.name}"):
        done = connection.execute(query, {**ids, "reason": reason, "rows": rows}).fetchone()
        if done is None:
            raise UnknownStreamTableError(f"stream table {table.name} was dropped meanwhile")
        connection.execute(
            "DELETE FROM pgtrickle.dependencies WHERE stream_table_id = ANY (%s)",
            ([table.id, replacement.id],),
        )
        _depend(connection, table.id, replacement.dependencies)
        _depend(connection, replacement.id, table.dependencies)


def _depend(connection: Connection, id_: StreamTableId, dependencies: Sequence[Dependency]) -> None:
    for dependency in dependencies:
        connection.execute(
            "INSERT INTO pgtrickle.dependencies (stream_table_id, source_id, columns)"
            " VALUES (%s, %s, %s)",
            (id_, dependency.source.id, list(dependency.columns)),
        )


def set_facts(
    connection: Connection,
    table: StreamTable,
    *,
    schedule: str | None = None,
    refresh_mode: RefreshMode | None = None,
    capture_failure: CaptureFailure | None = None,
) -> None:
    """Store what changes no row of a stream table; None leaves it as it is."""
    wish = {} if capture_failure is None else {CAPTURE_FAILURE: capture_failure.value}
    with translated(f"alter stream table {table.name}"):
        connection.execute(
            "UPDATE pgtrickle.stream_tables SET schedule = coalesce(%s, schedule),"
            " refresh_mode = coalesce(%s, refresh_mode), options = options || %s,"
            " generation = generation + 1 WHERE id = %s",
            (schedule, refresh_mode, Jsonb(wish), table.id),
        )


def set_status(connection: Connection, table: StreamTable, status: Status) -> None:
    """Suspend a stream table or make it active; every process notices at its next refresh."""
    with translated(f"alter stream table {table.name}"):
        connection.execute(
            "UPDATE pgtrickle.stream_tables SET status = %s, error = NULL,"
            " generation = generation + 1 WHERE id = %s AND status <> %s",
            (status.value, table.id, status.value),
        )
