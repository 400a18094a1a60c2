"""What capture cannot see is noticed: the table is rebuilt for a stated reason, or says clearly what is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

import pgtrickle
from pgtrickle import errors
from tests.support.shop import LARGE, NAMED, TOTALS

if TYPE_CHECKING:
    from typing import LiteralString

    from tests.support.shop import Shop

pytestmark = pytest.mark.pg

DISABLE: LiteralString = "ALTER TABLE shop.orders DISABLE TRIGGER USER"
ENABLE: LiteralString = "ALTER TABLE shop.orders ENABLE TRIGGER USER"


def test_truncate_is_a_full_refresh_with_its_reason(shop: Shop) -> None:
    shop.client.create_stream_table("shop.totals", TOTALS)
    shop.sql("TRUNCATE shop.orders")
    report = shop.client.refresh_stream_table("shop.totals")
    assert report.action == "FULL"
    assert "truncated" in report.reason
    shop.assert_exact("shop.totals", TOTALS)
    shop.sql("INSERT INTO shop.orders VALUES (1, 1, 1)")
    assert shop.client.refresh_stream_table("shop.totals").action == "DIFFERENTIAL"
    shop.assert_exact("shop.totals", TOTALS)


def test_verify_works_when_a_rebuild_is_due(shop: Shop) -> None:
    shop.client.create_stream_table("shop.totals", TOTALS)
    shop.sql("TRUNCATE shop.orders")
    assert shop.client.verify("shop.totals").matches
    assert shop.client.refresh_history("shop.totals")[0].action == "FULL"


def test_writes_behind_a_disabled_trigger_are_found(shop: Shop) -> None:
    shop.client.create_stream_table("shop.totals", TOTALS)
    shop.sql(DISABLE)
    shop.sql("DELETE FROM shop.orders WHERE id < 100")
    shop.sql(ENABLE)
    report = shop.client.refresh_stream_table("shop.totals")
    assert report.action == "FULL"
    shop.assert_exact("shop.totals", TOTALS)
    shop.sql("DELETE FROM shop.orders WHERE id < 150")
    assert shop.client.refresh_stream_table("shop.totals").action == "DIFFERENTIAL"
    shop.assert_exact("shop.totals", TOTALS)


def test_a_dropped_trigger_is_put_back(shop: Shop) -> None:
    shop.client.create_stream_table("shop.large", LARGE)
    for (name,) in shop.sql(
        "SELECT quote_ident(tgname) FROM pg_trigger WHERE tgrelid = 'shop.orders'::regclass"
    ):
        shop.connection.execute(
            psycopg.sql.SQL("DROP TRIGGER {} ON shop.orders").format(psycopg.sql.Identifier(name))
        )
    shop.sql("DELETE FROM shop.orders WHERE id = 200")
    assert shop.client.refresh_stream_table("shop.large").action == "FULL"
    shop.sql("DELETE FROM shop.orders WHERE id = 199")
    assert shop.client.refresh_stream_table("shop.large").action == "DIFFERENTIAL"
    shop.assert_exact("shop.large", LARGE)


@pytest.mark.parametrize(
    "statement",
    [
        "ALTER TABLE shop.orders ADD COLUMN extra integer",
        "ALTER TABLE shop.orders DROP COLUMN note",
        "CREATE INDEX ON shop.orders (amount)",
        "GRANT SELECT ON shop.orders TO PUBLIC",
        "ANALYZE shop.orders",
        "COMMENT ON TABLE shop.orders IS 'orders'",
    ],
)
def test_what_does_not_concern_the_query_changes_nothing(
    shop: Shop, statement: LiteralString
) -> None:
    shop.client.create_stream_table("shop.large", LARGE)
    shop.sql(statement)
    assert shop.client.refresh_stream_table("shop.large").action == "NO_DATA"
    shop.sql("DELETE FROM shop.orders WHERE id = 200")
    assert shop.client.refresh_stream_table("shop.large").action == "DIFFERENTIAL"
    shop.assert_exact("shop.large", LARGE)


def test_a_dropped_column_is_a_clear_error_and_others_go_on(shop: Shop) -> None:
    shop.client.create_stream_table("shop.large", LARGE)
    shop.client.create_stream_table("shop.people", "SELECT id, name FROM shop.customers")
    shop.sql("ALTER TABLE shop.orders DROP COLUMN amount")
    shop.sql("INSERT INTO shop.orders (id, customer_id) VALUES (5000, 1)")
    shop.sql("INSERT INTO shop.customers VALUES (5000, 'new')")
    with pytest.raises(errors.PgtrickleError) as caught:
        shop.client.refresh_stream_table("shop.large")
    assert not caught.value.retryable
    assert caught.value.hint
    assert shop.client.refresh_stream_table("shop.people").inserted == 1
    status = {each.name: each.status for each in shop.client.status()}
    assert status == {"shop.large": "ERROR", "shop.people": "ACTIVE"}


def test_a_dropped_source_is_told_others_go_on_and_it_can_come_back(shop: Shop) -> None:
    shop.client.create_stream_table("shop.named", NAMED)
    shop.client.create_stream_table("shop.large", LARGE)
    shop.sql("DROP TABLE shop.customers")
    shop.sql("DELETE FROM shop.orders WHERE id = 200")
    with pytest.warns(pgtrickle.PgtrickleWarning, match="customers"):
        reports = shop.client.refresh_all()
    assert [report.action for report in reports] == ["DIFFERENTIAL"]
    failed = next(each for each in shop.client.status() if each.name == "shop.named")
    assert failed.status == "ERROR"
    assert "customers" in (failed.error or "")
    shop.sql(
        "CREATE TABLE shop.customers (id integer PRIMARY KEY, name text NOT NULL, region text)"
    )
    shop.sql(
        "INSERT INTO shop.customers SELECT i, 'again', 'east' FROM generate_series(1, 20) AS i"
    )
    assert shop.client.refresh_stream_table("shop.named").action == "FULL"
    shop.assert_exact("shop.named", NAMED)
    assert {each.status for each in shop.client.status()} == {"ACTIVE"}
    shop.sql("UPDATE shop.customers SET region = 'west' WHERE id = 1")
    assert shop.client.refresh_stream_table("shop.named").action == "DIFFERENTIAL"
    shop.assert_exact("shop.named", NAMED)


def test_a_dropped_stream_table_source_can_be_dropped_cleanly(shop: Shop) -> None:
    shop.client.create_stream_table("shop.named", NAMED)
    shop.sql("DROP TABLE shop.customers")
    shop.client.drop_stream_table("shop.named")
    assert shop.leftovers() == []


GIFTS: LiteralString = (
    "CREATE OR REPLACE VIEW shop.gifts AS SELECT id, amount FROM shop.orders WHERE "
)


def test_a_changed_view_below_is_rebuilt_and_no_process_keeps_the_old_plan(shop: Shop) -> None:
    shop.sql(GIFTS + "note = 'gift'")
    query: LiteralString = "SELECT id FROM shop.gifts WHERE amount > 20"
    shop.client.create_stream_table("shop.large_gifts", query)
    with pgtrickle.connect(shop.dsn) as other:
        for client in (shop.client, other):
            shop.sql(
                "UPDATE shop.orders SET note = 'gift' WHERE id IN (SELECT id FROM shop.orders WHERE note IS NULL LIMIT 5)"
            )
            assert client.refresh_stream_table("shop.large_gifts").action == "DIFFERENTIAL"
        shop.sql(GIFTS + "note IS NULL")
        assert shop.client.refresh_stream_table("shop.large_gifts").action == "FULL"
        shop.assert_exact("shop.large_gifts", query)
        for client in (shop.client, other):
            shop.sql(
                "UPDATE shop.orders SET note = 'gift' WHERE id IN (SELECT id FROM shop.orders WHERE note IS NULL LIMIT 5)"
            )
            assert client.refresh_stream_table("shop.large_gifts").action == "DIFFERENTIAL"
            shop.assert_exact("shop.large_gifts", query)


def test_partitions_attached_and_detached_are_found(shop: Shop) -> None:
    shop.sql("CREATE TABLE shop.events (id integer NOT NULL, kind text) PARTITION BY RANGE (id)")
    shop.sql("CREATE TABLE shop.events_1 PARTITION OF shop.events FOR VALUES FROM (0) TO (100)")
    shop.sql("INSERT INTO shop.events SELECT i, 'a' FROM generate_series(0, 9) AS i")
    query: LiteralString = "SELECT kind, count(*) AS n FROM shop.events GROUP BY kind"
    shop.client.create_stream_table("shop.kinds", query)
    shop.sql(
        "CREATE TABLE shop.events_2 AS SELECT i AS id, 'b'::text AS kind FROM generate_series(100, 120) AS i"
    )
    shop.sql("ALTER TABLE shop.events_2 ALTER id SET NOT NULL")
    shop.sql(
        "ALTER TABLE shop.events ATTACH PARTITION shop.events_2 FOR VALUES FROM (100) TO (200)"
    )
    assert shop.client.refresh_stream_table("shop.kinds").action == "FULL"
    shop.assert_exact("shop.kinds", query)
    shop.sql("INSERT INTO shop.events_2 VALUES (150, 'direct')")
    shop.sql("INSERT INTO shop.events VALUES (151, 'routed'), (50, 'routed')")
    shop.sql("UPDATE shop.events SET id = 60 WHERE id = 150")
    assert shop.client.refresh_stream_table("shop.kinds").action == "DIFFERENTIAL"
    shop.assert_exact("shop.kinds", query)
    shop.sql("ALTER TABLE shop.events DETACH PARTITION shop.events_2")
    assert shop.client.refresh_stream_table("shop.kinds").action == "FULL"
    shop.assert_exact("shop.kinds", query)


def test_inheritance_children_added_later_are_found(shop: Shop) -> None:
    query: LiteralString = "SELECT id, amount FROM shop.orders WHERE amount > 100"
    shop.client.create_stream_table("shop.large", query)
    shop.sql("CREATE TABLE shop.archive (LIKE shop.orders)")
    shop.sql("INSERT INTO shop.archive VALUES (9000, 1, 900)")
    shop.sql("ALTER TABLE shop.archive INHERIT shop.orders")
    assert shop.client.refresh_stream_table("shop.large").action == "FULL"
    shop.assert_exact("shop.large", query)
    shop.sql("UPDATE shop.orders SET amount = amount + 1")
    shop.sql("DELETE FROM shop.archive")
    assert shop.client.refresh_stream_table("shop.large").action == "DIFFERENTIAL"
    shop.assert_exact("shop.large", query)


def test_a_lost_primary_key_never_leads_to_a_wrong_table(shop: Shop) -> None:
    shop.client.create_stream_table("shop.large", LARGE)
    shop.sql("ALTER TABLE shop.orders DROP CONSTRAINT orders_pkey")
    shop.sql("INSERT INTO shop.orders VALUES (200, 1, 999), (200, 1, 999)")
    report = shop.client.refresh_stream_table("shop.large")
    assert report.action == "FULL"
    assert "changed" in report.reason
    shop.assert_exact("shop.large", LARGE)
    shop.sql("DELETE FROM shop.orders WHERE ctid = (SELECT max(ctid) FROM shop.orders)")
    assert shop.client.refresh_stream_table("shop.large").action == "DIFFERENTIAL"
    shop.assert_exact("shop.large", LARGE)
