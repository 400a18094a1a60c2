"""Names as PostgreSQL would resolve them for this connection."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.errors import ConfigurationError, DatabaseError, QueryError
from pgtrickle.pg.execute import translated

if TYPE_CHECKING:
    from pgtrickle.pg.connection import Connection

_QUALIFIED = 2
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*)?")


def new_name(connection: Connection, name: str) -> QualifiedName:
    """Return where a relation called `name` would be created: its schema, else current_schema()."""
    parts = _parts(connection, name)
    if len(parts) == _QUALIFIED:
        return QualifiedName(*parts)
    with translated("resolve a name"):
        row = connection.execute("SELECT pg_catalog.current_schema()").fetchone()
    if row is None or row[0] is None:
        raise QueryError(
            f'no schema has been selected to create "{name}" in',
            hint="Write the name with its schema, or set search_path in the connection string.",
        )
    return QualifiedName(row[0], parts[0])


def existing_name(connection: Connection, name: str) -> QualifiedName:
    """Return the relation that `name` means: with its schema, else the first on the search_path."""
    parts = _parts(connection, name)
    if len(parts) == _QUALIFIED:
        return QualifiedName(*parts)
    with translated("resolve a name"):
        row = connection.execute(
            "SELECT n.nspname FROM pg_catalog.pg_class AS c"
            " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
            " WHERE c.oid = pg_catalog.to_regclass(pg_catalog.quote_ident(%s))",
            (parts[0],),
        ).fetchone()
    return QualifiedName(row[0], parts[0]) if row else new_name(connection, name)


def _parts(connection: Connection, name: str) -> list[str]:
    """Return the identifiers in `name`, as PostgreSQL folds them; plain ones need no question to it."""
    if _PLAIN.fullmatch(name):
        return name.split(".")
    try:
        with translated("resolve a name"):
            row = connection.execute("SELECT pg_catalog.parse_ident(%s)", (name,)).fetchone()
    except DatabaseError as error:
        raise ConfigurationError(
            f"{name!r} is not a name",
            hint='Write name or schema.name; put "double quotes" around a part with special characters.',
        ) from error
    parts: list[str] = row[0] if row else []
    if not 1 <= len(parts) <= _QUALIFIED:
        raise ConfigurationError(f"{name!r} has too many parts", hint="Write name or schema.name.")
    return parts
