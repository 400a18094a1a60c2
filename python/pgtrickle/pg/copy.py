"""Reads what a COPY sends, in chunks large enough for the Rust core.

The server sends each row as a message of its own, and psycopg hands on one message a call; at a million rows that costs
more than making them. Here a call gathers the messages that are there.
"""

from __future__ import annotations

from io import BytesIO
from typing import TYPE_CHECKING

from psycopg import errors, generators
from psycopg.pq import ExecStatus
from psycopg.waiting import Wait

if TYPE_CHECKING:
    from collections.abc import Iterator

    from psycopg.abc import PQGen, Query
    from psycopg.pq.abc import PGconn

    from pgtrickle.pg.connection import Connection

CHUNK_BYTES = 256 * 1024


def copy_out(connection: Connection, statement: Query) -> Iterator[bytes]:
    """Yield the bytes that `statement`, a COPY ... TO STDOUT, sends, in chunks.

    A consumer that stops early cancels the statement, as psycopg does for its own readers.
    """
    with connection.cursor() as cursor, cursor.copy(statement):
        more = True
        while more:
            chunk, more = connection.wait(_chunk(connection.pgconn))
            if chunk:
                yield chunk


def _chunk(pgconn: PGconn) -> PQGen[tuple[bytes, bool]]:
    """Return the next messages as one chunk, and whether there may be more."""
    # Not a list to join: a million small objects kept alive cost more than the reading.
    gathered = BytesIO()
    get, write, left = pgconn.get_copy_data, gathered.write, CHUNK_BYTES
    while left > 0:
        size, row = get(1)
        if size > 0:
            write(row)
            left -= size
        elif size == 0:
            while not (yield Wait.R):
                continue
            pgconn.consume_input()
        else:
            yield from _end(pgconn)
            break
    return gathered.getvalue(), left <= 0


def _end(pgconn: PGconn) -> PQGen[None]:
    """Read how the statement ended."""
    for result in (yield from generators.fetch_many(pgconn)):
        if result.status != ExecStatus.COMMAND_OK:
            raise errors.error_from_result(result)
