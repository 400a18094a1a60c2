"""A second consumer needs more columns while writers are at work."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

import pytest

from pgtrickle.catalog.model import CaptureFailure
from pgtrickle.catalog.relations import read_relations
from pgtrickle.cdc.trigger.install import ensure_capture
from pgtrickle.errors import LockTimeoutError, SourceError
from tests.support.lab import QUICK, Task, blocked, named, until

if TYPE_CHECKING:
    from pgtrickle.cdc.trigger.install import Captured
    from pgtrickle.pg.connection import Connection
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg

PATIENT = replace(QUICK, ddl_lock_timeout_ms=15_000, ddl_lock_attempts=1)


def _widen(connection: Connection, *columns: str) -> Captured:
    relation = read_relations(connection, [named("t")])[named("t")]
    return ensure_capture(
        connection,
        relation,
        columns,
        capture_failure=CaptureFailure.REBUILD,
        settings=PATIENT,
    )


def test_widening_waits_for_writers_in_flight_and_leaves_no_narrow_row(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY, a int, b int)")
    any_lab.capture("t", "a")
    writer, installer = any_lab.another(), any_lab.another()
    writer.execute("BEGIN")
    writer.execute("INSERT INTO t VALUES (1, 1, 1)")
    task = Task(lambda: _widen(installer, "b"))
    until(blocked(installer, any_lab.connection))
    frontier_before = any_lab.snapshot()
    writer.execute("INSERT INTO t VALUES (2, 2, 2)")
    writer.execute("COMMIT")
    source = task.result().source
    # The new consumer's window starts after the widening: only rows that hold its column are in it.
    start = any_lab.snapshot()
    any_lab.run("INSERT INTO t VALUES (3, 3, 3)")
    assert any_lab.changes(source, since=start) == [("I", 3, 3, 3)]
    assert len(any_lab.changes(source, since=frontier_before)) == 3


def test_a_writer_that_queues_behind_the_widening_writes_wide_rows(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY, a int, b int)")
    any_lab.capture("t", "a")
    first, installer, second = any_lab.another(), any_lab.another(), any_lab.another()
    # This session has the old function compiled and cached.
    second.execute("INSERT INTO t VALUES (9, 9, 9)")
    first.execute("BEGIN")
    first.execute("INSERT INTO t VALUES (1, 1, 1)")
    widening = Task(lambda: _widen(installer, "b"))
    until(blocked(installer, any_lab.connection))
    writing = Task(lambda: second.execute("INSERT INTO t VALUES (2, 2, 2)"))
    until(blocked(second, any_lab.connection))
    first.execute("COMMIT")
    source = widening.result().source
    writing.result()
    assert any_lab.changes(source)[-1] == ("I", 2, 2, 2)


def test_the_same_columns_again_touch_nothing(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY, a int)")
    first = any_lab.capture("t", "a")
    writer = any_lab.another()
    writer.execute("BEGIN")
    writer.execute("INSERT INTO t VALUES (1, 1)")
    again = _widen(any_lab.connection, "a", "id").source
    writer.execute("COMMIT")
    assert again == first


def test_old_functions_are_dropped_and_columns_kept(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY, a int, b int)")
    first = any_lab.capture("t", "a")
    second = any_lab.capture("t", "b")
    functions = any_lab.rows(
        "SELECT proname FROM pg_proc WHERE pronamespace = 'pgtrickle_changes'::regnamespace"
    )
    assert second.id == first.id
    assert {column.name for column in second.columns} == {"id", "a", "b"}
    assert [name.rsplit("_", 1)[1] for (name,) in functions] == ["v2"]


def test_a_lock_that_is_never_granted_ends_in_an_error_with_a_hint(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    holder = any_lab.another()
    holder.execute("BEGIN")
    holder.execute("INSERT INTO t VALUES (1)")
    relation = read_relations(any_lab.connection, [named("t")])[named("t")]
    with pytest.raises(LockTimeoutError) as raised:
        ensure_capture(
            any_lab.connection,
            relation,
            ["id"],
            capture_failure=CaptureFailure.REBUILD,
            settings=replace(QUICK, ddl_lock_timeout_ms=50, ddl_lock_attempts=2),
        )
    holder.execute("COMMIT")
    assert "pg_stat_activity" in (raised.value.hint or "")
    assert any_lab.rows("SELECT * FROM pgtrickle.sources") == []
    assert any_lab.rows("SELECT to_regclass('pgtrickle_changes.changes_1')") == [(None,)]


def test_two_consumers_at_once_get_one_source(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY, a int, b int)")
    tasks = [Task(partial(_widen, any_lab.another(), column)) for column in ("a", "b")]
    ids = {task.result().source.id for task in tasks}
    assert len(ids) == 1
    source = any_lab.capture("t", "id")
    any_lab.run("INSERT INTO t VALUES (1, 2, 3)")
    assert any_lab.changes(source) == [("I", 1, 2, 3)]


def test_a_disabled_trigger_is_noticed_when_capture_is_ensured(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    any_lab.run("ALTER TABLE t DISABLE TRIGGER ALL; INSERT INTO t VALUES (1)")
    any_lab.run("ALTER TABLE t ENABLE TRIGGER ALL")
    any_lab.capture("t")
    assert any_lab.marks(source) == [("gap", None)]


def test_a_table_recreated_under_the_same_name_is_captured_anew(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    first = any_lab.capture("t")
    any_lab.run("DROP TABLE t; CREATE TABLE t (id int)")
    second = any_lab.capture("t")
    any_lab.run("INSERT INTO t VALUES (5)")
    assert second.id == first.id
    assert any_lab.changes(second) == [("I", 5)]


def test_an_unknown_column_is_refused(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    with pytest.raises(SourceError, match='column "nope"'):
        any_lab.capture("t", "nope")
