"""The audit finds every way in which stored rows can differ from the query, shows the rows, and finds nothing else."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import pgtrickle
from pgtrickle.catalog.model import DifferenceKind
from pgtrickle.dvm.plan.model import ROW_HASH
from pgtrickle.refresh import verify as auditing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pgtrickle import VerifyReport
    from pgtrickle.pg.connection import Connection
    from pgtrickle.refresh.prepare import Prepared
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg

MISSING, EXTRA = DifferenceKind.MISSING, DifferenceKind.EXTRA
BREAK = "BEGIN; SET LOCAL pgtrickle.refreshing = on; {}; COMMIT"


class Bag:
    """A stream table `copy` over a table `t`, and ways to break what it stores."""

    def __init__(self, lab: Lab, columns: str, rows: str = "") -> None:
        self.lab = lab
        lab.run(f"CREATE TABLE t ({columns})")
        if rows:
            lab.run(f"INSERT INTO t VALUES {rows}")
        self.client = pgtrickle.connect(lab.dsn)
        self.client.create_stream_table("copy", "SELECT * FROM t")

    def broken(self, statement: str) -> VerifyReport:
        """Change storage, called `s`, behind the product's back, and verify."""
        self.lab.run(BREAK.format(statement.replace(" s ", ' pgtrickle_state."public.copy" ')))
        return self.client.verify("copy")


@pytest.fixture
def bag(any_lab: Lab) -> Iterator[Bag]:
    made = Bag(any_lab, "n int, v text", "(1, 'a'), (1, 'a'), (2, NULL), (NULL, 'b')")
    yield made
    made.client.close()


def shown(report: VerifyReport) -> list[tuple[DifferenceKind, tuple[str | None, ...]]]:
    return [(each.kind, tuple(each.row.values())) for each in report.differences]


def counts(report: VerifyReport) -> tuple[bool, int, int, int]:
    return report.matches, report.missing, report.extra, report.rows


