"""The Rust decoder's answers in the form of the reference decoder's."""

from __future__ import annotations

from operator import attrgetter
from typing import TYPE_CHECKING

from tests.support.pgoutput.reference import Cell, Row, Told

if TYPE_CHECKING:
    from pgtrickle._core import Batch, Event, TableChanges


def words(data: bytes) -> list[int]:
    """Return native 32-bit unsigned integers."""
    return memoryview(data).cast("I").tolist()


def cells(changes: TableChanges, column: str) -> list[Cell]:
    """Return the cells of a column."""
    values = changes.column(column)
    ends = memoryview(values.offsets).cast("i").tolist()
    told: list[Cell] = []
    for kind, start, end in zip(values.kinds, ends, ends[1:], strict=False):
        told.append((chr(kind), values.values[start:end] if kind in b"tb" else None))
    return told


def table_rows(changes: TableChanges) -> list[Row]:
    """Return the rows of one table."""
    columns = [cells(changes, column.name) for column in changes.columns]
    by_row = list(zip(*columns, strict=True)) if columns else [()] * len(changes)
    heads = zip(
        words(changes.messages),
        changes.actions.decode(),
        words(changes.xids),
        words(changes.subxids),
        by_row,
        strict=True,
    )
    return [
        Row(message, changes.oid, action, xid, subxid, tuple(row))
        for message, action, xid, subxid, row in heads
    ]


def rows(batch: Batch) -> list[Row]:
    """Return the rows of all tables in the order of their messages."""
    found = [row for changes in batch.tables() for row in table_rows(changes)]
    return sorted(found, key=attrgetter("message"))


def events(batch: Batch) -> list[Told]:
    """Return the events."""
    return [_told(event) for event in batch.events()]


def _told(event: Event) -> Told:
    return Told(
        event.message,
        event.kind,
        event.xid,
        event.subxid,
        event.lsn,
        event.end_lsn,
        event.time,
        event.name,
        None if event.relations is None else tuple(event.relations),
        event.content,
    )
