"""The tables behind a source: who they are, whether they can be captured, and by which kind of trigger."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgtrickle.catalog.model import CapturedColumn
from pgtrickle.cdc.buffer import buffer_column
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.errors import SourceError
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle.pg.connection import Connection

_TEMPLATES = "pgtrickle.cdc.trigger.templates"
_FIRST_USER_OID = 16_384
_FULL_HINT = "Create the stream table with refresh_mode FULL."


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """One table of a source's inheritance or partition tree."""

    oid: int
    name: QualifiedName
    kind: str
    persistence: str
    owned: bool
    has_parent: bool
    subscribed: bool


def read_members(connection: Connection, table: QualifiedName) -> tuple[Member, ...]:
    """Return the table and its descendants, the table first."""
    rows = connection.execute(statement(_TEMPLATES, "members.sql"), table).fetchall()
    members = tuple(
        Member(
            oid=row[0],
            name=QualifiedName(row[1], row[2]),
            kind=row[3],
            persistence=row[4],
            owned=row[5],
            has_parent=row[6],
            subscribed=row[7],
        )
        for row in rows
    )
    if not members:
        raise SourceError(f"table {table} does not exist")
    return members


def read_capturable(connection: Connection, table_oid: int) -> dict[str, CapturedColumn]:
    """Return the columns of a table that triggers can see, in order, by name."""
    rows = connection.execute(statement(_TEMPLATES, "columns.sql"), (table_oid,)).fetchall()
    return {
        name: CapturedColumn(
            name=name, buffer_column=buffer_column(name), type=type_, collation=collation
        )
        for name, type_, collation in rows
    }


def needs_row_triggers(members: Sequence[Member]) -> bool:
    """Return whether statement triggers would miss writes.

    A statement on an ancestor fires no statement trigger below it, and the apply worker of a logical replication
    subscription fires row triggers only.
    """
    return members[0].has_parent or any(member.subscribed for member in members)


def carriers(members: Sequence[Member], *, per_row: bool) -> tuple[Member, ...]:
    """Return the tables that get triggers: all of them, or for row triggers those that hold rows."""
    return tuple(member for member in members if not (per_row and member.kind == "p"))


def refuse_uncapturable(members: Sequence[Member]) -> None:
    """Raise SourceError if some table's changes could go unseen."""
    for member in members:
        _refuse(member)


def _refuse(member: Member) -> None:
    if member.oid < _FIRST_USER_OID:
        raise SourceError(f"table {member.name} belongs to the system", hint=_FULL_HINT)
    if member.kind not in {"r", "p"}:
        raise SourceError(
            f"relation {member.name} is not a table of this database",
            detail="Its changes fire no triggers with transition tables here.",
            hint=_FULL_HINT,
        )
    if member.persistence != "p":
        raise SourceError(
            f"table {member.name} is unlogged or temporary",
            detail="It is emptied after a crash, and no trigger tells.",
            hint=f"ALTER TABLE {member.name} SET LOGGED, or use refresh_mode FULL.",
        )
    if member.subscribed and not member.owned:
        raise SourceError(
            f"table {member.name} receives logical replication and belongs to another role",
            detail="Only its owner can let triggers fire for replicated changes.",
            hint="Let the owner of the table create the stream table, or use refresh_mode FULL.",
        )
