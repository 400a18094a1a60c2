"""Everything that PostgreSQL stores, in every place where a stream table compares, orders or keeps values.

Each type gets a table with a key, one with NOT NULL values and one with neither, and stream tables of many shapes over them. The
changes swap values that are equal and look different, flip NULLs, move keys and delete. What a type cannot do is
refused or refreshed in full with a code, and never fails later.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

import pgtrickle
from pgtrickle.catalog.model import Action
from pgtrickle.errors import UnsupportedQueryError
from tests.integration.type_samples import SAMPLES, Sample
from tests.support.servers import unique_name
from tests.support.types import differences

if TYPE_CHECKING:
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg

# Every shape holds for any type: no operator is applied to the value.
ANY = {
    "by_key": "SELECT id, v FROM t",
    "bag": "SELECT v, g FROM u",
    "collected": "SELECT g, count(v) AS n, string_agg(v::text, ',' ORDER BY v::text) AS l FROM t GROUP BY g",
    "appended": "SELECT v FROM t UNION ALL SELECT v FROM u",
    "before": "SELECT id, lag(v) OVER (PARTITION BY g ORDER BY id) AS w FROM t",
    "full_join": "SELECT t.v, u.v AS w FROM t FULL JOIN u ON t.g = u.g",
    "chosen": "SELECT g, (SELECT t.v FROM t WHERE t.id = u.g) AS w FROM u",
}
# These need equality; where equal values look different, SQL leaves open which of them shows.
EQUAL = {
    "group_hidden": "SELECT count(*) AS n, max(id) AS m FROM t GROUP BY v",
    "group_strict": "SELECT v, count(*) AS n FROM s GROUP BY v",
    "group_both": "SELECT g, v, array_agg(id ORDER BY id) AS a FROM t GROUP BY g, v",
    "group_computed": "SELECT coalesce(v, {first}) AS k, count(*) AS n FROM t GROUP BY coalesce(v, {first})",
    "distinct_rows": "SELECT DISTINCT v FROM u",
    "distinct_on": "SELECT DISTINCT ON (v) id FROM t ORDER BY v, id",
    "distinct_count": "SELECT g, count(DISTINCT v) AS n FROM t GROUP BY g",
    "joined": "SELECT t.id, u.g, u.v FROM t JOIN u ON t.v = u.v",
    "left_join": "SELECT t.id, s.id AS i FROM t LEFT JOIN s ON t.v = s.v",
    "merged": "SELECT t.id, s.id AS i FROM t JOIN s USING (v)",
    "united": "SELECT v FROM t UNION SELECT v FROM u",
    "excepted": "SELECT v FROM t EXCEPT SELECT v FROM u",
    "excepted_all": "SELECT v FROM s EXCEPT ALL SELECT v FROM u",
    "windowed": "SELECT id, v, count(*) OVER (PARTITION BY v) AS n FROM t",
    "windowed_strict": "SELECT id, row_number() OVER (PARTITION BY v ORDER BY id) AS n FROM s",
    "member": "SELECT id, v FROM t WHERE v IN (SELECT v FROM u)",
    "no_member": "SELECT id FROM t WHERE v NOT IN (SELECT v FROM s)",
    "absent": "SELECT id FROM t WHERE NOT EXISTS (SELECT FROM u WHERE u.v = t.v)",
    "nested": "SELECT t.id, q.n FROM t JOIN (SELECT v, count(*) AS n FROM u GROUP BY v) AS q ON q.v = t.v",
    "other": "SELECT id FROM t WHERE v IS DISTINCT FROM (SELECT v FROM s ORDER BY id LIMIT 1)",
}
ORDERED = {
    "as_key": "SELECT v, g FROM k",
    "as_key_joined": "SELECT k.v, t.id FROM k LEFT JOIN t ON t.v = k.v",
    "ranked": "SELECT id, rank() OVER (ORDER BY v) AS r FROM t",
}
EXTREMES = {"extremes": "SELECT g, min(v) AS lo, max(v) AS hi FROM t GROUP BY g"}
ARRAYS = {"in_array": "SELECT g, array_agg(v ORDER BY id) AS a FROM t GROUP BY g"}
REPRESENTED = frozenset(
    {"group_strict", "group_both", "group_computed", "distinct_rows", "united", "excepted"}
    | {"excepted_all", "extremes"}
)
# Types whose operators are an extension's: where rows are compared by them it is said, with one of these codes.
EXTENSIONS = frozenset({"citext", "hstore"})
WITHOUT_DELTA = frozenset({"PGT256", "PGT261"})
CODES = WITHOUT_DELTA | {"PGT214", "PGT215"}
# One shape for each way in which values are stored and found again; all shapes for a type of each kind.
FEWER = frozenset({"group_strict", "group_both", "excepted"})
THOROUGH = frozenset({"numeric", "prices", "json", "citext"})
# Kept and compared as another type of the list: the row with a value of every type is enough for them.
SIMILAR = frozenset(
    {
        "smallint",
        "bigint",
        "numeric(4,-2)",
        "real",
        "varchar(5)",
        "time",
        "timestamp",
        "timestamp(0)",
    }
    | {
        "macaddr",
        "macaddr8",
        "cidr",
        "pg_lsn",
        "oid",
        "tstzrange",
        "int4multirange",
        "mood[]",
        "text[]",
    }
)
OLDER = frozenset({"numeric", "money", "jsonb", '"Odd Type"'})


def _shapes(sample: Sample, *, fewer: bool) -> dict[str, str]:
    shapes = {} if fewer and sample.equality else dict(ANY)
    shapes |= EQUAL if sample.equality else {}
    shapes |= ORDERED if sample.ordered else {}
    shapes |= EXTREMES if sample.extremes else {}
    shapes |= ARRAYS if not sample.array else {}
    return {
        name: query.format(first=sample.literals[0])
        for name, query in shapes.items()
        if not fewer or name in ANY or name in FEWER
    }


def _numbered(values: list[str], first: int) -> str:
    return ", ".join(f"({first + i}, {value}, {i % 3})" for i, value in enumerate(values))


def _fill(lab: Lab, sample: Sample) -> None:
    pool = list(sample.literals)
    lab.run(
        f"CREATE TABLE t (id int PRIMARY KEY, v {sample.type}, g int);"
        f"CREATE TABLE u (v {sample.type}, g int);"
        f"CREATE TABLE s (id int PRIMARY KEY, v {sample.type} NOT NULL, g int);"
        f"INSERT INTO t VALUES {_numbered([*pool, 'NULL', 'NULL'], 0)};"
        f"INSERT INTO s VALUES {_numbered([*pool, *pool], 0)};"
        "INSERT INTO u SELECT v, g FROM t UNION ALL SELECT v, g FROM t WHERE id % 2 = 0"
    )
    if sample.ordered:
        lab.run(f"CREATE TABLE k (v {sample.type} PRIMARY KEY, g int)")
        lab.run("INSERT INTO k SELECT v, g FROM s ON CONFLICT DO NOTHING")


def _changes(sample: Sample) -> list[str]:
    """Return the scripts of the windows: more rows; each value to its neighbour; NULLs and keys; and deletes."""
    pool = list(sample.literals)
    neighbours = list(zip(pool, [*pool[1:], pool[0]], strict=True))
    swapped = "".join(
        f"UPDATE {table} SET v = {after} WHERE id = {i};"
        for i, (_, after) in enumerate(neighbours)
        for table in ("t", "s")
    )
    key = "UPDATE k SET g = g + 1; DELETE FROM k WHERE g = 2;" if sample.ordered else ""
    return [
        f"INSERT INTO t VALUES {_numbered(pool, 100)}; INSERT INTO u SELECT v, g FROM s WHERE id % 2 = 1",
        f"{swapped}{key} UPDATE u SET v = {pool[1]} WHERE v::text = ({pool[0]})::text",
        "UPDATE t SET v = NULL WHERE id % 3 = 0; UPDATE u SET v = NULL WHERE g = 1;"
        f"UPDATE t SET v = {pool[0]} WHERE id = {len(pool)}; UPDATE t SET id = id + 1000; DELETE FROM s WHERE id % 2 = 0",
        f"DELETE FROM t WHERE v::text = ({pool[1]})::text; DELETE FROM u WHERE g = 2; UPDATE s SET v = {pool[-1]}",
    ]


def _create(client: pgtrickle.Client, sample: Sample, shapes: dict[str, str]) -> dict[str, Action]:
    """Create the stream tables and return what a refresh of each must be; only an extension's types may be refused."""
    actions = {}
    for name, query in shapes.items():
        code = _refusal(client, name, query)
        if code is None:
            actions[name] = Action.DIFFERENTIAL
            continue
        assert sample.type in EXTENSIONS, (sample.type, name, code)
        assert code in CODES, (sample.type, name)
        if code in WITHOUT_DELTA:
            client.create_stream_table(name, query, refresh_mode="FULL")
            actions[name] = Action.FULL
    return actions


