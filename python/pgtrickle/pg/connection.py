"""The one place that opens a connection, and the scope of a transaction on it.

Connections are in autocommit mode: a transaction is what the code says it is, never what a driver began by itself.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, TypeAlias

import psycopg
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict
from psycopg.pq import TransactionStatus

from pgtrickle.errors import (
    ConfigurationError,
    ConflictError,
    ConnectionFailedError,
    InternalError,
    UnsupportedServerError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

Connection: TypeAlias = psycopg.Connection[tuple[Any, ...]]

OLDEST_SERVER = 15

_READ_COMMITTED = sql.SQL("BEGIN ISOLATION LEVEL READ COMMITTED")
_REPEATABLE_READ = sql.SQL("BEGIN ISOLATION LEVEL REPEATABLE READ")
# Row security must raise, not filter. Our statements run for milliseconds and their estimates are rough: compiling them,
# or planning them again for each set of parameters, would cost more than running them. What a delta looks up was written a
# moment ago and is in memory; with PostgreSQL's default of 4, a table of 100,000 rows would be read whole for 100 of them.
_SESSION = sql.SQL(
    "SET row_security = off; SET jit = off; SET plan_cache_mode = force_generic_plan;"
    " SELECT pg_catalog.set_config('random_page_cost', '1.1', false)"
    " WHERE pg_catalog.current_setting('random_page_cost')::float8 > 1.1"
)


def connect(dsn: str | None, *, application_name: str = "pgtrickle") -> Connection:
    """Return an open connection in autocommit mode to a primary of a supported version.

    `dsn` is a libpq connection string; what it leaves out comes from the PG* variables.
    """
    target = _parameters(dsn)
    try:
        connection = psycopg.connect(
            dsn or "", autocommit=True, fallback_application_name=application_name
        )
    except psycopg.OperationalError as error:
        raise _unreachable(target, error) from error
    # The engine prepares what recurs, and keeps it; the driver would drop all of it after each ROLLBACK.
    connection.prepare_threshold = None
    try:
        connection.execute(_SESSION)
        _require_supported(connection)
    except BaseException:
        connection.close()
        raise
    return connection


@contextmanager
def transaction(
    connection: Connection,
    *,
    repeatable_read: bool = False,
    lock_timeout_ms: int | None = None,
) -> Iterator[None]:
    """Run the block in one transaction: COMMIT when it ends, ROLLBACK when it raises."""
    _begin(connection, repeatable_read=repeatable_read, lock_timeout_ms=lock_timeout_ms)
    try:
        yield
    except BaseException:
        roll_back(connection)
        raise
    if connection.execute("COMMIT", prepare=False).statusmessage != "COMMIT":
        raise ConflictError(
            "the transaction was rolled back",
            detail="A statement in it had failed, and its error was not passed on.",
        )


@contextmanager
def scratch(connection: Connection) -> Iterator[None]:
    """Run the block in a transaction that is always rolled back: it may look, not leave anything."""
    _begin(connection, repeatable_read=False, lock_timeout_ms=None)
    try:
        yield
    finally:
        roll_back(connection)


def _begin(connection: Connection, *, repeatable_read: bool, lock_timeout_ms: int | None) -> None:
    if connection.info.transaction_status is not TransactionStatus.IDLE:
        raise InternalError("a transaction is already open on this connection")
    begin: list[sql.Composable] = [_REPEATABLE_READ if repeatable_read else _READ_COMMITTED]
    if lock_timeout_ms is not None:
        begin.append(sql.SQL("SET LOCAL lock_timeout = {}").format(sql.Literal(lock_timeout_ms)))
    connection.execute(sql.SQL("; ").join(begin), prepare=False)


def roll_back(connection: Connection) -> None:
    """End the transaction that is open on the connection, if there is one."""
    if not connection.closed and connection.info.transaction_status != TransactionStatus.IDLE:
        connection.execute("ROLLBACK", prepare=False)


def _parameters(dsn: str | None) -> dict[str, Any]:
    try:
        return dict(conninfo_to_dict(dsn or ""))
    except psycopg.ProgrammingError:
        # libpq quotes the part it could not read, and that part may be a password: no chaining.
        raise ConfigurationError(
            "the connection string cannot be read",
            hint="Write it as postgresql://user@host/database or as host=... dbname=...; "
            "percent-encode special characters in a URI.",
        ) from None


def _unreachable(target: dict[str, Any], error: psycopg.OperationalError) -> ConnectionFailedError:
    reason = str(error).strip()
    password = target.get("password")
    if password:
        reason = reason.replace(str(password), "********")
    return ConnectionFailedError(
        "the server could not be reached",
        detail=reason,
        hint="Check that PostgreSQL is running and that host, port, database and user in the "
        "connection string or the PG* variables are right.",
    )


def _require_supported(connection: Connection) -> None:
    version = connection.info.server_version
    if version < OLDEST_SERVER * 10_000:
        raise UnsupportedServerError(
            f"the server runs PostgreSQL {version // 10_000}",
            hint=f"pgtrickle needs PostgreSQL {OLDEST_SERVER} or later.",
        )
    row = connection.execute("SELECT pg_catalog.pg_is_in_recovery()").fetchone()
    if row is not None and row[0]:
        raise UnsupportedServerError(
            "the server is a standby",
            detail="A snapshot taken there leaves out transactions in progress.",
            hint="Connect to the primary.",
        )
