"""Eight writers at once, refreshes and audits in between: nothing is lost and nothing is counted twice."""

from __future__ import annotations

import json
import secrets
import subprocess
import sys
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from decimal import Decimal
from functools import partial
from pathlib import Path
from threading import Event
from typing import TYPE_CHECKING, Any, TypeVar

import psycopg
import pytest
from psycopg import sql

import pgtrickle
from pgtrickle.errors import ConflictError
from tests.law.case import Stream
from tests.law.checker import compare
from tests.support.bank import SCHEMA, STREAMS, Ledger

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pgtrickle.api import Client

T = TypeVar("T")

ROOT = Path(__file__).resolve().parents[2]
WRITERS = 8
SECONDS = 12
ATTEMPTS = 200

pytestmark = pytest.mark.pg


@contextmanager
def writers(dsn: str, seed: int) -> Iterator[list[subprocess.Popen[str]]]:
    """Start the writers, and end those that still run when the block is left."""
    command = [sys.executable, "-m", "tests.support.bank_writer", dsn]
    started = [
        subprocess.Popen(  # noqa: S603 # our own script
            [*command, str(number), str(SECONDS), str(seed)],
            cwd=ROOT,
            stdout=subprocess.PIPE,
            text=True,
        )
        for number in range(1, WRITERS + 1)
    ]
    try:
        yield started
    finally:
        for writer in started:
            if writer.poll() is None:
                writer.kill()
            writer.communicate()
        _forget_prepared(dsn)


def _forget_prepared(dsn: str) -> None:
    """Roll back what a killed writer left prepared; the database could not be dropped otherwise."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        left = "SELECT gid FROM pg_prepared_xacts WHERE database = current_database()"
        for (gid,) in connection.execute(left).fetchall():
            connection.execute(sql.SQL("ROLLBACK PREPARED {}").format(sql.Literal(gid)))


def retried(action: Callable[[], T], counts: Counter[str]) -> T:
    """Return what the action returns, repeating it while another transaction is in the way."""
    for _ in range(ATTEMPTS):
        try:
            return action()
        except ConflictError as error:
            counts[type(error).__name__] += 1
    raise AssertionError(f"still in conflict after {ATTEMPTS} attempts")


def audited_round(client: Client, counts: Counter[str]) -> None:
    """Refresh and audit every stream table once."""
    for name in STREAMS:
        report = retried(partial(client.refresh_stream_table, name), counts)
        assert report.action in {"DIFFERENTIAL", "NO_DATA"}, report
        counts[f"{name} {report.action}"] += 1
        audit = retried(partial(client.verify, name), counts)
        assert audit.matches, (name, report, audit)


def collected(started: list[subprocess.Popen[str]]) -> tuple[Ledger, Counter[str]]:
    """Return what all writers did, once they have ended."""
    total, counts = Ledger(), Counter[str]()
    for writer in started:
        output, _ = writer.communicate(timeout=60)
        assert writer.returncode == 0
        done = json.loads(output)
        counts.update(done["counts"])
        balance = Decimal(done["balance"])
        total.add(Ledger(done["accounts"], balance, done["events"], done["amount"]))
    return total, counts


def booked(connection: psycopg.Connection[Any]) -> Ledger:
    """Return the sums that the stream tables and the bag of events show."""
    accounts, balance = _row(connection, "SELECT sum(accounts), sum(balance) FROM totals")
    events, amount = _row(connection, "SELECT count(*), sum(amount) FROM events")
    return Ledger(int(accounts), balance, events, amount)


def _row(connection: psycopg.Connection[Any], query: str) -> tuple[Any, ...]:
    row = connection.execute(query).fetchone()
    assert row is not None
    return tuple(row)


@contextmanager
def rivals(dsn: str, count: int) -> Iterator[Counter[str]]:
    """Let so many other clients refresh the same stream tables while the block runs."""
    counts: Counter[str] = Counter()
    stop = Event()

    def refresh_on() -> None:
        with pgtrickle.connect(dsn) as client:
            while not stop.is_set():
                for name in STREAMS:
                    report = retried(partial(client.refresh_stream_table, name), counts)
                    counts[f"rival {report.action}"] += 1

    with ThreadPoolExecutor(max(count, 1)) as pool:
        running = [pool.submit(refresh_on) for _ in range(count)]
        try:
            yield counts
        finally:
            stop.set()
        for future in running:
            future.result()


@pytest.mark.parametrize("refreshers", [1, 3], ids=["one-refresher", "three-refreshers"])
def test_concurrent_writers_lose_nothing_and_double_nothing(dsn: str, refreshers: int) -> None:
    seed = secrets.randbelow(1_000_000)
    counts: Counter[str] = Counter()
    with psycopg.connect(dsn, autocommit=True) as connection, pgtrickle.connect(dsn) as client:
        connection.execute(SCHEMA)
        client.install()
        for name, query in STREAMS.items():
            client.create_stream_table(name, query, refresh_mode="DIFFERENTIAL")
        expected = booked(connection)
        with writers(dsn, seed) as started, rivals(dsn, refreshers - 1) as contended:
            while any(writer.poll() is None for writer in started):
                audited_round(client, counts)
            ledger, done = collected(started)
        audited_round(client, counts)
        expected.add(ledger)
        sys.stdout.write(f"seed {seed}\nwriters: {done}\nrefreshes: {counts + contended}\n")
        assert booked(connection) == expected
        for name, query in STREAMS.items():
            compare(connection, Stream(name, query, ()), "at the end")
        assert _row(connection, "SELECT sum(regions) FROM sizes") == _row(
            connection, "SELECT count(*) FROM totals"
        )
    assert done["commit"] > 200
    assert min(done[kind] for kind in ("partial rollback", "rollback", "prepared", "pause")) > 0
    assert counts["totals DIFFERENTIAL"] + contended["rival DIFFERENTIAL"] > 5
