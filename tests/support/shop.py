"""A small shop with a client and a second connection that writes, for tests of whole journeys."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import psycopg

import pgtrickle

if TYPE_CHECKING:
    from collections.abc import Iterator
    from typing import LiteralString

SCHEMA: LiteralString = """
CREATE SCHEMA shop;
CREATE TABLE shop.customers (id integer PRIMARY KEY, name text NOT NULL, region text);
CREATE TABLE shop.orders (
    id integer PRIMARY KEY, customer_id integer NOT NULL, amount numeric(10,2), note text);
INSERT INTO shop.customers SELECT i, 'customer ' || i, (ARRAY['north', 'south', NULL])[1 + i % 3]
FROM generate_series(1, 20) AS i;
INSERT INTO shop.orders SELECT i, 1 + i % 20, i * 1.25, CASE i % 4 WHEN 0 THEN 'gift' END
FROM generate_series(1, 200) AS i;
"""
LARGE: LiteralString = "SELECT id, amount FROM shop.orders WHERE amount > 100"
NAMED: LiteralString = "SELECT o.id, c.name, c.region, o.amount FROM shop.orders o JOIN shop.customers c ON c.id = o.customer_id"
TOTALS: LiteralString = (
    "SELECT c.region, count(*) AS orders, sum(o.amount) AS total, max(o.amount) AS largest"
    " FROM shop.orders o JOIN shop.customers c ON c.id = o.customer_id GROUP BY c.region"
)


@dataclass(frozen=True, slots=True)
class Shop:
    """A client, and a connection of somebody else's."""

    dsn: str
    client: pgtrickle.Client
    connection: psycopg.Connection[tuple[Any, ...]]

    def sql(self, statement: LiteralString, *parameters: object) -> list[tuple[Any, ...]]:
        """Run a statement as the other connection and return its rows."""
        cursor = self.connection.execute(statement, parameters or None)
        return cursor.fetchall() if cursor.description else []

    def assert_exact(self, name: LiteralString, query: LiteralString) -> None:
        """Assert that the view equals the query, by this connection's own comparison."""
        table: LiteralString = "TABLE " + name
        both: LiteralString = (
            "("
            + query
            + " EXCEPT ALL "
            + table
            + ") UNION ALL ("
            + table
            + " EXCEPT ALL "
            + query
            + ")"
        )
        assert self.sql(both) == []

    def leftovers(self) -> list[tuple[Any, ...]]:
        """Return every object of ours apart from the catalog itself."""
        return self.sql(
            "SELECT 'relation', c.oid::regclass::text FROM pg_class AS c"
            " JOIN pg_namespace AS n ON n.oid = c.relnamespace"
            " WHERE n.nspname IN ('pgtrickle_state', 'pgtrickle_changes') AND c.relkind = 'r' AND c.relname <> 'marks'"
            " UNION ALL SELECT 'function', proname FROM pg_proc"
            " WHERE pronamespace = 'pgtrickle_changes'::regnamespace"
            " UNION ALL SELECT 'trigger', tgname FROM pg_trigger WHERE NOT tgisinternal"
            " UNION ALL SELECT 'catalog', table_name FROM pgtrickle.stream_tables"
            " UNION ALL SELECT 'source', relation_name FROM pgtrickle.sources"
            " UNION ALL SELECT 'lock', classid::text FROM pg_locks WHERE locktype = 'advisory'"
        )


@contextmanager
def open_shop(dsn: str) -> Iterator[Shop]:
    """Load the shop into the database and install the catalog."""
    with psycopg.connect(dsn, autocommit=True) as connection, pgtrickle.connect(dsn) as client:
        connection.execute(SCHEMA)
        client.install()
        yield Shop(dsn, client, connection)
