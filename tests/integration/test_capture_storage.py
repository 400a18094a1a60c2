"""Storage tables as sources: an update that changes only hidden columns is no change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg


def test_an_update_of_hidden_columns_writes_nothing(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE s (k int PRIMARY KEY, v int, __pgt_count int)")
    any_lab.run("INSERT INTO s VALUES (1, 1, 1), (2, 2, 1)")
    source = any_lab.captured("s", ["k", "v"], pairing=["k"]).source
    any_lab.run("UPDATE s SET __pgt_count = 2, v = CASE k WHEN 1 THEN 10 ELSE v END")
    assert any_lab.changes(source) == [("D", 1, 1), ("I", 1, 10)]


def test_nullable_keys_find_their_pairs(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE s (a int, b text, v int)")
    any_lab.run("INSERT INTO s VALUES (NULL, 'x', 1), (1, NULL, 2), (NULL, NULL, 3)")
    source = any_lab.captured("s", ["a", "b", "v"], pairing=["a", "b"]).source
    any_lab.run("UPDATE s SET v = v + CASE WHEN a IS NULL AND b IS NULL THEN 1 ELSE 0 END")
    assert any_lab.changes(source) == [("D", None, None, 3), ("I", None, None, 4)]


def test_a_changed_key_is_a_delete_and_an_insert(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE s (k int PRIMARY KEY, v int)")
    any_lab.run("INSERT INTO s VALUES (1, NULL), (2, NULL)")
    source = any_lab.captured("s", ["v"], pairing=["k"]).source
    any_lab.run("UPDATE s SET k = k + 10 WHERE k = 1")
    assert sorted(any_lab.changes(source)) == [("D", 1, None), ("I", 11, None)]


def test_rows_of_nothing_but_nulls_are_told_apart_from_missing_ones(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE s (k int, v int)")
    any_lab.run("INSERT INTO s VALUES (1, NULL)")
    source = any_lab.captured("s", ["v"], pairing=["k"]).source
    any_lab.run("UPDATE s SET k = 2")
    # The captured column is the same; the pair is not found, and the two changes cancel.
    assert sorted(any_lab.changes(source)) == [("D", None), ("I", None)]


def test_a_value_that_is_equal_but_looks_different_is_a_change(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE s (k int PRIMARY KEY, v numeric, j json)")
    any_lab.run("INSERT INTO s VALUES (1, 1.0, '{}')")
    source = any_lab.captured("s", ["v", "j"], pairing=["k"]).source
    any_lab.run("UPDATE s SET v = 1.00")
    shown = [(row[0], str(row[2])) for row in any_lab.changes(source)]
    assert shown == [("D", "1.0"), ("I", "1.00")]


def test_keys_of_types_without_a_hash(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE s (k bit(3) PRIMARY KEY, m money, v int, h int)")
    any_lab.run("INSERT INTO s VALUES (B'101', 1, 1, 1), (B'111', 2, 2, 2)")
    source = any_lab.captured("s", ["v"], pairing=["k", "m"]).source
    any_lab.run("UPDATE s SET h = 0, v = CASE v WHEN 1 THEN 5 ELSE v END")
    assert [(row[0], row[-1]) for row in any_lab.changes(source)] == [("D", 1), ("I", 5)]


def test_inserts_and_deletes_are_captured_plainly(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE s (k int PRIMARY KEY, v int)")
    source = any_lab.captured("s", ["v"], pairing=["k"]).source
    any_lab.run("INSERT INTO s VALUES (1, 1); DELETE FROM s")
    assert any_lab.changes(source) == [("I", 1, 1), ("D", 1, 1)]


def test_pairing_a_large_update_is_not_quadratic(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE s (k int, v int, h int)")
    any_lab.run("INSERT INTO s SELECT nullif(g, 7), g, 0 FROM generate_series(1, 20000) AS g")
    source = any_lab.captured("s", ["v"], pairing=["k"]).source
    any_lab.run("SET statement_timeout = '5s'; UPDATE s SET h = 1; RESET statement_timeout")
    assert any_lab.changes(source) == []
