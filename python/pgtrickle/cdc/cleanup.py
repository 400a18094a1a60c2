"""Removes from a buffer what every consumer has applied.

The bound is the meet of all frontiers: a row goes only if each of them covers it. Rows are deleted in bounded pieces,
or the buffer is truncated when nothing else is in it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from pgtrickle.config import Settings
from pgtrickle.frontier import Snapshot, meet
from pgtrickle.pg.connection import transaction
from pgtrickle.pg.execute import translated

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pgtrickle.catalog.model import Source
    from pgtrickle.dvm.schema import QualifiedName
    from pgtrickle.pg.connection import Connection

TRUNCATED = -1
BLOCKS_AT_ONCE = 256
DEFAULT_SETTINGS = Settings()


def clean_up(
    connection: Connection, source: Source, *, settings: Settings = DEFAULT_SETTINGS
) -> int:
    """Remove the rows that all consumers have applied; return their number, or -1 for all of them.

    Without a consumer nothing is removed: one may be about to register.
    """
    with translated(f"clean up the changes of {source.relation}"):
        bound = _bound(connection, source)
        if bound is None or bound == _floor(connection, source):
            return 0
        _delete_marks(connection, source, bound)
        large = _bytes(connection, source) >= settings.cleanup_min_bytes
        if large and _truncate(connection, source, bound):
            return TRUNCATED
        return _delete(connection, source, bound)


STAGE_BUFFER_BYTES = 131_072


def empty_stage_buffers(connection: Connection, buffers: Iterable[QualifiedName]) -> None:
    """Empty those buffers of a stream table's stages that have grown: their one reader has applied all that is committed."""
    for buffer in buffers:
        size = sql.SQL("SELECT pg_relation_size({}::regclass) >= {}").format(
            sql.Literal(str(buffer)), sql.Literal(STAGE_BUFFER_BYTES)
        )
        if connection.execute(size).fetchone() != (True,):
            continue
        name = sql.Identifier(*buffer)
        try:
            with transaction(connection):
                lock = sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE NOWAIT").format(name)
                connection.execute(lock)
                connection.execute(sql.SQL("TRUNCATE TABLE {}").format(name))
        except psycopg.errors.LockNotAvailable:
            continue


def _bound(connection: Connection, source: Source) -> Snapshot | None:
    rows = connection.execute(
        "SELECT f.snapshot::text FROM pgtrickle.dependencies AS d"
        " JOIN pgtrickle.frontiers AS f ON f.stream_table_id = d.stream_table_id"
        " WHERE d.source_id = %s",
        (source.id,),
    ).fetchall()
    return meet(Snapshot.parse(text) for (text,) in rows)


def _truncate(connection: Connection, source: Source, bound: Snapshot) -> bool:
    """Truncate the buffer if all of it is covered and nobody uses it; return whether it was done.

    The lock first, the look second: a row that a writer commits between a look and the lock would be lost.
    """
    buffer = sql.Identifier(*source.buffer)
    lock = sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE NOWAIT").format(buffer)
    look = sql.SQL(
        "SELECT EXISTS (SELECT FROM {} WHERE NOT pg_visible_in_snapshot(xid, %s::pg_snapshot))"
    ).format(buffer)
    try:
        with transaction(connection):
            connection.execute(lock)
            if connection.execute(look, (str(bound),)).fetchone() != (False,):
                return False
            connection.execute(sql.SQL("TRUNCATE TABLE {}").format(buffer))
            _raise_floor(connection, source, bound)
            return True
    except psycopg.errors.LockNotAvailable:
        return False


def _delete(connection: Connection, source: Source, bound: Snapshot) -> int:
    """Delete covered rows, a range of blocks at a time: each piece is read once and locks little."""
    blocks = _blocks(connection, source)
    removed = 0
    for first in range(0, blocks, BLOCKS_AT_ONCE):
        with transaction(connection):
            _raise_floor(connection, source, bound)
            removed += _delete_blocks(connection, source, bound, first)
    return removed


def _delete_marks(connection: Connection, source: Source, bound: Snapshot) -> None:
    connection.execute(
        "DELETE FROM pgtrickle_changes.marks"
        " WHERE source_id = %s AND pg_visible_in_snapshot(xid, %s::pg_snapshot)",
        (source.id, str(bound)),
    )


def _delete_blocks(connection: Connection, source: Source, bound: Snapshot, first: int) -> int:
    statement = sql.SQL(
        "DELETE FROM {} WHERE ctid >= %(first)s::tid AND ctid < %(end)s::tid"
        " AND pg_visible_in_snapshot(xid, %(bound)s::pg_snapshot)"
    ).format(sql.Identifier(*source.buffer))
    places = {"first": f"({first},0)", "end": f"({first + BLOCKS_AT_ONCE},0)", "bound": str(bound)}
    return connection.execute(statement, places).rowcount


def _raise_floor(connection: Connection, source: Source, bound: Snapshot) -> None:
    """Store that readers who start before `bound` would miss rows, in the transaction that makes it so.

    Snapshots of one server form a chain. A bound below the floor, from a consumer that has just registered,
    removes nothing new.
    """
    connection.execute("SELECT FROM pgtrickle.sources WHERE id = %s FOR UPDATE", (source.id,))
    floor = _floor(connection, source)
    if floor is None or (floor != bound and bound.covers(floor)):
        connection.execute(
            "UPDATE pgtrickle.sources SET floor = %s::pg_snapshot WHERE id = %s",
            (str(bound), source.id),
        )


def _floor(connection: Connection, source: Source) -> Snapshot | None:
    """Return what the buffer was last cleaned to: nothing below it is there, or can come."""
    query = "SELECT floor::text FROM pgtrickle.sources WHERE id = %s"
    row = connection.execute(query, (source.id,)).fetchone()
    return None if row is None or row[0] is None else Snapshot.parse(row[0])


def _bytes(connection: Connection, source: Source) -> int:
    row = connection.execute(
        "SELECT pg_catalog.pg_relation_size(%s::regclass)", (str(source.buffer),)
    ).fetchone()
    return int(row[0]) if row is not None else 0


def _blocks(connection: Connection, source: Source) -> int:
    row = connection.execute("SELECT pg_catalog.current_setting('block_size')::bigint").fetchone()
    size = int(row[0]) if row is not None else 1
    return -(-_bytes(connection, source) // size)
