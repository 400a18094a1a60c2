"""COPY BINARY decoded to Arrow holds what PostgreSQL prints, for every type."""

from __future__ import annotations

import string
from typing import TYPE_CHECKING

import psycopg
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from psycopg import sql

from pgtrickle._core import CopyDecoder, CopyError
from pgtrickle.catalog.wire import wire
from pgtrickle.pg.connection import connect
from pgtrickle.pg.copy import copy_out
from tests.support import servers
from tests.support.pgtext import DAY, SETTINGS, date, interval, printed, time, timestamp, told

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pgtrickle.embedded import Server
    from pgtrickle.pg.connection import Connection

pytestmark = pytest.mark.pg

TEXT = st.text(st.characters(exclude_characters="\0", codec="utf-8"), max_size=20)
WORD = st.text(string.ascii_letters, min_size=1, max_size=8)
JSON = st.recursive(
    st.sampled_from(["null", "true", "1.50", "-0", '"ä\\n"', "[]", "{}"]),
    lambda inner: st.lists(inner, max_size=3).map(lambda items: f"[{', '.join(items)}]"),
    max_leaves=4,
)
INTERVAL = st.tuples(
    st.integers(-(10**6), 10**6),
    st.integers(-(10**6), 10**6),
    st.integers(-(9 * 10**15), 9 * 10**15).map(lambda microseconds: microseconds * 1000),
)
# From 4713 BC to the end of what Arrow can count in microseconds.
MICROSECONDS = st.one_of(st.integers(-210_866_803_200_000_000, 2**63 - 1), st.integers(0, 2**51))


def _decimals(digits: int, scale: int) -> st.SearchStrategy[str]:
    whole = st.integers(-(10**digits) + 1, 10**digits - 1)
    return whole.map(lambda value: f"{value}e{-scale}")


# Each type with texts that it reads.
VALUES: dict[str, st.SearchStrategy[str]] = {
    "bool": st.booleans().map(str),
    "int2": st.integers(-(2**15), 2**15 - 1).map(str),
    "int4": st.integers(-(2**31), 2**31 - 1).map(str),
    "int8": st.integers(-(2**63), 2**63 - 1).map(str),
    "float4": st.floats(width=32).map(str),
    "float8": st.floats().map(str),
    "numeric": st.one_of(
        _decimals(60, 30),
        _decimals(9, -50),
        _decimals(9, 70),
        st.sampled_from(["NaN", "Infinity", "-Infinity", "1e1000", "1e-1000", "0.00"]),
    ),
    "numeric(10,2)": _decimals(10, 2),
    "numeric(38,10)": _decimals(38, 10),
    "numeric(76,38)": _decimals(76, 38),
    "numeric(5,-3)": _decimals(5, -3),
    "numeric(3,6)": _decimals(3, 6),
    "text": TEXT,
    "varchar(9)": TEXT.map(lambda text: text[:9]),
    "bpchar(9)": TEXT.map(lambda text: text[:9]),
    "name": WORD,
    '"char"': st.one_of(WORD.map(lambda text: text[:1]), st.sampled_from(["", "\\351", "\\200"])),
    "mood": st.sampled_from(["sad", "so so", "glad"]),
    "positive": st.integers(1, 2**31 - 1).map(str),
    "json": JSON,
    "jsonb": JSON,
    "bytea": st.binary(max_size=20).map(lambda value: "\\x" + value.hex()),
    "date": st.integers(-2_440_588, 2_145_042_905).map(date),
    "time": st.integers(0, DAY - 1).map(time),
    "timestamp": MICROSECONDS.map(lambda value: timestamp(value, "")),
    "timestamptz": MICROSECONDS.map(lambda value: timestamp(value, "+00")),
    "interval": INTERVAL.map(interval),
    "uuid": st.uuids().map(str),
    "oid": st.integers(0, 2**32 - 1).map(str),
}
OWN_TYPES = """
CREATE TYPE mood AS ENUM ('sad', 'so so', 'glad');
CREATE DOMAIN positive AS int4 CHECK (VALUE > 0);
"""


@pytest.fixture
def connection(dsn: str) -> Iterator[Connection]:
    with connect(dsn) as opened:
        opened.execute(SETTINGS)
        opened.execute(OWN_TYPES)
        yield opened


def _describe(connection: Connection, kind: str) -> tuple[int, int]:
    """Return OID and modifier as the decoder wants them."""
    connection.execute("DROP TABLE IF EXISTS c")
    connection.execute(sql.SQL(f"CREATE TABLE c (v {kind}, n int)"))
    column = wire(connection, "SELECT v FROM c").columns[0]
    return column.type_oid, column.typmod


