"""Refreshing: what each kind of window leads to, and that readers and other sessions are not disturbed."""

from __future__ import annotations

import re
import threading
from dataclasses import replace
from typing import TYPE_CHECKING

import psycopg
import pytest

import pgtrickle
from pgtrickle import errors
from pgtrickle.refresh.engine import RefreshEngine
from tests.support.shop import LARGE, NAMED, TOTALS

if TYPE_CHECKING:
    from typing import LiteralString

    from pgtrickle.refresh.prepare import Prepared
    from pgtrickle.refresh.window import Window
    from tests.support.shop import Shop

pytestmark = pytest.mark.pg


def test_a_quiet_window_is_skipped_and_writes_nothing(shop: Shop) -> None:
    shop.client.create_stream_table("shop.totals", TOTALS)
    before = shop.sql("SELECT xmin, snapshot::text FROM pgtrickle.frontiers")
    report = shop.client.refresh_stream_table("shop.totals")
    assert report.action == "NO_DATA"
    assert shop.sql("SELECT xmin, snapshot::text FROM pgtrickle.frontiers") == before
    assert shop.client.refresh_history("shop.totals") == []


def test_changes_are_applied_as_a_delta_and_counted(shop: Shop) -> None:
    shop.client.create_stream_table("shop.large", LARGE)
    shop.sql("INSERT INTO shop.orders VALUES (1000, 1, 500), (1001, 1, 5)")
    shop.sql("UPDATE shop.orders SET amount = amount + 1 WHERE id = 200")
    shop.sql("DELETE FROM shop.orders WHERE id = 199")
    report = shop.client.refresh_stream_table("shop.large")
    assert (report.action, report.scope) == ("DIFFERENTIAL", "delta")
    assert (report.inserted, report.updated, report.deleted) == (1, 1, 1)
    shop.assert_exact("shop.large", LARGE)
    (record,) = shop.client.refresh_history("shop.large")
    assert (record.inserted, record.updated, record.deleted) == (1, 1, 1)


def test_an_update_of_unused_columns_touches_nothing(shop: Shop) -> None:
    shop.client.create_stream_table("shop.large", LARGE)
    shop.sql("UPDATE shop.orders SET note = 'changed'")
    report = shop.client.refresh_stream_table("shop.large")
    assert report.action == "DIFFERENTIAL"
    assert (report.inserted, report.updated, report.deleted) == (0, 0, 0)


def test_a_full_refresh_touches_only_rows_that_differ(shop: Shop) -> None:
    shop.client.create_stream_table("shop.large", LARGE)
    shop.sql("UPDATE shop.orders SET amount = amount + 1 WHERE id = 200")
    report = shop.client.refresh_stream_table("shop.large", full=True)
    assert (report.action, report.scope) == ("FULL", "all")
    assert (report.inserted, report.updated, report.deleted) == (0, 1, 0)
    shop.assert_exact("shop.large", LARGE)


def test_a_full_refresh_never_blocks_a_reader(shop: Shop) -> None:
    shop.client.create_stream_table("shop.large", LARGE)
    with psycopg.connect(shop.dsn) as reader:
        reader.execute("SET statement_timeout = '5s'")
        before = reader.execute("SELECT count(*) FROM shop.large").fetchone()
        shop.sql("DELETE FROM shop.orders WHERE id > 100")
        shop.client.refresh_stream_table("shop.large", full=True)
        assert reader.execute("SELECT count(*) FROM shop.large").fetchone() != before


def test_a_chain_is_refreshed_in_order(shop: Shop) -> None:
    per_region = "SELECT region, count(*) AS n, sum(amount) AS s FROM shop.named GROUP BY region"
    shop.client.create_stream_table("shop.named", NAMED)
    shop.client.create_stream_table("shop.per_region", per_region)
    shop.client.create_stream_table(
        "shop.rich", "SELECT region FROM shop.per_region WHERE s > 1000"
    )
    shop.sql("UPDATE shop.customers SET region = 'west' WHERE id < 5")
    shop.sql("DELETE FROM shop.orders WHERE id < 50")
    reports = shop.client.refresh_all()
    assert [report.action for report in reports] == ["DIFFERENTIAL"] * 3
    shop.assert_exact("shop.per_region", per_region)
    assert all(
        shop.client.verify(name).matches for name in ("shop.named", "shop.per_region", "shop.rich")
    )


