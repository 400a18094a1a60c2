"""Puts capture on a source and takes it off: buffer, functions, triggers, in one transaction.

Locks are taken on the source first and on the buffer after it, the order of every writer. The lock of CREATE TRIGGER
waits for the writers in flight: when it is held, nobody is inside an older function any more.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, NamedTuple

from psycopg import sql
from psycopg.types.json import Jsonb

from pgtrickle.catalog import store
from pgtrickle.catalog.model import (
    CHANGES_SCHEMA,
    CapturedColumn,
    CaptureFailure,
    MarkKind,
    Source,
    SourceId,
)
from pgtrickle.catalog.relations import read_relations
from pgtrickle.cdc.buffer import alter_buffer, capture_prefix, create_buffer
from pgtrickle.cdc.trigger.function import (
    Capture,
    PairingColumn,
    always_enabled,
    create_function,
    create_triggers,
    function_name,
)
from pgtrickle.cdc.trigger.tables import (
    Member,
    carriers,
    needs_row_triggers,
    read_capturable,
    read_members,
    refuse_uncapturable,
)
from pgtrickle.config import Settings
from pgtrickle.dvm.schema import QualifiedName, Relation
from pgtrickle.errors import ConflictError, InternalError, PrivilegeError, SourceError
from pgtrickle.pg.lease import capture_key, hold_in_transaction
from pgtrickle.pg.patience import patiently
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from typing import LiteralString

    from pgtrickle.pg.connection import Connection

DEFAULT_SETTINGS = Settings()
_TEMPLATES = "pgtrickle.cdc.trigger.templates"


class Captured(NamedTuple):
    """A source that is captured, and what its owner should know."""

    source: Source
    warnings: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a new consumer wants of a source."""

    relation: Relation
    columns: frozenset[str]
    capture_failure: CaptureFailure
    pairing: tuple[str, ...] | None
    relax: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Existing:
    """The capture that a source has already; `fail_wanted` by one of its registered readers."""

    id: SourceId
    table_oid: int
    columns: tuple[CapturedColumn, ...]
    pairing: tuple[str, ...] | None
    capture_failure: CaptureFailure
    version: int
    stamp: str
    fail_wanted: bool


def ensure_capture(  # noqa: PLR0913 - the arguments are all that a reader may want of a source
    connection: Connection,
    relation: Relation,
    columns: Sequence[str],
    *,
    capture_failure: CaptureFailure,
    settings: Settings,
    pairing: Sequence[str] | None = None,
    relax: bool = False,
) -> Captured:
    """Capture at least `columns` and the key of `relation`, for this consumer and those before it.

    Virtual generated columns are left out. `pairing` are key columns of a storage table: an update that leaves the
    captured columns as they were is then no change. When two consumers disagree, a capture failure fails the writer; it
    goes on doing so, unless with `relax` no registered consumer wants it.
    """
    key = relation.keys[0] if relation.keys else ()
    request = Request(
        relation=relation,
        columns=frozenset(columns) | frozenset(key),
        capture_failure=capture_failure,
        pairing=None if pairing is None else tuple(pairing),
        relax=relax,
    )
    doing = f"capture the changes of {relation.name}"
    try:
        return patiently(connection, settings, doing, lambda: _ensure(connection, request))
    except PrivilegeError as error:
        raise PrivilegeError(
            error.message,
            detail=error.detail,
            hint=f"GRANT SELECT, TRIGGER ON {relation.name} and on each of its partitions or "
            "children TO the role.",
        ) from error


def remove_capture(
    connection: Connection, source_id: SourceId, *, settings: Settings = DEFAULT_SETTINGS
) -> bool:
    """Take capture off a source that no stream table reads; return False when one still does.

    Dropping the functions removes the triggers, which only a table's owner could drop by name.
    """

    def remove() -> bool:
        _qualify_names(connection)
        if connection.execute(_sql("unused_source.sql"), (source_id,)).fetchone() is None:
            return False
        _drop_functions(connection, source_id, keep=())
        buffer = sql.Identifier(CHANGES_SCHEMA, f"changes_{source_id}")
        connection.execute(sql.SQL("DROP TABLE IF EXISTS {}").format(buffer))
        connection.execute("DELETE FROM pgtrickle_changes.marks WHERE source_id = %s", (source_id,))
        connection.execute("DELETE FROM pgtrickle.sources WHERE id = %s", (source_id,))
        return True

    return patiently(connection, settings, "remove the capture of a source", remove)


