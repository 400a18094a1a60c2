"""Connections and transactions: what they promise, and what they say when they cannot keep it."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

from pgtrickle.errors import (
    ConfigurationError,
    ConflictError,
    ConnectionFailedError,
    DatabaseError,
    InternalError,
    LockTimeoutError,
    UnsupportedServerError,
)
from pgtrickle.pg import connection as pg_connection
from pgtrickle.pg.connection import connect, scratch, transaction
from pgtrickle.pg.execute import translated

if TYPE_CHECKING:
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg

SECRET = {"password": "sesame"}


def test_a_connection_is_in_autocommit_mode_and_named(any_dsn: str) -> None:
    with connect(any_dsn, application_name="tester") as connection:
        assert connection.autocommit
        assert connection.execute("SHOW application_name").fetchone() == ("tester",)


def test_an_unreachable_server_is_an_error_without_the_password(dsn: str) -> None:
    target = make_conninfo(dsn, host="localhost", port=1, connect_timeout=2, **SECRET)
    with pytest.raises(ConnectionFailedError) as raised:
        connect(target)
    assert raised.value.hint
    assert "sesame" not in str(raised.value)
    assert raised.value.retryable


def test_an_unreadable_connection_string_is_not_repeated() -> None:
    with pytest.raises(ConfigurationError) as raised:
        connect("host=x sesame")
    assert "sesame" not in str(raised.value)
    assert raised.value.__cause__ is None


def test_old_servers_are_refused(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pg_connection, "OLDEST_SERVER", 99)
    with pytest.raises(UnsupportedServerError, match="PostgreSQL 18"):
        connect(dsn)


def test_standbys_are_refused(dsn: str, monkeypatch: pytest.MonkeyPatch) -> None:
    query = "SELECT pg_catalog.pg_is_in_recovery()"
    original = psycopg.Connection.execute

    def standby(self: psycopg.Connection, sent: str) -> object:
        return original(self, "SELECT true" if sent == query else sent)

    monkeypatch.setattr(psycopg.Connection, "execute", standby)
    with pytest.raises(UnsupportedServerError) as raised:
        connect(dsn)
    assert "primary" in (raised.value.hint or "")


def test_a_transaction_commits_or_rolls_back(lab: Lab) -> None:
    lab.run("CREATE TABLE t (id int)")
    with transaction(lab.connection):
        lab.run("INSERT INTO t VALUES (1)")
    with pytest.raises(psycopg.errors.DivisionByZero), transaction(lab.connection):
        lab.run("INSERT INTO t VALUES (2); SELECT 1 / 0")
    with scratch(lab.connection):
        lab.run("INSERT INTO t VALUES (3)")
    assert lab.rows("SELECT id FROM t") == [(1,)]


def test_a_transaction_that_swallowed_an_error_does_not_pretend_to_commit(lab: Lab) -> None:
    def swallow() -> None:
        with transaction(lab.connection), suppress(psycopg.errors.DivisionByZero):
            lab.run("SELECT 1 / 0")

    with pytest.raises(ConflictError):
        swallow()


def test_transactions_do_not_nest(lab: Lab) -> None:
    with pytest.raises(InternalError), transaction(lab.connection), transaction(lab.connection):
        pass
    assert lab.rows("SELECT 1") == [(1,)]


def test_isolation_and_lock_timeout_are_those_of_the_transaction_only(lab: Lab) -> None:
    with transaction(lab.connection, repeatable_read=True, lock_timeout_ms=123):
        assert lab.value("SHOW transaction_isolation") == "repeatable read"
        assert lab.value("SHOW lock_timeout") == "123ms"
    assert lab.value("SHOW lock_timeout") == "0"
    assert lab.value("SHOW transaction_isolation") == "read committed"


def test_a_lock_timeout_has_a_class_of_its_own(lab: Lab) -> None:
    lab.run("CREATE TABLE t (id int)")
    holder = lab.another()
    holder.execute("BEGIN")
    holder.execute("LOCK TABLE t")
    with (
        pytest.raises(LockTimeoutError) as raised,
        translated("read t"),
        transaction(lab.connection, lock_timeout_ms=20),
    ):
        lab.run("SELECT * FROM t")
    assert raised.value.retryable


def test_a_lost_connection_is_retryable(lab: Lab) -> None:
    victim = lab.another()
    victim.execute("BEGIN")
    lab.rows("SELECT pg_terminate_backend(%s, 5000)", victim.info.backend_pid)
    with pytest.raises(ConnectionFailedError) as raised, translated("work"):
        victim.execute("SELECT 1")
    assert raised.value.retryable


def test_values_of_rows_stay_out_of_messages(lab: Lab) -> None:
    lab.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (424242)")
    with pytest.raises(DatabaseError) as raised, translated("copy rows"):
        lab.run("INSERT INTO t VALUES (424242)")
    assert "424242" not in str(raised.value)
    assert "could not copy rows: unique_violation (SQLSTATE 23505)" in str(raised.value)
    with pytest.raises(DatabaseError) as raised, translated("cast"):
        lab.run("SELECT 'secret'::text::int")
    assert "secret" not in str(raised.value)