def test_equal_rows_match_without_a_comparison(bag: Bag, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(auditing, "compare")
    report = bag.client.verify("copy")
    assert counts(report) == (True, 0, 0, 4)
    assert (report.unlike, report.differences) == (0, ())


def test_a_missing_row_is_shown(bag: Bag) -> None:
    report = bag.broken("DELETE FROM s WHERE n IS NULL")
    assert counts(report) == (False, 1, 0, 3)
    assert report.differences[0].kind is MISSING
    assert report.differences[0].row == {"n": None, "v": "b"}


def test_one_of_two_equal_rows_missing_is_one_row_missing(bag: Bag) -> None:
    report = bag.broken("DELETE FROM s WHERE ctid = (SELECT min(ctid) FROM s WHERE n = 1)")
    assert counts(report) == (False, 1, 0, 3)
    assert shown(report) == [(MISSING, ("1", "a"))]


def test_an_extra_row_is_shown(bag: Bag) -> None:
    report = bag.broken(f"INSERT INTO s (n, v, \"{ROW_HASH}\") VALUES (9, 'z', 0)")
    assert counts(report) == (False, 0, 1, 5)
    assert shown(report) == [(EXTRA, ("9", "z"))]


def test_a_row_stored_twice_is_one_extra_row(bag: Bag) -> None:
    report = bag.broken("INSERT INTO s SELECT * FROM s WHERE n = 2")
    assert counts(report) == (False, 0, 1, 5)
    assert shown(report) == [(EXTRA, ("2", None))]


def test_a_changed_value_is_one_missing_and_one_extra_row_side_by_side(bag: Bag) -> None:
    report = bag.broken("UPDATE s SET v = 'c' WHERE n = 2")
    assert counts(report) == (False, 1, 1, 4)
    assert shown(report) == [(EXTRA, ("2", "c")), (MISSING, ("2", None))]


def test_null_is_not_the_empty_text(bag: Bag) -> None:
    assert counts(bag.broken("UPDATE s SET v = '' WHERE n = 2"))[:3] == (False, 1, 1)


def test_empty_tables_match_and_all_rows_may_be_missing(any_lab: Lab) -> None:
    bag = Bag(any_lab, "n int, v text")
    assert counts(bag.client.verify("copy")) == (True, 0, 0, 0)
    any_lab.run("INSERT INTO t SELECT i, 'row ' || i FROM generate_series(1, 50) AS i")
    bag.client.refresh_stream_table("copy")
    report = bag.broken("DELETE FROM s WHERE true")
    assert counts(report) == (False, 50, 0, 0)
    assert len(report.differences) == auditing.SHOWN
    bag.client.close()


OWN_TYPES = """
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE DOMAIN price AS numeric;
CREATE TYPE pair AS (n numeric, t text);
CREATE TYPE noted AS (n int, j json);
"""
# Types, with two values that PostgreSQL finds equal and prints differently.
EQUAL = [
    ("numeric", "1.0", "1.00"),
    ("float8", "0", "-0"),
    ("interval", "1 day", "24:00:00"),
    ("jsonb", '{"a": 1.0}', '{"a": 1.00}'),
    ("numeric[]", "{1.0,NULL}", "{1.00,NULL}"),
    ("price", "1.0", "1.00"),
    ("price[]", "{1.0}", "{1.00}"),
    ("pair", "(1.0,x)", "(1.00,x)"),
    ("numrange", "[1.0,2)", "[1.00,2)"),
]
# Types, with two values that are different: by equality, or by their text where there is none.
DIFFERENT = [
    ("numeric", "1.0", "1.01"),
    ("float8", "1", "1.0000000000000002"),
    ("json", '{"a":1}', '{"a": 1}'),
    ("json[]", "{1,2}", "{1,3}"),
    ("point", "(1,2)", "(2,1)"),
    ("noted", "(1,[1])", "(1,[2])"),
    ("xid", "7", "8"),
    ("bit(3)", "101", "111"),
    ("mood", "sad", "glad"),
    ("mood[]", "{sad}", "{glad}"),
    ("int4range", "[1,3)", "[1,4)"),
    ("inet", "10.0.0.1/32", "10.0.0.2/32"),
    ("tsvector", "'a':1", "'a':2"),
    ("bytea", "\\x00", "\\x01"),
    ("aclitem", "=r/postgres", "=w/postgres"),
]


def _of_all_types(lab: Lab, pairs: list[tuple[str, str, str]]) -> Bag:
    """Return a table of one row that has the first value of each pair; its key lets a full refresh mend it."""
    lab.run(OWN_TYPES)
    columns = ", ".join(f"c{place} {pair[0]}" for place, pair in enumerate(pairs))
    values = ", ".join("'{}'".format(pair[1].replace("'", "''")) for pair in pairs)
    return Bag(lab, f"id int PRIMARY KEY, {columns}", f"(1, {values})")


def _breaks(bag: Bag, pairs: list[tuple[str, str, str]]) -> Iterator[tuple[str, VerifyReport]]:
    """Give each column its second value, one at a time; yield what the audit says then."""
    for place, (kind, _, other) in enumerate(pairs):
        quoted = other.replace("'", "''")
        yield kind, bag.broken(f"UPDATE s SET c{place} = '{quoted}'")
        bag.client.refresh_stream_table("copy", full=True)
        restored = bag.client.verify("copy")
        assert (restored.matches, restored.unlike) == (True, 0), kind
    bag.client.close()


def test_equal_values_that_print_differently_are_counted_and_no_fault(any_lab: Lab) -> None:
    bag = _of_all_types(any_lab, EQUAL)
    for kind, report in _breaks(bag, EQUAL):
        assert (*counts(report), report.unlike) == (True, 0, 0, 1, 1), kind
        assert report.differences == (), kind


def test_values_differ_by_equality_or_else_by_text(any_lab: Lab) -> None:
    user = any_lab.value("SELECT current_user::text")
    pairs = [
        (kind, one.replace("postgres", user), other.replace("postgres", user))
        for kind, one, other in DIFFERENT
    ]
    bag = _of_all_types(any_lab, pairs)
    for place, (kind, report) in enumerate(_breaks(bag, pairs)):
        assert (*counts(report), report.unlike) == (False, 1, 1, 1, 0), kind
        values = {each.kind: each.row[f"c{place}"] for each in report.differences}
        assert values == {MISSING: pairs[place][1], EXTRA: pairs[place][2]}


def test_a_group_may_show_any_of_its_equal_keys(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY, k numeric)")
    any_lab.run("INSERT INTO t VALUES (1, 1.0), (2, 1.00), (3, 2)")
    query = "SELECT k, min(k) AS least, max(k) AS most, count(*) AS rows FROM t GROUP BY k"
    with pgtrickle.connect(any_lab.dsn) as client:
        client.create_stream_table("groups", query)
        for change in ("UPDATE t SET k = 1.000 WHERE id = 2", "DELETE FROM t WHERE id = 1"):
            any_lab.run(change)
            assert client.verify("groups").matches


def test_writers_that_commit_meanwhile_are_not_seen(
    bag: Bag, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream, compare = auditing.fingerprint, auditing.compare

    def after_a_write(connection: Connection, query: str) -> tuple[int, str]:
        bag.lab.run("INSERT INTO t VALUES (5, 'late')")
        return stream(connection, query)

    def compared(connection: Connection, prepared: Prepared, rows: int) -> auditing.Findings:
        bag.lab.run("DELETE FROM t WHERE n = 1")
        return compare(connection, prepared, rows)

    monkeypatch.setattr(auditing, "fingerprint", after_a_write)
    monkeypatch.setattr(auditing, "compare", compared)
    bag.lab.run("INSERT INTO t VALUES (4, 'early')")
    assert counts(bag.client.verify("copy")) == (True, 0, 0, 5)
    assert counts(bag.client.verify("copy")) == (True, 0, 0, 7)
    report = bag.broken("DELETE FROM s WHERE n = 4")
    assert counts(report) == (False, 1, 0, 8)
    assert shown(report) == [(MISSING, ("4", "early"))]


def test_types_of_the_columns_are_part_of_a_fingerprint(lab: Lab) -> None:
    found = [auditing.fingerprint(lab.connection, f"SELECT {value}") for value in ("1", "oid '1'")]
    assert found[0] != found[1]


def test_rows_without_columns_are_counted(lab: Lab) -> None:
    found = [
        auditing.fingerprint(lab.connection, f"SELECT FROM generate_series(1, {rows})")
        for rows in (0, 2, 2, 3)
    ]
    assert [rows for rows, _ in found] == [0, 2, 2, 3]
    assert found[1] == found[2] != found[3]
