"""A stream table made ready for refresh: its plan, its storage and the statements that do not vary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from psycopg import sql

from pgtrickle.catalog.definitions import read_defined_relations
from pgtrickle.catalog.fingerprint import EPOCH
from pgtrickle.catalog.model import FUNCTIONS, LAYOUT, RefreshMode, StreamTable
from pgtrickle.catalog.relations import oid_of, read_relations
from pgtrickle.catalog.stages import compile_stored, read_functions, stage_buffer
from pgtrickle.dvm.differentiate.sources import Buffer
from pgtrickle.dvm.render import storage as stored
from pgtrickle.dvm.schema import QualifiedName, Relation, RelationKind, Schema
from pgtrickle.engines.postgres import Step, run
from pgtrickle.errors import LayoutChangedError
from pgtrickle.pg.lease import refresh_key
from pgtrickle.pg.statement import statement
from pgtrickle.refresh.storage import stage_buffers

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pgtrickle.config import Settings
    from pgtrickle.dvm.plan.model import MaintenancePlan
    from pgtrickle.pg.connection import Connection

# Reasons whose result may change without any captured change: never skipped as quiet.
WATCHED = statement("pgtrickle.refresh.statements", "watched.sql")
UNOBSERVABLE = ("PGT220", "PGT221", "PGT222")


class Cluster(NamedTuple):
    """Where stored snapshots mean something."""

    system_identifier: int
    database_oid: int


@dataclass(frozen=True, slots=True)
class Part:
    """A plan and its storage: a stage, or the whole."""

    plan: MaintenancePlan
    storage: Relation
    reads: frozenset[QualifiedName] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Everything about one generation of a stream table that a refresh needs and that stays the same.

    `numbers` identify sources and storages in the key of a plan: sources by positive numbers, storages by negative ones.
    `partitioned` says that some source's tables can change while it is read: all others are locked before the snapshot and
    read with ONLY. `skippable` says that no captured change means no change.
    """

    table: StreamTable
    parts: tuple[Part, ...]
    storage_oid: int
    buffers: Mapping[QualifiedName, Buffer]
    begin: tuple[Step, ...]
    window: str
    stage_buffers: tuple[QualifiedName, ...]
    sources: tuple[QualifiedName, ...]
    numbers: Mapping[QualifiedName, int]
    partitioned: bool
    skippable: bool

    @property
    def plan(self) -> MaintenancePlan:
        """The plan of the whole, which stands on the stages before it."""
        return self.parts[-1].plan

    @property
    def storage(self) -> Relation:
        """The storage that the view shows."""
        return self.parts[-1].storage


