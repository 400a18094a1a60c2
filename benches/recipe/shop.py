"""The data and the changes that both sides maintain their tables under."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pgtrickle.pg.connection import Connection

SCHEMA = "recipe"

SETUP = """
DROP SCHEMA IF EXISTS recipe CASCADE;
CREATE SCHEMA recipe;
CREATE TABLE recipe.src (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, region text NOT NULL, category text NOT NULL,
    amount integer NOT NULL, score integer NOT NULL);
CREATE TABLE recipe.dim (
    id integer GENERATED ALWAYS AS IDENTITY PRIMARY KEY, region text NOT NULL, region_name text NOT NULL);
INSERT INTO recipe.dim (region, region_name)
VALUES ('north', 'Northern Region'), ('south', 'Southern Region'), ('east', 'Eastern Region'),
       ('west', 'Western Region'), ('central', 'Central Region');
CREATE INDEX ON recipe.src (amount);
"""
ROWS = """
INSERT INTO recipe.src (region, category, amount, score)
SELECT (ARRAY['north', 'south', 'east', 'west', 'central'])[1 + i %% 5], (ARRAY['A', 'B', 'C', 'D'])[1 + i %% 4],
       (i * 17 + 13) %% 10000, (i * 31 + 7) %% 100
FROM generate_series(%(first)s::integer, %(last)s::integer) AS i
"""
UPDATE = """
UPDATE recipe.src SET amount = amount + 1
WHERE id IN (SELECT id FROM recipe.src ORDER BY random() LIMIT %(count)s)
"""
DELETE = """
DELETE FROM recipe.src WHERE id IN (SELECT id FROM recipe.src ORDER BY random() LIMIT %(count)s)
"""

QUERIES = {
    "scan": "SELECT id, region, category, amount, score FROM recipe.src",
    "filter": "SELECT id, region, amount FROM recipe.src WHERE amount > 5000",
    "aggregate": "SELECT region, sum(amount) AS total, count(*) AS cnt FROM recipe.src GROUP BY region",
    "join": "SELECT s.id, s.region, s.amount, d.region_name"
    " FROM recipe.src s JOIN recipe.dim d ON s.region = d.region",
    "join_agg": "SELECT d.region_name, sum(s.amount) AS total, count(*) AS cnt"
    " FROM recipe.src s JOIN recipe.dim d ON s.region = d.region GROUP BY d.region_name",
    "window": "SELECT id, amount, score, row_number() OVER (PARTITION BY amount ORDER BY score DESC, id) AS place"
    " FROM recipe.src",
    "lateral": "SELECT d.region_name, t.total, t.cnt FROM recipe.dim d CROSS JOIN LATERAL"
    " (SELECT sum(s.amount) AS total, count(*) AS cnt FROM recipe.src s WHERE s.region = d.region) AS t",
    "cte": "WITH regional AS ("
    "SELECT region, category, sum(amount) AS total FROM recipe.src GROUP BY region, category)"
    " SELECT category, sum(total) AS total, max(total) AS largest FROM regional GROUP BY category",
    "union_all": "SELECT id, 'amount' AS kind, amount AS value FROM recipe.src WHERE amount > 5000"
    " UNION ALL SELECT id, 'score', score FROM recipe.src WHERE score > 50",
}


def load(connection: Connection, rows: int) -> None:
    """Create the tables and fill them with `rows` rows."""
    connection.execute(SETUP, prepare=False)
    connection.execute(ROWS, {"first": 1, "last": rows})
    connection.execute("ANALYZE recipe.src; ANALYZE recipe.dim", prepare=False)


def mutate(connection: Connection, changes: int) -> None:
    """Change rows, one transaction for each kind: 70 % updated, 15 % deleted, 15 % inserted."""
    connection.execute(UPDATE, {"count": changes * 70 // 100})
    connection.execute(DELETE, {"count": changes * 15 // 100})
    connection.execute(ROWS, {"first": 1, "last": changes * 15 // 100})
    connection.execute("ANALYZE recipe.src", prepare=False)
