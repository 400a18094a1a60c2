"""Types with the values that a maintainer may confuse; neighbours in a pool are equal and look different where they can."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A column type, and literals of it as they stand in quotes."""

    type: str
    values: tuple[str, ...]
    setup: str = ""
    equality: bool = True  # has a default equality: may be a key
    ordered: bool = True  # has a default btree order
    alike: bool = True  # equal values look the same
    extremes: bool = True  # has min and max
    needs: str = ""  # what a server may lack: an extension, or a build option

    @property
    def array(self) -> bool:
        """Whether arrays of it would be arrays of more dimensions."""
        return self.type.endswith("[]") or self.type in {"prices", "int2vector"}

    @property
    def literals(self) -> tuple[str, ...]:
        """The pool as SQL expressions."""
        return tuple(
            f"$v${value}$v$::{self.type.partition(' COLLATE')[0]}" for value in self.values
        )


def _plain(type_: str, *values: str, extremes: bool = True) -> Sample:
    return Sample(type=type_, values=values, extremes=extremes)


def _twins(type_: str, *values: str, extremes: bool = True, setup: str = "") -> Sample:
    return Sample(type=type_, values=values, extremes=extremes, alike=False, setup=setup)


def _opaque(type_: str, *values: str, setup: str = "", needs: str = "") -> Sample:
    return Sample(
        type=type_,
        values=values,
        equality=False,
        ordered=False,
        alike=False,
        extremes=False,
        setup=setup,
        needs=needs,
    )


