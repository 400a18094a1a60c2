"""Any name that PostgreSQL allows works, and none of them can break out of the generated code."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from psycopg import sql

from pgtrickle.catalog.model import CaptureFailure
from pgtrickle.catalog.relations import read_relations
from pgtrickle.cdc.trigger.install import ensure_capture
from pgtrickle.dvm.schema import QualifiedName
from tests.support.lab import QUICK

if TYPE_CHECKING:
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg

OURS = ("change_id", "xid", "action", "captured_at", "xid_", "xid__", "change_id_")
PLPGSQL = ("new", "old", "tg_op", "tg_name", "found", "new_rows", "old_rows", "sqlstate", "n", "o")
WEIRD = (
    'a"b',
    "a.b",
    "a b",
    "ünïcödé",
    "UPPER",
    "select",
    "$pgtrickle$",
    "$$",
    "a'b",
    "{x}",
    "100%",
    "%s",
    "back\\slash",
    "line\nbreak",
    "x" * 63,
    "é" * 31,
)


def _capture(lab: Lab, name: QualifiedName) -> list[tuple[object, ...]]:
    relation = read_relations(lab.connection, [name])[name]
    columns = [column.name for column in relation.columns]
    for _ in range(2):
        source = ensure_capture(
            lab.connection,
            relation,
            columns,
            capture_failure=CaptureFailure.FAIL,
            settings=QUICK,
        ).source
    table = sql.Identifier(*name)
    values = sql.SQL(", ").join([sql.Literal(number) for number in range(len(columns))])
    lab.connection.execute(sql.SQL("INSERT INTO {} VALUES ({})").format(table, values))
    lab.connection.execute(
        sql.SQL("UPDATE {} SET {} = -1").format(table, sql.Identifier(columns[0]))
    )
    lab.connection.execute(sql.SQL("DELETE FROM {}").format(table))
    return lab.changes(source)


@pytest.mark.parametrize("level", ["statement", "row"])
@pytest.mark.parametrize("names", [OURS, PLPGSQL, WEIRD], ids=["ours", "plpgsql", "weird"])
def test_columns_of_any_name(any_lab: Lab, names: tuple[str, ...], level: str) -> None:
    columns = sql.SQL(", ").join([sql.SQL("{} int").format(sql.Identifier(n)) for n in names])
    any_lab.connection.execute(sql.SQL("CREATE TABLE parent ({})").format(columns))
    any_lab.run("CREATE TABLE child () INHERITS (parent)")
    table = QualifiedName("public", "child" if level == "row" else "parent")
    before = tuple(range(len(names)))
    after = (-1, *before[1:])
    assert _capture(any_lab, table) == [
        ("I", *before),
        ("D", *before),
        ("I", *after),
        ("D", *after),
    ]


@pytest.mark.parametrize("name", WEIRD)
def test_tables_and_schemas_of_any_name(lab: Lab, name: str) -> None:
    schema = sql.Identifier(name)
    lab.connection.execute(sql.SQL("CREATE SCHEMA {}").format(schema))
    table = sql.Identifier(name, name)
    lab.connection.execute(sql.SQL("CREATE TABLE {} (id int PRIMARY KEY)").format(table))
    assert _capture(lab, QualifiedName(name, name)) == [
        ("I", 0),
        ("D", 0),
        ("I", -1),
        ("D", -1),
    ]
