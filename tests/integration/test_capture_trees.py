"""Partitions and inheritance: each write is captured once, whichever table it names."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pgtrickle.cdc.trigger import install, tables
from pgtrickle.errors import SourceError

if TYPE_CHECKING:
    from pgtrickle.cdc.trigger.tables import Member
    from pgtrickle.dvm.schema import QualifiedName
    from pgtrickle.pg.connection import Connection
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg

PARTITIONED = """
CREATE TABLE r (k int, v int) PARTITION BY RANGE (k);
CREATE TABLE low PARTITION OF r FOR VALUES FROM (0) TO (10);
CREATE TABLE high PARTITION OF r FOR VALUES FROM (10) TO (100) PARTITION BY LIST (k);
CREATE TABLE high10 PARTITION OF high FOR VALUES IN (10);
CREATE TABLE rest PARTITION OF high DEFAULT;
"""
INHERITED = """
CREATE TABLE p (k int, v int);
CREATE TABLE c (extra text) INHERITS (p);
CREATE TABLE g () INHERITS (c);
"""


def test_writes_to_root_and_to_leaves_are_captured_once_each(any_lab: Lab) -> None:
    any_lab.run(PARTITIONED)
    source = any_lab.capture("r")
    any_lab.run("INSERT INTO r VALUES (1, 1), (10, 2)")
    any_lab.run("INSERT INTO low VALUES (2, 3); INSERT INTO high VALUES (11, 4)")
    any_lab.run("INSERT INTO high10 VALUES (10, 5)")
    assert any_lab.changes(source) == [
        ("I", 1, 1),
        ("I", 10, 2),
        ("I", 2, 3),
        ("I", 11, 4),
        ("I", 10, 5),
    ]


def test_an_update_that_moves_a_row_between_partitions(any_lab: Lab) -> None:
    any_lab.run(PARTITIONED + "INSERT INTO r VALUES (1, 1)")
    source = any_lab.capture("r")
    any_lab.run("UPDATE r SET k = 50")
    assert any_lab.changes(source) == [("D", 1, 1), ("I", 50, 1)]


def test_a_partition_as_source_sees_writes_through_its_root(any_lab: Lab) -> None:
    any_lab.run(PARTITIONED + "INSERT INTO r VALUES (1, 1)")
    source = any_lab.capture("low")
    any_lab.run("INSERT INTO r VALUES (2, 2), (50, 9); INSERT INTO low VALUES (3, 3)")
    any_lab.run("UPDATE r SET v = v + 1 WHERE k = 2; UPDATE r SET k = 60 WHERE k = 3")
    assert any_lab.changes(source) == [
        ("I", 2, 2),
        ("I", 3, 3),
        ("D", 2, 2),
        ("I", 2, 3),
        ("D", 3, 3),
    ]


def test_a_partitioned_partition_as_source_is_captured_at_its_leaves(any_lab: Lab) -> None:
    any_lab.run(PARTITIONED)
    source = any_lab.capture("high")
    any_lab.run("INSERT INTO r VALUES (1, 1), (10, 2); INSERT INTO high VALUES (11, 3)")
    any_lab.run("INSERT INTO rest VALUES (12, 4)")
    assert any_lab.changes(source) == [("I", 10, 2), ("I", 11, 3), ("I", 12, 4)]


def test_an_inheritance_parent_sees_writes_to_its_children(any_lab: Lab) -> None:
    any_lab.run(INHERITED)
    source = any_lab.capture("p")
    any_lab.run("INSERT INTO p VALUES (1, 1); INSERT INTO c VALUES (2, 2, 'x')")
    any_lab.run("INSERT INTO g VALUES (3, 3, 'y'); UPDATE p SET v = 0 WHERE k = 3")
    any_lab.run("DELETE FROM ONLY p; DELETE FROM c WHERE k = 2")
    assert any_lab.changes(source) == [
        ("I", 1, 1),
        ("I", 2, 2),
        ("I", 3, 3),
        ("D", 3, 3),
        ("I", 3, 0),
        ("D", 1, 1),
        ("D", 2, 2),
    ]


def test_a_child_as_source_sees_writes_through_its_parent(any_lab: Lab) -> None:
    any_lab.run(INHERITED + "INSERT INTO c VALUES (2, 2, 'x'); INSERT INTO p VALUES (9, 9)")
    source = any_lab.capture("c", "k", "v")
    any_lab.run("UPDATE p SET v = v + 1; DELETE FROM c; INSERT INTO g VALUES (4, 4, NULL)")
    assert any_lab.changes(source) == [("D", 2, 2), ("I", 2, 3), ("D", 2, 3), ("I", 4, 4)]


def test_parent_and_child_can_both_be_sources(any_lab: Lab) -> None:
    any_lab.run(INHERITED)
    parent, child = any_lab.capture("p"), any_lab.capture("c", "k", "v")
    any_lab.run("INSERT INTO c VALUES (1, 1, 'x'); UPDATE p SET v = 2")
    expected = [("I", 1, 1), ("D", 1, 1), ("I", 1, 2)]
    assert any_lab.changes(parent) == expected
    assert any_lab.changes(child) == expected


@pytest.mark.parametrize(
    ("script", "source", "truncated"),
    [
        (PARTITIONED, "r", "r"),
        (PARTITIONED, "r", "low"),
        (PARTITIONED, "low", "r"),
        (PARTITIONED, "high", "r"),
        (INHERITED, "p", "p"),
        (INHERITED, "p", "g"),
        (INHERITED, "c", "p"),
    ],
)
def test_truncate_anywhere_in_the_tree_is_marked(
    any_lab: Lab, script: str, source: str, truncated: str
) -> None:
    any_lab.run(script)
    captured = any_lab.capture(source)
    any_lab.run(f"TRUNCATE {truncated}")
    assert {kind for kind, _ in any_lab.marks(captured)} == {"truncate"}


def test_a_new_partition_is_captured_when_capture_is_ensured_again(any_lab: Lab) -> None:
    any_lab.run(PARTITIONED)
    any_lab.capture("r")
    any_lab.run("CREATE TABLE more PARTITION OF r FOR VALUES FROM (100) TO (200)")
    source = any_lab.capture("r")
    any_lab.run("INSERT INTO more VALUES (100, 1)")
    assert any_lab.changes(source) == [("I", 100, 1)]
    # Writes between the two went unseen, so everyone must rebuild.
    assert any_lab.marks(source) == [("gap", None)]


def test_a_partition_that_comes_while_capture_is_installed_is_captured_too(
    any_lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    any_lab.run(PARTITIONED)
    ddl, read = any_lab.another(), tables.read_members
    scripts = ["CREATE TABLE more PARTITION OF r FOR VALUES FROM (100) TO (200)"]

    def attach_after_reading(connection: Connection, table: QualifiedName) -> tuple[Member, ...]:
        members = read(connection, table)
        if scripts:
            ddl.execute(scripts.pop().encode())
        return members

    monkeypatch.setattr(install, "read_members", attach_after_reading)
    source = any_lab.capture("r")
    any_lab.run("INSERT INTO more VALUES (100, 1)")
    assert any_lab.changes(source) == [("I", 100, 1)]


def test_a_detached_partition_is_captured_no_more(any_lab: Lab) -> None:
    any_lab.run(PARTITIONED)
    any_lab.capture("r")
    any_lab.run("ALTER TABLE r DETACH PARTITION low")
    source = any_lab.capture("r")
    any_lab.run("INSERT INTO low VALUES (1, 1)")
    assert any_lab.changes(source) == []
    assert any_lab.value("SELECT count(*) FROM pg_trigger WHERE tgrelid = 'low'::regclass") == 0


def test_a_subscribed_table_is_captured_by_row_triggers(any_lab: Lab) -> None:
    any_lab.run(
        "CREATE TABLE t (id int PRIMARY KEY);"
        " CREATE SUBSCRIPTION s CONNECTION 'dbname=nowhere' PUBLICATION p"
        " WITH (connect = false, slot_name = NONE)"
    )
    any_lab.capture("t")
    query = "SELECT bool_or(tgtype & 1 = 1) FROM pg_trigger WHERE tgrelid = 't'::regclass"
    assert any_lab.value(query) is False
    # What the apply worker would have recorded; it fires row triggers only.
    any_lab.run(
        "INSERT INTO pg_subscription_rel (srsubid, srrelid, srsubstate)"
        " SELECT oid, 't'::regclass, 'r' FROM pg_subscription WHERE subname = 's'"
    )
    source = any_lab.capture("t")
    assert any_lab.value(query) is True
    any_lab.run("INSERT INTO t VALUES (1); DROP SUBSCRIPTION s")
    assert any_lab.changes(source) == [("I", 1)]


def test_a_foreign_partition_is_refused(any_lab: Lab) -> None:
    any_lab.run(
        PARTITIONED + "CREATE FOREIGN DATA WRAPPER w; CREATE SERVER s FOREIGN DATA WRAPPER w;"
        "CREATE FOREIGN TABLE f PARTITION OF r FOR VALUES FROM (100) TO (200) SERVER s"
    )
    with pytest.raises(SourceError, match="not a table of this database"):
        any_lab.capture("r")


def test_an_unlogged_table_is_refused(any_lab: Lab) -> None:
    any_lab.run("CREATE UNLOGGED TABLE t (id int)")
    with pytest.raises(SourceError, match="unlogged"):
        any_lab.capture("t")
