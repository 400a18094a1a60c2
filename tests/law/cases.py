"""Kept cases: worlds that broke some maintainer once, or that look as if they would.

A failure that hypothesis shrank goes here as it was printed (`Case` has a repr that can be pasted), with a
name that says what it is about.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.law.case import Block, Case, Round, Stream, Transaction

if TYPE_CHECKING:
    from collections.abc import Sequence

Steps = tuple[str | Block, ...]

AB = (
    "CREATE TABLE a (id int PRIMARY KEY, ref int, x int)",
    "CREATE TABLE b (ref int, y int)",
    "INSERT INTO a VALUES (1, 1, 10), (2, 1, 20), (3, 2, 30), (4, NULL, 40)",
    "INSERT INTO b VALUES (1, 100), (1, 100), (2, 200), (NULL, 300), (3, 400)",
)
BAG = (
    "CREATE TABLE bag (k int, v numeric)",
    "INSERT INTO bag VALUES (1, 1.0), (1, 1.0), (1, 1.00), (2, 5), (NULL, 7), (NULL, 7), (2, NULL)",
)


def case(
    ddl: Sequence[str],
    query: str | Sequence[Stream],
    *rounds: Sequence[Steps | Transaction],
    unsettled: tuple[int, ...] = (),
) -> Case:
    """Return a case; a query alone is one stream table over all tables, a tuple one transaction."""
    tables = tuple(line.split()[2] for line in ddl if line.startswith("CREATE TABLE"))
    streams = (Stream("st1", query, tables, unsettled),) if isinstance(query, str) else query
    return Case(
        tuple(ddl),
        tuple(streams),
        tuple(
            Round(
                tuple(
                    part if isinstance(part, Transaction) else Transaction(part) for part in parts
                )
            )
            for parts in rounds
        ),
    )


JOIN = "SELECT a.id, a.x, b.y FROM a JOIN b ON a.ref = b.ref"
SUM_BY_KEY = "SELECT k, count(*) AS n, sum(v) AS total FROM bag GROUP BY k"

JOINS: dict[str, Case] = {
    "both sides of a join lose their rows in one window": case(
        AB,
        JOIN,
        [("DELETE FROM a WHERE ref = 1", "DELETE FROM b WHERE ref = 1")],
        [("INSERT INTO a VALUES (1, 1, 11)",), ("INSERT INTO b VALUES (1, 101)",)],
        [("DELETE FROM a", "DELETE FROM b")],
    ),
    "both sides lose their rows in one statement": case(
        AB,
        "SELECT a.ref, count(*) AS n, sum(b.y) AS total FROM a, b WHERE a.ref = b.ref GROUP BY a.ref",
        [
            (
                "WITH w AS (DELETE FROM a WHERE ref = 1 RETURNING 1), "
                "x AS (DELETE FROM b WHERE ref = 1 RETURNING 1) "
                "SELECT (SELECT count(*) FROM w), (SELECT count(*) FROM x)",
            )
        ],
        [()],
    ),
    "join keys of both sides move to each other": case(
        AB,
        JOIN,
        [("UPDATE a SET ref = 3 WHERE ref = 1", "UPDATE b SET ref = 3 WHERE ref = 1")],
        [("UPDATE a SET ref = NULL WHERE ref = 3", "UPDATE b SET ref = NULL WHERE ref = 3")],
        [("UPDATE a SET ref = 2 WHERE ref IS NULL", "UPDATE b SET ref = ref - 1")],
    ),
    "a table joined with itself changes on both sides at once": case(
        AB,
        "SELECT l.id, r.id AS other, l.x - r.x AS gap FROM a l JOIN a r ON l.ref = r.ref",
        [("UPDATE a SET x = x + 1", "DELETE FROM a WHERE id = 2")],
        [("INSERT INTO a VALUES (5, 1, 50), (6, 2, 60)", "UPDATE a SET ref = 2 WHERE id = 1")],
        [("UPDATE a SET id = id + 10",)],
    ),
    "a bag crossed with itself three times": case(
        ("CREATE TABLE bag (k int)", "INSERT INTO bag VALUES (1), (1), (2)"),
        "SELECT r1.k AS k1, r2.k AS k2, r3.k AS k3 FROM bag r1, bag r2 CROSS JOIN bag r3",
        [("DELETE FROM bag WHERE ctid = (SELECT min(ctid) FROM bag WHERE k = 1)",)],
        [("INSERT INTO bag VALUES (NULL), (2)", "UPDATE bag SET k = 3 WHERE k = 1")],
        [("DELETE FROM bag",)],
    ),
    "non-equi join of NULLs and ties": case(
        AB,
        "SELECT a.x, b.y FROM a JOIN b ON a.ref < b.ref OR a.x = b.y",
        [("UPDATE a SET x = 300 WHERE id = 4", "UPDATE b SET ref = 4 WHERE y = 100")],
        [("UPDATE a SET ref = NULL", "DELETE FROM b WHERE ref = 4")],
    ),
    "null-safe join": case(
        AB,
        "SELECT a.id, b.y FROM a JOIN b ON a.ref IS NOT DISTINCT FROM b.ref",
        [("UPDATE a SET ref = NULL WHERE id = 1", "INSERT INTO b VALUES (NULL, 301)")],
        [("DELETE FROM b WHERE ref IS NULL", "DELETE FROM a WHERE ref IS NULL")],
    ),
    "natural and using joins of four inputs, all changed": case(
        (
            *AB,
            "CREATE TABLE c (ref int UNIQUE NOT NULL, z text)",
            "INSERT INTO c VALUES (1, 'one'), (2, 'two')",
        ),
        "SELECT a.ref, a.x, b.y, c.z, d.x AS dx FROM a NATURAL JOIN b JOIN c USING (ref) "
        "JOIN a d ON d.id = a.id",
        [
            ("UPDATE a SET x = x + 1", "UPDATE b SET y = y + 1"),
            ("UPDATE c SET ref = ref + 10", "UPDATE c SET ref = ref - 10"),
        ],
        [("DELETE FROM c WHERE ref = 1", "DELETE FROM a WHERE ref = 1", "DELETE FROM b")],
    ),
    "a derived table and a view are joined": case(
        (*AB, "CREATE VIEW v AS SELECT a.ref, a.x + b.y AS s FROM a JOIN b USING (ref)"),
        "SELECT d.x, v.s FROM (SELECT ref, x FROM a WHERE x > 10) AS d JOIN v ON d.ref = v.ref",
        [("UPDATE a SET x = 5 WHERE id = 2", "UPDATE b SET y = 0 WHERE y = 100")],
        [("UPDATE a SET x = 50", "DELETE FROM b WHERE ref = 2")],
    ),
}

KEYS: dict[str, Case] = {
    "two rows swap their primary keys in one statement": case(
        (
            "CREATE TABLE t (id int PRIMARY KEY DEFERRABLE, x text)",
            "INSERT INTO t VALUES (1, 'one'), (2, 'two'), (3, 'three')",
        ),
        "SELECT id, x FROM t WHERE x <> 'none'",
        [("UPDATE t SET id = 3 - id WHERE id < 3",)],
        [("UPDATE t SET id = id + 1",), ("UPDATE t SET id = id + 1",)],
        [("UPDATE t SET id = 10 - id", "UPDATE t SET x = 'none' WHERE id = 5")],
    ),
    "two rows swap their primary keys in three statements": case(
        (
            "CREATE TABLE t (id int PRIMARY KEY, x text)",
            "INSERT INTO t VALUES (1, 'one'), (2, 'two')",
        ),
        "SELECT id, x FROM t",
        [
            (
                "UPDATE t SET id = -1 WHERE id = 1",
                "UPDATE t SET id = 1 WHERE id = 2",
                "UPDATE t SET id = 2 WHERE id = -1",
            )
        ],
        [("DELETE FROM t WHERE id = 1", "INSERT INTO t VALUES (1, 'new')")],
    ),
    "a deferred key is held twice between two statements": case(
        (
            "CREATE TABLE t (id int PRIMARY KEY DEFERRABLE INITIALLY DEFERRED, x text)",
            "INSERT INTO t VALUES (1, 'old'), (2, 'two')",
        ),
        "SELECT id, x FROM t",
        [("INSERT INTO t VALUES (1, 'new')", "DELETE FROM t WHERE id = 1 AND x = 'old'")],
        [("UPDATE t SET id = 1 WHERE id = 2", "UPDATE t SET id = 2 WHERE x = 'new'")],
    ),
    "a MERGE deletes and inserts the same key": case(
        (
            "CREATE TABLE t (id int PRIMARY KEY, x int)",
            "INSERT INTO t VALUES (1, 10), (2, 20), (3, 30)",
        ),
        "SELECT id, x FROM t WHERE x > 0",
        [
            (
                "MERGE INTO t USING (VALUES (1, 11, 'd'), (1, 12, 'i')) v(id, x, op) "
                "ON t.id = v.id AND v.op = 'd' WHEN MATCHED THEN DELETE "
                "WHEN NOT MATCHED AND v.op = 'i' THEN INSERT VALUES (v.id, v.x)",
            )
        ],
        [
            (
                "MERGE INTO t USING (VALUES (1, 10), (2, 21), (9, 90)) v(id, x) ON t.id = v.id "
                "WHEN MATCHED AND v.id = 1 THEN DELETE WHEN MATCHED THEN UPDATE SET x = v.x "
                "WHEN NOT MATCHED THEN INSERT VALUES (v.id, v.x)",
            )
        ],
    ),
    "an upsert inserts, updates and does nothing": case(
        (
            "CREATE TABLE t (a int, b text, x int, PRIMARY KEY (a, b))",
            "INSERT INTO t VALUES (1, 'p', 1)",
        ),
        "SELECT b, a, x * 2 AS d FROM t",
        [
            (
                "INSERT INTO t VALUES (1, 'p', 2), (1, 'q', 3) ON CONFLICT (a, b) DO UPDATE SET x = excluded.x",
            )
        ],
        [("INSERT INTO t VALUES (1, 'p', 9) ON CONFLICT DO NOTHING",)],
        [("UPDATE t SET a = 2 WHERE b = 'p'", "INSERT INTO t VALUES (1, 'p', 7)")],
    ),
    "the same row changes many times in a window": case(
        ("CREATE TABLE t (id int PRIMARY KEY, x int)", "INSERT INTO t VALUES (1, 1)"),
        "SELECT id, x FROM t WHERE x % 2 = 1",
        [("UPDATE t SET x = 2", "UPDATE t SET x = 3", "UPDATE t SET id = 5", "UPDATE t SET x = 5")],
        [("UPDATE t SET x = 6",), ("UPDATE t SET x = 5",)],
        [("DELETE FROM t", "INSERT INTO t VALUES (5, 5)", "DELETE FROM t")],
    ),
    "names that need quotes": case(
        (
            'CREATE TABLE "A ""b" ("Id" int PRIMARY KEY, "select" int, "é. x" text)',
            'INSERT INTO "A ""b" VALUES (1, 1, \'a\'), (2, 1, NULL)',
        ),
        (
            Stream(
                "st1",
                'SELECT "select" AS "order", max("é. x") AS "Max", count(*) AS "n""n" '
                'FROM "A ""b" GROUP BY "select"',
                ('"A ""b"',),
            ),
        ),
        [('UPDATE "A ""b" SET "é. x" = NULL, "select" = 2 WHERE "Id" = 1',)],
        [('DELETE FROM "A ""b" WHERE "Id" = 2',)],
    ),
}
