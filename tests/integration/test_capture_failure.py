"""A capture that fails: the writer goes on and the gap is recorded, unless the user wanted otherwise."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

from pgtrickle.catalog.model import CaptureFailure
from tests.support.lab import Task, blocked, until

if TYPE_CHECKING:
    from pgtrickle.catalog.model import Source
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg

UNDEFINED_COLUMN = "42703"


@pytest.mark.parametrize(
    "statement", ["INSERT INTO t VALUES (2)", "UPDATE t SET id = 3", "DELETE FROM t"]
)
def test_a_dropped_column_makes_a_gap_and_the_writer_succeeds(any_lab: Lab, statement: str) -> None:
    any_lab.run("CREATE TABLE t (id int, v int); INSERT INTO t VALUES (1, 1)")
    source = any_lab.capture("t")
    any_lab.run("ALTER TABLE t DROP COLUMN v")
    any_lab.run(statement)
    assert any_lab.marks(source) == [("gap", UNDEFINED_COLUMN)]
    assert any_lab.changes(source) == []


def test_the_gap_carries_the_writers_transaction(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int, v int)")
    any_lab.capture("t")
    any_lab.run("ALTER TABLE t DROP COLUMN v")
    writer = any_lab.another()
    writer.execute("BEGIN")
    top = writer.execute("SELECT pg_current_xact_id()::text").fetchall()
    writer.execute("INSERT INTO t VALUES (2)")
    writer.execute("COMMIT")
    assert any_lab.rows("SELECT xid::text FROM pgtrickle_changes.marks") == top


def test_capture_failure_fail_stops_the_writer(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int, v int)")
    source = any_lab.captured("t", failure=CaptureFailure.FAIL).source
    any_lab.run("ALTER TABLE t DROP COLUMN v")
    with pytest.raises(psycopg.errors.UndefinedColumn):
        any_lab.run("INSERT INTO t VALUES (2)")
    assert any_lab.rows("SELECT * FROM t") == []
    assert any_lab.marks(source) == []


def test_ensuring_capture_again_repairs_it(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int, v int)")
    any_lab.capture("t")
    any_lab.run("ALTER TABLE t DROP COLUMN v")
    source = any_lab.capture("t")
    any_lab.run("INSERT INTO t VALUES (2)")
    assert any_lab.changes(source) == [("I", 2)]
    assert [column.name for column in source.columns] == ["id"]


def test_a_retyped_column_is_made_anew(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int, v int)")
    any_lab.capture("t")
    any_lab.run("INSERT INTO t VALUES (1, 1); ALTER TABLE t ALTER v TYPE text USING 'x' || v")
    source = any_lab.capture("t")
    any_lab.run("INSERT INTO t VALUES (2, 'long text')")
    assert any_lab.changes(source) == [("I", 1, None), ("I", 2, "long text")]


def _raising(lab: Lab, source: Source, state: str) -> None:
    """Let every write to the buffer raise an error."""
    lab.run(
        "CREATE FUNCTION complain() RETURNS trigger LANGUAGE plpgsql AS"
        f" $$BEGIN RAISE EXCEPTION 'no' USING ERRCODE = '{state}'; END$$;"
        f" CREATE TRIGGER complain BEFORE INSERT ON {source.buffer}"
        " FOR EACH STATEMENT EXECUTE FUNCTION complain()"
    )


@pytest.mark.parametrize("state", ["40001", "40P01", "57014"])
def test_conflicts_and_cancellation_are_raised_again(any_lab: Lab, state: str) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    _raising(any_lab, source, state)
    with pytest.raises(psycopg.Error) as raised:
        any_lab.run("INSERT INTO t VALUES (1)")
    assert raised.value.sqlstate == state
    assert any_lab.marks(source) == []


@pytest.mark.parametrize("state", ["23505", "22003", "55P03", "XX000", "P0001"])
def test_all_other_errors_become_a_gap_with_the_sqlstate_only(any_lab: Lab, state: str) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    _raising(any_lab, source, state)
    any_lab.run("INSERT INTO t VALUES (1)")
    assert any_lab.marks(source) == [("gap", state)]


def test_cancelling_a_writer_that_waits_in_capture_cancels_it(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    holder, writer = any_lab.another(), any_lab.another()
    holder.execute("BEGIN")
    holder.execute(f"LOCK TABLE {source.buffer} IN ACCESS EXCLUSIVE MODE".encode())
    task = Task(lambda: writer.execute("INSERT INTO t VALUES (1)"))
    until(blocked(writer, any_lab.connection))
    writer.cancel_safe()
    with pytest.raises(psycopg.errors.QueryCanceled):
        task.result()
    holder.execute("ROLLBACK")
    assert any_lab.rows("SELECT * FROM t") == []
