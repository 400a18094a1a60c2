"""How the stream tables and their buffers stand, each in one statement."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgtrickle.catalog.model import RefreshMode, Status
from pgtrickle.pg.execute import translated

if TYPE_CHECKING:
    from datetime import datetime

    from pgtrickle.pg.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class TableStatus:
    """One stream table as a person would ask about it."""

    name: str
    refresh_mode: RefreshMode
    effective_mode: RefreshMode
    reasons: tuple[str, ...]
    status: Status
    refreshed_at: datetime | None
    error: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferSize:
    """One change buffer: its source, and how much it holds."""

    source: str
    buffer: str
    rows: int
    bytes: int


def table_status(connection: Connection) -> list[TableStatus]:
    """Return the status of every stream table, by name."""
    query = (
        "SELECT name, refresh_mode, effective_refresh_mode, reasons, status, refreshed_at, error"
        " FROM pgtrickle.pgt_status ORDER BY name"
    )
    with translated("read the status"):
        rows = connection.execute(query).fetchall()
    return [
        TableStatus(
            name=row[0],
            refresh_mode=RefreshMode(row[1]),
            effective_mode=RefreshMode(row[2]),
            reasons=tuple(row[3]),
            status=Status(row[4]),
            refreshed_at=row[5],
            error=row[6],
        )
        for row in rows
    ]


def buffer_sizes(connection: Connection) -> list[BufferSize]:
    """Return the size of every change buffer; rows are counted from statistics, not by reading."""
    query = (
        "SELECT format('%I.%I', s.relation_schema, s.relation_name), c.oid::regclass::text,"
        " greatest(pg_stat_get_live_tuples(c.oid), 0), pg_relation_size(c.oid)"
        " FROM pgtrickle.sources AS s JOIN pg_class AS c ON c.relname = 'changes_' || s.id"
        " JOIN pg_namespace AS n ON n.oid = c.relnamespace AND n.nspname = 'pgtrickle_changes'"
        " ORDER BY s.id"
    )
    with translated("read the buffer sizes"):
        rows = connection.execute(query).fetchall()
    return [BufferSize(source=row[0], buffer=row[1], rows=row[2], bytes=row[3]) for row in rows]
