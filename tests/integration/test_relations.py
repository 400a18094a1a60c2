"""Relations as the compiler sees them: keys that hold, members, and what types allow."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pgtrickle.catalog.relations import read_relations
from pgtrickle.dvm.schema import RelationKind
from pgtrickle.errors import SourceError
from tests.support.lab import named

if TYPE_CHECKING:
    from pgtrickle.dvm.schema import Relation
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg


def _read(lab: Lab, name: str) -> Relation:
    return read_relations(lab.connection, [named(name)])[named(name)]


def test_keys_are_plain_unique_not_null_and_the_primary_key_comes_first(any_lab: Lab) -> None:
    any_lab.run(
        "CREATE TABLE t (a int NOT NULL, b int NOT NULL, n int, id int PRIMARY KEY DEFERRABLE);"
        " CREATE UNIQUE INDEX ON t (b, a) INCLUDE (n); CREATE UNIQUE INDEX ON t (n);"
        " CREATE UNIQUE INDEX ON t (a) WHERE b > 0; CREATE UNIQUE INDEX ON t ((a + b));"
        " CREATE INDEX ON t (a)"
    )
    assert _read(any_lab, "t").keys == (("id",), ("b", "a"))


def test_a_key_under_another_collation_is_no_key(any_lab: Lab) -> None:
    any_lab.run(
        'CREATE TABLE t (a text NOT NULL); CREATE UNIQUE INDEX ON t (a COLLATE "C");'
        " CREATE TABLE u (a text NOT NULL); CREATE UNIQUE INDEX ON u (a text_pattern_ops)"
    )
    assert _read(any_lab, "t").keys == ()
    assert _read(any_lab, "u").keys == ()


def test_a_key_of_an_inheritance_parent_does_not_hold_for_its_children(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE p (id int PRIMARY KEY); CREATE TABLE c () INHERITS (p)")
    parent = _read(any_lab, "p")
    assert parent.keys == ()
    assert parent.members == (named("p"), named("c"))
    assert _read(any_lab, "c").members == (named("c"),)


def test_members_reached_in_two_ways_come_once(any_lab: Lab) -> None:
    any_lab.run(
        "CREATE TABLE p (id int); CREATE TABLE a () INHERITS (p); CREATE TABLE b () INHERITS (p);"
        " SET client_min_messages = error; CREATE TABLE d () INHERITS (a, b)"
    )
    assert _read(any_lab, "p").members == tuple(map(named, "pabd"))


def test_not_null_counts_only_if_every_member_keeps_it(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE p (id int, v int NOT NULL); CREATE TABLE c () INHERITS (p)")
    if any_lab.connection.info.server_version < 180_000:
        any_lab.run("ALTER TABLE c ALTER v DROP NOT NULL; ALTER TABLE ONLY p ALTER id SET NOT NULL")
        assert [column.not_null for column in _read(any_lab, "p").columns] == [False, False]
    else:
        assert [column.not_null for column in _read(any_lab, "p").columns] == [False, True]


def test_a_not_null_that_is_not_validated_promises_nothing(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (v int); INSERT INTO t VALUES (NULL);"
        " ALTER TABLE t ADD CONSTRAINT nn NOT NULL v NOT VALID"
    )
    assert lab.value(
        "SELECT attnotnull FROM pg_attribute WHERE attrelid = 't'::regclass AND attname = 'v'"
    )
    assert not _read(lab, "t").columns[0].not_null


def test_partitioned_tables_are_read_whole(any_lab: Lab) -> None:
    any_lab.run(
        "CREATE TABLE r (k int PRIMARY KEY, v int) PARTITION BY LIST (k);"
        " CREATE TABLE r1 PARTITION OF r FOR VALUES IN (1)"
    )
    root = _read(any_lab, "r")
    assert (root.kind, root.members, root.keys) == (RelationKind.PARTITIONED, (), (("k",),))


def test_virtual_columns_carry_their_expression(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (a int, v int GENERATED ALWAYS AS (a * 2) VIRTUAL,"
        " s int GENERATED ALWAYS AS (a * 3) STORED)"
    )
    generated = {column.name: column.generated for column in _read(lab, "t").columns}
    assert generated == {"a": None, "v": "(a * 2)", "s": None}


def test_virtual_columns_that_differ_in_a_child_are_refused(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (a int, v int GENERATED ALWAYS AS (a * 2) VIRTUAL);"
        " CREATE TABLE c (a int, v int GENERATED ALWAYS AS (a * 3) VIRTUAL) INHERITS (t)"
    )
    with pytest.raises(SourceError, match="another expression"):
        _read(lab, "t")


def test_a_relation_that_does_not_exist_is_an_error(any_lab: Lab) -> None:
    with pytest.raises(SourceError, match="does not exist"):
        _read(any_lab, "nope")


def test_reading_leaves_the_search_path_alone(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int); SET search_path = public")
    _read(any_lab, "t")
    assert any_lab.value("SHOW search_path") == "public"
    any_lab.run("BEGIN; SET LOCAL search_path = pgtrickle")
    _read(any_lab, "t")
    assert any_lab.value("SHOW search_path") == "pgtrickle"
    any_lab.run("COMMIT")
    assert any_lab.value("SHOW search_path") == "public"


TYPES = {
    "int": "hashable comparable exact",
    "text": "hashable comparable exact",
    "varchar(5)": "hashable comparable exact",
    "char(3)": "hashable comparable exact",
    "bpchar": "hashable comparable",
    "numeric": "hashable comparable",
    "numeric(10,2)": "hashable comparable exact",
    "numeric(10)": "hashable comparable exact",
    "float8": "hashable comparable",
    "interval": "hashable comparable",
    "jsonb": "hashable comparable",
    "json": "",
    "json[]": "",
    "point": "",
    "xid": "hashable comparable",
    "money": "comparable exact",
    "bit(3)": "comparable exact",
    "tsvector": "comparable",
    "bit(3)[]": "comparable exact",
    "int4range": "hashable comparable",
    "int4multirange": "hashable comparable",
    "numeric(5,1)[]": "hashable comparable exact",
    "cidr": "hashable comparable exact",
    "regclass": "hashable comparable exact",
    "mood": "hashable comparable exact",
    "pair": "hashable comparable",
    "bad_pair": "",
    "cents": "hashable comparable exact",
    "tagged": "",
    "moods": "hashable comparable exact",
}


def test_types_are_known_by_what_they_are_made_of(any_lab: Lab) -> None:
    any_lab.run(
        "CREATE TYPE mood AS ENUM ('a'); CREATE TYPE pair AS (a int, b text);"
        " CREATE TYPE bad_pair AS (a int, b json[]); CREATE DOMAIN cents AS numeric(12,2);"
        " CREATE DOMAIN tagged AS json; CREATE DOMAIN moods AS mood[]"
    )
    columns = ", ".join(f"c{number} {name}" for number, name in enumerate(TYPES))
    any_lab.run(f"CREATE TABLE t ({columns})")
    found = {}
    for name, column in zip(TYPES, _read(any_lab, "t").columns, strict=True):
        traits = ("hashable", "comparable", "exact")
        found[name] = " ".join(trait for trait in traits if getattr(column.type, trait))
    assert found == TYPES


def test_scales(any_lab: Lab) -> None:
    any_lab.run(
        "CREATE DOMAIN cents AS numeric(12,2);"
        " CREATE TABLE t (a numeric, b numeric(5), c numeric(5,2), d numeric(5,-2), e cents, f int)"
    )
    scales = [column.type.scale for column in _read(any_lab, "t").columns]
    assert scales == [None, 0, 2, -2, 2, None]
