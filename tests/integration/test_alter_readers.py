"""Others at work during an alter: readers hardly wait, writers lose nothing, and a failure or a crash leaves nothing."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

import psycopg
import pytest

import pgtrickle
from pgtrickle import errors
from pgtrickle.refresh import create as creating
from pgtrickle.refresh import replace as replacing
from tests.support.alterations import NARROWER, SMALL, WIDER, state
from tests.support.shop import LARGE, NAMED

if TYPE_CHECKING:
    from tests.support.shop import Shop

pytestmark = pytest.mark.pg


@pytest.mark.parametrize(
    "query",
    [
        "SELECT nothing FROM shop.orders",
        "SELECT id, amount / (amount - amount) AS amount FROM shop.orders",
        "SELECT id, random() AS amount FROM shop.orders",
    ],
)
def test_a_query_that_fails_leaves_the_old_table_and_nothing_else(shop: Shop, query: str) -> None:
    shop.client.create_stream_table("shop.result", LARGE)
    before = state(shop)
    with pytest.raises(errors.PgtrickleError):
        shop.client.alter_stream_table("shop.result", query=query)
    assert state(shop) == before
    assert shop.client.verify("shop.result").matches


def test_a_reader_that_never_ends_makes_alter_give_up_and_leaves_nothing(shop: Shop) -> None:
    settings = pgtrickle.Settings(view_lock_attempts=2)
    with pgtrickle.connect(shop.dsn, settings=settings) as client:
        client.create_stream_table("shop.result", LARGE)
        before = state(shop)
        with psycopg.connect(shop.dsn) as reader:
            reader.execute("SELECT count(*) FROM shop.result")
            with pytest.raises(errors.LockTimeoutError):
                client.alter_stream_table("shop.result", query=SMALL)
        assert state(shop) == before
        client.alter_stream_table("shop.result", query=SMALL)
        assert client.verify("shop.result").matches


def test_readers_are_never_blocked_longer_than_the_lock_timeout(any_shop: Shop) -> None:
    shop = any_shop
    shop.sql(
        "INSERT INTO shop.orders SELECT i, 1 + i % 20, i % 90 FROM generate_series(1000, 40000) AS i"
    )
    shop.client.create_stream_table("shop.result", LARGE)
    shop.sql("CREATE VIEW shop.on_top AS SELECT id FROM shop.result")
    done, waits = threading.Event(), [0.0]

    def read() -> None:
        with psycopg.connect(shop.dsn, autocommit=True) as reader:
            while not done.is_set():
                started = time.perf_counter()
                reader.execute("SELECT id FROM shop.result LIMIT 1").fetchall()
                reader.execute("SELECT id FROM shop.on_top LIMIT 1").fetchall()
                waits.append(time.perf_counter() - started)

    def hold() -> None:
        with psycopg.connect(shop.dsn) as reader:
            while not done.is_set():
                reader.execute(
                    "SELECT pg_sleep(0.07) FROM (SELECT FROM shop.result LIMIT 1) AS one"
                )
                reader.rollback()

    threads = [threading.Thread(target=work) for work in (read, read, hold)]
    for thread in threads:
        thread.start()
    try:
        for query, cascade in ((SMALL, False), (NARROWER, True), (LARGE, True), (WIDER, False)):
            shop.client.alter_stream_table("shop.result", query=query, cascade=cascade)
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert shop.client.verify("shop.result").matches
    # The timeout, and what two busy cores and the catalog work under the lock add to it.
    assert max(waits) < 0.1 + 0.15


def test_refreshes_and_writers_during_an_alter_lose_nothing(shop: Shop) -> None:
    shop.client.create_stream_table("shop.result", LARGE)
    done, errors_found = threading.Event(), list[BaseException]()

    def write() -> None:
        with psycopg.connect(shop.dsn, autocommit=True) as writer:
            while not done.is_set():
                writer.execute("UPDATE shop.orders SET amount = 200 - amount WHERE id % 7 = 3")

    def refresh() -> None:
        with pgtrickle.connect(shop.dsn) as client:
            while not done.is_set():
                try:
                    client.refresh_stream_table("shop.result")
                except errors.PgtrickleError as error:
                    if not error.retryable:
                        errors_found.append(error)
                done.wait(0.005)

    threads = [threading.Thread(target=work) for work in (write, refresh)]
    for thread in threads:
        thread.start()
    try:
        with pgtrickle.connect(shop.dsn, settings=pgtrickle.Settings(conflict_attempts=50)) as busy:
            for query in (SMALL, WIDER, LARGE, SMALL, LARGE):
                busy.alter_stream_table("shop.result", query=query)
                assert busy.verify("shop.result").matches
    finally:
        done.set()
        for thread in threads:
            thread.join()
    assert errors_found == []
    assert shop.client.verify("shop.result").matches
    shop.client.drop_stream_table("shop.result")
    assert shop.leftovers() == []


@pytest.mark.parametrize("step", ["fill", "swap", "discard"])
def test_what_a_killed_session_left_is_removed_by_the_next(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, step: str
) -> None:
    shop.client.create_stream_table("shop.result", NAMED)
    target, name = {
        "fill": (creating, "_fill"),
        "swap": (replacing, "_change_places"),
        "discard": (replacing, "_discard"),
    }[step]
    with pgtrickle.connect(shop.dsn) as doomed:

        def die(*_: object, **__: object) -> None:
            doomed.close()
            raise psycopg.OperationalError("killed")

        monkeypatch.setattr(target, name, die)
        with pytest.raises((errors.PgtrickleError, psycopg.Error)):
            doomed.alter_stream_table("shop.result", query=SMALL)
    monkeypatch.undo()
    assert [each.name for each in shop.client.status()] == ["shop.result"]
    shop.client.install()
    query = SMALL if step == "discard" else NAMED
    shop.sql("UPDATE shop.orders SET amount = amount + 1")
    shop.client.refresh_stream_table("shop.result")
    shop.assert_exact("shop.result", query)
    shop.client.drop_stream_table("shop.result")
    assert shop.leftovers() == []
