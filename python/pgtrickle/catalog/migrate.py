"""The catalog's life: installed and upgraded by numbered migrations, and removed without a trace.

All pending migrations run in one transaction under an advisory lock: there is no half-installed catalog.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from importlib import resources
from typing import TYPE_CHECKING

from psycopg import sql

from pgtrickle.catalog.model import CATALOG_SCHEMA, CHANGES_SCHEMA, STATE_SCHEMA
from pgtrickle.config import Settings
from pgtrickle.errors import NotInstalledError
from pgtrickle.pg.connection import transaction
from pgtrickle.pg.execute import translated
from pgtrickle.pg.lease import MIGRATION_KEY, hold_in_transaction
from pgtrickle.pg.patience import patiently
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from typing import LiteralString

    from pgtrickle.pg.connection import Connection

DEFAULT_SETTINGS = Settings()
SCHEMAS = (CATALOG_SCHEMA, CHANGES_SCHEMA, STATE_SCHEMA)

_FOLDER = "pgtrickle.catalog.migrations"
_STATEMENTS = "pgtrickle.catalog.statements"
# Trigger functions go with their triggers, on tables that we need not own.
_ALWAYS_CASCADE = frozenset({"capture"})
_DROPS = {
    "view": sql.SQL("DROP VIEW"),
    "capture": sql.SQL("DROP FUNCTION"),
    "table": sql.SQL("DROP TABLE"),
    "routine": sql.SQL("DROP ROUTINE"),
    "schema": sql.SQL("DROP SCHEMA"),
}
_FILE = re.compile(r"(\d{4})_(\w+)\.sql")


@dataclass(frozen=True, slots=True)
class Migration:
    """One step of the catalog's shape."""

    version: int
    name: str
    script: LiteralString


def migrations() -> tuple[Migration, ...]:
    """Return every migration of this package, oldest first."""
    files = (entry.name for entry in resources.files(_FOLDER).iterdir())
    matches = (match for file in sorted(files) if (match := _FILE.fullmatch(file)))
    return tuple(
        Migration(int(match[1]), match[2], statement(_FOLDER, match[0])) for match in matches
    )


def install(connection: Connection) -> int:
    """Bring the catalog to this package's version and return that version; idempotent."""
    known = migrations()
    with translated("install the catalog"), transaction(connection):
        hold_in_transaction(connection, MIGRATION_KEY)
        connection.execute("SET LOCAL search_path = pg_catalog")
        connection.execute("SET LOCAL client_min_messages = warning")
        _create_schemas(connection)
        connection.execute(statement(_STATEMENTS, "migrations_table.sql"))
        installed = _installed_version(connection)
        _refuse_newer(installed, known[-1].version)
        for migration in known:
            if migration.version > installed:
                _apply(connection, migration)
    return known[-1].version


def require_installed(connection: Connection) -> None:
    """Raise NotInstalledError unless the database has this package's catalog."""
    newest = migrations()[-1].version
    with translated("read the catalog's version"):
        row = connection.execute(
            "SELECT to_regclass('pgtrickle.migrations') IS NOT NULL"
        ).fetchone()
        installed = _installed_version(connection) if row is not None and row[0] else 0
    _refuse_newer(installed, newest)
    if installed < newest:
        raise NotInstalledError(
            "the database has no pgtrickle catalog"
            if installed == 0
            else "the pgtrickle catalog is older than this package",
            hint="Run `pgtrickle install`, or call client.install().",
        )


def uninstall(
    connection: Connection, *, cascade: bool = False, settings: Settings = DEFAULT_SETTINGS
) -> None:
    """Remove every stream table, every capture trigger and the catalog, in one transaction.

    What users built on them stops it with DependantsError; with `cascade` it goes too.
    """

    def remove() -> None:
        hold_in_transaction(connection, MIGRATION_KEY)
        connection.execute("SET LOCAL search_path = pg_catalog")
        connection.execute("SET LOCAL client_min_messages = warning")
        for kind, names in _installed_objects(connection):
            _drop(connection, kind, names, cascade=cascade or kind in _ALWAYS_CASCADE)

    patiently(connection, settings, "uninstall the catalog", remove)


def _installed_objects(connection: Connection) -> list[tuple[str, list[str]]]:
    """Return what to drop, in order: kind and names as PostgreSQL quotes them."""
    found = connection.execute(
        "SELECT to_regclass('pgtrickle.stream_tables') IS NOT NULL"
    ).fetchone()
    views: list[tuple[str, list[str]]] = []
    if found is not None and found[0]:
        views = connection.execute(statement(_STATEMENTS, "installed_views.sql")).fetchall()
    query = statement(_STATEMENTS, "installed_objects.sql")
    return views + connection.execute(query, (list(SCHEMAS),)).fetchall()


def _drop(connection: Connection, kind: str, names: list[str], *, cascade: bool) -> None:
    command = sql.SQL("{} {} {}").format(
        _DROPS[kind],
        sql.SQL(", ").join([sql.SQL(name) for name in names]),
        sql.SQL("CASCADE" if cascade else "RESTRICT"),
    )
    connection.execute(command, prepare=False)


def _create_schemas(connection: Connection) -> None:
    """Create the missing schemas: an existing one needs no CREATE privilege on the database."""
    query = "SELECT name FROM unnest(%s::text[]) AS name WHERE to_regnamespace(name) IS NULL"
    for (name,) in connection.execute(query, (list(SCHEMAS),)).fetchall():
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(sql.Identifier(name)))


def _installed_version(connection: Connection) -> int:
    row = connection.execute(
        "SELECT coalesce(max(version), 0) FROM pgtrickle.migrations"
    ).fetchone()
    return int(row[0]) if row is not None else 0


def _refuse_newer(installed: int, known: int) -> None:
    if installed > known:
        raise NotInstalledError(
            f"the pgtrickle catalog has version {installed}, this package knows {known}",
            hint="Upgrade the pgtrickle package.",
        )


def _apply(connection: Connection, migration: Migration) -> None:
    connection.execute(migration.script, prepare=False)
    connection.execute(
        "INSERT INTO pgtrickle.migrations (version, name) VALUES (%s, %s)",
        (migration.version, migration.name),
    )
