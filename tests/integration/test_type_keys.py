"""Keys that no btree entry can hold, and rows of many columns: nothing that PostgreSQL stores is too large to be maintained."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import pgtrickle
from pgtrickle.catalog.model import Action
from tests.support.types import differences

if TYPE_CHECKING:
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg

# Random digits: 9,600 characters that compress to no less than 4,800 bytes.
LONG = "(SELECT string_agg(md5(({seed} * 1000 + i)::text), '') FROM generate_series(1, 300) AS i)"
LONG_TABLES = """
CREATE TABLE a (id int PRIMARY KEY, k text NOT NULL, m text, l text[] NOT NULL, n int NOT NULL);
CREATE TABLE b (k text NOT NULL, n int NOT NULL);
"""
LONG_QUERIES = {
    "stored": "SELECT id, k, l FROM a",
    "bag": "SELECT k, n FROM b",
    "keyed": "SELECT k, count(*) AS c, sum(n) AS s FROM b GROUP BY k",
    "nullable": "SELECT m, count(*) AS c FROM a GROUP BY m",
    "two_keys": "SELECT k, n, count(*) AS c FROM b GROUP BY k, n",
    "two_long": "SELECT k, l, max(n) AS c FROM a GROUP BY k, l",
    "hidden": "SELECT count(*) AS c FROM a GROUP BY k",
    "in_arrays": "SELECT l, count(*) AS c FROM a GROUP BY l",
    "expression": "SELECT upper(k) AS u, count(*) AS c FROM b GROUP BY upper(k)",
    "extremes": "SELECT n, min(k) AS lo, max(k) AS hi FROM b GROUP BY n",
    "distinct_rows": "SELECT DISTINCT k FROM b",
    "distinct_on": "SELECT DISTINCT ON (k) k, id FROM a ORDER BY k, id",
    "joined": "SELECT a.id, b.n FROM a JOIN b ON a.k = b.k",
    "outer_joined": "SELECT a.id, a.k, b.n FROM a LEFT JOIN b ON a.k = b.k",
    "excepted": "SELECT k FROM a EXCEPT SELECT k FROM b",
    "excepted_all": "SELECT k, l FROM a EXCEPT ALL SELECT k, NULL FROM b",
    "united": "SELECT k FROM a UNION SELECT k FROM b",
    "windowed": "SELECT id, k, count(*) OVER (PARTITION BY k) AS c FROM a",
    "windowed_bag": "SELECT n, rank() OVER (PARTITION BY k, n % 2 ORDER BY n) AS c FROM b",
    "member": "SELECT id FROM a WHERE k IN (SELECT k FROM b)",
    "nested": "SELECT c, count(*) AS d FROM (SELECT k, count(*) AS c FROM b GROUP BY k) AS q GROUP BY c",
}
LONG_CHANGES = (
    "INSERT INTO a SELECT 100 + i, {two}, {two}, ARRAY[{two}, NULL], i FROM generate_series(1, 3) AS i",
    "INSERT INTO b VALUES ({two}, 1), ({two}, 1), ({three}, 2)",
    "UPDATE a SET k = {three}, m = NULL WHERE id IN (1, 101); UPDATE b SET k = {one} WHERE n = 2",
    "UPDATE a SET l = ARRAY[{one}], m = {one} WHERE id = 102; DELETE FROM b WHERE k = {two}",
    "DELETE FROM a WHERE k = {three}; INSERT INTO b VALUES ('short', 7)",
)


def test_keys_longer_than_an_index_entry(lab: Lab) -> None:
    long = {name: LONG.format(seed=seed) for seed, name in enumerate(("one", "two", "three"))}
    lab.run(LONG_TABLES)
    fill = "INSERT INTO a SELECT i, {one}, {one}, ARRAY[{one}], i FROM generate_series(1, 3) AS i"
    lab.run(fill.format(**long))
    lab.run("INSERT INTO b SELECT k, id % 2 FROM a UNION ALL SELECT 'short', 1")
    with pgtrickle.connect(lab.dsn) as client:
        for name, query in LONG_QUERIES.items():
            client.create_stream_table(name, query, refresh_mode="DIFFERENTIAL")
        for change in LONG_CHANGES:
            lab.run(f"BEGIN; {change.format(**long)}; COMMIT")
            for name, query in LONG_QUERIES.items():
                action = client.refresh_stream_table(name).action
                assert action in (Action.DIFFERENTIAL, Action.NO_DATA), name
                assert differences(lab, name, query) == [], name


def test_a_key_that_may_grow_later_is_found_by_hash(lab: Lab) -> None:
    lab.run("CREATE TABLE a (k varchar(20) NOT NULL); INSERT INTO a VALUES ('x')")
    query = "SELECT k, count(*) AS c FROM a GROUP BY k"
    with pgtrickle.connect(lab.dsn) as client:
        client.create_stream_table("grown", query, refresh_mode="DIFFERENTIAL")
        lab.run("ALTER TABLE a ALTER COLUMN k TYPE text")
        lab.run(f"INSERT INTO a VALUES ({LONG.format(seed=1)})")
        for _ in range(2):
            client.refresh_stream_table("grown")
            assert differences(lab, "grown", query) == []
            lab.run(f"INSERT INTO a VALUES ({LONG.format(seed=2)})")


WIDE = [f"c{number}" for number in range(120)]
WIDE_QUERIES = {
    "rows_by_key": "SELECT * FROM w",
    "rows_of_a_bag": "SELECT {columns} FROM w",
    "distinct_rows": "SELECT DISTINCT {columns} FROM w",
    "distinct_nullable": "SELECT DISTINCT {nullable} FROM w",
    "joined": "SELECT l.*, {right} FROM w AS l JOIN w AS r ON l.id = r.c0",
    "excepted": "SELECT {columns} FROM w EXCEPT SELECT {columns} FROM w WHERE id > 5",
}


def test_rows_of_120_columns_and_joins_of_240(lab: Lab) -> None:
    columns = ", ".join(WIDE)
    parts = {
        "columns": columns,
        "nullable": ", ".join(f"nullif({name}, 1) AS {name}" for name in WIDE),
        "right": ", ".join(f"r.{name} AS r{name}" for name in WIDE),
    }
    declared = ", ".join(f"{name} int NOT NULL" for name in WIDE)
    values = ", ".join(f"(i + {number}) % 5" for number, _ in enumerate(WIDE))
    lab.run(f"CREATE TABLE w (id int PRIMARY KEY, {declared})")
    insert = f"INSERT INTO w ({{}}) SELECT i, {values} FROM generate_series({{}}) AS i"
    lab.run(insert.format(f"id, {columns}", "1, 9"))
    queries = {name: query.format(**parts) for name, query in WIDE_QUERIES.items()}
    with pgtrickle.connect(lab.dsn) as client:
        for name, query in queries.items():
            client.create_stream_table(name, query, refresh_mode="DIFFERENTIAL")
        for change in (
            insert.format(f"id, {columns}", "10, 14"),
            "UPDATE w SET c119 = c119 + 1, c0 = 3 WHERE id % 4 = 1",
            "DELETE FROM w WHERE id % 5 = 2",
        ):
            lab.run(change)
            for name, query in queries.items():
                report = client.refresh_stream_table(name)
                assert report.action is Action.DIFFERENTIAL, name
                assert differences(lab, name, query) == [], name
