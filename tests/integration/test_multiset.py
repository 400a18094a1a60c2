"""Fingerprints of COPY BINARY streams tell relations apart as PostgreSQL's own comparison of rows does."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from pgtrickle._core import MultisetHasher, row_hashes, tuple_hashes
from pgtrickle.pg.connection import connect
from pgtrickle.pg.copy import copy_out

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pgtrickle.pg.connection import Connection

pytestmark = pytest.mark.pg

INT4, TEXT, FLOAT8, INT4_ARRAY, FLOAT8_ARRAY = 23, 25, 701, 1007, 1022
NUMERIC, JSON, JSONB = 1700, 114, 3802


@pytest.fixture
def connection(dsn: str) -> Iterator[Connection]:
    with connect(dsn) as opened:
        yield opened


def _copy(query: sql.Composable) -> sql.Composed:
    return sql.SQL("COPY ({}) TO STDOUT (FORMAT BINARY)").format(query)


def _fingerprint(
    connection: Connection, query: str | sql.Composable, *types: int
) -> tuple[int, str]:
    text = query if isinstance(query, sql.Composable) else sql.SQL(query)
    hasher = MultisetHasher(types)
    for chunk in copy_out(connection, _copy(text)):
        hasher.update(chunk)
    return hasher.finish()


def test_order_does_not_matter_and_duplicates_do(connection: Connection) -> None:
    up = "SELECT n, 'row ' || n FROM generate_series(1, 5000) n"
    down = "SELECT n, 'row ' || n FROM generate_series(5000, 1, -1) n"
    assert _fingerprint(connection, up, INT4, TEXT) == _fingerprint(connection, down, INT4, TEXT)
    twice = "SELECT 1 FROM generate_series(1, 2)"
    thrice = "SELECT 1 FROM generate_series(1, 3)"
    assert _fingerprint(connection, twice, INT4) != _fingerprint(connection, thrice, INT4)


# Two expressions of a type, and whether PostgreSQL prints the same for both.
PAIRS = [
    (NUMERIC, "1.0", "1.00", False),
    (NUMERIC, "1.10 - 0.10", "1.00", True),
    (FLOAT8, "'-0'::float8", "0::float8", False),
    (FLOAT8, "'NaN'::float8", "-'NaN'::float8", True),
    (FLOAT8_ARRAY, "ARRAY['NaN'::float8]", "ARRAY[-'NaN'::float8]", True),
    (JSON, "'{ \"a\": 1}'::json", "'{\"a\": 1}'::json", False),
    (JSONB, '\'{ "b": 2, "a": 1}\'::jsonb', '\'{"a": 1, "b": 2}\'::jsonb', True),
    (INT4_ARRAY, "'{1,2}'::int4[]", "'[0:1]={1,2}'::int4[]", False),
    (TEXT, "NULL::text", "''::text", False),
]


@pytest.mark.parametrize(("kind", "left", "right", "same"), PAIRS)
def test_values_are_equal_when_they_print_the_same(
    connection: Connection, kind: int, left: str, right: str, same: bool
) -> None:
    found = [_fingerprint(connection, f"SELECT {value}", kind) for value in (left, right)]
    assert (found[0] == found[1]) is same
    printed = connection.execute(
        f"SELECT ({left})::text IS NOT DISTINCT FROM ({right})::text"
    ).fetchone()
    assert printed == (same,)


def test_an_array_that_once_had_a_null_is_the_array_without(connection: Connection) -> None:
    connection.execute("CREATE TABLE t (a int4[])")
    connection.execute("INSERT INTO t VALUES ('{1,NULL,3}'), ('{1,2,3}')")
    connection.execute("UPDATE t SET a[2] = 2")
    images = connection.execute("SELECT count(DISTINCT array_send(a)) FROM t").fetchone()
    assert images == (2,)
    assert len(set(tuple_hashes([INT4_ARRAY], _bytes(connection, "TABLE t")).tolist())) == 1


def _bytes(connection: Connection, query: str) -> bytes:
    return b"".join(copy_out(connection, _copy(sql.SQL(query))))


ROWS = st.lists(
    st.tuples(st.integers(0, 2) | st.none(), st.sampled_from(["", "a", "ab"]) | st.none()),
    max_size=4,
)


@given(left=ROWS, right=ROWS)
@settings(
    max_examples=50, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_fingerprints_differ_exactly_when_except_all_finds_rows(
    connection: Connection,
    left: list[tuple[int | None, str | None]],
    right: list[tuple[int | None, str | None]],
) -> None:
    queries = [_relation(rows) for rows in (left, right)]
    differ = sql.SQL("SELECT EXISTS (({0} EXCEPT ALL {1}) UNION ALL ({1} EXCEPT ALL {0}))")
    found = connection.execute(differ.format(*queries)).fetchone()
    prints = [_fingerprint(connection, query, INT4, TEXT) for query in queries]
    assert found == (prints[0] != prints[1],)


def _relation(rows: list[tuple[int | None, str | None]]) -> sql.Composable:
    columns = sql.SQL("SELECT * FROM unnest({}::int4[], {}::text[])")
    return columns.format(*(sql.Literal([row[at] for row in rows]) for at in (0, 1)))


def test_rows_hash_alike_from_copy_and_from_arrow(connection: Connection) -> None:
    found = tuple_hashes([INT4, TEXT], _bytes(connection, "VALUES (1, 'a'), (NULL, 'ä')"))
    batch = pa.record_batch({"n": pa.array([1, None], pa.int32()), "t": pa.array(["a", "ä"])})
    assert row_hashes(batch).tolist() == found.tolist()
