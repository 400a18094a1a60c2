"""Kept cases about rows without a key, equal values that print differently, and groups."""

from __future__ import annotations

from tests.law.case import Block, Case, Round, Stream, Transaction
from tests.law.cases import AB, BAG, SUM_BY_KEY, case

BAGS: dict[str, Case] = {
    "some of several duplicates are deleted": case(
        BAG,
        "SELECT k, v FROM bag",
        [("DELETE FROM bag WHERE ctid = (SELECT min(ctid) FROM bag WHERE k = 1)",)],
        [("DELETE FROM bag WHERE ctid = (SELECT max(ctid) FROM bag WHERE k IS NULL)",)],
        [("INSERT INTO bag SELECT * FROM bag", "DELETE FROM bag WHERE k = 2")],
    ),
    "one of several duplicates is updated, and back": case(
        BAG,
        "SELECT k, v FROM bag WHERE v IS NOT NULL",
        [("UPDATE bag SET v = 2 WHERE ctid = (SELECT min(ctid) FROM bag WHERE k = 1)",)],
        [("UPDATE bag SET v = 1.0 WHERE v = 2",)],
        [("UPDATE bag SET v = NULL WHERE k = 1", "UPDATE bag SET v = 1 WHERE v IS NULL")],
    ),
    "a numeric changes its scale and nothing else": case(
        (
            "CREATE TABLE t (id int PRIMARY KEY, v numeric)",
            "INSERT INTO t VALUES (1, 1.0), (2, 1.00), (3, 'NaN')",
        ),
        "SELECT id, v FROM t",
        [("UPDATE t SET v = 1.00 WHERE id = 1",)],
        [("UPDATE t SET v = v * 1.000",)],
        [("UPDATE t SET v = 1",)],
    ),
    "a numeric in a bag changes its scale": case(
        BAG,
        "SELECT v FROM bag",
        [("UPDATE bag SET v = 1.00 WHERE v = 1",)],
        [("DELETE FROM bag WHERE ctid = (SELECT max(ctid) FROM bag WHERE v = 1)",)],
    ),
    "a numeric primary key changes its scale": case(
        ("CREATE TABLE t (id numeric PRIMARY KEY, x int)", "INSERT INTO t VALUES (1.0, 1), (2, 2)"),
        "SELECT id, x FROM t",
        [("UPDATE t SET id = 1.00 WHERE id = 1",)],
        [("DELETE FROM t WHERE id = 1", "INSERT INTO t VALUES (1, 1)")],
    ),
    "json, point and negative zero in a bag": case(
        (
            "CREATE TABLE t (j json, p point, f float8, b jsonb, i interval)",
            """INSERT INTO t VALUES ('{"a":1}', '(1,2)', 0, '{"a":1}', '1 day'),
               ('{"a": 1}', '(1,2)', '-0', '{"a":1.0}', '24:00'), (NULL, NULL, NULL, NULL, NULL)""",
        ),
        "SELECT j, p, f, b, i FROM t",
        [("INSERT INTO t SELECT * FROM t", "UPDATE t SET f = '-0' WHERE f = 0")],
        [("DELETE FROM t WHERE ctid = (SELECT min(ctid) FROM t WHERE j IS NULL)",)],
        [("UPDATE t SET b = '{\"a\":1.00}', i = '1 day', j = '{\"a\":1}' WHERE j IS NOT NULL",)],
    ),
    "types without a hash are group keys": case(
        (
            "CREATE TABLE t (b bit(3), c char(3), a int[], x int)",
            "INSERT INTO t VALUES ('101', 'a', '{1,2}', 1), ('101', 'a', '{1,2}', 2), (NULL, NULL, '{}', 3)",
        ),
        "SELECT b, c, a, count(x) AS n FROM t GROUP BY b, c, a",
        [("INSERT INTO t VALUES (NULL, NULL, '{}', NULL), ('000', 'ab', NULL, 1)",)],
        [("DELETE FROM t WHERE c = 'a'", "UPDATE t SET a = '{NULL}' WHERE b IS NULL")],
    ),
    "rows come and go within a window": case(
        BAG,
        "SELECT k, v FROM bag",
        [("INSERT INTO bag VALUES (9, 9), (1, 1.0)", "DELETE FROM bag WHERE k = 9")],
        [("DELETE FROM bag WHERE k = 2", "INSERT INTO bag VALUES (2, 5), (2, NULL)")],
        [("UPDATE bag SET k = k",)],
    ),
}