def _decode(connection: Connection, query: sql.Composed, column: tuple[int, int]) -> pa.Array:
    statement = sql.SQL("COPY ({}) TO STDOUT (FORMAT BINARY)").format(query)
    decoder = CopyDecoder([("v", *column)], 3)
    batches = []
    for chunk in copy_out(connection, statement):
        batches += decoder.feed(chunk)
    if last := decoder.finish():
        batches.append(last)
    found = [pa.record_batch(batch) for batch in batches]
    for batch in found:
        batch.validate(full=True)
    return pa.Table.from_batches(found, schema=pa.schema(decoder)).column("v").combine_chunks()


PROPERTY = settings(
    max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@pytest.mark.parametrize("kind", VALUES)
@given(data=st.data())
@PROPERTY
def test_a_decoded_value_is_what_the_server_prints(
    connection: Connection, kind: str, data: st.DataObject
) -> None:
    texts = data.draw(st.lists(st.none() | VALUES[kind], min_size=1, max_size=10))
    column = _describe(connection, kind)
    query = sql.SQL(
        f"SELECT x::{kind} AS v FROM unnest({{}}::text[]) WITH ORDINALITY u(x, n) ORDER BY n"
    ).format(sql.Literal(texts))
    wanted = connection.execute(
        sql.SQL("SELECT CASE WHEN v IS NOT NULL THEN format('%s', v) END FROM ({}) q").format(query)
    ).fetchall()
    found = _decode(connection, query, column)
    assert printed(found) == [told(kind, text) for (text,) in wanted]


@pytest.mark.parametrize("kind", VALUES)
@given(data=st.data())
@PROPERTY
def test_a_decoded_list_holds_what_the_server_prints(
    connection: Connection, kind: str, data: st.DataObject
) -> None:
    item = st.none() | VALUES[kind]
    lists = data.draw(st.lists(st.lists(item, max_size=4), min_size=1, max_size=4))
    column = _describe(connection, f"{kind}[]")
    branches = [
        sql.SQL("SELECT {}::text[]::{} AS v").format(sql.Literal(items), sql.SQL(f"{kind}[]"))
        for items in lists
    ]
    query = sql.SQL(" UNION ALL ").join([*branches, sql.SQL("SELECT NULL")])
    shown = sql.SQL(
        "SELECT CASE WHEN v IS NOT NULL THEN ARRAY("
        "SELECT CASE WHEN x IS NOT NULL THEN format('%s', x) END FROM unnest(v) x) END FROM ({}) q"
    )
    wanted = connection.execute(shown.format(query)).fetchall()
    assert printed(_decode(connection, query, column)) == [
        None if texts is None else [told(kind, text) for text in texts] for (texts,) in wanted
    ]


def test_xml_is_its_text(server15: Server) -> None:
    # The embedded server is built without it.
    query = sql.SQL("SELECT '<a>ä</a>'::xml AS v")
    with servers.fresh_database(server15) as dsn, connect(dsn) as connection:
        column = _describe(connection, "xml")
        assert _decode(connection, sql.Composed([query]), column).to_pylist() == ["<a>ä</a>"]


REFUSED = [
    ("numeric(4,1)", "'NaN'", "NaN in a numeric with declared digits"),
    ("date", "'infinity'", "an infinite date"),
    ("timestamp", "'-infinity'", "an infinite timestamp"),
    ("timestamptz", "'294276-12-31'", "a timestamp after the year 294246"),
    ("time", "'24:00'", "the time 24:00"),
    ("interval", "'infinity'", "an infinite interval"),
    ("int4[]", "'{{1,2},{3,4}}'", "an array of several dimensions"),
]


@pytest.mark.parametrize(("kind", "value", "reason"), REFUSED)
def test_what_arrow_cannot_hold_is_an_error_with_its_place(
    connection: Connection, kind: str, value: str, reason: str
) -> None:
    column = _describe(connection, kind)
    query = sql.SQL(f"SELECT v FROM (VALUES (NULL::{kind}), ({value})) q(v)")
    with pytest.raises(CopyError, match=reason) as refused:
        _decode(connection, sql.Composed([query]), column)
    assert (refused.value.row, refused.value.column) == (2, "v")
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_failing_query_raises_its_own_error(connection: Connection) -> None:
    statement = "COPY (SELECT 1 / (3 - n) FROM generate_series(1, 5) n) TO STDOUT (FORMAT BINARY)"
    with pytest.raises(psycopg.errors.DivisionByZero):
        list(copy_out(connection, statement))
    assert connection.execute("SELECT 1").fetchone() == (1,)


def test_a_consumer_may_stop_early(connection: Connection) -> None:
    statement = "COPY (SELECT generate_series(1, 1000000)) TO STDOUT (FORMAT BINARY)"
    chunks = copy_out(connection, statement)
    assert next(chunks).startswith(b"PGCOPY")
    chunks.close()  # type: ignore[attr-defined]
    assert connection.execute("SELECT 1").fetchone() == (1,)
