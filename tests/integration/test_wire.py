"""Any relation can be read by the core: its own types, types that users made, and types that it does not know."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from pgtrickle._core import CopyDecoder
from pgtrickle.catalog.wire import WireColumn, wire
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.pg.copy import copy_out

if TYPE_CHECKING:
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg

OWN_TYPES = """
CREATE TYPE mood AS ENUM ('sad', 'so so');
CREATE DOMAIN price AS numeric(10,2);
CREATE DOMAIN fair_price AS price CHECK (VALUE > 0);
CREATE DOMAIN temper AS mood;
CREATE DOMAIN marks AS int2[];
CREATE TYPE pair AS (a int, b text);
"""
TEXT, TEXTS, INT2S, INT4, NUMERIC, NUMERICS, NAME = 25, 1009, 1005, 23, 1700, 1231, 19
DIGITS = (10 << 16) + 2 + 4
# A column's type, a value, how the core knows the type, and what Arrow holds then (None: the text of the value).
TYPES: list[tuple[str, str, tuple[int, int], object]] = [
    ("int4", "7", (INT4, -1), 7),
    ("varchar(5)", "ab", (1043, 9), "ab"),
    ("numeric(10,2)", "1.50", (NUMERIC, DIGITS), None),
    ("numeric(10,2)[]", "{1.50}", (NUMERICS, DIGITS), None),
    ("mood", "so so", (TEXT, -1), "so so"),
    ("mood[]", '{sad,"so so"}', (TEXTS, -1), ["sad", "so so"]),
    ("temper", "sad", (TEXT, -1), "sad"),
    ("temper[]", "{sad}", (TEXTS, -1), ["sad"]),
    ("price", "2.25", (NUMERIC, DIGITS), None),
    ("fair_price", "2.25", (NUMERIC, DIGITS), None),
    ("fair_price[]", "{2.25}", (NUMERICS, DIGITS), None),
    ("marks", "{1,2}", (INT2S, -1), [1, 2]),
    ("marks[]", '{"{1,2}"}', (TEXT, -1), '{"{1,2}"}'),
    ("int2vector", "1 2", (INT2S, -1), [1, 2]),
    ("name", "who", (NAME, -1), "who"),
    ("pair", "(1,x)", (TEXT, -1), "(1,x)"),
    ("pair[]", '{"(1,x)"}', (TEXT, -1), '{"(1,x)"}'),
    ("int4range", "[1,3)", (TEXT, -1), "[1,3)"),
    ("inet", "10.0.0.1/8", (TEXT, -1), "10.0.0.1/8"),
    ("point", "(1,2)", (TEXT, -1), "(1,2)"),
    ("tsvector", "'a':1", (TEXT, -1), "'a':1"),
    ("regclass", "pg_class", (TEXT, -1), "pg_class"),
    ("aclitem", "=r/{user}", (TEXT, -1), "=r/{user}"),
]


def _table(lab: Lab) -> tuple[list[str], list[object]]:
    """Create a table `t` with a column of each type and a row; return the texts, and what Arrow should hold."""
    user = lab.value("SELECT current_user::text")
    lab.run(OWN_TYPES)
    lab.run(f"CREATE TABLE t ({', '.join(f'c{at} {each[0]}' for at, each in enumerate(TYPES))})")
    texts = [each[1].replace("{user}", user) for each in TYPES]
    marks = ", ".join(["%s"] * len(texts))
    lab.rows(f"INSERT INTO t VALUES ({marks}) RETURNING 1", *texts)
    lab.run("INSERT INTO t DEFAULT VALUES")
    expected = [
        each[3].replace("{user}", user) if isinstance(each[3], str) else each[3] for each in TYPES
    ]
    return texts, expected


def _decoded(lab: Lab, rows: QualifiedName | str) -> pa.Table:
    sent = wire(lab.connection, rows)
    decoder = CopyDecoder(sent.columns)
    batches = [
        batch for chunk in copy_out(lab.connection, sent.copy) for batch in decoder.feed(chunk)
    ]
    if last := decoder.finish():
        batches.append(last)
    return pa.Table.from_batches(map(pa.record_batch, batches), schema=pa.schema(decoder))


def test_each_type_is_known_to_the_core_or_sent_as_text(any_lab: Lab) -> None:
    _table(any_lab)
    found = wire(any_lab.connection, QualifiedName("public", "t"))
    assert [column[1:] for column in found.columns] == [each[2] for each in TYPES]
    assert [column.name for column in found.columns] == [f"c{at}" for at in range(len(TYPES))]


def test_any_relation_is_decoded(any_lab: Lab) -> None:
    texts, expected = _table(any_lab)
    found = _decoded(any_lab, QualifiedName("public", "t"))
    assert found.num_rows == 2
    for (kind, *_), text, value, column in zip(TYPES, texts, expected, found.columns, strict=True):
        shown = column.to_pylist()
        if value is None:
            shown[0] = str(column[0]) if "[]" not in kind else f"{{{shown[0][0]}}}"
            value = text  # noqa: PLW2901
        assert shown == [value, None], kind


def test_a_query_may_name_columns_alike_and_hold_any_character(lab: Lab) -> None:
    found = _decoded(lab, "SELECT 1 AS a, '50%s {}'::text AS a, inet '10.0.0.1' AS \"b\"\"c\"")
    assert found.column_names == ["a", "a", 'b"c']
    assert [column.to_pylist() for column in found.columns] == [[1], ["50%s {}"], ["10.0.0.1/32"]]


def test_a_view_and_a_query_without_rows_have_columns(lab: Lab) -> None:
    lab.run('CREATE VIEW "odd "" name" AS SELECT 1 AS n WHERE false')
    name = QualifiedName("public", 'odd " name')
    assert wire(lab.connection, name).columns == (WireColumn("n", INT4),)
    assert _decoded(lab, name).num_rows == 0


def test_rows_may_have_no_columns(lab: Lab) -> None:
    lab.run("CREATE TABLE nothing (); INSERT INTO nothing DEFAULT VALUES")
    found = wire(lab.connection, QualifiedName("public", "nothing"))
    assert found.columns == ()
    assert b"".join(copy_out(lab.connection, found.copy)).endswith(b"\0\0\xff\xff")
