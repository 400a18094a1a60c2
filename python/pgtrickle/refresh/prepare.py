"""A stream table made ready for refresh: its plan, its storage and the statements that do not vary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg import sql

from pgtrickle.catalog.definitions import read_defined_relations
from pgtrickle.catalog.model import CHANGES_SCHEMA, RefreshMode, StreamTable
from pgtrickle.catalog.relations import read_relations
from pgtrickle.dvm.compile import compile_query
from pgtrickle.dvm.differentiate.sources import Buffer
from pgtrickle.dvm.schema import QualifiedName, Relation, Schema
from pgtrickle.errors import SourceError
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import LiteralString

    from pgtrickle.config import Settings
    from pgtrickle.dvm.plan.model import MaintenancePlan
    from pgtrickle.pg.connection import Connection

# Reasons whose result may change without any captured change: never skipped as quiet.
UNOBSERVABLE = ("PGT220", "PGT221", "PGT222")


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Everything about one generation of a stream table that a refresh needs and that stays the same."""

    table: StreamTable
    plan: MaintenancePlan
    storage: Relation
    storage_oid: int
    buffers: Mapping[QualifiedName, Buffer]
    begin: sql.Composed
    window: str

    @property
    def skippable(self) -> bool:
        """Whether no captured change means no change."""
        return not any(reason.startswith(UNOBSERVABLE) for reason in self.table.reasons)


def prepare(connection: Connection, table: StreamTable, settings: Settings) -> Prepared:
    """Return `table` with its plan, compiled from the stored query and the catalog as it is."""
    relations = read_defined_relations(connection, table.relations)
    differential = table.effective_mode is RefreshMode.DIFFERENTIAL
    compiled = compile_query(table.query, Schema(relations=relations), differential=differential)
    if compiled.fallback is not None:
        raise SourceError(
            f'stream table "{table.name.name}" can no longer be maintained differentially',
            detail=str(compiled.fallback),
            hint="Drop it and create it again.",
        )
    storage = read_relations(connection, [table.storage])[table.storage]
    return Prepared(
        table=table,
        plan=compiled.plan,
        storage=storage,
        storage_oid=_oid(connection, table.storage),
        buffers=buffers_of(table),
        begin=begin_statement(table, settings),
        window=window_statement(table),
    )


def buffers_of(table: StreamTable) -> dict[QualifiedName, Buffer]:
    """Return the change buffer of each source."""
    return {
        dependency.source.relation: Buffer(
            table=dependency.source.buffer,
            columns={
                column.name: column.buffer_column
                for column in dependency.source.columns
                if column.name in dependency.columns
            },
        )
        for dependency in table.dependencies
    }


def begin_statement(table: StreamTable, settings: Settings) -> sql.Composed:
    """Return what opens a refresh: settings, then locks, all before any snapshot is taken.

    A TRUNCATE that commits after the snapshot would change what the snapshot reads; the locks keep it out.
    """
    fixed = {
        "lock_timeout": str(settings.lock_timeout_ms),
        "row_security": "off",
        "search_path": "pg_catalog",
        "pgtrickle.refreshing": "on",
        **table.settings,
    }
    parts: list[sql.Composable] = [sql.SQL("BEGIN ISOLATION LEVEL REPEATABLE READ")]
    parts.extend(
        sql.SQL("SET LOCAL {} = {}").format(sql.Identifier(*name.split(".")), sql.Literal(value))
        for name, value in fixed.items()
    )
    if table.dependencies:
        locked = [sql.Identifier(*dependency.source.table) for dependency in table.dependencies]
        lock = sql.SQL("LOCK TABLE {} IN ACCESS SHARE MODE").format(sql.SQL(", ").join(locked))
        parts.append(lock)
    return sql.SQL("; ").join(parts)


def window_statement(table: StreamTable) -> str:
    """Return the one statement that takes the lease, the frontier, the snapshot and the changed set.

    `$1`, `$2`: the lease; `$3`: the stream table; `$4`: its sources; `$5`: its storage.
    """
    frame = statement("pgtrickle.refresh.statements", "window.sql")
    probe = statement("pgtrickle.refresh.statements", "probe.sql")
    probes = [
        sql.SQL(probe).format(buffer=sql.Identifier(CHANGES_SCHEMA, dependency.source.buffer.name))
        for dependency in table.dependencies
    ]
    listed: sql.Composable = sql.SQL(", ").join(probes) if probes else sql.SQL("NULL")
    return sql.SQL(frame).format(probes=listed).as_string(None)


def _oid(connection: Connection, name: QualifiedName) -> int:
    query: LiteralString = "SELECT to_regclass(%s)::oid"
    row = connection.execute(query, (str(name),)).fetchone()
    if row is None or row[0] is None:
        raise SourceError(
            f"the storage table {name} is gone", hint="Drop the stream table and create it again."
        )
    return int(row[0])
