"""Advisory locks: stable keys, so that every process of every version agrees on them.

A key is a pair (space, object). The spaces are ours; advisory locks belong to one database.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from pgtrickle.pg.connection import Connection

# "pgtr" in ASCII, and the three numbers after it.
_REFRESH_SPACE = 0x70677472
CREATION_SPACE = _REFRESH_SPACE + 1
_CAPTURE_SPACE = _REFRESH_SPACE + 2
_MIGRATION_SPACE = _REFRESH_SPACE + 3

_OBJECTS = 1 << 31


class LeaseKey(NamedTuple):
    """The two int4 arguments of PostgreSQL's advisory lock functions."""

    space: int
    object: int


def refresh_key(stream_table_id: int) -> LeaseKey:
    """Return the key that one refresh of a stream table holds at a time."""
    return LeaseKey(_REFRESH_SPACE, _folded(stream_table_id))


def creation_key(stream_table_id: int) -> LeaseKey:
    """Return the key that a stream table's creator holds until the table is populated."""
    return LeaseKey(CREATION_SPACE, _folded(stream_table_id))


def capture_key(table_oid: int) -> LeaseKey:
    """Return the key under which the capture of a table is changed."""
    return LeaseKey(_CAPTURE_SPACE, _folded(table_oid))


MIGRATION_KEY = LeaseKey(_MIGRATION_SPACE, 0)


def hold_in_transaction(connection: Connection, key: LeaseKey) -> None:
    """Wait for `key` and hold it until the transaction ends; lock_timeout applies."""
    connection.execute("SELECT pg_catalog.pg_advisory_xact_lock(%s::int4, %s::int4)", key)


def try_hold_in_transaction(connection: Connection, key: LeaseKey) -> bool:
    """Hold `key` until the transaction ends, or return False at once when another session has it."""
    query = "SELECT pg_catalog.pg_try_advisory_xact_lock(%s::int4, %s::int4)"
    row = connection.execute(query, key).fetchone()
    return row is not None and bool(row[0])


def hold_in_session(connection: Connection, key: LeaseKey) -> None:
    """Wait for `key` and hold it until it is released or the session ends."""
    connection.execute("SELECT pg_catalog.pg_advisory_lock(%s::int4, %s::int4)", key)


def release_in_session(connection: Connection, key: LeaseKey) -> None:
    """Give back one hold of `key` by this session."""
    connection.execute("SELECT pg_catalog.pg_advisory_unlock(%s::int4, %s::int4)", key)


def _folded(number: int) -> int:
    """Return `number` as a non-negative int4; two that meet there only wait for each other."""
    return number % _OBJECTS