def _refusal(client: pgtrickle.Client, name: str, query: str) -> str | None:
    try:
        client.create_stream_table(name, query, refresh_mode="DIFFERENTIAL")
    except UnsupportedQueryError as error:
        return error.code
    return None


def _check(lab: Lab, sample: Sample, *, fewer: bool) -> None:
    """Run the windows, in a schema of the type's own, and hold every stream table against its query after each."""
    schema = unique_name("types")
    lab.run(f"CREATE SCHEMA {schema}; SET search_path = {schema}, public")
    _fill(lab, sample)
    shapes = _shapes(sample, fewer=fewer)
    with pgtrickle.connect(
        make_conninfo(lab.dsn, options=f"-csearch_path={schema},public")
    ) as client:
        actions = _create(client, sample, shapes)
        for change in _changes(sample):
            lab.run(f"BEGIN; {change}; COMMIT")
            for name, expected in actions.items():
                action = client.refresh_stream_table(name).action
                assert action in (expected, Action.NO_DATA), (sample.type, name)
                by_value = name in REPRESENTED and not sample.alike
                found = differences(lab, name, shapes[name], by_value=by_value)
                assert found == [], (sample.type, name, change)


def _available(lab: Lab) -> list[Sample]:
    """Return the types that the server has, those that must be made first made."""
    found = []
    for sample in SAMPLES:
        try:
            lab.run(sample.setup)
            lab.value(f"SELECT ({sample.literals[0]})::text")
        except psycopg.Error:
            assert sample.needs, sample.type
        else:
            found.append(sample)
    return found


