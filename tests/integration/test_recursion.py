"""Recursive queries: exact whatever the window holds, and by their new rows alone where rows were only added."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import pytest

import pgtrickle
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.engines.postgres import Step, run

if TYPE_CHECKING:
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg

REACHABLE = (
    "WITH RECURSIVE r AS (SELECT src, dst FROM e UNION"
    " SELECT r.src, e.dst FROM r JOIN e ON r.dst = e.src) SELECT src, dst FROM r"
)
PATHS = (
    "WITH RECURSIVE r AS (SELECT src, dst, ARRAY[src, dst] AS path FROM e WHERE src <> dst UNION ALL"
    " SELECT r.src, e.dst, r.path || e.dst FROM r JOIN e ON r.dst = e.src"
    " WHERE NOT e.dst = ANY (r.path)) SELECT src, dst, path FROM r"
)
QUERIES = {"reachable": REACHABLE, "paths": PATHS}
WINDOWS = ("insert", "insert", "update", "delete", "mixed", "insert", "twice", "delete", "insert")


def _change(lab: Lab, dice: Random, kind: str) -> None:
    """Change the graph in one transaction; `twice` adds a row that goes again, and touches what nobody reads."""
    source, target = dice.randrange(7), dice.randrange(7)
    insert = f"INSERT INTO e VALUES ({source}, {target}, 'new')"
    delete = f"DELETE FROM e WHERE ctid = (SELECT min(ctid) FROM e WHERE src >= {source})"
    statements = {
        "insert": [insert, insert],
        "update": [f"UPDATE e SET label = label || '!' WHERE src = {source}"],
        "delete": [delete],
        "mixed": [insert, delete, "INSERT INTO e VALUES (NULL, 3, 'null')"],
        "twice": [insert, "DELETE FROM e WHERE label = 'new'", "UPDATE e SET label = 'x'"],
    }
    lab.run("; ".join(["BEGIN", *statements[kind], "COMMIT"]))


def _differences(lab: Lab, name: str, query: str) -> int:
    text = (
        f"SELECT count(*) FROM (((SELECT * FROM ({query}) AS q) EXCEPT ALL SELECT * FROM {name})"
        f" UNION ALL (SELECT * FROM {name} EXCEPT ALL (SELECT * FROM ({query}) AS q))) AS d"
    )
    return int(lab.value(text))


def test_a_recursion_is_exact_after_every_window(any_lab: Lab) -> None:
    dice = Random(5)  # noqa: S311 - test data
    any_lab.run("CREATE TABLE e (src int, dst int, label text)")
    any_lab.run("INSERT INTO e SELECT i % 7, (i * 3) % 7, 'old' FROM generate_series(1, 9) AS i")
    with pgtrickle.connect(any_lab.dsn) as client:
        for name, query in QUERIES.items():
            client.create_stream_table(name, query, refresh_mode="DIFFERENTIAL")
        for kind in WINDOWS:
            _change(any_lab, dice, kind)
            for name, query in QUERIES.items():
                client.refresh_stream_table(name)
                assert _differences(any_lab, name, query) == 0, (kind, name)


def test_a_row_is_not_kept_by_one_that_goes_in_the_same_window(lab: Lab) -> None:
    """From 2 to 4 and then, by the new edge, from 4 to 2: but the first of them is gone."""
    lab.run("CREATE TABLE e (src int, dst int, label text)")
    lab.run("INSERT INTO e VALUES (5, 2), (1, 5), (1, 1), (1, 3), (2, 4), (3, 4)")
    with pgtrickle.connect(lab.dsn) as client:
        client.create_stream_table("reachable", REACHABLE, refresh_mode="DIFFERENTIAL")
        lab.run("BEGIN; DELETE FROM e WHERE src = 2; UPDATE e SET src = 4 WHERE src = 5; COMMIT")
        client.refresh_stream_table("reachable")
        assert _differences(lab, "reachable", REACHABLE) == 0


@pytest.mark.parametrize(("change", "again"), [("insert", False), ("delete", True)])
def test_only_a_loss_has_it_computed_again(lab: Lab, change: str, *, again: bool) -> None:
    lab.run("CREATE TABLE e (src int, dst int, label text)")
    lab.run("INSERT INTO e SELECT i, i + 1, 'old' FROM generate_series(1, 50) AS i")
    with pgtrickle.connect(lab.dsn) as client:
        client.create_stream_table("reachable", REACHABLE, refresh_mode="DIFFERENTIAL")
        statements = {
            "insert": "INSERT INTO e VALUES (51, 52, 'new')",
            "delete": "DELETE FROM e WHERE src = 50",
        }
        lab.run(statements[change])
        engine = client._engine
        ready = engine._prepared(QualifiedName("public", "reachable"))
        part = ready.parts[0]
        text = engine.plans.delta(ready, part, part.facts.reads)
        opening = [*ready.begin, Step(ready.window, (None,))]
        run(client._connection, opening)
        explained = client._connection.execute(("EXPLAIN (ANALYZE, COSTS OFF) " + text).encode())
        plan = [row[0] for row in explained]
        client._connection.execute("ROLLBACK")
    unions = [line for line in plan if "Recursive Union" in line]
    assert [("never executed" in line) for line in unions].count(True) == (0 if again else 1), plan
