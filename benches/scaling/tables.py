"""Tables that grow while their groups do not: 100 items in each group, 10 events for each owner."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pgtrickle.pg.connection import Connection

SCHEMA = "scaling"
GROUP = 100

SETUP = """
DROP SCHEMA IF EXISTS scaling CASCADE;
CREATE SCHEMA scaling;
CREATE TABLE scaling.owners (id integer PRIMARY KEY, name text NOT NULL);
CREATE TABLE scaling.items (
    id integer PRIMARY KEY, owner_id integer NOT NULL, bucket integer NOT NULL, region integer NOT NULL,
    amount integer NOT NULL);
"""
OWNERS = """
INSERT INTO scaling.owners SELECT i, 'owner ' || i FROM generate_series(1, %(rows)s::integer / 10) AS i
"""
# Every tenth owner has no item: for the semi join.
ITEMS = """
INSERT INTO scaling.items
SELECT i, 1 + i %% (%(rows)s::integer / 10), i / 100, i / 10000, (i * 17 + 13) %% 10000
FROM generate_series(1, %(rows)s::integer) AS i WHERE i %% (%(rows)s::integer / 10) %% 10 <> 0
"""
INDEXES = """
CREATE INDEX ON scaling.items (owner_id);
CREATE INDEX ON scaling.items (bucket);
ANALYZE scaling.owners, scaling.items;
"""
# Half of them change what they are worth, half also where they belong.
CHANGE = """
UPDATE scaling.items SET amount = amount + 1,
    owner_id = CASE WHEN id %% 2 = 0 THEN 1 + (owner_id + 3) %% (%(rows)s::integer / 10) ELSE owner_id END,
    bucket = CASE WHEN id %% 2 = 0 THEN (bucket + 1) %% (%(rows)s::integer / 100) ELSE bucket END
WHERE id = ANY (%(ids)s::integer[])
"""

QUERIES = {
    "filter": "SELECT id, amount FROM scaling.items WHERE amount > 5000",
    "join": "SELECT i.id, i.amount, o.name FROM scaling.items i JOIN scaling.owners o ON o.id = i.owner_id",
    "aggregate": "SELECT bucket, sum(amount) AS total, count(*) AS items FROM scaling.items GROUP BY bucket",
    "nested": "SELECT region, sum(total) AS total, max(total) AS largest FROM ("
    "SELECT region, bucket, sum(amount) AS total FROM scaling.items GROUP BY region, bucket) AS b GROUP BY region",
    "distinct": "SELECT DISTINCT bucket, amount / 100 AS class FROM scaling.items",
    "semi_join": "SELECT id, name FROM scaling.owners o"
    " WHERE EXISTS (SELECT FROM scaling.items i WHERE i.owner_id = o.id)",
    "window": "SELECT id, bucket, amount, rank() OVER (PARTITION BY bucket ORDER BY amount DESC, id) AS place"
    " FROM scaling.items",
}


def load(connection: Connection, rows: int) -> None:
    """Create the tables with `rows` items, indexed by the keys that deltas look up."""
    connection.execute(SETUP, prepare=False)
    for statement in (OWNERS, ITEMS):
        connection.execute(statement, {"rows": rows})
    connection.execute(INDEXES, prepare=False)


def change(connection: Connection, rows: int, ids: list[int]) -> None:
    """Change the items with these ids."""
    connection.execute(CHANGE, {"rows": rows, "ids": ids})