def test_every_type_in_every_way_of_finding_rows_again(lab: Lab) -> None:
    for sample in _available(lab):
        thorough = sample.type in THOROUGH
        if thorough or (sample.equality and sample.type not in SIMILAR):
            _check(lab, sample, fewer=not thorough)


@pytest.mark.parametrize("any_server", [15, 16], indirect=True, ids=lambda version: f"pg{version}")
def test_types_on_older_servers(any_lab: Lab) -> None:
    for sample in _available(any_lab):
        if sample.type in OLDER:
            _check(any_lab, sample, fewer=True)


@pytest.mark.parametrize(
    "sample", [each for each in SAMPLES if each.needs], ids=lambda each: each.type
)
def test_types_that_a_server_may_lack(any_lab: Lab, sample: Sample) -> None:
    if sample not in _available(any_lab):
        pytest.skip(f"this server has no {sample.needs}")
    _check(any_lab, sample, fewer=True)


@pytest.mark.xfail(reason="a group shows the image of a row that is gone", strict=True)
def test_what_is_computed_from_a_key_follows_the_images_of_its_group(lab: Lab) -> None:
    lab.run("CREATE TABLE t (n numeric); INSERT INTO t VALUES (1.0), (1.00)")
    query = "SELECT n::text AS shown, count(*) AS c FROM t GROUP BY n"
    with pgtrickle.connect(lab.dsn) as client:
        client.create_stream_table("g", query, refresh_mode="DIFFERENTIAL")
        lab.run("DELETE FROM t WHERE n::text = (SELECT shown FROM g)")
        client.refresh_stream_table("g")
        assert differences(lab, "g", query) == []


def test_a_row_with_a_value_of_every_type(any_lab: Lab) -> None:
    samples = _available(any_lab)
    declared = ", ".join(f"c{i} {sample.type}" for i, sample in enumerate(samples))
    any_lab.run(
        f"CREATE TABLE a (id int PRIMARY KEY, {declared}); CREATE TABLE b (id int, {declared})"
    )
    width = max(len(sample.values) for sample in samples)
    rows = [
        ", ".join(sample.literals[number % len(sample.values)] for sample in samples)
        for number in range(width)
    ]
    values = ", ".join(f"({number}, {row})" for number, row in enumerate(rows))
    any_lab.run(f"INSERT INTO a VALUES {values}; INSERT INTO b TABLE a; INSERT INTO b TABLE a")
    queries = {
        "by_key": "SELECT * FROM a",
        "bag": "SELECT * FROM b",
        "appended": "SELECT * FROM a UNION ALL SELECT * FROM b",
        "joined": "SELECT a.*, b.id AS other FROM a LEFT JOIN b ON a.id = b.id + 1",
    }
    names = ", ".join(f"c{i}" for i, _ in enumerate(samples))
    with pgtrickle.connect(any_lab.dsn) as client:
        for name, query in queries.items():
            client.create_stream_table(name, query, refresh_mode="DIFFERENTIAL")
        for change in (
            *(f"UPDATE {table} SET ({names}) = ROW({rows[1]}) WHERE id = 0" for table in "ab"),
            f"INSERT INTO b (id, {names}) VALUES (1, {rows[2]}); INSERT INTO a (id) VALUES (99)",
            "DELETE FROM b WHERE id = 0; UPDATE a SET id = -1 WHERE id = 2",
        ):
            any_lab.run(change)
            for name, query in queries.items():
                action = client.refresh_stream_table(name).action
                assert action in (Action.DIFFERENTIAL, Action.NO_DATA), name
                assert differences(any_lab, name, query) == [], (name, change)
        assert client.verify("bag").matches
