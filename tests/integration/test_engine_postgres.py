"""The engine's batches: what fails says so and leaves the connection fit for use, what recurs is prepared once."""

from __future__ import annotations

import os
import signal
import threading
from typing import TYPE_CHECKING

import psycopg
import pytest

from pgtrickle.engines import postgres
from pgtrickle.engines.postgres import COMMIT, Step, run

if TYPE_CHECKING:
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg
BEGIN = Step("BEGIN", prepared=False)
PREPARED = "SELECT count(*) FROM pg_prepared_statements WHERE name LIKE 'pgtrickle%%'"


def test_each_step_gives_its_first_row(lab: Lab) -> None:
    steps = [BEGIN, Step("SELECT $1::int + 1, $2::text[]", (1, ["a%s", None])), COMMIT]
    assert run(lab.connection, steps) == [None, (2, ["a%s", None]), None]
    assert run(lab.connection, [Step("SELECT WHERE false")]) == [None]


def test_an_error_stops_the_batch_and_leaves_the_connection_usable(lab: Lab) -> None:
    lab.run("CREATE TABLE t (id int)")
    steps = [BEGIN, Step("INSERT INTO t VALUES (1)"), Step("SELECT 1 / $1::int", (0,)), COMMIT]
    with pytest.raises(psycopg.errors.DivisionByZero):
        run(lab.connection, steps)
    lab.run("ROLLBACK")
    assert lab.rows("SELECT * FROM t") == []
    assert run(lab.connection, [Step("SELECT 1 / $1::int", (1,))]) == [(1,)]


def test_a_statement_that_could_not_be_prepared_is_tried_again(lab: Lab) -> None:
    later = Step("SELECT count(*) FROM later")
    with pytest.raises(psycopg.errors.UndefinedTable):
        run(lab.connection, [later])
    lab.run("CREATE TABLE later (id int)")
    assert run(lab.connection, [later]) == [(0,)]


def test_statements_are_prepared_once_and_only_so_many(
    lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(postgres, "PREPARED_STATEMENTS", 3)
    for number in (1, 2, 3, 4, 4, 5):
        assert run(lab.connection, [Step(f"SELECT {number}")]) == [(number,)]
    assert lab.value(PREPARED) == 3
    assert run(lab.connection, [Step("SELECT 1")]) == [(1,)]


def test_a_rollback_keeps_what_is_prepared(lab: Lab) -> None:
    run(lab.connection, [BEGIN, Step("SELECT 1")])
    lab.run("ROLLBACK")
    assert run(lab.connection, [Step("SELECT 1")]) == [(1,)]
    assert lab.value(PREPARED) == 1


def test_an_interrupt_cancels_the_statement(lab: Lab) -> None:
    # A job in the background starts with the signal ignored, and Python leaves it so.
    handler = signal.signal(signal.SIGINT, signal.default_int_handler)
    pid = os.getpid()
    timer = threading.Timer(0.3, lambda: os.kill(pid, signal.SIGINT))
    timer.start()
    try:
        with pytest.raises(KeyboardInterrupt):
            run(lab.connection, [BEGIN, Step("SELECT pg_sleep(30)"), COMMIT])
        timer.join()
    finally:
        signal.signal(signal.SIGINT, handler)
    lab.run("ROLLBACK")
    assert run(lab.connection, [Step("SELECT 1")]) == [(1,)]


def test_a_lost_connection_is_an_error(lab: Lab) -> None:
    other = lab.another()
    run(other, [Step("SELECT 1")])
    lab.value("SELECT pg_terminate_backend(%s)", other.info.backend_pid)
    with pytest.raises(psycopg.OperationalError):
        run(other, [Step("SELECT 1")])