def _ensure(connection: Connection, request: Request) -> Captured:
    _qualify_names(connection)
    table = request.relation.stored_as
    members = read_members(connection, table)
    refuse_uncapturable(members)
    hold_in_transaction(connection, capture_key(members[0].oid))
    existing = _existing(connection, request.relation.name)
    wanted = wanted_columns(request, existing, read_capturable(connection, members[0].oid))
    if existing is not None:
        stamp = _stamp(connection, existing.id, members[0].oid)
        if _fits(existing, request, wanted, members[0].oid) and stamp == existing.stamp:
            return _captured(connection, existing.id, members)
        if stamp != existing.stamp:
            _mark_gap(connection, existing.id)
    capture = _next_capture(connection, request, existing, wanted, members)
    _install(connection, capture, members)
    _shape_buffer(connection, capture, existing)
    _drop_functions(connection, capture.source_id, keep=_functions(capture, members))
    if [member.oid for member in read_members(connection, table)] != [m.oid for m in members]:
        raise ConflictError(f"the tables below {table} changed while capture was installed")
    _store(connection, capture, request, members[0].oid)
    return _captured(connection, SourceId(capture.source_id), members)


def wanted_columns(
    request: Request, existing: Existing | None, available: Mapping[str, CapturedColumn]
) -> tuple[CapturedColumn, ...]:
    """Return what to capture: what is captured already and still there, and what is asked for."""
    for name in request.columns - available.keys():
        column = request.relation.column(name)
        if column is None or column.generated is None:
            raise SourceError(f'column "{name}" of {request.relation.name} does not exist')
    before = {column.name for column in existing.columns} if existing else set()
    return tuple(
        column for name, column in available.items() if name in before or name in request.columns
    )


def _fits(
    existing: Existing, request: Request, wanted: tuple[CapturedColumn, ...], table_oid: int
) -> bool:
    return (
        existing.table_oid == table_oid
        and set(existing.columns) == set(wanted)
        and existing.pairing == request.pairing
        and existing.capture_failure is _capture_failure(existing, request)
    )


def _capture_failure(existing: Existing | None, request: Request) -> CaptureFailure:
    if existing is None:
        return request.capture_failure
    kept = existing.capture_failure is CaptureFailure.FAIL and not request.relax
    return CaptureFailure.FAIL if kept or existing.fail_wanted else request.capture_failure


def _next_capture(
    connection: Connection,
    request: Request,
    existing: Existing | None,
    wanted: tuple[CapturedColumn, ...],
    members: Sequence[Member],
) -> Capture:
    source_id = existing.id if existing else _insert_source(connection, request, members[0].oid)
    return Capture(
        source_id=source_id,
        version=existing.version + 1 if existing else 1,
        buffer=QualifiedName(CHANGES_SCHEMA, f"changes_{source_id}"),
        columns=wanted,
        capture_failure=_capture_failure(existing, request),
        per_row=needs_row_triggers(members),
        pairing=_pairing(connection, request),
    )


def _pairing(connection: Connection, request: Request) -> tuple[PairingColumn, ...] | None:
    if request.pairing is None:
        return None
    table = request.relation.stored_as
    stored = read_relations(connection, [table])[table]
    found = [stored.column(name) for name in request.pairing]
    return tuple(
        PairingColumn(column.name, hashable=column.type.hashable, not_null=column.not_null)
        for column in found
        if column is not None
    )


def _install(connection: Connection, capture: Capture, members: Sequence[Member]) -> None:
    """Create functions and triggers in one round trip; the first trigger locks the source itself."""
    script: list[sql.Composable] = []
    for member in carriers(members, per_row=capture.per_row):
        script.append(create_function(capture, member.oid))
        script.append(create_triggers(capture, member.name, member.oid))
        if member.owned:
            script.append(always_enabled(capture, member.name))
    connection.execute(sql.SQL("; ").join(script), prepare=False)


