"""The fingerprint changes exactly with what capture cannot see."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

from pgtrickle.catalog.fingerprint import AT_SNAPSHOT, EPOCH, LIVE
from tests.support.lab import Task, blocked, until

if TYPE_CHECKING:
    from pgtrickle.catalog.model import StreamTableId
    from pgtrickle.pg.connection import Connection
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg

TABLES = """
CREATE TABLE t (id int PRIMARY KEY, v int, unneeded text, included int);
CREATE UNIQUE INDEX t_v ON t (v) INCLUDE (included);
CREATE TABLE u (k int, v int);
CREATE TABLE part (k int, v int) PARTITION BY LIST (k);
CREATE TABLE part1 PARTITION OF part FOR VALUES IN (1);
CREATE TABLE part2 PARTITION OF part FOR VALUES IN (2);
CREATE TABLE loose (k int, v int);
CREATE VIEW w AS SELECT id FROM t;
"""
CHANGES = [
    "ALTER TABLE t ALTER v TYPE bigint",
    "ALTER TABLE t RENAME v TO vv",
    "ALTER TABLE t DROP COLUMN v CASCADE",
    "ALTER TABLE t ALTER v SET NOT NULL",
    "DROP INDEX t_v",
    "ALTER TABLE t DROP CONSTRAINT t_pkey",
    "ALTER TABLE t DISABLE TRIGGER USER",
    "DROP TRIGGER pgtrickle_1_truncate ON t",
    "ALTER TABLE t ENABLE ROW LEVEL SECURITY",
    "ALTER TABLE t FORCE ROW LEVEL SECURITY",
    "TRUNCATE t",
    "DROP TABLE t CASCADE",
    "DROP TABLE t CASCADE; CREATE TABLE t (id int PRIMARY KEY, v int)",
    "ALTER TABLE t RENAME TO t2",
    "CREATE SCHEMA s; ALTER TABLE t SET SCHEMA s",
    "CREATE TABLE child () INHERITS (t)",
    "CREATE TABLE parent (k int, v int); ALTER TABLE u INHERIT parent",
    "CREATE TABLE part3 PARTITION OF part FOR VALUES IN (3)",
    "ALTER TABLE part ATTACH PARTITION loose FOR VALUES IN (4)",
    "ALTER TABLE part DETACH PARTITION part2",
    "TRUNCATE part1",
    "ALTER TABLE part1 DISABLE TRIGGER USER; ALTER TABLE part1 ENABLE TRIGGER USER",
    "ALTER TABLE part1 ENABLE ROW LEVEL SECURITY",
    "CREATE OR REPLACE VIEW w AS SELECT id FROM t WHERE v > 0",
    "DROP VIEW w; CREATE VIEW w AS SELECT id FROM t",
    "ALTER TABLE u SET UNLOGGED",
]
NO_CHANGES = [
    "INSERT INTO t VALUES (1, 1); UPDATE t SET v = 2; DELETE FROM t",
    "ANALYZE; ANALYZE t",
    "VACUUM t; VACUUM part1",
    "GRANT SELECT ON t TO PUBLIC; REVOKE SELECT ON t FROM PUBLIC",
    "ALTER TABLE t ADD COLUMN more int DEFAULT 3",
    "ALTER TABLE t DROP COLUMN unneeded",
    "ALTER TABLE t RENAME included TO other; ALTER TABLE t RENAME other TO included",
    "CREATE INDEX ON t (v)",
    "CREATE UNIQUE INDEX ON t (included)",
    "COMMENT ON TABLE t IS 'a table'; COMMENT ON COLUMN t.v IS 'a column'",
    "ALTER TABLE t ALTER v SET DEFAULT 5; ALTER TABLE t ALTER v DROP DEFAULT",
    "ALTER TABLE t ALTER v SET STATISTICS 50",
    "REINDEX TABLE t",
    "CREATE TABLE elsewhere (id int); DROP TABLE elsewhere",
    "CREATE TRIGGER theirs BEFORE UPDATE ON t FOR EACH ROW EXECUTE FUNCTION suppress_redundant_updates_trigger()",
]


def _consumer(lab: Lab) -> StreamTableId:
    lab.run(TABLES)
    needs = [
        (lab.capture("t", "v"), ["id", "v"]),
        (lab.capture("u", "k"), ["k"]),
        (lab.capture("part", "k", "v"), ["k", "v"]),
    ]
    return lab.consumer("c", *needs, relations=["w", "t", "u", "part"])


def _at_snapshot(connection: Connection, id_: int) -> tuple[str, str]:
    fingerprint, tree = psycopg.RawCursor(connection).execute(AT_SNAPSHOT, (id_,)).fetchall()[0]
    return str(fingerprint), str(tree)


def _live(connection: Connection, id_: int) -> str:
    return str(psycopg.RawCursor(connection).execute(LIVE, (id_,)).fetchall()[0][0])


def test_it_changes_with_each_of_these(any_lab: Lab) -> None:
    consumer = _consumer(any_lab)
    before, _ = _at_snapshot(any_lab.connection, consumer)
    unnoticed = []
    for script in CHANGES:
        any_lab.run("BEGIN")
        any_lab.run(script)
        if _at_snapshot(any_lab.connection, consumer)[0] == before:
            unnoticed.append(script)
        any_lab.run("ROLLBACK")
    assert unnoticed == []


def test_a_rewritten_table_changes_it(any_lab: Lab) -> None:
    consumer = _consumer(any_lab)
    before = _at_snapshot(any_lab.connection, consumer)
    any_lab.run("VACUUM FULL t")
    assert _at_snapshot(any_lab.connection, consumer)[0] != before[0]


def test_a_trigger_disabled_and_enabled_again_changes_it(any_lab: Lab) -> None:
    consumer = _consumer(any_lab)
    before = _at_snapshot(any_lab.connection, consumer)
    trigger = "SELECT tgenabled FROM pg_trigger WHERE tgname = 'pgtrickle_1_insert'"
    enabled = any_lab.value(trigger)
    any_lab.run("ALTER TABLE t DISABLE TRIGGER pgtrickle_1_insert")
    any_lab.run("ALTER TABLE t ENABLE ALWAYS TRIGGER pgtrickle_1_insert")
    assert any_lab.value(trigger) == enabled
    assert _at_snapshot(any_lab.connection, consumer)[0] != before[0]


def test_it_stays_through_each_of_these(any_lab: Lab) -> None:
    consumer = _consumer(any_lab)
    before = _at_snapshot(any_lab.connection, consumer)
    noticed = []
    for script in NO_CHANGES:
        for statement in script.split("; "):
            any_lab.run(statement)
        if _at_snapshot(any_lab.connection, consumer) != before:
            noticed.append(script)
    assert noticed == []


def test_a_new_generation_expression_changes_it(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a + 1) VIRTUAL)")
    consumer = lab.consumer("c", (lab.capture("t", "a"), ["a", "b"]))
    before = _at_snapshot(lab.connection, consumer)
    lab.run("ALTER TABLE t ALTER b SET EXPRESSION AS (a + 2)")
    assert _at_snapshot(lab.connection, consumer)[0] != before[0]


def test_our_own_widening_for_another_consumer_keeps_it(any_lab: Lab) -> None:
    consumer = _consumer(any_lab)
    before = _at_snapshot(any_lab.connection, consumer)
    any_lab.capture("t", "unneeded")
    assert _at_snapshot(any_lab.connection, consumer) == before


def test_a_capture_that_is_not_intact_equals_nothing_not_even_itself(any_lab: Lab) -> None:
    consumer = _consumer(any_lab)
    any_lab.run("ALTER TABLE u DISABLE TRIGGER USER")
    first, second = (_at_snapshot(any_lab.connection, consumer)[0] for _ in range(2))
    assert first != second
    any_lab.capture("u", "k")
    assert _at_snapshot(any_lab.connection, consumer) == _at_snapshot(any_lab.connection, consumer)


def test_a_partition_attached_between_capture_and_population_is_not_missed(any_lab: Lab) -> None:
    any_lab.run(TABLES)
    source = any_lab.capture("part", "k")
    any_lab.run("ALTER TABLE part ATTACH PARTITION loose FOR VALUES IN (4)")
    consumer = any_lab.consumer("c", (source, ["k"]))
    populated_with = _at_snapshot(any_lab.connection, consumer)[0]
    assert _at_snapshot(any_lab.connection, consumer)[0] != populated_with


def test_the_trees_agree_when_nothing_moves(any_lab: Lab) -> None:
    consumer = _consumer(any_lab)
    any_lab.run("CREATE TABLE child () INHERITS (t); CREATE TABLE grand () INHERITS (child, u)")
    any_lab.run("DROP TABLE grand; TRUNCATE t")
    assert _at_snapshot(any_lab.connection, consumer)[1] == _live(any_lab.connection, consumer)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE part ATTACH PARTITION loose FOR VALUES IN (4)",
        "CREATE TABLE part3 PARTITION OF part FOR VALUES IN (3)",
    ],
)
def test_a_partition_that_comes_after_the_snapshot_is_seen_live(
    any_lab: Lab, statement: str
) -> None:
    consumer = _consumer(any_lab)
    any_lab.run("INSERT INTO loose VALUES (4, 4)")
    refresh, ddl = any_lab.another(), any_lab.another()
    refresh.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    refresh.execute("LOCK TABLE t, u, part IN ACCESS SHARE MODE")
    fingerprint, tree = _at_snapshot(refresh, consumer)
    assert _live(refresh, consumer) == tree
    if statement.startswith("ALTER"):
        ddl.execute(statement.encode())
        # The danger: rows of a partition that the snapshot's fingerprint does not know.
        assert refresh.execute("SELECT count(*) FROM part").fetchone() == (1,)
    else:
        task = Task(lambda: ddl.execute(statement.encode()))
        until(lambda: blocked(ddl, any_lab.connection)() or not task.is_alive())
        if task.is_alive():
            refresh.execute("COMMIT")
            task.result()
            return
    assert _at_snapshot(refresh, consumer) == (fingerprint, tree)
    assert _live(refresh, consumer) != tree
    refresh.execute("COMMIT")


def test_a_truncate_after_the_snapshot_is_seen_live_where_no_lock_prevents_it(any_lab: Lab) -> None:
    consumer = _consumer(any_lab)
    refresh = any_lab.another()
    refresh.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
    _, tree = _at_snapshot(refresh, consumer)
    any_lab.run("TRUNCATE u; TRUNCATE part1")
    assert _at_snapshot(refresh, consumer)[1] == tree
    live = _live(refresh, consumer)
    refresh.execute("COMMIT")
    assert live != tree
    assert live == _at_snapshot(any_lab.connection, consumer)[1]


def test_a_stream_table_without_sources_has_a_fingerprint(any_lab: Lab) -> None:
    consumer = any_lab.consumer("c")
    assert _at_snapshot(any_lab.connection, consumer)[1] == ""
    assert _live(any_lab.connection, consumer) == ""


def test_the_epoch_names_server_database_and_timeline(any_lab: Lab) -> None:
    system, database, timeline, next_xid = any_lab.rows(EPOCH)[0]
    stored = any_lab.rows(
        "SELECT system_identifier, database_oid::bigint, timeline FROM pgtrickle.installation"
    )
    assert stored == [(system, database, timeline)]
    assert any_lab.value("SELECT pg_current_xact_id()::text::bigint") >= next_xid
