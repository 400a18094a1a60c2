"""Reads and writes the catalog: rows on one side, the values of `model` on the other.

No transactions here except where a rule spans two statements: the caller decides what commits together.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import psycopg
from psycopg.types.json import Jsonb

from pgtrickle.catalog.model import (
    Action,
    CapturedColumn,
    CaptureFailure,
    Dependency,
    NewStreamTable,
    RefreshMode,
    RefreshRecord,
    Scope,
    Source,
    SourceId,
    Status,
    StreamTable,
    StreamTableId,
)
from pgtrickle.dvm.schema import QualifiedName, RelationKind
from pgtrickle.errors import (
    DuplicateNameError,
    NotInstalledError,
    SourceChangedError,
    UnknownStreamTableError,
)
from pgtrickle.frontier import Frontier, Snapshot
from pgtrickle.pg.connection import transaction
from pgtrickle.pg.execute import translated
from pgtrickle.pg.lease import CREATION_SPACE, creation_key, release_in_session
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from typing import LiteralString

    from pgtrickle.pg.connection import Connection


def register(connection: Connection, new: NewStreamTable) -> StreamTableId:
    """Store a stream table as POPULATING and return its id; from now on clean-up keeps its rows.

    This session counts as its creator until `release` or its end; see `abandoned`.
    """
    with translated(f'register stream table "{new.name}"'):
        try:
            row = connection.execute(_sql("register.sql"), _parameters(new)).fetchone()
        except psycopg.errors.UniqueViolation as error:
            raise DuplicateNameError(f'stream table "{new.name}" exists already') from error
        except psycopg.errors.ForeignKeyViolation as error:
            raise SourceChangedError(
                f'a source of stream table "{new.name}" lost its capture meanwhile',
                hint="Its last other consumer was dropped; the same call will capture it again.",
            ) from error
    if row is None:
        raise NotInstalledError("the pgtrickle catalog has lost its installation row")
    return StreamTableId(row[0])


def activate(
    connection: Connection, id_: StreamTableId, *, fingerprint: str, snapshot: str
) -> None:
    """Store that the rows are in place as of `snapshot`; the same transaction wrote them."""
    facts = {"id": id_, "fingerprint": fingerprint, "snapshot": snapshot}
    with translated("activate a stream table"):
        connection.execute(_sql("activate.sql"), facts)


def release(connection: Connection, id_: StreamTableId) -> None:
    """End this session's claim to be creating the stream table; call it after the commit."""
    with translated("end the creation of a stream table"):
        release_in_session(connection, creation_key(id_))


def load(connection: Connection, name: QualifiedName) -> StreamTable:
    """Return the stream table called `name`."""
    with translated(f'load stream table "{name}"'):
        parameters = {"schema": name.schema, "name": name.name}
        row = connection.execute(_sql("stream_tables.sql"), parameters).fetchone()
    if row is None:
        raise UnknownStreamTableError(
            f'stream table "{name}" does not exist',
            hint="client.stream_tables() lists them; names are matched as PostgreSQL stores them.",
        )
    return _stream_table(row)


def load_all(connection: Connection) -> list[StreamTable]:
    """Return every stream table, oldest first, in one statement; none that is to replace another."""
    with translated("load the stream tables"):
        rows = connection.execute(_sql("stream_tables.sql"), {"schema": None, "name": None})
        return [_stream_table(row) for row in rows.fetchall()]


def mark_error(connection: Connection, id_: StreamTableId, message: str) -> None:
    """Store that the stream table cannot be refreshed, and why; a suspended one stays suspended."""
    with translated("store a refresh's error"):
        connection.execute(
            "UPDATE pgtrickle.stream_tables"
            " SET status = CASE status WHEN 'SUSPENDED' THEN status ELSE 'ERROR' END, error = %s"
            " WHERE id = %s",
            (message, id_),
        )


def clear_error(connection: Connection, id_: StreamTableId) -> None:
    """Store that the stream table works again; one that is not in error stays as it is."""
    with translated("clear a refresh's error"):
        connection.execute(
            "UPDATE pgtrickle.stream_tables SET error = NULL,"
            " status = CASE status WHEN 'ERROR' THEN 'ACTIVE' ELSE status END"
            " WHERE id = %s AND error IS NOT NULL",
            (id_,),
        )


def remove(connection: Connection, id_: StreamTableId) -> None:
    """Forget a stream table, its frontier, dependencies and history; its relations are the caller's."""
    with translated("remove a stream table from the catalog"):
        connection.execute("DELETE FROM pgtrickle.stream_tables WHERE id = %s", (id_,))
        connection.execute(
            "DELETE FROM pgtrickle.refresh_history WHERE stream_table_id = %s", (id_,)
        )


def history(
    connection: Connection, id_: StreamTableId | None, limit: int = 100
) -> list[RefreshRecord]:
    """Return the latest refreshes of one stream table, or of all, newest first."""
    with translated("read the refresh history"):
        rows = connection.execute(_sql("history.sql"), {"id": id_, "limit": limit}).fetchall()
    return [_record(row) for row in rows]


