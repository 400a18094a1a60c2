"""What one process has compiled serves the others, and never one whose inputs are not the same."""

from __future__ import annotations

from typing import TYPE_CHECKING, NoReturn

import pytest

import pgtrickle
from pgtrickle.catalog import stages
from pgtrickle.refresh import inputs, plans
from tests.support.shop import LARGE, NAMED, TOTALS, Shop

if TYPE_CHECKING:
    from typing import LiteralString

pytestmark = pytest.mark.pg

NESTED: LiteralString = (
    "SELECT t.orders, count(*) AS customers FROM (SELECT customer_id, count(*) AS orders"
    " FROM shop.orders GROUP BY customer_id) AS t GROUP BY t.orders"
)
RANKED: LiteralString = (
    "SELECT id, rank() OVER (PARTITION BY customer_id ORDER BY amount) AS place FROM shop.orders"
)
QUERIES: dict[LiteralString, LiteralString] = {
    "large": LARGE,
    "named": NAMED,
    "totals": TOTALS,
    "nested": NESTED,
    "ranked": RANKED,
}
CHANGE: LiteralString = "UPDATE shop.orders SET amount = amount + 1, note = 'x' WHERE id % 7 = 0"
STORED: LiteralString = "SELECT count(*) FROM pgtrickle.plan_cache"