def test_a_change_of_hidden_columns_alone_is_none_to_a_reader_downstream(shop: Shop) -> None:
    shop.client.create_stream_table(
        "shop.largest", "SELECT customer_id, max(amount) AS m FROM shop.orders GROUP BY customer_id"
    )
    shop.client.create_stream_table(
        "shop.top", "SELECT customer_id FROM shop.largest WHERE m > 100"
    )
    shop.sql("INSERT INTO shop.orders VALUES (2000, 1, 0.01)")
    assert shop.client.refresh_stream_table("shop.largest").updated == 1
    assert shop.client.refresh_stream_table("shop.top").action == "NO_DATA"


def test_a_view_between_is_inlined(shop: Shop) -> None:
    shop.sql("CREATE VIEW shop.gifts AS SELECT id, amount FROM shop.orders WHERE note = 'gift'")
    query = "SELECT count(*) AS n, amount > 50 AS big FROM shop.gifts GROUP BY amount > 50"
    assert shop.client.create_stream_table("shop.counted", query).effective_mode == "DIFFERENTIAL"
    shop.sql("UPDATE shop.orders SET note = 'gift' WHERE id < 20")
    assert shop.client.refresh_stream_table("shop.counted").action == "DIFFERENTIAL"
    shop.assert_exact("shop.counted", query)


def test_two_clients_refresh_one_table_and_nothing_is_applied_twice(shop: Shop) -> None:
    shop.client.create_stream_table("shop.totals", TOTALS)
    failures: list[BaseException] = []

    def refresh(rounds: int) -> None:
        with pgtrickle.connect(shop.dsn) as client:
            for _ in range(rounds):
                try:
                    client.refresh_stream_table("shop.totals")
                except errors.ConflictError:
                    pass
                except BaseException as error:
                    failures.append(error)

    threads = [threading.Thread(target=refresh, args=(25,)) for _ in range(3)]
    for thread in threads:
        thread.start()
    for step in range(40):
        shop.sql("UPDATE shop.orders SET amount = amount + 1 WHERE id = %s", 1 + step % 7)
    for thread in threads:
        thread.join()
    assert failures == []
    shop.client.refresh_stream_table("shop.totals")
    shop.assert_exact("shop.totals", TOTALS)


def test_verify_finds_what_somebody_broke(shop: Shop) -> None:
    shop.client.create_stream_table("shop.large", LARGE)
    shop.sql('ALTER TABLE pgtrickle_state."shop.large" DISABLE TRIGGER ALL')
    shop.sql('DELETE FROM pgtrickle_state."shop.large" WHERE id = 200')
    shop.sql('UPDATE pgtrickle_state."shop.large" SET amount = 0 WHERE id = 199')
    report = shop.client.verify("shop.large")
    assert (report.matches, report.missing, report.extra) == (False, 2, 1)
    shop.client.refresh_stream_table("shop.large", full=True)
    assert shop.client.verify("shop.large").matches


def test_settings_of_the_creating_session_hold_in_every_refresh(shop: Shop) -> None:
    shop.sql("CREATE TABLE shop.moments (id integer PRIMARY KEY, at timestamptz NOT NULL)")
    dsn = psycopg.conninfo.make_conninfo(shop.dsn, options="-c TimeZone=Asia/Tokyo")
    with pgtrickle.connect(dsn) as client:
        client.create_stream_table(
            "shop.days", "SELECT id, at::date AS day, at::text AS told FROM shop.moments"
        )
    shop.sql("INSERT INTO shop.moments VALUES (1, '2026-01-01 20:00+00')")
    assert shop.client.refresh_stream_table("shop.days").action == "DIFFERENTIAL"
    assert shop.sql("SELECT day::text, told FROM shop.days") == [
        ("2026-01-02", "2026-01-02 05:00:00+09")
    ]


def test_a_result_that_depends_on_the_clock_is_full_and_never_skipped(shop: Shop) -> None:
    with pytest.warns(pgtrickle.PgtrickleWarning, match="PGT220"):
        shop.client.create_stream_table(
            "shop.told", "SELECT id, now() AS at FROM shop.orders WHERE id < 3"
        )
    before = shop.sql("SELECT at FROM shop.told")
    assert shop.client.refresh_stream_table("shop.told").action == "FULL"
    assert shop.sql("SELECT at FROM shop.told") != before


def test_unknown_names_are_told_apart_from_other_errors(shop: Shop) -> None:
    with pytest.raises(errors.UnknownStreamTableError):
        shop.client.refresh_stream_table("shop.missing")
    with pytest.raises(errors.ConfigurationError):
        shop.client.refresh_stream_table("a.b.c")