def _shape_buffer(connection: Connection, capture: Capture, existing: Existing | None) -> None:
    """Create the buffer, or give it the columns that the new functions write."""
    if existing is None:
        connection.execute(create_buffer(capture.buffer, capture.columns))
        return
    before, now = set(existing.columns), set(capture.columns)
    change = alter_buffer(
        capture.buffer,
        add=[column for column in capture.columns if column not in before],
        drop=[column for column in existing.columns if column not in now],
    )
    if change is not None:
        connection.execute(change)


def _functions(capture: Capture, members: Iterable[Member]) -> list[str]:
    return [function_name(capture, member.oid).name for member in members]


def _drop_functions(connection: Connection, source_id: int, *, keep: Sequence[str]) -> None:
    """Drop a source's capture functions, and with them the triggers of tables that left its tree."""
    rows = connection.execute(
        _sql("functions.sql"), {"prefix": capture_prefix(source_id), "keep": list(keep)}
    ).fetchall()
    for (name,) in rows:
        function = sql.Identifier(CHANGES_SCHEMA, name)
        connection.execute(sql.SQL("DROP FUNCTION {}() CASCADE").format(function))


def _existing(connection: Connection, name: QualifiedName) -> Existing | None:
    row = connection.execute(_sql("source.sql"), name).fetchone()
    if row is None:
        return None
    return Existing(
        id=SourceId(row[0]),
        table_oid=row[1],
        columns=tuple(CapturedColumn(**column) for column in row[2]),
        pairing=None if row[3] is None else tuple(row[3]),
        capture_failure=CaptureFailure(row[4]),
        version=row[5],
        stamp=row[6],
        fail_wanted=row[7],
    )


def _insert_source(connection: Connection, request: Request, table_oid: int) -> SourceId:
    relation = request.relation
    facts = (
        *relation.name,
        *relation.stored_as,
        table_oid,
        relation.kind.value,
        request.capture_failure.value,
    )
    row = connection.execute(_sql("insert_source.sql"), facts).fetchone()
    if row is None:
        raise InternalError("a source was inserted and is not there")
    return SourceId(row[0])


def _store(connection: Connection, capture: Capture, request: Request, table_oid: int) -> None:
    relation = request.relation
    facts = {
        "id": capture.source_id,
        "table_schema": relation.stored_as.schema,
        "table_name": relation.stored_as.name,
        "table_oid": table_oid,
        "kind": relation.kind.value,
        "columns": Jsonb([asdict(column) for column in capture.columns]),
        "pairing": None if request.pairing is None else list(request.pairing),
        "capture_failure": capture.capture_failure.value,
        "version": capture.version,
        "stamp": _stamp(connection, capture.source_id, table_oid),
    }
    connection.execute(_sql("stamp_source.sql"), facts)


def _stamp(connection: Connection, source_id: int, table_oid: int) -> str:
    facts = {"root": table_oid, "id": source_id}
    row = connection.execute(_sql("stamp.sql"), facts).fetchone()
    return "" if row is None else str(row[0])


def _mark_gap(connection: Connection, source_id: int) -> None:
    """Tell every consumer that changes may be missing: the triggers are not as we left them."""
    connection.execute(
        "INSERT INTO pgtrickle_changes.marks (source_id, kind) VALUES (%s, %s)",
        (source_id, MarkKind.GAP.value),
    )


def _captured(connection: Connection, source_id: SourceId, members: Sequence[Member]) -> Captured:
    source = store.source(connection, source_id)
    if source is None:
        raise InternalError("a source that was just captured is gone")
    foreign = [str(member.name) for member in members if not member.owned]
    warnings = (
        (
            f"writes with session_replication_role = replica to {', '.join(foreign)} are not "
            "captured: only the owner of a table can enable triggers for them",
        )
        if foreign
        else ()
    )
    return Captured(source, warnings)


def _qualify_names(connection: Connection) -> None:
    connection.execute(
        "SET LOCAL search_path = pg_catalog; SET LOCAL client_min_messages = warning", prepare=False
    )


def _sql(file: str) -> LiteralString:
    return statement(_TEMPLATES, file)