def no_compiler(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let every attempt to compile or to render fail."""

    def refuse(*_: object, **__: object) -> NoReturn:
        raise AssertionError("something was compiled")

    monkeypatch.setattr(stages, "compile_query", refuse)
    monkeypatch.setattr(plans, "delta", refuse)
    monkeypatch.setattr("pgtrickle.dvm.render.storage.refill", refuse)


def stored(shop: Shop) -> int:
    return int(shop.sql(STORED)[0][0])


@pytest.mark.parametrize("name", QUERIES)
def test_a_new_process_compiles_nothing(
    any_shop: Shop, name: LiteralString, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop, query = any_shop, QUERIES[name]
    shop.client.create_stream_table(name, query)
    shop.sql(CHANGE)
    shop.client.refresh_stream_table(name)
    shop.sql(CHANGE)
    no_compiler(monkeypatch)
    with pgtrickle.connect(shop.dsn) as other:
        assert other.refresh_stream_table(name).action is pgtrickle.Action.DIFFERENTIAL
        report = other.cache_report()
    assert report.compiled == 0
    assert report.stored_hits >= 2
    shop.assert_exact(name, query)


def test_a_new_process_compiles_no_full_refresh(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    shop.client.create_stream_table("totals", TOTALS, refresh_mode="FULL")
    shop.client.refresh_stream_table("totals", full=True)
    shop.sql(CHANGE)
    no_compiler(monkeypatch)
    with pgtrickle.connect(shop.dsn) as other:
        assert other.refresh_stream_table("totals").action is pgtrickle.Action.FULL
    shop.assert_exact("totals", TOTALS)


def test_what_no_process_has_needed_yet_is_compiled_in_the_midst_of_a_refresh(shop: Shop) -> None:
    for name in ("named", "nested"):
        shop.client.create_stream_table(name, QUERIES[name])
        shop.client.refresh_stream_table(name)
    shop.sql(CHANGE)
    shop.sql("DELETE FROM shop.orders WHERE id % 5 = 0")
    shop.sql("UPDATE shop.customers SET region = 'west' WHERE id < 4")
    with pgtrickle.connect(shop.dsn) as other:
        for name in ("named", "nested"):
            assert other.refresh_stream_table(name).action is pgtrickle.Action.DIFFERENTIAL
            shop.assert_exact(name, QUERIES[name])
            assert other.verify(name).matches
        assert other.cache_report().compiled == 3


def test_a_statement_in_memory_asks_the_catalog_nothing(shop: Shop) -> None:
    shop.client.create_stream_table("totals", TOTALS)
    for _ in range(2):
        shop.sql(CHANGE)
        shop.client.refresh_stream_table("totals")
    shop.sql("DROP TABLE pgtrickle.plan_cache")
    for _ in range(3):
        shop.sql(CHANGE)
        shop.client.refresh_stream_table("totals")
    shop.assert_exact("totals", TOTALS)


def test_another_compiler_compiles_anew(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> None:
    shop.client.create_stream_table("totals", TOTALS)
    shop.sql(CHANGE)
    shop.client.refresh_stream_table("totals")
    before = stored(shop)
    monkeypatch.setattr(inputs, "compiler", lambda: "another")
    shop.sql(CHANGE)
    with pgtrickle.connect(shop.dsn) as other:
        other.refresh_stream_table("totals")
        assert other.cache_report().compiled == 2
        assert other.cache_report().stored_hits == 0
    assert stored(shop) == before
    shop.assert_exact("totals", TOTALS)


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE shop.orders DROP CONSTRAINT orders_pkey",
        "ALTER TABLE shop.orders ALTER customer_id DROP NOT NULL",
        "ALTER TABLE shop.orders ALTER amount TYPE numeric",
        "ALTER TABLE shop.customers ALTER id TYPE bigint",
    ],
)
@pytest.mark.parametrize("name", ["named", "nested"])
def test_what_was_compiled_from_other_sources_is_not_used(
    shop: Shop, name: LiteralString, change: LiteralString
) -> None:
    shop.client.create_stream_table(name, QUERIES[name])
    shop.sql(CHANGE)
    shop.client.refresh_stream_table(name)
    shop.sql(change)
    for _ in range(2):
        shop.sql(CHANGE)
        with pgtrickle.connect(shop.dsn) as other:
            other.refresh_stream_table(name)
            assert other.verify(name).matches
        shop.assert_exact(name, QUERIES[name])


def test_equal_values_that_begin_to_look_different_are_compiled_anew(shop: Shop) -> None:
    shop.sql("CREATE TYPE shop.size AS (a integer)")
    shop.sql("CREATE TABLE shop.boxes (id integer PRIMARY KEY, size shop.size)")
    query: LiteralString = "SELECT size, count(*) AS boxes FROM shop.boxes GROUP BY size"
    shop.client.create_stream_table("boxes", query)
    shop.sql("INSERT INTO shop.boxes VALUES (1, ROW(1)), (2, ROW(1))")
    shop.client.refresh_stream_table("boxes")
    with pgtrickle.connect(shop.dsn) as other:
        table = other.stream_tables()[0]
        before = inputs.read_inputs(other._connection, table).digest()
        shop.sql("ALTER TYPE shop.size ADD ATTRIBUTE b json")
        assert inputs.read_inputs(other._connection, table).digest() != before


def test_a_new_generation_leaves_nothing_of_the_old_one(shop: Shop) -> None:
    shop.client.create_stream_table("some", LARGE)
    shop.sql(CHANGE)
    shop.client.refresh_stream_table("some")
    shop.client.alter_stream_table("some", query=NAMED, cascade=True)
    shop.sql(CHANGE)
    shop.client.refresh_stream_table("some")
    generations = "SELECT DISTINCT p.generation - s.generation FROM pgtrickle.plan_cache AS p, pgtrickle.stream_tables AS s"
    assert shop.sql(generations) == [(0,)]
    shop.client.drop_stream_table("some")
    assert stored(shop) == 0


def test_the_stored_plans_of_a_table_are_bounded(shop: Shop) -> None:
    with pgtrickle.connect(
        shop.dsn, settings=pgtrickle.Settings(stored_plans_per_table=2)
    ) as client:
        client.create_stream_table("named", NAMED)
        for change in ("orders", "customers"):
            shop.sql(f"DELETE FROM shop.{change} WHERE id = 1")
            client.refresh_stream_table("named")
            shop.sql(CHANGE)
            client.refresh_stream_table("named")
    assert stored(shop) == 2
    shop.assert_exact("named", NAMED)


def test_clearing_empties_both_levels(shop: Shop) -> None:
    shop.client.create_stream_table("totals", TOTALS)
    shop.sql(CHANGE)
    shop.client.refresh_stream_table("totals")
    compiled = shop.client.cache_report().compiled
    shop.client.clear_caches()
    assert stored(shop) == 0
    assert shop.client.cache_report().entries == 0
    shop.sql(CHANGE)
    shop.client.refresh_stream_table("totals")
    assert shop.client.cache_report().compiled == 2 * compiled
    shop.assert_exact("totals", TOTALS)


def test_a_plan_that_cannot_be_stored_fails_no_refresh(shop: Shop) -> None:
    shop.client.create_stream_table("totals", TOTALS)
    shop.sql("ALTER TABLE pgtrickle.plan_cache ADD CHECK (false) NOT VALID")
    shop.sql(CHANGE)
    with pytest.warns(pgtrickle.PgtrickleWarning, match="could not store a compiled plan"):
        shop.client.refresh_stream_table("totals")
    shop.assert_exact("totals", TOTALS)


def test_an_older_catalog_is_refused_before_it_is_read(shop: Shop) -> None:
    shop.client.create_stream_table("totals", TOTALS)
    shop.sql("DELETE FROM pgtrickle.migrations WHERE name = 'plan_cache'")
    shop.sql("DROP TABLE pgtrickle.plan_cache")
    with pgtrickle.connect(shop.dsn) as other:
        with pytest.raises(pgtrickle.PgtrickleError, match="older than this package"):
            other.refresh_stream_table("totals")
        other.install()
        other.refresh_stream_table("totals")
    assert shop.sql("SELECT error FROM pgtrickle.stream_tables") == [(None,)]
