"""Every kind of write arrives as the rows that went and the rows that came."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

from pgtrickle.catalog.model import CaptureFailure
from pgtrickle.catalog.relations import read_relations
from pgtrickle.cdc.trigger.install import ensure_capture
from tests.support.lab import QUICK, named

if TYPE_CHECKING:
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg


def test_an_update_is_the_old_rows_then_the_new_rows(any_lab: Lab) -> None:
    any_lab.run(
        "CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'a'), (2, 'b')"
    )
    source = any_lab.capture("t")
    any_lab.run("UPDATE t SET v = v || '!'")
    assert any_lab.changes(source) == [
        ("D", 1, "a"),
        ("D", 2, "b"),
        ("I", 1, "a!"),
        ("I", 2, "b!"),
    ]


def test_an_update_of_the_key_removes_the_old_key(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY, v text); INSERT INTO t VALUES (1, 'a')")
    source = any_lab.capture("t", "v")
    any_lab.run("UPDATE t SET id = 7")
    assert any_lab.changes(source) == [("D", 1, "a"), ("I", 7, "a")]


def test_only_needed_columns_and_the_key_are_captured(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (a int, id int PRIMARY KEY, b int, c int)")
    source = any_lab.capture("t", "b")
    assert [column.name for column in source.columns] == ["id", "b"]


def test_a_query_that_needs_no_column_still_sees_the_rows(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (a int)")
    relation = read_relations(any_lab.connection, [named("t")])[named("t")]
    source, _ = ensure_capture(
        any_lab.connection, relation, [], capture_failure=CaptureFailure.FAIL, settings=QUICK
    )
    any_lab.run("INSERT INTO t VALUES (1), (2); DELETE FROM t WHERE a = 1")
    assert any_lab.changes(source) == [("I",), ("I",), ("D",)]


def test_merge_writes_each_of_its_actions(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1), (2, 2)")
    source = any_lab.capture("t")
    any_lab.run(
        "MERGE INTO t USING (VALUES (1, 10), (2, 0), (3, 30)) AS s (id, v) ON t.id = s.id"
        " WHEN MATCHED AND s.v = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v"
        " WHEN NOT MATCHED THEN INSERT VALUES (s.id, s.v)"
    )
    assert sorted(any_lab.changes(source)) == [("D", 1, 1), ("D", 2, 2), ("I", 1, 10), ("I", 3, 30)]


def test_on_conflict_writes_inserts_and_updates(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY, v int); INSERT INTO t VALUES (1, 1)")
    source = any_lab.capture("t")
    any_lab.run(
        "INSERT INTO t VALUES (1, 10), (2, 20) ON CONFLICT (id) DO UPDATE SET v = excluded.v;"
        " INSERT INTO t VALUES (1, 99) ON CONFLICT DO NOTHING"
    )
    assert sorted(any_lab.changes(source)) == [("D", 1, 1), ("I", 1, 10), ("I", 2, 20)]


def test_foreign_key_cascades_are_captured(any_lab: Lab) -> None:
    any_lab.run(
        "CREATE TABLE p (id int PRIMARY KEY);"
        " CREATE TABLE c (id int PRIMARY KEY, p int REFERENCES p ON DELETE CASCADE ON UPDATE CASCADE);"
        " INSERT INTO p VALUES (1), (2); INSERT INTO c VALUES (10, 1), (20, 2)"
    )
    source = any_lab.capture("c")
    any_lab.run("UPDATE p SET id = 3 WHERE id = 1; DELETE FROM p WHERE id = 2")
    assert any_lab.changes(source) == [("D", 10, 1), ("I", 10, 3), ("D", 20, 2)]


def test_copy_and_identity_columns(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int GENERATED ALWAYS AS IDENTITY, v text, w int DEFAULT 5)")
    source = any_lab.capture("t")
    with any_lab.connection.cursor().copy("COPY t (v) FROM STDIN") as copy:
        copy.write_row(("a",))
    any_lab.run("INSERT INTO t (v) VALUES ('b')")
    assert any_lab.changes(source) == [("I", 1, "a", 5), ("I", 2, "b", 5)]


def test_stored_generated_columns_are_ordinary_columns(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a * 2) STORED)")
    source = any_lab.capture("t")
    any_lab.run("INSERT INTO t VALUES (4); UPDATE t SET a = 5")
    assert any_lab.changes(source) == [("I", 4, 8), ("D", 4, 8), ("I", 5, 10)]


def test_virtual_generated_columns_are_never_captured(lab: Lab) -> None:
    lab.run("CREATE TABLE t (a int, b int GENERATED ALWAYS AS (a * 2) VIRTUAL)")
    source = lab.capture("t", "a", "b")
    lab.run("INSERT INTO t VALUES (4)")
    # What PostgreSQL shows to triggers, and why the column is left out.
    lab.run(
        "CREATE TABLE seen (b int); CREATE FUNCTION look() RETURNS trigger LANGUAGE plpgsql AS"
        " 'BEGIN INSERT INTO seen SELECT b FROM n; RETURN NULL; END';"
        " CREATE TRIGGER look AFTER INSERT ON t REFERENCING NEW TABLE AS n"
        " FOR EACH STATEMENT EXECUTE FUNCTION look(); INSERT INTO t VALUES (5)"
    )
    assert lab.rows("SELECT b FROM seen") == [(None,)]
    assert [column.name for column in source.columns] == ["a"]
    assert lab.changes(source) == [("I", 4), ("I", 5)]


def test_truncate_writes_a_mark_in_the_writers_transaction(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)")
    source = any_lab.capture("t")
    any_lab.run("BEGIN; TRUNCATE t; ROLLBACK")
    assert any_lab.marks(source) == []
    any_lab.run("TRUNCATE t")
    assert any_lab.marks(source) == [("truncate", None)]
    assert any_lab.changes(source) == []


def test_duplicates_nulls_and_types_without_equality(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (j json, p point, v text)")
    source = any_lab.capture("t")
    any_lab.run("""INSERT INTO t VALUES ('{"a":1}', '(1,2)', NULL), ('{"a":1}', '(1,2)', NULL)""")
    any_lab.run("DELETE FROM t")
    actions = [row[0] for row in any_lab.changes(source)]
    assert actions == ["I", "I", "D", "D"]


def test_collations_and_user_types_keep_their_identity(any_lab: Lab) -> None:
    any_lab.run(
        'CREATE SCHEMA "my types"; CREATE TYPE "my types"."Mood" AS ENUM (\'sad\', \'ok\');'
        ' CREATE DOMAIN "my types".pos AS int CHECK (VALUE > 0);'
        ' CREATE TABLE t (m "my types"."Mood", p "my types".pos, c text COLLATE "C",'
        " n numeric(10, 2), a varchar(3)[])"
    )
    source = any_lab.capture("t")
    same = any_lab.rows(
        "SELECT b.attname FROM pg_attribute AS s JOIN pg_attribute AS b ON b.attname = s.attname"
        f" AND b.attrelid = '{source.buffer}'::regclass WHERE s.attrelid = 't'::regclass"
        " AND (s.atttypid, s.atttypmod, s.attcollation) = (b.atttypid, b.atttypmod, b.attcollation)"
        " AND s.attnum > 0 ORDER BY s.attnum"
    )
    assert [name for (name,) in same] == ["m", "p", "c", "n", "a"]


def test_an_error_of_the_writer_itself_is_the_writers(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY); INSERT INTO t VALUES (1)")
    source = any_lab.capture("t")
    with pytest.raises(psycopg.errors.UniqueViolation):
        any_lab.run("INSERT INTO t VALUES (1)")
    assert any_lab.marks(source) == []
