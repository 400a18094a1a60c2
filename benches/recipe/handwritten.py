"""The limit: what a careful person writes for each of the nine queries, with the same kind of capture and frontier.

It knows what no compiler may assume (a region has one name) and it takes the last change by position, which one MERGE that
deletes and inserts the same key would break.
"""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

from benches.recipe.shop import QUERIES

if TYPE_CHECKING:
    from typing import LiteralString

    from pgtrickle.pg.connection import Connection

CAPTURE = """
CREATE TABLE recipe.changes (
    change_id bigint GENERATED ALWAYS AS IDENTITY, xid xid8 NOT NULL DEFAULT pg_current_xact_id(),
    action "char" NOT NULL, id integer, region text, category text, amount integer, score integer);
CREATE FUNCTION recipe.capture() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' THEN
        INSERT INTO recipe.changes (action, id, region, category, amount, score) SELECT 'I', * FROM n;
    ELSIF TG_OP = 'DELETE' THEN
        INSERT INTO recipe.changes (action, id, region, category, amount, score) SELECT 'D', * FROM o;
    ELSE
        INSERT INTO recipe.changes (action, id, region, category, amount, score)
        SELECT 'D', * FROM o UNION ALL SELECT 'I', * FROM n;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER hand_i AFTER INSERT ON recipe.src REFERENCING NEW TABLE AS n
    FOR EACH STATEMENT EXECUTE FUNCTION recipe.capture();
CREATE TRIGGER hand_d AFTER DELETE ON recipe.src REFERENCING OLD TABLE AS o
    FOR EACH STATEMENT EXECUTE FUNCTION recipe.capture();
CREATE TRIGGER hand_u AFTER UPDATE ON recipe.src REFERENCING OLD TABLE AS o NEW TABLE AS n
    FOR EACH STATEMENT EXECUTE FUNCTION recipe.capture();
"""
TABLES: tuple[LiteralString, ...] = (
    "CREATE TABLE recipe.hand_scan AS SELECT id, region, category, amount, score FROM recipe.src",
    "ALTER TABLE recipe.hand_scan ADD PRIMARY KEY (id)",
    "CREATE TABLE recipe.hand_filter AS SELECT id, region, amount FROM recipe.src WHERE amount > 5000",
    "ALTER TABLE recipe.hand_filter ADD PRIMARY KEY (id)",
    "CREATE TABLE recipe.hand_aggregate AS"
    " SELECT region, sum(amount) AS total, count(*) AS cnt FROM recipe.src GROUP BY region",
    "ALTER TABLE recipe.hand_aggregate ADD PRIMARY KEY (region)",
    "CREATE TABLE recipe.hand_join AS SELECT s.id, s.region, s.amount, d.region_name"
    " FROM recipe.src s JOIN recipe.dim d ON s.region = d.region",
    "ALTER TABLE recipe.hand_join ADD PRIMARY KEY (id)",
    "CREATE TABLE recipe.hand_join_agg AS SELECT d.region_name, sum(s.amount) AS total, count(*) AS cnt"
    " FROM recipe.src s JOIN recipe.dim d ON s.region = d.region GROUP BY d.region_name",
    "ALTER TABLE recipe.hand_join_agg ADD PRIMARY KEY (region_name)",
    "CREATE TABLE recipe.hand_window AS SELECT id, amount, score,"
    " row_number() OVER (PARTITION BY amount ORDER BY score DESC, id) AS place FROM recipe.src",
    "ALTER TABLE recipe.hand_window ADD PRIMARY KEY (id)",
    "CREATE INDEX ON recipe.hand_window (amount)",
    "CREATE TABLE recipe.hand_lateral AS SELECT d.region_name, sum(s.amount) AS total, count(s.id) AS cnt"
    " FROM recipe.dim d LEFT JOIN recipe.src s ON s.region = d.region GROUP BY d.region_name",
    "ALTER TABLE recipe.hand_lateral ADD PRIMARY KEY (region_name)",
    "CREATE TABLE recipe.hand_regional AS SELECT region, category, sum(amount) AS total, count(*) AS cnt"
    " FROM recipe.src GROUP BY region, category",
    "ALTER TABLE recipe.hand_regional ADD PRIMARY KEY (category, region)",
    "CREATE TABLE recipe.hand_cte AS SELECT category, sum(total) AS total, max(total) AS largest"
    " FROM recipe.hand_regional GROUP BY category",
    "ALTER TABLE recipe.hand_cte ADD PRIMARY KEY (category)",
    "CREATE TABLE recipe.hand_union_all AS"
    " SELECT id, 'amount' AS kind, amount AS value FROM recipe.src WHERE amount > 5000"
    " UNION ALL SELECT id, 'score', score FROM recipe.src WHERE score > 50",
    "ALTER TABLE recipe.hand_union_all ADD PRIMARY KEY (id, kind)",
    "ANALYZE",
)
# The statements of each refresh, in order.
DELTAS: dict[str, tuple[LiteralString, ...]] = {
    "scan": (
        """
        WITH d AS (
            SELECT DISTINCT ON (id) * FROM recipe.changes
            WHERE xid >= pg_snapshot_xmin(%(f)s::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, %(f)s::pg_snapshot)
            ORDER BY id, change_id DESC)
        MERGE INTO recipe.hand_scan t USING d ON t.id = d.id
        WHEN MATCHED AND d.action = 'D' THEN DELETE
        WHEN MATCHED THEN UPDATE SET region = d.region, category = d.category, amount = d.amount, score = d.score
        WHEN NOT MATCHED AND d.action = 'I' THEN INSERT VALUES (d.id, d.region, d.category, d.amount, d.score)""",
    ),
    "filter": (
        """
        WITH d AS (
            SELECT DISTINCT ON (id) * FROM recipe.changes
            WHERE xid >= pg_snapshot_xmin(%(f)s::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, %(f)s::pg_snapshot)
            ORDER BY id, change_id DESC)
        MERGE INTO recipe.hand_filter t USING d ON t.id = d.id
        WHEN MATCHED AND (d.action = 'D' OR d.amount <= 5000) THEN DELETE
        WHEN MATCHED THEN UPDATE SET region = d.region, amount = d.amount
        WHEN NOT MATCHED AND d.action = 'I' AND d.amount > 5000 THEN INSERT VALUES (d.id, d.region, d.amount)""",
    ),
    "aggregate": (
        """
        WITH d AS (
            SELECT region, sum(CASE action WHEN 'I' THEN amount ELSE -amount END) AS total,
                   sum(CASE action WHEN 'I' THEN 1 ELSE -1 END) AS cnt
            FROM recipe.changes
            WHERE xid >= pg_snapshot_xmin(%(f)s::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, %(f)s::pg_snapshot)
            GROUP BY region)
        MERGE INTO recipe.hand_aggregate t USING d ON t.region = d.region
        WHEN MATCHED AND t.cnt + d.cnt = 0 THEN DELETE
        WHEN MATCHED THEN UPDATE SET total = t.total + d.total, cnt = t.cnt + d.cnt
        WHEN NOT MATCHED AND d.cnt > 0 THEN INSERT VALUES (d.region, d.total, d.cnt)""",
    ),
    "join": (
        """
        WITH d AS (
            SELECT DISTINCT ON (id) * FROM recipe.changes
            WHERE xid >= pg_snapshot_xmin(%(f)s::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, %(f)s::pg_snapshot)
            ORDER BY id, change_id DESC
        ), j AS (SELECT d.*, dim.region_name FROM d LEFT JOIN recipe.dim ON dim.region = d.region)
        MERGE INTO recipe.hand_join t USING j ON t.id = j.id
        WHEN MATCHED AND (j.action = 'D' OR j.region_name IS NULL) THEN DELETE
        WHEN MATCHED THEN UPDATE SET region = j.region, amount = j.amount, region_name = j.region_name
        WHEN NOT MATCHED AND j.action = 'I' AND j.region_name IS NOT NULL
            THEN INSERT VALUES (j.id, j.region, j.amount, j.region_name)""",
    ),
    "join_agg": (
        """
        WITH d AS (
            SELECT dim.region_name, sum(CASE action WHEN 'I' THEN amount ELSE -amount END) AS total,
                   sum(CASE action WHEN 'I' THEN 1 ELSE -1 END) AS cnt
            FROM recipe.changes s JOIN recipe.dim ON dim.region = s.region
            WHERE xid >= pg_snapshot_xmin(%(f)s::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, %(f)s::pg_snapshot)
            GROUP BY dim.region_name)
        MERGE INTO recipe.hand_join_agg t USING d ON t.region_name = d.region_name
        WHEN MATCHED AND t.cnt + d.cnt = 0 THEN DELETE
        WHEN MATCHED THEN UPDATE SET total = t.total + d.total, cnt = t.cnt + d.cnt
        WHEN NOT MATCHED AND d.cnt > 0 THEN INSERT VALUES (d.region_name, d.total, d.cnt)""",
    ),
    "window": (
        """
        WITH keys AS (
            SELECT DISTINCT amount FROM recipe.changes
            WHERE xid >= pg_snapshot_xmin(%(f)s::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, %(f)s::pg_snapshot)
        ), ranked AS (
            SELECT id, amount, score, row_number() OVER (PARTITION BY amount ORDER BY score DESC, id) AS place
            FROM recipe.src WHERE amount IN (SELECT amount FROM keys)
        ), gone AS (
            DELETE FROM recipe.hand_window t WHERE t.amount IN (SELECT amount FROM keys)
                AND NOT EXISTS (SELECT FROM ranked r WHERE r.id = t.id))
        INSERT INTO recipe.hand_window AS t SELECT * FROM ranked
        ON CONFLICT (id) DO UPDATE SET amount = excluded.amount, score = excluded.score, place = excluded.place
        WHERE (t.amount, t.score, t.place) <> (excluded.amount, excluded.score, excluded.place)""",
    ),
    "lateral": (
        """
        WITH d AS (
            SELECT dim.region_name, sum(CASE action WHEN 'I' THEN amount ELSE -amount END) AS total,
                   sum(CASE action WHEN 'I' THEN 1 ELSE -1 END) AS cnt
            FROM recipe.changes s JOIN recipe.dim ON dim.region = s.region
            WHERE xid >= pg_snapshot_xmin(%(f)s::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, %(f)s::pg_snapshot)
            GROUP BY dim.region_name)
        UPDATE recipe.hand_lateral t SET cnt = t.cnt + d.cnt,
            total = CASE WHEN t.cnt + d.cnt > 0 THEN coalesce(t.total, 0) + d.total END
        FROM d WHERE t.region_name = d.region_name""",
    ),
    "cte": (
        """
        WITH d AS (
            SELECT region, category, sum(CASE action WHEN 'I' THEN amount ELSE -amount END) AS total,
                   sum(CASE action WHEN 'I' THEN 1 ELSE -1 END) AS cnt
            FROM recipe.changes
            WHERE xid >= pg_snapshot_xmin(%(f)s::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, %(f)s::pg_snapshot)
            GROUP BY region, category)
        MERGE INTO recipe.hand_regional t USING d ON t.region = d.region AND t.category = d.category
        WHEN MATCHED AND t.cnt + d.cnt = 0 THEN DELETE
        WHEN MATCHED THEN UPDATE SET total = t.total + d.total, cnt = t.cnt + d.cnt
        WHEN NOT MATCHED AND d.cnt > 0 THEN INSERT VALUES (d.region, d.category, d.total, d.cnt)""",
        """
        WITH d AS (
            SELECT k.category, sum(r.total) AS total, max(r.total) AS largest, count(r.region) AS cnt
            FROM (
                SELECT DISTINCT category FROM recipe.changes
                WHERE xid >= pg_snapshot_xmin(%(f)s::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, %(f)s::pg_snapshot)
            ) AS k LEFT JOIN recipe.hand_regional r ON r.category = k.category GROUP BY k.category)
        MERGE INTO recipe.hand_cte t USING d ON t.category = d.category
        WHEN MATCHED AND d.cnt = 0 THEN DELETE
        WHEN MATCHED THEN UPDATE SET total = d.total, largest = d.largest
        WHEN NOT MATCHED AND d.cnt > 0 THEN INSERT VALUES (d.category, d.total, d.largest)""",
    ),
    "union_all": (
        """
        WITH d AS (
            SELECT DISTINCT ON (id) * FROM recipe.changes
            WHERE xid >= pg_snapshot_xmin(%(f)s::pg_snapshot) AND NOT pg_visible_in_snapshot(xid, %(f)s::pg_snapshot)
            ORDER BY id, change_id DESC
        ), u AS (
            SELECT id, 'amount' AS kind, amount AS value, action = 'I' AND amount > 5000 AS there FROM d
            UNION ALL SELECT id, 'score', score, action = 'I' AND score > 50 FROM d)
        MERGE INTO recipe.hand_union_all t USING u ON t.id = u.id AND t.kind = u.kind
        WHEN MATCHED AND NOT u.there THEN DELETE
        WHEN MATCHED AND t.value <> u.value THEN UPDATE SET value = u.value
        WHEN NOT MATCHED AND u.there THEN INSERT VALUES (u.id, u.kind, u.value)""",
    ),
}