GROUPS: dict[str, Case] = {
    "a group is emptied and refilled in one window": case(
        BAG,
        SUM_BY_KEY,
        [("DELETE FROM bag WHERE k = 1", "INSERT INTO bag VALUES (1, 3), (1, 4)")],
        [("DELETE FROM bag WHERE k = 1",)],
        [("INSERT INTO bag VALUES (1, 8)",), ("DELETE FROM bag WHERE k = 2",)],
    ),
    "groups whose key is NULL": case(
        BAG,
        "SELECT k, count(*) AS n, count(v) AS m, min(v) AS low FROM bag GROUP BY k",
        [("DELETE FROM bag WHERE ctid = (SELECT min(ctid) FROM bag WHERE k IS NULL)",)],
        [("UPDATE bag SET k = NULL WHERE k = 2",)],
        [("DELETE FROM bag WHERE k IS NULL", "UPDATE bag SET k = NULL")],
        unsettled=(3,),
    ),
    "the minimum and the maximum leave": case(
        AB,
        "SELECT ref, min(x) AS low, max(x) AS high FROM a GROUP BY ref",
        [("DELETE FROM a WHERE x = 10",)],
        [("UPDATE a SET x = 5 WHERE id = 3", "UPDATE a SET x = 35 WHERE id = 3")],
        [("UPDATE a SET x = NULL",)],
        [
            (
                "UPDATE a SET x = id",
                "DELETE FROM a WHERE id = 4",
                "INSERT INTO a VALUES (4, NULL, 0)",
            )
        ],
    ),
    "the scale of a sum shrinks when a row leaves": case(
        BAG,
        SUM_BY_KEY,
        [("INSERT INTO bag VALUES (2, 1.000)",)],
        [("DELETE FROM bag WHERE v = 1.000 AND k = 2",)],
        [("UPDATE bag SET v = 1 WHERE k = 1",)],
    ),
    "NaN and the infinities enter and leave a sum": case(
        BAG,
        "SELECT k, sum(v) AS s, avg(v) AS a, max(v) AS m FROM bag GROUP BY k",
        [("INSERT INTO bag VALUES (1, 'NaN'), (2, 'Infinity')",)],
        [("INSERT INTO bag VALUES (2, '-Infinity')", "DELETE FROM bag WHERE v = 'NaN'")],
        [("DELETE FROM bag WHERE v = 'Infinity'",), ("DELETE FROM bag WHERE v = '-Infinity'",)],
        unsettled=(3,),
    ),
    "an ungrouped aggregate of nothing is one row": case(
        AB,
        "SELECT count(*) AS n, sum(x) AS s, avg(x) AS a, min(ref) AS m, max(x) FILTER (WHERE x > 20) AS f FROM a",
        [("DELETE FROM a",)],
        [("INSERT INTO a VALUES (1, NULL, NULL)",)],
        [("UPDATE a SET x = 21", "UPDATE a SET ref = 1"), ("DELETE FROM a WHERE ref IS NULL",)],
    ),
    "rows move between groups through an expression": case(
        AB,
        "SELECT x / 20 AS bucket, coalesce(ref, 0) AS r, count(*) AS n, sum(x) AS s FROM a "
        "GROUP BY x / 20, coalesce(ref, 0)",
        [("UPDATE a SET x = x + 10",)],
        [("UPDATE a SET ref = NULL WHERE ref = 1", "UPDATE a SET ref = 0 WHERE id = 1")],
    ),
    "a filtered aggregate gains and loses rows that stay in the group": case(
        AB,
        "SELECT ref, count(*) FILTER (WHERE x > 15) AS n, sum(x) FILTER (WHERE x > 15) AS s FROM a GROUP BY ref",
        [("UPDATE a SET x = 1 WHERE id = 2",)],
        [("UPDATE a SET x = 16",)],
    ),
    "the group key is not selected": case(
        AB,
        "SELECT count(*) AS n FROM a GROUP BY ref",
        [("INSERT INTO a VALUES (5, 2, 0)",)],
        [("UPDATE a SET ref = 7 WHERE id = 5",), ("DELETE FROM a WHERE ref = 1",)],
    ),
    "an update that the aggregate cannot see": case(
        AB,
        (
            Stream("st1", "SELECT ref, count(*) AS n FROM a GROUP BY ref", ("a",)),
            Stream("st2", "SELECT n, count(*) AS groups FROM st1 GROUP BY n", ("st1",)),
        ),
        [("UPDATE a SET x = x + 1",)],
        [("UPDATE a SET ref = 3 - ref WHERE ref IN (1, 2)",)],
        [("DELETE FROM a WHERE ref IS NULL", "DELETE FROM b")],
    ),
    "float sums with infinities and a filter": case(
        (
            "CREATE TABLE t (g int, f float8)",
            "INSERT INTO t VALUES (1, 0.5), (1, '-0'), (1, 'Infinity'), (NULL, 2), (2, '-0')",
        ),
        "SELECT g, sum(f) AS s, avg(f) AS a, min(f) AS l, count(f) FILTER (WHERE f > 0) AS n FROM t GROUP BY g",
        [("DELETE FROM t WHERE f = 'Infinity'", "INSERT INTO t VALUES (2, 'NaN')")],
        [("DELETE FROM t WHERE f = 'NaN'", "UPDATE t SET f = NULL WHERE g IS NULL")],
        unsettled=(1, 2, 3),
    ),
}

