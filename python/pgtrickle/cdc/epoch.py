"""Epochs: in which cluster and database stored snapshots mean something.

A logical restore elsewhere leaves frontiers and buffer rows whose transaction numbers belong to another history. Then
a new epoch begins: buffers are emptied, and every stream table of an older epoch is rebuilt at its next refresh.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg import sql

from pgtrickle.catalog.model import CHANGES_SCHEMA
from pgtrickle.pg.patience import patiently
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from pgtrickle.catalog.model import StreamTableId
    from pgtrickle.config import Settings
    from pgtrickle.pg.connection import Connection

_STATEMENTS = "pgtrickle.catalog.statements"


def adopt_epoch(connection: Connection, id_: StreamTableId, settings: Settings) -> None:
    """Put one stream table into the present epoch, which begins here if no other table began it."""

    def work() -> None:
        begun = connection.execute(
            statement(_STATEMENTS, "begin_epoch.sql"), {"id": id_}
        ).fetchone()
        if begun is not None:
            _empty_buffers(connection)
        connection.execute(
            "UPDATE pgtrickle.stream_tables SET epoch = i.epoch"
            " FROM pgtrickle.installation AS i WHERE id = %s AND stream_tables.epoch <> i.epoch",
            (id_,),
        )

    patiently(connection, settings, "begin a new epoch", work)


def _empty_buffers(connection: Connection) -> None:
    """Empty the marks and every buffer, those of stages too: their transaction numbers belong to another history."""
    query = (
        "SELECT c.relname FROM pg_catalog.pg_class AS c"
        " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
        " WHERE n.nspname = %s AND c.relkind = 'r' ORDER BY c.oid"
    )
    names = connection.execute(query, (CHANGES_SCHEMA,)).fetchall()
    tables = sql.SQL(", ").join(sql.Identifier(CHANGES_SCHEMA, name) for (name,) in names)
    connection.execute(sql.SQL("TRUNCATE {}").format(tables), prepare=False)
