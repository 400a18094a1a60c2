"""Removing a stream table: its view, storage and catalog rows together, then capture that nobody needs any more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from psycopg import sql

from pgtrickle.catalog import store
from pgtrickle.catalog.model import STAGES
from pgtrickle.cdc.trigger.install import remove_capture
from pgtrickle.errors import DependantsError
from pgtrickle.pg.patience import patiently
from pgtrickle.refresh.storage import drop_stages

if TYPE_CHECKING:
    from pgtrickle.catalog.model import StreamTable
    from pgtrickle.config import Settings
    from pgtrickle.dvm.schema import QualifiedName
    from pgtrickle.pg.connection import Connection


def drop(
    connection: Connection, table: StreamTable, *, cascade: bool, settings: Settings
) -> list[QualifiedName]:
    """Drop `table`, and with `cascade` the stream tables and views that read it; return all that went."""
    readers = store.dependants(connection, table.id)
    if readers and not cascade:
        raise DependantsError(
            f'stream tables read "{table.name}": {", ".join(map(str, readers))}',
            hint="Drop them first, or pass cascade=True.",
        )
    gone: list[QualifiedName] = []
    for reader in readers:
        if reader not in gone:
            gone += drop(
                connection, store.load(connection, reader), cascade=True, settings=settings
            )
    _remove(connection, table, cascade=cascade, settings=settings)
    _release_capture(connection, table, settings)
    return [*gone, table.name]


def drop_abandoned(connection: Connection, settings: Settings) -> list[QualifiedName]:
    """Remove what creators that died left behind; return the names."""
    names = store.abandoned(connection)
    for name in names:
        discard(connection, store.load(connection, name), settings)
    return names


def discard(connection: Connection, table: StreamTable, settings: Settings) -> None:
    """Remove a stream table that has no view: an abandoned one, or what is left when another was replaced."""
    drop_storage = sql.SQL("DROP TABLE IF EXISTS {}").format(sql.Identifier(*table.storage))

    def work() -> None:
        connection.execute("SET LOCAL client_min_messages = warning", prepare=False)
        connection.execute(drop_storage, prepare=False)
        drop_stages(connection, table.stages_of, int(table.options.get(STAGES, "0")))
        store.remove(connection, table.id)

    patiently(connection, settings, f"remove what stream table {table.name} left", work)
    _release_capture(connection, table, settings)


def _remove(
    connection: Connection, table: StreamTable, *, cascade: bool, settings: Settings
) -> None:
    rule = sql.SQL("CASCADE" if cascade else "RESTRICT")

    def work() -> None:
        connection.execute("SET LOCAL client_min_messages = warning", prepare=False)
        for kind, name in (("VIEW", table.name), ("TABLE", table.storage)):
            command = sql.SQL("DROP {} IF EXISTS {} {}")
            relation = sql.Identifier(*name)
            connection.execute(command.format(sql.SQL(kind), relation, rule), prepare=False)
        drop_stages(connection, table.stages_of, int(table.options.get(STAGES, "0")))
        store.remove(connection, table.id)

    patiently(connection, settings, f"drop stream table {table.name}", work)


def _release_capture(connection: Connection, table: StreamTable, settings: Settings) -> None:
    """Remove the capture of this table's storage, and of sources that no other stream table reads."""
    own = [source.id for source in store.sources(connection) if source.relation == table.name]
    read = [dependency.source.id for dependency in table.dependencies]
    for source in (*own, *read):
        remove_capture(connection, source, settings=settings)
