"""The change buffer: the contract between those who write changes and those who read them.

One row per image: 'D' for a row that went, 'I' for one that came; an update is both. Each row carries the top-level
transaction's id. This module names and describes; it runs nothing.
"""

from __future__ import annotations

import hashlib
from typing import TYPE_CHECKING

from psycopg import sql

from pgtrickle.catalog.model import MAX_IDENTIFIER_BYTES

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pgtrickle.catalog.model import CapturedColumn
    from pgtrickle.dvm.schema import QualifiedName

CHANGE_ID = "change_id"
XID = "xid"
ACTION = "action"
CAPTURED_AT = "captured_at"
OWN_COLUMNS = (CHANGE_ID, XID, ACTION, CAPTURED_AT)

INSERTED = "I"
DELETED = "D"


def buffer_column(name: str) -> str:
    """Return the buffer column for the source column `name`.

    One of our names, with any number of underscores after it, gets one more. So two source columns never share
    a buffer column, and a name does not depend on which other columns are captured.
    """
    stem = name.rstrip("_")
    if stem not in OWN_COLUMNS:
        return name
    longer = f"{name}_"
    if len(longer) <= MAX_IDENTIFIER_BYTES:
        return longer
    return f"{stem}~{hashlib.blake2s(name.encode(), digest_size=8).hexdigest()}"


def create_buffer(name: QualifiedName, columns: Iterable[CapturedColumn]) -> sql.Composed:
    """Return the statements that create a change buffer.

    No statistics of xid: taken when one transaction filled the buffer they would say that a window is one row.
    """
    return sql.SQL(
        "CREATE TABLE {0} ("
        "change_id bigint GENERATED ALWAYS AS IDENTITY, "
        "xid xid8 NOT NULL DEFAULT pg_catalog.pg_current_xact_id(), "
        "action \"char\" NOT NULL CHECK (action IN ('I', 'D')), "
        "captured_at timestamptz NOT NULL DEFAULT pg_catalog.clock_timestamp(){1}); "
        "ALTER TABLE {0} ALTER COLUMN xid SET STATISTICS 0"
    ).format(
        sql.Identifier(*name),
        sql.Composed([sql.SQL(", {}").format(_definition(column)) for column in columns]),
    )


def alter_buffer(
    name: QualifiedName, *, add: Iterable[CapturedColumn], drop: Iterable[CapturedColumn]
) -> sql.Composed | None:
    """Return the statement that drops and then adds columns, or None when there are none.

    A column in both is made anew, because its type has changed: the old values are not converted.
    """
    changes = [
        sql.SQL("DROP COLUMN IF EXISTS {}").format(sql.Identifier(column.buffer_column))
        for column in drop
    ]
    changes += [sql.SQL("ADD COLUMN {}").format(_definition(column)) for column in add]
    if not changes:
        return None
    return sql.SQL("ALTER TABLE {} {}").format(sql.Identifier(*name), sql.SQL(", ").join(changes))


def capture_prefix(source_id: int) -> str:
    """Return how the names of a source's capture functions begin."""
    return f"capture_{source_id}_"


def trigger_name(source_id: int, event: str) -> str:
    """Return the name of a source's trigger for `event` (insert, update, delete, truncate)."""
    return f"pgtrickle_{source_id}_{event}"


def _definition(column: CapturedColumn) -> sql.Composed:
    """Return name, type and collation; PostgreSQL printed the last two itself."""
    parts: list[sql.Composable] = [sql.Identifier(column.buffer_column), printed(column.type)]
    if column.collation is not None:
        parts += [sql.SQL("COLLATE"), printed(column.collation)]
    return sql.SQL(" ").join(parts)


def printed(text: str) -> sql.SQL:
    """Return text that PostgreSQL printed, such as a type's name, as SQL."""
    return sql.SQL(text)
