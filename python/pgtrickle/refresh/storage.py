"""Storage: the table that holds the rows of a plan, filled, indexed and guarded; for a stage also its change buffer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg import sql

from pgtrickle.catalog.model import CaptureFailure
from pgtrickle.catalog.relations import oid_of, read_relations
from pgtrickle.catalog.stages import stage_buffer, stage_storage
from pgtrickle.cdc.buffer import buffer_column, create_buffer
from pgtrickle.cdc.trigger.function import Capture, PairingColumn, function_body
from pgtrickle.cdc.trigger.tables import read_capturable
from pgtrickle.dvm.differentiate.sources import Buffer
from pgtrickle.dvm.plan.model import ROW_COUNT, ROW_HASH, GroupsPlan, Keyed
from pgtrickle.dvm.render import storage as stored
from pgtrickle.dvm.sqlast import to_sql

if TYPE_CHECKING:
    from pgtrickle.dvm.plan.model import MaintenancePlan, Stage
    from pgtrickle.dvm.schema import QualifiedName, Relation
    from pgtrickle.pg.connection import Connection

_EVENTS = {
    "insert": "REFERENCING NEW TABLE AS new_rows",
    "update": "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows",
    "delete": "REFERENCING OLD TABLE AS old_rows",
}


def make_storage(connection: Connection, name: QualifiedName, plan: MaintenancePlan) -> Relation:
    """Create the storage of `plan` under `name`, fill it, index it and guard it."""
    storage = sql.Identifier(*name)
    empty = sql.SQL("CREATE TABLE {} AS {} WITH NO DATA")
    connection.execute(empty.format(storage, text(to_sql(stored.contents(plan)))), prepare=False)
    if not isinstance(plan.identity, Keyed):
        hashed = sql.SQL("ALTER TABLE {} ADD COLUMN {} bigint NOT NULL")
        connection.execute(hashed.format(storage, sql.Identifier(ROW_HASH)))
    if isinstance(plan, GroupsPlan):
        least = sql.Literal(1 if plan.identity.columns else 0)
        counted = sql.SQL("ALTER TABLE {} ADD CHECK ({} >= {})")
        connection.execute(counted.format(storage, sql.Identifier(ROW_COUNT), least))
    relation = read_relations(connection, [name])[name]
    stored.require_native_keys(plan, relation)
    connection.execute(text(stored.fill(plan, relation)), prepare=False)
    for spec in stored.indexes(plan, relation):
        command = sql.SQL("CREATE {} ON {} USING {} ({})").format(
            sql.SQL("UNIQUE INDEX" if spec.unique else "INDEX"),
            storage,
            sql.SQL(spec.method),
            sql.SQL(", ").join(text(entry) for entry in spec.entries),
        )
        connection.execute(command, prepare=False)
    connection.execute(sql.SQL("ANALYZE {}").format(storage), prepare=False)
    _guard(connection, storage)
    return relation


def make_stage(connection: Connection, id_: int, stage: Stage) -> None:
    """Create the storage of a stage, and the buffer that tells the parts above what changed in it."""
    relation = make_storage(connection, stage.relation.name, stage.plan)
    buffer = stage_buffer(id_, stage.number)
    found = read_capturable(connection, oid_of(connection, relation.name))
    columns = tuple(column for name, column in found.items() if name in stage.plan.visible)
    connection.execute(create_buffer(buffer, columns), prepare=False)
    capture = Capture(
        source_id=0,
        version=0,
        buffer=buffer,
        columns=columns,
        capture_failure=CaptureFailure.FAIL,
        pairing=_pairing(stage, relation),
    )
    function = sql.Identifier(*stage_function(id_, stage.number))
    body = sql.Literal(function_body(capture).as_string(None))
    create = sql.SQL(
        "CREATE FUNCTION {}() RETURNS trigger LANGUAGE plpgsql"
        " SET search_path = pg_catalog, pg_temp AS {}"
    )
    connection.execute(create.format(function, body), prepare=False)
    for event, transitions in _EVENTS.items():
        trigger = sql.SQL(
            "CREATE TRIGGER {} AFTER {} ON {} {} FOR EACH STATEMENT EXECUTE FUNCTION {}()"
        ).format(
            sql.Identifier(f"pgtrickle_stage_{event}"),
            sql.SQL(event),
            sql.Identifier(*relation.name),
            text(transitions),
            function,
        )
        connection.execute(trigger, prepare=False)


def stage_function(id_: int, number: int) -> QualifiedName:
    """Return the function that writes the changes of a stage to its buffer."""
    return stage_buffer(id_, number)


def drop_stages(connection: Connection, id_: int, count: int) -> None:
    """Drop the storage, buffers and functions of a stream table's stages."""
    for number in range(count, 0, -1):
        for name in (stage_storage(id_, number), stage_buffer(id_, number)):
            drop = sql.SQL("DROP TABLE IF EXISTS {} CASCADE").format(sql.Identifier(*name))
            connection.execute(drop, prepare=False)
        function = sql.Identifier(*stage_function(id_, number))
        connection.execute(sql.SQL("DROP FUNCTION IF EXISTS {}()").format(function), prepare=False)


def stage_buffers(id_: int, stages: tuple[Stage, ...]) -> dict[QualifiedName, Buffer]:
    """Return where the parts above find the changes of each stage."""
    return {
        stage.relation.name: Buffer(
            table=stage_buffer(id_, stage.number),
            columns={name: buffer_column(name) for name in stage.plan.visible},
        )
        for stage in stages
    }


def text(printed: str) -> sql.SQL:
    """Return text that the compiler or PostgreSQL printed as SQL."""
    return sql.SQL(printed)


def _pairing(stage: Stage, relation: Relation) -> tuple[PairingColumn, ...] | None:
    identity = stage.plan.identity
    if (
        not isinstance(stage.plan, GroupsPlan)
        or not isinstance(identity, Keyed)
        or not identity.columns
    ):
        return None
    types = {column.name: column for column in relation.columns}
    return tuple(
        PairingColumn(
            name, hashable=types[name].type.hashable, not_null=name not in identity.nullable
        )
        for name in identity.columns
    )


def _guard(connection: Connection, storage: sql.Identifier) -> None:
    for events in ("INSERT OR UPDATE OR DELETE", "TRUNCATE"):
        name = sql.Identifier(f"pgtrickle_guard_{events.split()[0].lower()}")
        command = sql.SQL(
            "CREATE TRIGGER {} BEFORE {} ON {} FOR EACH STATEMENT"
            " WHEN (pg_catalog.current_setting('pgtrickle.refreshing', true) IS DISTINCT FROM 'on')"
            " EXECUTE FUNCTION pgtrickle.refuse_direct_dml()"
        )
        connection.execute(command.format(name, sql.SQL(events), storage), prepare=False)