SAMPLES: tuple[Sample, ...] = (
    _plain("boolean", "true", "false", extremes=False),
    _plain("smallint", "1", "-1", "0", "32767"),
    _plain("bigint", "1", "-1", "0", "9223372036854775807"),
    _twins("numeric", "1.0", "1.00", "0", "0.000", "NaN", "Infinity", "-Infinity", "1e-9"),
    _plain("numeric(8,2)", "1.0", "1.005", "-0.00", "NaN", "12.34"),
    _plain("numeric(4,-2)", "100", "149", "-300"),
    _twins("real", "0", "-0", "NaN", "Infinity", "-Infinity", "0.1", "1e-30"),
    _twins("double precision", "0", "-0", "NaN", "Infinity", "-Infinity", "0.1", "1e-300"),
    _plain("money", "1.00", "2.50", "-3", extremes=True),
    _plain("text", "a", "A", "", " ", "ä", "Ä", "x'y"),
    _plain("varchar(5)", "a", "a ", "b", ""),
    _plain("char(4)", "a", "a  ", "ab", "", " b"),
    _twins("bpchar", "a", "a  ", "ab", ""),
    _plain('"char"', "a", "b", "", extremes=False),
    _plain("name", "a", "b", "", extremes=False),
    _plain("bytea", "\\x00", "\\x", "\\xff00", "abc", extremes=False),
    _plain("date", "2024-02-29", "infinity", "-infinity", "0044-03-15 BC"),
    _plain("time", "00:00", "24:00", "12:34:56.789"),
    _plain("timetz", "12:00+00", "13:00+01", "24:00-03"),
    _plain("timestamp", "2024-02-29 12:00", "infinity", "-infinity", "epoch"),
    _plain("timestamp(0)", "2024-02-29 12:00:00.4", "2024-02-29 12:00:00", "infinity"),
    _plain("timestamptz", "2024-01-01 00:00+00", "2024-01-01 01:00+01", "infinity", "-infinity"),
    _twins("interval", "1 day", "24:00:00", "1 mon", "30 days", "-1 day", "0"),
    _twins("interval day to second(0)", "1 day", "24:00:00", "1:00:00.4"),
    _plain(
        "uuid",
        "00000000-0000-0000-0000-000000000001",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
        extremes=False,
    ),
    _plain("inet", "10.0.0.1", "10.0.0.1/32", "10.0.0.1/8", "::1"),
    _plain("cidr", "10.0.0.0/8", "10.0.0.0/16", "::/0", extremes=False),
    _plain("macaddr", "08:00:2b:01:02:03", "08002b010203", "ff:ff:ff:ff:ff:ff", extremes=False),
    _plain("macaddr8", "08:00:2b:01:02:03:04:05", "ff:ff:ff:ff:ff:ff:ff:ff", extremes=False),
    _plain("bit(3)", "101", "000", "111", extremes=False),
    _plain("bit varying", "1", "10", "", "100", extremes=False),
    _plain("oid", "1", "4294967295", "0"),
    _plain("regclass", "pg_class", "pg_type", "0", extremes=False),
    _plain("pg_lsn", "0/0", "16/B374D848"),
    _plain("xid8", "1", "18446744073709551615"),
    _plain("tid", "(0,1)", "(4294967295,65535)"),
    _plain("int2vector", "1 2", "", "3", extremes=False),
    _twins("jsonb", '{"a": 1}', '{"a": 1.0}', "[]", "null", '"s"', extremes=False),
    _plain("tsvector", "a b", "b a", "a:1 b:2", "", extremes=False),
    _plain("tsquery", "a & b", "a | b", "!c", extremes=False),
    _plain("int[]", "{1,2}", "{}", "{NULL,1}", "{{1,2},{3,4}}", "[0:1]={1,2}"),
    _plain("text[]", "{a,A}", "{}", "{NULL}", '{"NULL","a b"}'),
    _twins("numeric[]", "{1.0}", "{1.00}", "{}", "{{1.0},{2}}", "{NaN}"),
    _twins("interval(3)[]", "{1 day}", "{24:00:00}", "{}"),
    _plain("int4range", "[1,3)", "[1,2]", "empty", "(,)", extremes=False),
    _twins("numrange", "[1.0,2]", "[1.00,2]", "empty", "(,1]", extremes=False),
    _plain("tstzrange", "[2024-01-01 00:00+00,infinity)", "empty", "(,)", extremes=False),
    _plain("int4multirange", "{[1,3)}", "{[1,2],[2,3)}", "{}", extremes=False),
    _twins("nummultirange", "{[1.0,3)}", "{[1.00,3)}", "{}", extremes=False),
    Sample(
        type="mood",
        values=("sad", "ok", "Very happy"),
        setup="CREATE TYPE mood AS ENUM ('sad', 'ok', 'Very happy')",
    ),
    Sample(type="mood[]", values=("{sad}", "{}", "{ok,NULL}")),
    Sample(
        type="cents",
        values=("1.0", "1.00", "3"),
        setup="CREATE DOMAIN cents AS numeric CHECK (VALUE >= 0)",
        alike=False,
    ),
    Sample(
        type="prices",
        values=("{1.0}", "{1.00}", "{}", "{{1},{2}}"),
        setup="CREATE DOMAIN prices AS numeric[]",
        alike=False,
    ),
    Sample(
        type='"Odd Type"',
        values=("(1,1.0)", "(1,1.00)", "(,)", '(2,"3")'),
        setup='CREATE TYPE "Odd Type" AS (a int, "B c" numeric)',
        alike=False,
        extremes=False,
    ),
    Sample(
        type='"Odd Type"[]',
        values=('{"(1,1.0)"}', '{"(1,1.00)"}', "{}", '{"(,)"}'),
        alike=False,
    ),
    Sample(
        type="lengths",
        values=("[0,-0]", "[-0,0]", "empty", "[1,2)"),
        setup="CREATE TYPE lengths AS RANGE (subtype = float8)",
        alike=False,
        extremes=False,
    ),
    Sample(
        type="text COLLATE loose",
        values=("a", "A", "b", "B", "", "ä"),
        setup="CREATE COLLATION loose (provider = icu, locale = 'und-u-ks-level2', deterministic = false)",
        alike=False,
        needs="icu",
    ),
    Sample(
        type="citext",
        values=("a", "A", "b", "B", ""),
        alike=False,
        needs="citext",
        setup="CREATE EXTENSION IF NOT EXISTS citext",
    ),
    Sample(type="citext[]", values=("{a}", "{A}", "{}", "{b}"), alike=False, needs="citext"),
    Sample(
        type="hstore",
        values=("a=>1", "a=>1,b=>NULL", "", "b=>NULL,a=>1"),
        extremes=False,
        setup="CREATE EXTENSION IF NOT EXISTS hstore",
        needs="hstore",
    ),
    _opaque("json", '{"a": 1}', '{"a":1}', '{"b": 2, "a": 1}', "null"),
    _opaque("json[]", '{"{\\"a\\": 1}"}', '{"{\\"a\\":1}"}', "{}"),
    _opaque("xml", "<a/>", "<a></a>", "x", needs="libxml"),
    _opaque("point", "(1,2)", "(1.0,2)", "(0,0)", "(-0,0)", "(NaN,1)"),
    _opaque("box", "(1,2),(0,0)", "(2,1),(0,0)"),
    _opaque("path", "[(0,0),(1,1)]", "((0,0),(1,1))"),
    _opaque("polygon", "((0,0),(1,1),(1,0))", "((0,0))"),
    _opaque("line", "{1,2,3}", "{2,4,6}"),
    _opaque("lseg", "[(0,0),(1,1)]", "[(1,1),(0,0)]"),
    _opaque("circle", "<(0,0),1>", "<(1,1),1>"),
    _opaque(
        "place",
        '("(1,2)",x)',
        '("(1.0,2)",x)',
        "(,)",
        setup="CREATE TYPE place AS (at point, label text)",
    ),
    _opaque("pg_snapshot", "10:20:", "10:20:15"),
    _opaque("jsonpath", "$.a", '$."a"', "$[*]"),
)
