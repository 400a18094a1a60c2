"""Messages of a replication slot to input for the change buffers.

The core does the work; this module says which slot and which table a failure is about. It reads no slot and writes
no buffer.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgtrickle._core import ImageError, PgoutputError
from pgtrickle.errors import ReplicationError, SourceError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle._core import Batch, Decoder, TableChanges


def decode(decoder: Decoder, messages: Sequence[bytes], *, slot: str) -> Batch:
    """Return what the messages of `slot` tell."""
    try:
        return decoder.decode(messages)
    except PgoutputError as error:
        raise ReplicationError(
            f'replication slot "{slot}" sent a message that cannot be decoded',
            detail=f"{error}.",
            hint="Rebuild the stream tables whose sources are captured through the slot.",
        ) from error


def buffer_input(
    changes: TableChanges, columns: Sequence[str], *, next_xid: int, binary: bool
) -> bytes:
    """Return the rows as COPY input for `buffer (xid, action, columns)`, in the format in which they came.

    `next_xid` is `pg_snapshot_xmax` of a snapshot taken after the messages were read.
    """
    write = changes.copy_binary if binary else changes.copy_text
    try:
        return write(columns, next_xid)
    except ImageError as error:
        raise SourceError(
            f'changes of table "{changes.schema}.{changes.name}" cannot be captured from the log',
            detail=f"{error}.",
            hint="Give the table a replica identity that covers the captured columns, such as FULL.",
        ) from error
