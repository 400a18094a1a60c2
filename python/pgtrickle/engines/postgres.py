"""The PostgreSQL engine: run statements with raw `$n` parameters, several in one round trip."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle.pg.connection import Connection

Row = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Step:
    """One prepared statement with its parameters."""

    sql: str
    parameters: Sequence[object] = ()


def run(connection: Connection, steps: Sequence[Step]) -> list[Row | None]:
    """Run `steps` in order in one round trip and return the first row of each, None where there is none.

    The statements are PostgreSQL's own text with `$n` parameters: a percent sign in a user's query means nothing here.
    """
    cursors = []
    with connection.pipeline():
        for step in steps:
            cursor = psycopg.RawCursor(connection)
            cursor.execute(step.sql.encode(), step.parameters, prepare=True)
            cursors.append(cursor)
    return [cursor.fetchone() if cursor.description else None for cursor in cursors]
