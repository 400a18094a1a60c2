"""The PostgreSQL engine: run statements with raw `$n` parameters, several in one round trip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.pq import ExecStatus

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle.pg.connection import Connection

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One statement with its parameters; prepared, unless it is a command that cannot be."""

    sql: str
    parameters: Sequence[object] = ()
    prepared: bool = True


COMMIT = Step("COMMIT", prepared=False)


def run(connection: Connection, steps: Sequence[Step]) -> list[Row | None]:
    """Run `steps` in order and return the first row of each, None where there is none.

    The statements are PostgreSQL's own text with `$n` parameters: a percent sign in a user's query means nothing here.
    Over a network several go in one round trip; on this machine the bookkeeping for that costs more than it saves.
    """
    if len(steps) > 1 and not connection.info.host.startswith("/"):
        with connection.pipeline():
            cursors = [_execute(psycopg.RawCursor(connection), step) for step in steps]
        return [_first(cursor) for cursor in cursors]
    cursor = psycopg.RawCursor(connection)
    return [_first(_execute(cursor, step)) for step in steps]


def _execute(cursor: psycopg.RawCursor[Row], step: Step) -> psycopg.RawCursor[Row]:
    return cursor.execute(step.sql.encode(), step.parameters or None, prepare=step.prepared)


def _first(cursor: psycopg.RawCursor[Row]) -> Row | None:
    result = cursor.pgresult
    has_rows = result is not None and result.status == ExecStatus.TUPLES_OK
    return cursor.fetchone() if has_rows else None