def sources(connection: Connection) -> list[Source]:
    """Return every captured relation, oldest first."""
    with translated("load the sources"):
        rows = connection.execute(_sql("sources.sql"), {"id": None}).fetchall()
    return [source_from(row[0]) for row in rows]


def source(connection: Connection, id_: SourceId) -> Source | None:
    """Return one captured relation, or None."""
    with translated("load a source"):
        row = connection.execute(_sql("sources.sql"), {"id": id_}).fetchone()
    return None if row is None else source_from(row[0])


def dependants(connection: Connection, id_: StreamTableId) -> list[QualifiedName]:
    """Return the stream tables whose queries read this one."""
    with translated("read the dependants of a stream table"):
        rows = connection.execute(_sql("dependants.sql"), (id_,)).fetchall()
    return [QualifiedName(*row) for row in rows]


def abandoned(connection: Connection) -> list[QualifiedName]:
    """Return the stream tables that are POPULATING and whose creator is gone.

    The creator's session holds an advisory lock from before the row is committed until after it is ACTIVE.
    So: get the lock, then look at the row again. Whoever is POPULATING then will stay so, for no session
    takes that lock a second time.
    """
    with translated("look for abandoned stream tables"), transaction(connection):
        candidates = connection.execute(
            "SELECT id FROM pgtrickle.stream_tables WHERE status = 'POPULATING'"
        ).fetchall()
        keys = [creation_key(id_) for (id_,) in candidates]
        free = connection.execute(
            _sql("creators_gone.sql"),
            (
                [id_ for (id_,) in candidates],
                [key.space for key in keys],
                [key.object for key in keys],
            ),
        )
        rows = connection.execute(
            "SELECT schema_name, table_name FROM pgtrickle.stream_tables"
            " WHERE status = 'POPULATING' AND id = ANY (%s) ORDER BY id",
            ([id_ for (id_,) in free.fetchall()],),
        ).fetchall()
    return [QualifiedName(*row) for row in rows]


def source_from(facts: dict[str, Any]) -> Source:
    """Return the source that `sources.sql` describes."""
    floor = facts["floor"]
    return Source(
        id=SourceId(facts["id"]),
        relation=QualifiedName(*facts["relation"]),
        table=QualifiedName(*facts["table"]),
        table_oid=facts["table_oid"],
        kind=RelationKind(facts["kind"]),
        columns=tuple(CapturedColumn(**column) for column in facts["columns"]),
        capture_failure=CaptureFailure(facts["capture_failure"]),
        capture_version=facts["capture_version"],
        floor=None if floor is None else Snapshot.parse(floor),
    )


def _sql(file: str) -> LiteralString:
    return statement("pgtrickle.catalog.statements", file)


def _parameters(new: NewStreamTable) -> dict[str, Any]:
    needed = [{"source": d.source.id, "columns": list(d.columns)} for d in new.dependencies]
    return {
        "schema": new.name.schema,
        "name": new.name.name,
        "query": new.query,
        "query_hash": new.query_hash,
        "refresh_mode": new.refresh_mode.value,
        "effective_mode": new.effective_mode.value,
        "reasons": list(new.reasons),
        "schedule": new.schedule,
        "settings": Jsonb(new.settings),
        "relations": Jsonb([list(name) for name in new.relations]),
        "options": Jsonb(new.options),
        "dependencies": Jsonb(needed),
        "creation_space": CREATION_SPACE,
    }


def _stream_table(row: tuple[Any, ...]) -> StreamTable:
    return StreamTable(
        id=StreamTableId(row[0]),
        name=QualifiedName(row[1], row[2]),
        query=row[3],
        query_hash=row[4],
        refresh_mode=RefreshMode(row[5]),
        effective_mode=RefreshMode(row[6]),
        reasons=tuple(row[7]),
        status=Status(row[8]),
        schedule=row[9],
        settings=row[10],
        fingerprint=row[11],
        generation=row[12],
        relations=tuple(QualifiedName(*name) for name in row[13]),
        error=row[14],
        frontier=_frontier(row[15], row[16]),
        refreshed_at=row[17],
        dependencies=tuple(_dependency(facts) for facts in row[18]),
        options=row[19],
    )


def _frontier(snapshot: str | None, applied_xid: str | None) -> Frontier | None:
    if snapshot is None:
        return None
    return Frontier(Snapshot.parse(snapshot), int(applied_xid) if applied_xid else None)


def _dependency(facts: dict[str, Any]) -> Dependency:
    return Dependency(source=source_from(facts), columns=tuple(facts["needed"]))


def _record(row: tuple[Any, ...]) -> RefreshRecord:
    return RefreshRecord(
        id=row[0],
        stream_table=row[1],
        action=Action(row[2]),
        scope=Scope(row[3]),
        reason=row[4],
        started_at=row[5],
        finished_at=row[6],
        inserted=row[7],
        updated=row[8],
        deleted=row[9],
        snapshot=row[10],
        error=row[11],
    )