def test_a_table_dropped_and_created_again_elsewhere_is_found(shop: Shop) -> None:
    shop.client.create_stream_table("shop.totals", TOTALS)
    shop.client.refresh_stream_table("shop.totals")
    with pgtrickle.connect(shop.dsn) as other:
        other.drop_stream_table("shop.totals")
        with pytest.raises(errors.UnknownStreamTableError):
            shop.client.refresh_stream_table("shop.totals")
        other.create_stream_table("shop.totals", NAMED)
    shop.sql("DELETE FROM shop.orders WHERE id < 50")
    assert shop.client.refresh_stream_table("shop.totals").action == "DIFFERENTIAL"
    shop.assert_exact("shop.totals", NAMED)


def test_a_second_process_needs_nothing_but_the_catalog(shop: Shop) -> None:
    shop.client.create_stream_table("shop.totals", TOTALS)
    shop.sql("UPDATE shop.orders SET amount = 1 WHERE id < 100")
    with pgtrickle.connect(shop.dsn) as other:
        assert other.refresh_stream_table("shop.totals").action == "DIFFERENTIAL"
    assert shop.client.refresh_stream_table("shop.totals").action == "NO_DATA"
    shop.assert_exact("shop.totals", TOTALS)


def test_buffers_shrink_when_all_consumers_have_read_them(shop: Shop) -> None:
    shop.client.create_stream_table("shop.large", LARGE)
    shop.client.create_stream_table("shop.totals", TOTALS)
    shop.sql("UPDATE shop.orders SET amount = amount + 1")
    shop.client.refresh_stream_table("shop.large")
    assert shop.client.clean_up() == 0
    shop.client.refresh_stream_table("shop.totals")
    assert shop.client.clean_up() == 400
    assert shop.client.clean_up() == 0
    assert shop.sql("SELECT count(*) FROM pgtrickle_changes.changes_1") == [(0,)]


@pytest.mark.parametrize(
    "aggregated", ["id, now() AS at", "string_agg(note, ','), max(now()) AS at"]
)
def test_full_by_choice_is_never_skipped_when_it_reads_the_clock(
    shop: Shop, aggregated: LiteralString
) -> None:
    query = f"SELECT {aggregated} FROM shop.orders WHERE id < 3 GROUP BY id"
    table = shop.client.create_stream_table("shop.told", query, refresh_mode="FULL", strict=True)
    assert table.reasons[0].startswith("PGT220")
    before = shop.sql("SELECT at FROM shop.told")
    assert shop.client.refresh_stream_table("shop.told").action == "FULL"
    assert shop.sql("SELECT at FROM shop.told") != before


def test_a_source_that_cannot_be_captured_is_never_skipped(shop: Shop) -> None:
    shop.sql("CREATE MATERIALIZED VIEW shop.copied AS SELECT id, note FROM shop.orders")
    query: LiteralString = "SELECT string_agg(note, ',' ORDER BY id) AS notes FROM shop.copied"
    with pytest.warns(pgtrickle.PgtrickleWarning, match="PGT222"):
        shop.client.create_stream_table("shop.notes", query)
    shop.sql("DELETE FROM shop.orders WHERE id < 100; REFRESH MATERIALIZED VIEW shop.copied")
    assert shop.client.refresh_stream_table("shop.notes").action == "FULL"
    shop.assert_exact("shop.notes", query)


def test_another_refresh_between_snapshot_and_lease_is_a_conflict_and_repeated(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other refresh stores a key that this one does not see: the key refuses it before the frontier does."""
    shop.client.create_stream_table("shop.large", LARGE)
    shop.client.refresh_stream_table("shop.large")
    shop.sql("INSERT INTO shop.orders VALUES (1000, 1, 500)")
    lost = shop.client._engine
    (table,) = lost.prepared.values()
    # Without a lease of its own, the refresh can be overtaken at leisure.
    without = re.sub(r"pg_try_advisory_xact_lock\([^)]*\)", "true", table.window)
    assert without != table.window
    # The first refresh left a guess, which would be tried before the window is taken.
    lost.guesses.clear()
    lost.prepared[table.table.name] = replace(table, window=without)
    window = RefreshEngine._window
    overtaken: list[int] = []

    def late(engine: RefreshEngine, prepared: Prepared) -> Window:
        found = window(engine, prepared)
        if engine is lost and not overtaken:
            with pgtrickle.connect(shop.dsn) as other:
                overtaken.append(other.refresh_stream_table("shop.large").inserted)
        return found

    monkeypatch.setattr(RefreshEngine, "_window", late)
    assert shop.client.refresh_stream_table("shop.large").action == "NO_DATA"
    assert overtaken == [1]
    shop.assert_exact("shop.large", LARGE)
