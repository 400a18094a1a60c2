"""Batches are snapshot differences: which transaction a change belongs to, and when it is seen."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg


def test_xid_is_the_top_level_transaction_under_savepoints(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY)")
    source = any_lab.capture("t")
    writer = any_lab.another()
    writer.execute("BEGIN")
    top = writer.execute("SELECT pg_current_xact_id()::text::bigint").fetchall()[0][0]
    writer.execute("SAVEPOINT a")
    writer.execute("INSERT INTO t VALUES (1)")
    writer.execute("SAVEPOINT b")
    writer.execute("INSERT INTO t VALUES (2)")
    writer.execute("ROLLBACK TO b")
    writer.execute("RELEASE a")
    writer.execute("COMMIT")
    rows = any_lab.rows(f"SELECT id, xid::text::bigint, xmin::text::bigint FROM {source.buffer}")
    assert [(id_, xid) for id_, xid, _ in rows] == [(1, top)]
    # The system column names the subtransaction: a frontier would never have heard of it.
    assert rows[0][2] != top


def test_a_late_commit_is_lost_by_position_and_kept_by_snapshot(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY)")
    source = any_lab.capture("t")
    slow, quick = any_lab.another(), any_lab.another()
    slow.execute("BEGIN")
    slow.execute("INSERT INTO t VALUES (1)")
    quick.execute("INSERT INTO t VALUES (2)")
    frontier = any_lab.snapshot()
    first = any_lab.changes(source)
    last = any_lab.value(f"SELECT max(change_id) FROM {source.buffer}")
    slow.execute("COMMIT")
    by_position = any_lab.rows(f"SELECT id FROM {source.buffer} WHERE change_id > %s", last)
    assert first == [("I", 2)]
    assert by_position == []
    assert any_lab.changes(source, since=frontier) == [("I", 1)]


def test_a_transaction_open_at_two_frontiers_comes_exactly_once(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY)")
    source = any_lab.capture("t")
    slow = any_lab.another()
    slow.execute("BEGIN")
    slow.execute("INSERT INTO t VALUES (1)")
    first = any_lab.snapshot()
    any_lab.run("INSERT INTO t VALUES (2)")
    assert any_lab.changes(source, since=first) == [("I", 2)]
    second = any_lab.snapshot()
    slow.execute("COMMIT")
    assert any_lab.changes(source, since=second) == [("I", 1)]
    assert any_lab.changes(source, since=any_lab.snapshot()) == []


def test_a_prepared_transaction_appears_after_commit_prepared(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY)")
    source = any_lab.capture("t")
    writer = any_lab.another()
    writer.execute("BEGIN")
    writer.execute("INSERT INTO t VALUES (1)")
    writer.execute("PREPARE TRANSACTION 'p'")
    frontier = any_lab.snapshot()
    assert any_lab.changes(source) == []
    any_lab.run("INSERT INTO t VALUES (2)")
    later = any_lab.snapshot()
    any_lab.run("COMMIT PREPARED 'p'")
    assert any_lab.changes(source, since=frontier) == [("I", 1), ("I", 2)]
    assert any_lab.changes(source, since=later) == [("I", 1)]


def test_a_rolled_back_write_leaves_nothing(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY)")
    source = any_lab.capture("t")
    writer = any_lab.another()
    writer.execute("BEGIN")
    writer.execute("INSERT INTO t VALUES (1)")
    writer.execute("ROLLBACK")
    assert any_lab.changes(source) == []


def test_a_deferrable_key_may_write_its_new_row_first(any_lab: Lab) -> None:
    any_lab.run(
        "CREATE TABLE t (id int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED, v text);"
        " INSERT INTO t VALUES (1, 'old')"
    )
    source = any_lab.capture("t")
    any_lab.run("BEGIN; INSERT INTO t VALUES (1, 'new'); DELETE FROM t WHERE v = 'old'; COMMIT")
    # First and last by position would say that the row is gone; the sum of weights does not.
    assert any_lab.changes(source) == [("I", 1, "new"), ("D", 1, "old")]
