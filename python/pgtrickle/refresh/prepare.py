"""A stream table made ready for refresh: its plan, its storage and the statements that do not vary."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from psycopg import sql

from pgtrickle.catalog.fingerprint import EPOCH
from pgtrickle.catalog.plans import PlanKey
from pgtrickle.catalog.relations import oid_of
from pgtrickle.catalog.stages import stage_buffer
from pgtrickle.dvm.render.delta import reads_window
from pgtrickle.dvm.schema import QualifiedName, Relation, RelationKind
from pgtrickle.engines.postgres import Step, run
from pgtrickle.pg.lease import refresh_key
from pgtrickle.pg.statement import statement
from pgtrickle.refresh.inputs import Compilation, read_inputs
from pgtrickle.refresh.storage import stage_buffers

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pgtrickle.catalog.model import StreamTable
    from pgtrickle.config import Settings
    from pgtrickle.dvm.differentiate.sources import Buffer
    from pgtrickle.dvm.plan.model import MaintenancePlan
    from pgtrickle.pg.connection import Connection

# Reasons whose result may change without any captured change: never skipped as quiet.
WATCHED = statement("pgtrickle.refresh.statements", "watched.sql")
UNOBSERVABLE = ("PGT220", "PGT221", "PGT222")


class Cluster(NamedTuple):
    """Where stored snapshots mean something."""

    system_identifier: int
    database_oid: int


class PartFacts(NamedTuple):
    """What a refresh must know of a part to choose its statements: what it reads, and whether it reads the window only."""

    reads: frozenset[QualifiedName]
    reads_window: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A plan and its storage: a stage, or the whole. The plan is compiled when it is asked for."""

    number: int
    storage: Relation
    facts: PartFacts
    compilation: Compilation

    @property
    def plan(self) -> MaintenancePlan:
        """How the storage is kept."""
        return self.compilation.plans[self.number]


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """Everything about one generation of a stream table that a refresh needs and that stays the same.

    `numbers` identify sources and storages in the key of a statement. `partitioned` says that some source's tables can
    change while it is read: all others are locked before the snapshot and read with ONLY. `skippable` says that no
    captured change means no change.
    """

    table: StreamTable
    key: PlanKey
    compilation: Compilation
    parts: tuple[Part, ...]
    storage_oid: int
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

    @property
    def buffers(self) -> Mapping[QualifiedName, Buffer]:
        """Where the changes of each source and of each stage are found."""
        inputs, stages = self.compilation.inputs, self.compilation.compiled.stages
        return {**inputs.buffers, **stage_buffers(inputs.table.stages_of, stages)}


def prepare(connection: Connection, table: StreamTable, settings: Settings) -> Prepared:
    """Return `table` with its plan, compiled from the stored query and the catalog as it is."""
    compilation = Compilation(connection, read_inputs(connection, table))
    key = PlanKey(table.id, table.generation, compilation.inputs.digest())
    return ready(compilation, key, facts_of(compilation), settings)


def facts_of(compilation: Compilation) -> list[PartFacts]:
    """Return the facts of each part; this compiles."""
    plans = compilation.plans
    return [PartFacts(frozenset(plan.root.reads()), reads_window(plan)) for plan in plans]


def ready(
    compilation: Compilation, key: PlanKey, facts: Sequence[PartFacts], settings: Settings
) -> Prepared:
    """Return a stream table whose parts have these `facts`, ready for refresh; this compiles nothing."""
    connection, inputs = compilation.connection, compilation.inputs
    table, stages = inputs.table, len(inputs.storages) - 1
    oid = oid_of(connection, table.storage)
    return Prepared(
        table=table,
        key=key,
        compilation=compilation,
        parts=tuple(
            Part(number=number, storage=storage, facts=each, compilation=compilation)
            for number, (storage, each) in enumerate(zip(inputs.storages, facts, strict=True))
        ),
        storage_oid=oid,
        begin=begin_steps(table, settings),
        window=window_statement(table, oid, _watched(connection, table), cluster_of(connection)),
        stage_buffers=tuple(stage_buffer(table.stages_of, each + 1) for each in range(stages)),
        sources=tuple(dependency.source.relation for dependency in table.dependencies),
        numbers=inputs.numbers,
        partitioned=any(
            dependency.source.kind is RelationKind.PARTITIONED for dependency in table.dependencies
        ),
        skippable=not any(reason.startswith(UNOBSERVABLE) for reason in table.reasons),
    )


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
