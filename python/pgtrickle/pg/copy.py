"""Reads what a COPY sends, in chunks large enough for the Rust core.

The server sends each row as a message of its own, and psycopg hands on one message a call; at a million rows that costs
more than making them. Here a call gathers the messages that are there.
"""

from __future__ import annotations

from functools import partial
from io import BytesIO
from itertools import takewhile
from operator import itemgetter
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
# A message as libpq gives it: its size and bytes; no size while the next has not arrived, a negative one at the end.
_LAST = (-1, b"")
_size, _payload = itemgetter(0), itemgetter(1)


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
    messages = iter(partial(pgconn.get_copy_data, 1), _LAST)
    gathered = BytesIO()
    while gathered.tell() < CHUNK_BYTES:
        # No statement and no lasting object for a message: at a million, each would be felt.
        gathered.writelines(map(_payload, takewhile(_size, messages)))
        message = next(messages, _LAST)
        if message == _LAST:
            yield from _end(pgconn)
            return gathered.getvalue(), False
        gathered.write(message[1])
        while not (yield Wait.R):
            continue
        pgconn.consume_input()
    return gathered.getvalue(), True


def _end(pgconn: PGconn) -> PQGen[None]:
    """Read how the statement ended."""
    for result in (yield from generators.fetch_many(pgconn)):
        if result.status != ExecStatus.COMMAND_OK:
            raise errors.error_from_result(result)
