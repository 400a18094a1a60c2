"""The audit of `verify` against the two-way EXCEPT ALL that it replaced, in turn, on the same stream tables.

python -m benches.verify [--turns 7]
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import TYPE_CHECKING

from sqlglot import exp

import pgtrickle
from benches.million import a_million_rows
from pgtrickle.catalog import store
from pgtrickle.config import Settings
from pgtrickle.dvm.render.identity import StoredTypes
from pgtrickle.dvm.render.storage import visible_rows
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.dvm.sqlast import col, derived, select, table, to_sql
from pgtrickle.pg.connection import transaction
from pgtrickle.refresh.prepare import prepare
from pgtrickle.refresh.verify import Audit

if TYPE_CHECKING:
    from collections.abc import Callable

    from pgtrickle.dvm.sqlast import Expr, Query
    from pgtrickle.pg.connection import Connection
    from pgtrickle.refresh.prepare import Prepared

# What is verified, by which query, and what is done to the stored rows before; "copy" is the stream table.
CASES = [
    ("1,000,000 narrow rows, 5 columns", "SELECT * FROM stored", ""),
    ("the same, one row changed", "SELECT * FROM stored", "SET account = -1 WHERE id = 7"),
    ("300,000 orders, 10 columns", "SELECT * FROM orders", ""),
    (
        "1,000 groups of a million rows",
        "SELECT account, count(*) AS rows, max(created) AS latest FROM stored GROUP BY account",
        "",
    ),
]
BREAK = (
    'BEGIN; SET LOCAL pgtrickle.refreshing = on; UPDATE pgtrickle_state."public.copy" {}; COMMIT'
)


def except_all(prepared: Prepared) -> str:
    """Return the audit as one statement: rows that the view lacks, rows that it has too many, and its rows."""
    types = StoredTypes.of(prepared.storage)
    images = [types.image(name, col(name)) for name in prepared.plan.visible]
    wanted = select(images, derived(visible_rows(prepared.plan), "wanted"))
    stored = select(images, table(prepared.table.name))
    missing = exp.Except(this=wanted.copy(), expression=stored.copy(), distinct=False)
    extra = exp.Except(this=stored.copy(), expression=wanted.copy(), distinct=False)
    return to_sql(select([_counted(missing), _counted(extra), _counted(stored)]))


def _counted(rows: Query) -> Expr:
    return exp.Subquery(this=select([exp.Count(this=exp.Star())], derived(rows, "counted")))


def by_fingerprint(connection: Connection, prepared: Prepared) -> tuple[int, int]:
    """Audit as `verify` does."""
    audit = Audit(connection)
    audit(prepared)
    return (audit.found.missing, audit.found.extra) if audit.found else (-1, -1)


def by_except_all(connection: Connection, prepared: Prepared) -> tuple[int, int]:
    """Audit by the statement."""
    found = connection.execute(except_all(prepared).encode()).fetchone()
    return found[:2] if found else (-1, -1)


def timed(
    audit: Callable[[Connection, Prepared], tuple[int, int]],
    connection: Connection,
    prepared: Prepared,
    expected: tuple[int, int],
) -> float:
    """Return how many seconds `audit` takes in one snapshot; it must find what is `expected`."""
    with transaction(connection, repeatable_read=True):
        started = time.perf_counter()
        found = audit(connection, prepared)
        elapsed = time.perf_counter() - started
    if found != expected:
        raise AssertionError(f"{found} rows are missing and extra, not {expected}")
    return elapsed


def contest(
    connection: Connection, prepared: Prepared, expected: tuple[int, int], turns: int
) -> list[tuple[float, float]]:
    """Return the seconds of both audits in each turn, after one for warming up."""
    return [
        (
            timed(by_fingerprint, connection, prepared, expected),
            timed(by_except_all, connection, prepared, expected),
        )
        for _ in range(turns + 1)
    ][1:]


def main(turns: int) -> None:
    """Print a table in Markdown."""
    print("| stream table | verify | EXCEPT ALL | ratio |\n|---|---:|---:|---|")
    with a_million_rows() as million, pgtrickle.connect(million.dsn) as client:
        client.install()
        connection = million.connection
        for what, query, change in CASES:
            client.create_stream_table("copy", query)
            if change:
                connection.execute(BREAK.format(change).encode())
            connection.execute("ANALYZE")
            table_ = store.load(connection, QualifiedName("public", "copy"))
            prepared = prepare(connection, table_, Settings())
            pairs = contest(connection, prepared, (1, 1) if change else (0, 0), turns)
            new, old = (statistics.median(side) for side in zip(*pairs, strict=True))
            ratios = sorted(slow / fast for fast, slow in pairs)
            spread = f"{statistics.median(ratios):.1f} ({ratios[0]:.1f} to {ratios[-1]:.1f})"
            print(f"| {what} | {new:.2f} | {old:.2f} | {spread} |", flush=True)
            client.drop_stream_table("copy")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--turns", type=int, default=7)
    main(parser.parse_args().turns)
