"""Clean-up removes what every consumer has applied, and nothing else, whoever is writing."""

from __future__ import annotations

import threading
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from psycopg import sql

from pgtrickle.catalog import store
from pgtrickle.cdc import cleanup
from pgtrickle.cdc.cleanup import TRUNCATED, clean_up
from pgtrickle.config import Settings
from pgtrickle.frontier import Snapshot
from tests.support.lab import Task, blocked, until

if TYPE_CHECKING:
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg

ALWAYS_TRUNCATE = Settings(cleanup_min_bytes=1)


def test_covered_rows_go_and_the_floor_rises(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    consumer = any_lab.consumer("c", (source, ["id"]))
    any_lab.run("INSERT INTO t VALUES (1), (2)")
    bound = any_lab.snapshot()
    any_lab.stand_at(consumer, bound)
    any_lab.run("INSERT INTO t VALUES (3)")
    assert clean_up(any_lab.connection, source) == 2
    assert any_lab.changes(source) == [("I", 3)]
    assert store.sources(any_lab.connection)[0].floor == Snapshot.parse(bound)


def test_without_a_consumer_nothing_goes(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    any_lab.run("INSERT INTO t VALUES (1)")
    assert clean_up(any_lab.connection, source, settings=ALWAYS_TRUNCATE) == 0
    assert len(any_lab.changes(source)) == 1


def test_a_populating_consumer_keeps_what_came_after_it(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    first = any_lab.consumer("first", (source, ["id"]))
    any_lab.run("INSERT INTO t VALUES (1)")
    any_lab.consumer("second", (source, ["id"]))
    any_lab.run("INSERT INTO t VALUES (2)")
    any_lab.stand_at(first, any_lab.snapshot())
    assert clean_up(any_lab.connection, source, settings=ALWAYS_TRUNCATE) == 1
    assert any_lab.changes(source) == [("I", 2)]


def test_the_bound_is_the_meet_and_not_the_oldest_frontier(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    a = any_lab.consumer("a", (source, ["id"]))
    b = any_lab.consumer("b", (source, ["id"]))
    any_lab.run("INSERT INTO t VALUES (1)")
    xid = any_lab.value(f"SELECT xid::text::bigint FROM {source.buffer}")
    # One is behind in xmax, the other still waits for the row's transaction.
    any_lab.stand_at(a, f"{xid + 1}:{xid + 1}:")
    any_lab.stand_at(b, f"{xid}:{xid + 2}:{xid}")
    assert clean_up(any_lab.connection, source, settings=ALWAYS_TRUNCATE) == 0
    assert any_lab.changes(source) == [("I", 1)]


def test_marks_go_with_the_rows(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int); CREATE TABLE u (id int)")
    source, other = any_lab.capture("t"), any_lab.capture("u")
    consumer = any_lab.consumer("c", (source, ["id"]))
    any_lab.run("TRUNCATE t; TRUNCATE u")
    any_lab.stand_at(consumer, any_lab.snapshot())
    any_lab.run("TRUNCATE t")
    clean_up(any_lab.connection, source)
    assert any_lab.marks(source) == [("truncate", None)]
    assert any_lab.marks(other) == [("truncate", None)]


def test_a_buffer_that_is_all_covered_is_truncated(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    consumer = any_lab.consumer("c", (source, ["id"]))
    any_lab.run("INSERT INTO t SELECT generate_series(1, 1000)")
    any_lab.stand_at(consumer, any_lab.snapshot())
    assert clean_up(any_lab.connection, source, settings=ALWAYS_TRUNCATE) == TRUNCATED
    assert any_lab.value("SELECT pg_relation_size(%s::regclass)", str(source.buffer)) == 0
    any_lab.run("INSERT INTO t VALUES (7)")
    assert any_lab.changes(source) == [("I", 7)]


def test_a_writer_in_flight_turns_truncation_into_deletion(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    consumer = any_lab.consumer("c", (source, ["id"]))
    any_lab.run("INSERT INTO t VALUES (1)")
    writer = any_lab.another()
    writer.execute("BEGIN")
    writer.execute("INSERT INTO t VALUES (2)")
    any_lab.stand_at(consumer, any_lab.snapshot())
    assert clean_up(any_lab.connection, source, settings=ALWAYS_TRUNCATE) == 1
    writer.execute("COMMIT")
    assert any_lab.changes(source) == [("I", 2)]


def test_the_look_comes_after_the_lock(any_lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    consumer = any_lab.consumer("c", (source, ["id"]))
    any_lab.run("INSERT INTO t VALUES (1)")
    any_lab.stand_at(consumer, any_lab.snapshot())
    writer, execute = any_lab.another(), any_lab.connection.execute

    def write_before_the_lock(query: Any, *arguments: Any, **options: Any) -> Any:  # noqa: ANN401
        if isinstance(query, sql.Composed) and "LOCK TABLE" in query.as_string():
            writer.execute("INSERT INTO t VALUES (2)")
        return execute(query, *arguments, **options)

    monkeypatch.setattr(any_lab.connection, "execute", write_before_the_lock)
    assert clean_up(any_lab.connection, source, settings=ALWAYS_TRUNCATE) == 1
    assert any_lab.changes(source) == [("I", 2)]


def test_large_buffers_are_deleted_in_pieces(any_lab: Lab, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cleanup, "BLOCKS_AT_ONCE", 2)
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    consumer = any_lab.consumer("c", (source, ["id"]))
    any_lab.run("INSERT INTO t SELECT generate_series(1, 2000)")
    any_lab.stand_at(consumer, any_lab.snapshot())
    any_lab.run("INSERT INTO t VALUES (0)")
    assert clean_up(any_lab.connection, source) == 2000
    assert any_lab.changes(source) == [("I", 0)]


def test_the_floor_never_falls(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    first = any_lab.consumer("first", (source, ["id"]))
    old = any_lab.snapshot()
    any_lab.run("INSERT INTO t VALUES (1)")
    new = any_lab.snapshot()
    any_lab.stand_at(first, new)
    clean_up(any_lab.connection, source)
    any_lab.stand_at(any_lab.consumer("second", (source, ["id"])), old)
    any_lab.run("INSERT INTO t VALUES (2)")
    clean_up(any_lab.connection, source)
    assert store.sources(any_lab.connection)[0].floor == Snapshot.parse(new)


def test_clean_up_among_writers_loses_nothing(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (w int, n int)")
    source = any_lab.capture("t")
    consumer = any_lab.consumer("c", (source, ["w", "n"]))
    done = threading.Event()

    def write(worker: int) -> None:
        connection = any_lab.another()
        for number in range(60):
            connection.execute("BEGIN")
            connection.execute("SAVEPOINT s")
            connection.execute("INSERT INTO t VALUES (%s, %s)", (worker, number))
            connection.execute("COMMIT" if number % 5 else "ROLLBACK")

    def collect() -> list[tuple[object, ...]]:
        """Read windows as a refresh does, and move the frontier in the same transaction."""
        connection = any_lab.another()
        found: list[tuple[object, ...]] = []
        last = False
        while not last:
            last = done.is_set()
            connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            now, before = connection.execute(
                "SELECT pg_current_snapshot()::text, snapshot::text FROM pgtrickle.frontiers"
            ).fetchall()[0]
            found += connection.execute(
                f"SELECT w, n FROM {source.buffer} WHERE xid >= pg_snapshot_xmin('{before}')"
                f" AND NOT pg_visible_in_snapshot(xid, '{before}')".encode()
            ).fetchall()
            store.activate(connection, consumer, fingerprint="", snapshot=now)
            connection.execute("COMMIT")
        return found

    writers = [Task(partial(write, worker)) for worker in range(4)]
    collector = Task(collect)
    outcomes = set()
    while any(writer.is_alive() for writer in writers):
        outcomes.add(clean_up(any_lab.connection, source, settings=ALWAYS_TRUNCATE))
    for writer in writers:
        writer.result()
    done.set()
    assert sorted(collector.result()) == sorted(any_lab.rows("SELECT w, n FROM t"))
    assert any(outcome != 0 for outcome in outcomes)


def test_truncation_waits_for_nobody(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    consumer = any_lab.consumer("c", (source, ["id"]))
    any_lab.run("INSERT INTO t VALUES (1)")
    any_lab.stand_at(consumer, any_lab.snapshot())
    reader = any_lab.another()
    reader.execute("BEGIN")
    reader.execute(f"SELECT * FROM {source.buffer}".encode())
    assert clean_up(any_lab.connection, source, settings=ALWAYS_TRUNCATE) == 1


def test_truncate_of_a_source_is_blocked_by_the_lock_of_a_refresh(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int); INSERT INTO t VALUES (1)")
    reader, truncater = any_lab.another(), any_lab.another()
    reader.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    reader.execute("LOCK TABLE t IN ACCESS SHARE MODE")
    assert reader.execute("SELECT pg_current_xact_id_if_assigned()").fetchone() == (None,)
    task = Task(lambda: truncater.execute("TRUNCATE t"))
    until(blocked(truncater, any_lab.connection))
    assert reader.execute("SELECT id FROM t").fetchall() == [(1,)]
    reader.execute("COMMIT")
    task.result()
