"""Expressions survive the way through the compiler: read as PostgreSQL reads them, maintained, exact."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

import pgtrickle
from pgtrickle import errors
from tests.support import servers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pgtrickle.embedded import Server

pytestmark = pytest.mark.pg

TABLE = """
CREATE TYPE mood AS ENUM ('sad', 'ok');
CREATE TYPE pair AS (f1 integer, f2 text);
CREATE TABLE things (
    a integer PRIMARY KEY, b integer, c boolean, n numeric, x text, d date, ts timestamptz, j json, jb jsonb,
    arr integer[], bin bytea, r int4range, i interval, u uuid, ip inet, e mood, co pair, fixed char(6), f float8);
INSERT INTO things VALUES
    (1, 2, true, 1.50, 'abc', '2024-02-29', '2024-02-29 12:00+00', '{"a": {"b": 1}}', '{"a": 1}', '{1,2}', '\\x00ff',
     '[1,5)', '1 day 2 hours', '6f9619ff-8b86-d011-b42d-00c04fc964ff', '10.0.0.1', 'sad', '(1,x)', 'a', 0.5),
    (2, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL),
    (3, -7, false, 'NaN', 'it''s 100 % {x}', 'infinity', '-infinity', '[]', '[1]', '{}', '', 'empty', '-1 mon', NULL,
     '::1', 'ok', '(,)', '', '-0');
"""
CHANGES = """
UPDATE things SET b = b + 1, x = x || 'y', n = n * 1.00 WHERE a = 1;
INSERT INTO things (a, b, x, n, f, co) VALUES (4, 0, 'new', 1.0, 'Infinity', '(2,)');
DELETE FROM things WHERE a = 2;
UPDATE things SET n = 1.00 WHERE a = 4;
"""
EXPRESSIONS = (
    "x || 'a'",
    "substring(x from 2 for 3)",
    "substring(x from '^a')",
    "position('a' in x)",
    "trim(both 'x' from x)",
    "overlay(x placing 'a' from 2)",
    "extract(year from d)",
    "extract(epoch from ts)",
    "date_trunc('day', ts)",
    "d + 1",
    "ts - interval '2 hours 3 min'",
    "ts at time zone 'UTC'",
    "ts::date",
    "j -> 'a' ->> 'b'",
    "j #>> '{a,b}'",
    "j",
    "jb @> '{\"a\":1}'::jsonb",
    "jb ? 'a'",
    "jb - 'a'",
    "arr[1]",
    "arr[1:2]",
    "arr || 3",
    "3 = any(arr)",
    "coalesce(x, 'z')",
    "nullif(a, 1)",
    "greatest(a, b)",
    "a % 2",
    "a ^ 2",
    "a & 1",
    "a << 2",
    "~a",
    "n::text",
    "n",
    "f",
    "a::numeric(10,2)",
    "round(n, 2)",
    "x ~ 'a'",
    "x !~ 'a'",
    "x ~* 'A'",
    "x like 'a\\_%' escape '\\'",
    "x not ilike 'a%'",
    "x similar to 'a%'",
    "regexp_replace(x, 'a', 'b', 'g')",
    "to_char(d, 'YYYY')",
    "case a when 1 then 'x' when 2 then 'y' else 'z' end",
    "(a, b) = (1, 3)",
    "row(a, b) is not null",
    "co is not null",
    "not (co is null)",
    "(co).f1",
    "a is distinct from b",
    "c is not true",
    "c and (a > 1 or (b < 2 or x = 'y'))",
    "a between symmetric 5 and 1",
    "x in ('abc', 'abcy')",
    "encode(bin, 'hex')",
    "r * '[2,9)'::int4range",
    "i * 2",
    "u::text",
    "ip << inet '10.0.0.0/8'",
    "jsonb_build_object('a', a, '%', x)",
    "array[[a, b], [3, 4]]",
    'x collate "C"',
    "concat_ws(',', x, a)",
    "format('%s %%', x)",
    "'100 % it''s {literal}'",
    "e",
    "e = 'sad'",
    "fixed",
    "fixed || '|'",
    "x::varchar(3)",
    "power(a, 2)",
)


@pytest.fixture(scope="module")
def client(server: Server) -> Iterator[pgtrickle.Client]:
    """A client of one database, shared by the tests of this module."""
    with servers.fresh_database(server) as dsn, pgtrickle.connect(dsn) as opened:
        opened.install()
        yield opened


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_an_expression_is_maintained_exactly(client: pgtrickle.Client, expression: str) -> None:
    with psycopg.connect(client.dsn, autocommit=True) as writer:
        writer.execute("DROP TABLE IF EXISTS things; DROP TYPE IF EXISTS mood, pair")
        writer.execute(TABLE)
        client.create_stream_table(
            "computed",
            f"SELECT a AS id, {expression} AS v FROM things WHERE ({expression}) IS NOT NULL OR a < 5",
            refresh_mode="DIFFERENTIAL",
        )
        try:
            writer.execute(CHANGES)
            assert client.refresh_stream_table("computed").action == "DIFFERENTIAL"
            assert client.verify("computed").matches
            text = f"SELECT a, ({expression})::text FROM things WHERE ({expression}) IS NOT NULL OR a < 5"
            expected = writer.execute(text.encode()).fetchall()
            found = writer.execute("SELECT id, v::text FROM computed").fetchall()
            assert sorted(found) == sorted(expected)
        finally:
            client.drop_stream_table("computed")


@pytest.mark.parametrize("expression", ["|/ a", "@ a", "c is unknown"])
def test_what_the_parser_misreads_is_refused_not_guessed(
    client: pgtrickle.Client, expression: str
) -> None:
    with psycopg.connect(client.dsn, autocommit=True) as writer:
        writer.execute("DROP TABLE IF EXISTS things; DROP TYPE IF EXISTS mood, pair")
        writer.execute(TABLE)
    with pytest.raises(errors.UnsupportedQueryError) as caught:
        client.create_stream_table("computed", f"SELECT a, {expression} AS v FROM things")
    assert caught.value.code == "PGT214"


@pytest.mark.parametrize("expression", ["x::date", "('{' || x || '}')::text[]"])
def test_text_that_may_read_the_clock_is_not_differential(
    client: pgtrickle.Client, expression: str
) -> None:
    with psycopg.connect(client.dsn, autocommit=True) as writer:
        writer.execute("DROP TABLE IF EXISTS things; DROP TYPE IF EXISTS mood, pair")
        writer.execute(TABLE)
    with pytest.raises(errors.UnsupportedQueryError) as caught:
        client.create_stream_table(
            "computed", f"SELECT a, {expression} AS v FROM things", refresh_mode="DIFFERENTIAL"
        )
    assert caught.value.code == "PGT221"