def prepare(connection: Connection, table: StreamTable, settings: Settings) -> Prepared:
    """Return `table` with its plan, compiled from the stored query and the catalog as it is."""
    relations = read_defined_relations(connection, table.relations)
    differential = table.effective_mode is RefreshMode.DIFFERENTIAL
    functions = read_functions(table.options.get(FUNCTIONS))
    compiled = compile_stored(
        connection,
        table.query,
        Schema(relations=relations, functions=functions),
        differential=differential,
        id_=table.stages_of,
    )
    if differential and compiled.fallback is not None:
        raise LayoutChangedError(
            f"stream table {table.name} can no longer be maintained differentially",
            detail=str(compiled.fallback),
            hint="Refresh it: in refresh mode AUTO it becomes FULL.",
        )
    if stored.layout(compiled.plan, compiled.stages) != table.options.get(LAYOUT):
        raise LayoutChangedError(
            f"sources of stream table {table.name} changed so that its rows are stored differently now",
            detail="A primary key, a NOT NULL or an inheritance child came or went.",
            hint="Refresh the stream table: its rows are then stored anew.",
        )
    names = [*(stage.relation.name for stage in compiled.stages), table.storage]
    storages = read_relations(connection, names)
    plans = [*(stage.plan for stage in compiled.stages), compiled.plan]
    oid = oid_of(connection, table.storage)
    return Prepared(
        table=table,
        parts=tuple(
            Part(plan, storages[name], frozenset(plan.root.reads()))
            for plan, name in zip(plans, names, strict=True)
        ),
        storage_oid=oid,
        buffers={**buffers_of(table), **stage_buffers(table.stages_of, compiled.stages)},
        begin=begin_steps(table, settings),
        window=window_statement(table, oid, _watched(connection, table), cluster_of(connection)),
        stage_buffers=tuple(
            stage_buffer(table.stages_of, stage.number) for stage in compiled.stages
        ),
        sources=tuple(dependency.source.relation for dependency in table.dependencies),
        numbers={
            **{d.source.relation: int(d.source.id) for d in table.dependencies},
            **{name: -1 - number for number, name in enumerate(names)},
        },
        partitioned=any(
            dependency.source.kind is RelationKind.PARTITIONED for dependency in table.dependencies
        ),
        skippable=not any(reason.startswith(UNOBSERVABLE) for reason in table.reasons),
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


def begin_steps(table: StreamTable, settings: Settings) -> tuple[Step, ...]:
    """Return what opens a refresh: locks, before any snapshot is taken.

    A TRUNCATE that commits after the snapshot would change what the snapshot reads; the locks keep it out. The settings
    that bear on results follow with the snapshot; those here must hold before.
    """
    fixed = {
        "lock_timeout": str(settings.lock_timeout_ms),
        "search_path": "pg_catalog",
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
    return tuple(Step(part.as_string(None), prepared=False) for part in parts)


def cluster_of(connection: Connection) -> Cluster:
    """Return which cluster and database this connection leads to; that stays so for as long as it is open."""
    row = run(connection, [Step(EPOCH)])[0]
    return Cluster(*row[:2]) if row else Cluster(0, 0)


def window_statement(
    table: StreamTable, storage_oid: int, watched: list[int], cluster: Cluster
) -> str:
    """Return the one statement that takes the lease, the frontier, the snapshot and the changed set.

    It also fixes the settings of the session that created the table, which bear on every result computed after it, and
    tells the versions of the catalog rows of all relations in `watched`.
    """
    frame = statement("pgtrickle.refresh.statements", "window.sql")
    probe = statement("pgtrickle.refresh.statements", "probe.sql")
    names = [sql.Identifier(*dependency.source.buffer) for dependency in table.dependencies]
    literals = [sql.Literal(name.as_string(None)) for name in names]
    probes = [
        sql.SQL(probe).format(buffer=name, name=literal)
        for name, literal in zip(names, literals, strict=True)
    ]
    sizes = [sql.SQL("pg_relation_size({})").format(literal) for literal in literals]
    setting = sql.SQL("CASE WHEN current_setting({0}) <> {1} THEN set_config({0}, {1}, true) END")
    settings = [
        setting.format(sql.Literal(name), sql.Literal(value))
        for name, value in table.settings.items()
    ]
    lease = refresh_key(table.id)
    filled = sql.SQL(frame).format(
        space=sql.Literal(lease.space),
        object=sql.Literal(lease.object),
        id=sql.Literal(table.id),
        sources=sql.Literal([dependency.source.id for dependency in table.dependencies]),
        storage=sql.Literal(storage_oid),
        watched=sql.Literal(watched),
        system_identifier=sql.Literal(cluster.system_identifier),
        database_oid=sql.Literal(cluster.database_oid),
        probes=sql.SQL(", ").join(probes) if probes else sql.SQL("NULL"),
        sizes=sql.SQL(" + ").join(sizes) if sizes else sql.SQL("0"),
        settings=sql.SQL(", ").join(settings) if settings else sql.SQL("NULL"),
    )
    return filled.as_string(None)


def _watched(connection: Connection, table: StreamTable) -> list[int]:
    names = {*table.relations, *(dependency.source.table for dependency in table.dependencies)}
    parameters = ([name.schema for name in names], [name.name for name in names])
    row = run(connection, [Step(WATCHED, parameters)])[0]
    return list(row[0] or ()) if row else []