TRANSACTIONS: dict[str, Case] = {
    "only the kept part of a transaction counts": case(
        AB,
        "SELECT id, x FROM a",
        [
            (
                "UPDATE a SET x = 11 WHERE id = 1",
                Block(("DELETE FROM a", Block(("INSERT INTO a VALUES (9, 9, 9)",), kept=True))),
                Block(("UPDATE a SET x = 22 WHERE id = 2",), kept=True),
            )
        ],
        [Transaction(("DELETE FROM a",), commits=False)],
        [(Block(("DELETE FROM a",)),)],
        [("UPDATE a SET x = 0 WHERE id = 99",)],
    ),
    "a chain of three, the middle one late": Case(
        AB,
        (
            Stream("st1", "SELECT a.ref, a.x, b.y FROM a JOIN b ON a.ref = b.ref", ("a", "b")),
            Stream(
                "st2", "SELECT ref, sum(x) AS sx, count(*) AS n FROM st1 GROUP BY ref", ("st1",)
            ),
            Stream("st3", "SELECT a.id, st2.n FROM st2 JOIN a ON a.ref = st2.ref", ("a", "st2")),
        ),
        (
            Round((Transaction(("UPDATE a SET x = x + 1",)),), skipped=("st2",)),
            Round((Transaction(("DELETE FROM b WHERE ref = 1", "DELETE FROM a WHERE id = 1")),)),
            Round((Transaction(("UPDATE a SET ref = 2",)),), skipped=("st1",)),
            Round((Transaction(("INSERT INTO b VALUES (2, 9)",)),), skipped=("st3",)),
            Round(),
        ),
    ),
    "two stream tables read one source at different paces": Case(
        BAG,
        (
            Stream("st1", "SELECT k, v FROM bag", ("bag",)),
            Stream("st2", SUM_BY_KEY, ("bag",)),
        ),
        (
            Round((Transaction(("DELETE FROM bag WHERE k = 1",)),), skipped=("st1",)),
            Round((Transaction(("INSERT INTO bag VALUES (1, 1.0)",)),), skipped=("st1",)),
            Round((Transaction(("UPDATE bag SET v = 2 WHERE k = 1",)),), skipped=("st2",)),
            Round(),
        ),
    ),
}