class Handwritten:
    """The tables, maintained by hand over one connection that prepares every statement."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        connection.prepare_threshold = 0
        connection.execute(CAPTURE, prepare=False)
        for command in TABLES:
            connection.execute(command, prepare=False)
        self._frontier = self._snapshot()

    def refresh(self) -> dict[str, float]:
        """Refresh each table in a transaction of its own; return milliseconds by query."""
        times = {}
        latest = self._frontier
        for name, statements in DELTAS.items():
            start = perf_counter()
            self._connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ")
            latest = self._snapshot()
            for statement in statements:
                self._connection.execute(statement, {"f": self._frontier})
            self._connection.execute("COMMIT")
            times[name] = (perf_counter() - start) * 1000
        self._frontier = latest
        return times

    def clean_up(self) -> None:
        """Delete what all tables have applied."""
        self._connection.execute(
            "DELETE FROM recipe.changes WHERE pg_visible_in_snapshot(xid, %s::pg_snapshot)",
            (self._frontier,),
        )

    def mismatches(self, name: str) -> int:
        """Return how many rows of one table differ from its query."""
        query, table = f"({QUERIES[name]})", f"(TABLE recipe.hand_{name})"
        text = f"SELECT count(*) FROM (({query} EXCEPT ALL {table}) UNION ALL ({table} EXCEPT ALL {query})) AS x"
        row = self._connection.execute(text.encode(), prepare=False).fetchone()
        return int(row[0]) if row else -1

    def _snapshot(self) -> str:
        row = self._connection.execute("SELECT pg_current_snapshot()::text").fetchone()
        return str(row[0]) if row else ""
