"""Leaving out parts: what remains still fails, and nothing in it can be spared."""

from __future__ import annotations

from tests.law.case import Block, Case, Round, Stream, Transaction
from tests.law.shrink import smaller

LARGE = Case(
    (
        "CREATE TABLE a (x int)",
        "CREATE TABLE b (x int)",
        "INSERT INTO a VALUES (1), (2), (3)",
        "INSERT INTO b VALUES (1)",
    ),
    (Stream("st1", "SELECT x FROM a", ("a",)), Stream("st2", "SELECT x FROM st1", ("st1",))),
    (
        Round((Transaction(("UPDATE a SET x = 1", "DELETE FROM b")),), skipped=("st2",)),
        Round(
            (
                Transaction(("DELETE FROM b",), commits=False),
                Transaction(
                    (Block(("DELETE FROM a", "INSERT INTO b VALUES (4), (5)"), kept=True),)
                ),
            )
        ),
    ),
)


def test_only_what_fails_remains() -> None:
    least = smaller(LARGE, lambda case: "DELETE FROM a" in case.script(), seconds=10)
    assert least.rounds == (Round((Transaction(("DELETE FROM a",)),)),)
    assert least.streams == LARGE.streams[:1]
    assert [statement.split()[2] for statement in least.ddl] == ["a", "a"]


def test_stream_table_that_another_reads_is_kept() -> None:
    least = smaller(LARGE, lambda case: "st2" in {each.name for each in case.streams}, seconds=10)
    assert [stream.name for stream in least.streams] == ["st1", "st2"]


def test_case_that_cannot_shrink_is_returned() -> None:
    assert smaller(LARGE, lambda _: False, seconds=10) == LARGE


def test_rows_of_an_insert_are_left_out_one_by_one() -> None:
    least = smaller(LARGE, lambda case: "(2)" in case.script(), seconds=10)
    assert "INSERT INTO a VALUES (2)" in least.ddl
