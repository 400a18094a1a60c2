"""Altering a stream table: the view stays with its grants, and so does everything that was not asked to change."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

import pgtrickle
from pgtrickle import errors
from tests.support.alterations import MEAN, SMALL, WIDER, state
from tests.support.shop import LARGE, NAMED, TOTALS

if TYPE_CHECKING:
    from typing import Any, LiteralString

    from tests.support.servers import Roles
    from tests.support.shop import Shop

pytestmark = pytest.mark.pg


@pytest.mark.parametrize("query", [SMALL, WIDER], ids=["other rows", "one more column"])
def test_a_new_query_replaces_the_rows_and_keeps_the_view(
    any_shop: Shop, query: LiteralString
) -> None:
    shop = any_shop
    shop.client.create_stream_table("shop.result", LARGE)
    shop.sql("CREATE VIEW shop.on_top AS SELECT count(*) AS n FROM shop.result")
    shop.sql("GRANT SELECT ON shop.result TO PUBLIC")
    shop.sql("COMMENT ON VIEW shop.result IS 'kept'")
    shop.sql("ALTER VIEW shop.result SET (security_barrier = true)")
    before = shop.sql(
        "SELECT oid, relacl::text, reloptions, obj_description(oid) FROM pg_class WHERE oid = 'shop.result'::regclass"
    )
    table = shop.client.alter_stream_table("shop.result", query=query, schedule="5s")
    assert table.schedule == "5s"
    shop.assert_exact("shop.result", query)
    assert before == shop.sql(
        "SELECT oid, relacl::text, reloptions, obj_description(oid) FROM pg_class WHERE oid = 'shop.result'::regclass"
    )
    shop.sql("UPDATE shop.orders SET amount = amount + 30")
    assert shop.client.refresh_stream_table("shop.result").action == "DIFFERENTIAL"
    shop.assert_exact("shop.result", query)
    assert shop.client.verify("shop.result").matches
    assert len(shop.client.stream_tables()) == 1
    shop.sql("DROP VIEW shop.on_top")
    shop.client.drop_stream_table("shop.result")
    assert shop.leftovers() == []


def test_what_the_old_query_needed_is_removed(shop: Shop) -> None:
    shop.client.create_stream_table("shop.result", NAMED)
    shop.client.alter_stream_table(
        "shop.result",
        query="SELECT id, name, region, 1.00::numeric(10,2) AS amount FROM shop.customers",
    )
    assert [each.source for each in shop.client.change_buffer_sizes()] == ["shop.customers"]
    assert (
        shop.sql("SELECT relname FROM pg_class WHERE relname ~ 'replacement' AND relkind = 'r'")
        == []
    )
    assert shop.client.verify("shop.result").matches


def test_rows_may_be_stored_in_another_way(shop: Shop) -> None:
    shop.client.create_stream_table(
        "shop.result", "SELECT id, amount::numeric AS amount FROM shop.orders"
    )
    shop.client.alter_stream_table("shop.result", query=MEAN)
    shop.sql("UPDATE shop.orders SET amount = amount + 30 WHERE id < 40")
    assert shop.client.refresh_stream_table("shop.result").action == "DIFFERENTIAL"
    shop.assert_exact("shop.result", MEAN)
    history = shop.client.refresh_history("shop.result")
    assert [(each.action, each.reason) for each in history] == [
        ("DIFFERENTIAL", "changes in the window"),
        ("FULL", "altered"),
    ]
    assert history[1].inserted == 20


def test_another_process_uses_the_new_query_at_once(shop: Shop) -> None:
    shop.client.create_stream_table("shop.result", LARGE)
    with pgtrickle.connect(shop.dsn) as other:
        other.refresh_stream_table("shop.result")
        shop.client.alter_stream_table("shop.result", query=SMALL)
        shop.sql("UPDATE shop.orders SET amount = amount + 10")
        other.refresh_stream_table("shop.result")
        shop.assert_exact("shop.result", SMALL)


def test_a_circle_is_refused(shop: Shop) -> None:
    shop.client.create_stream_table("shop.result", LARGE)
    shop.client.create_stream_table("shop.above", "SELECT id, amount FROM shop.result")
    shop.sql("CREATE VIEW shop.between AS SELECT * FROM shop.above")
    before = state(shop)
    for source in ("shop.result", "shop.above", "shop.between"):
        with pytest.raises(errors.RejectedQueryError, match="its own result"):
            shop.client.alter_stream_table("shop.result", query=f"SELECT id, amount FROM {source}")
    assert state(shop) == before


def test_the_refresh_mode_can_change_both_ways(shop: Shop) -> None:
    shop.client.create_stream_table("shop.result", TOTALS)
    full = shop.client.alter_stream_table("shop.result", refresh_mode="full")
    assert (full.refresh_mode, full.effective_mode) == ("FULL", "FULL")
    shop.sql("UPDATE shop.orders SET amount = amount + 1")
    assert shop.client.refresh_stream_table("shop.result").action == "FULL"
    shop.assert_exact("shop.result", TOTALS)
    auto = shop.client.alter_stream_table("shop.result", refresh_mode="AUTO")
    assert (auto.refresh_mode, auto.effective_mode) == ("AUTO", "DIFFERENTIAL")
    shop.sql("UPDATE shop.orders SET amount = amount + 1")
    assert shop.client.refresh_stream_table("shop.result").action == "DIFFERENTIAL"
    assert shop.client.verify("shop.result").matches
    same = shop.client.alter_stream_table("shop.result", refresh_mode="DIFFERENTIAL")
    assert same.refresh_mode == "DIFFERENTIAL"
    with pytest.raises(errors.UnsupportedQueryError):
        shop.client.alter_stream_table("shop.result", query="SELECT now() AS at")


def test_a_suspended_table_is_left_alone_until_asked(shop: Shop) -> None:
    shop.client.create_stream_table("shop.result", LARGE)
    shop.client.create_stream_table("shop.totals", TOTALS)
    with pgtrickle.connect(shop.dsn) as other:
        other.refresh_stream_table("shop.result")
        table = shop.client.alter_stream_table("shop.result", status="suspended")
        assert table.status == "SUSPENDED"
        shop.sql("DELETE FROM shop.orders WHERE id > 150")
        for client in (shop.client, other):
            with pytest.raises(errors.SuspendedError) as caught:
                client.refresh_stream_table("shop.result")
            assert "ACTIVE" in (caught.value.hint or "")
            with pytest.warns(pgtrickle.PgtrickleWarning, match="suspended"):
                reports = client.refresh_all()
            assert [report.stream_table for report in reports] == ["shop.totals"]
        with pytest.raises(errors.SuspendedError):
            other.verify("shop.result")
        shop.sql("TRUNCATE shop.customers")
        report = shop.client.refresh_stream_table("shop.result", include_suspended=True)
        assert report.deleted == 50
        assert shop.client.stream_tables()[0].status == "SUSPENDED"
        shop.client.alter_stream_table("shop.result", query=SMALL)
        assert shop.client.stream_tables()[0].status == "SUSPENDED"
        assert shop.client.alter_stream_table("shop.result", status="ACTIVE").status == "ACTIVE"
        assert other.refresh_stream_table("shop.result").action == "NO_DATA"
        assert other.verify("shop.result").matches


def test_a_rebuild_on_request_keeps_a_table_suspended(shop: Shop) -> None:
    shop.client.create_stream_table("shop.result", LARGE)
    shop.client.alter_stream_table("shop.result", status="SUSPENDED")
    shop.sql("TRUNCATE shop.orders")
    assert shop.client.refresh_stream_table("shop.result", include_suspended=True).action == "FULL"
    assert shop.client.stream_tables()[0].status == "SUSPENDED"


def test_unknown_values_are_refused(shop: Shop) -> None:
    shop.client.create_stream_table("shop.result", LARGE)
    with pytest.raises(errors.ConfigurationError, match="POPULATING"):
        shop.client.alter_stream_table("shop.result", status="POPULATING")
    with pytest.raises(errors.ConfigurationError):
        shop.client.alter_stream_table("shop.result", capture_failure="ignore")
    with pytest.raises(errors.UnknownStreamTableError):
        shop.client.alter_stream_table("shop.missing", status="ACTIVE")


def test_capture_failure_follows_the_strictest_reader(shop: Shop) -> None:
    def how() -> list[tuple[Any, ...]]:
        return shop.sql("SELECT capture_failure FROM pgtrickle.sources")

    shop.client.create_stream_table("shop.result", LARGE)
    shop.client.create_stream_table("shop.small", SMALL, capture_failure="fail")
    assert how() == [("fail",)]
    shop.client.alter_stream_table("shop.result", capture_failure="fail")
    shop.client.alter_stream_table("shop.small", capture_failure="rebuild")
    assert how() == [("fail",)]
    shop.client.alter_stream_table("shop.result", capture_failure="rebuild")
    assert how() == [("rebuild",)]
    shop.sql("UPDATE shop.orders SET amount = amount + 1")
    for name in ("shop.result", "shop.small"):
        assert shop.client.refresh_stream_table(name).action == "DIFFERENTIAL"
        assert shop.client.verify(name).matches


def test_what_users_built_on_storage_stops_an_alter(shop: Shop) -> None:
    shop.client.create_stream_table("shop.result", LARGE)
    shop.sql('CREATE VIEW shop.below AS SELECT * FROM pgtrickle_state."shop.result"')
    before = state(shop)
    with pytest.raises(errors.DependantsError, match="storage") as caught:
        shop.client.alter_stream_table("shop.result", query=SMALL)
    assert "shop.below" in (caught.value.detail or "")
    assert state(shop) == before


def test_a_table_in_error_is_repaired_by_a_new_query(shop: Shop) -> None:
    shop.client.create_stream_table("shop.result", LARGE)
    shop.sql("ALTER TABLE shop.orders RENAME COLUMN amount TO price")
    with pytest.raises(errors.SourceError):
        shop.client.refresh_stream_table("shop.result")
    query: LiteralString = "SELECT id, price AS amount FROM shop.orders WHERE price > 100"
    assert shop.client.alter_stream_table("shop.result", query=query).status == "ACTIVE"
    shop.sql("UPDATE shop.orders SET price = price + 1")
    assert shop.client.refresh_stream_table("shop.result").action == "DIFFERENTIAL"
    shop.assert_exact("shop.result", query)


def test_a_plain_role_alters_what_it_created(plain_role_dsn: Roles) -> None:
    with psycopg.connect(plain_role_dsn.admin, autocommit=True) as admin:
        admin.execute("CREATE TABLE public.numbers (id integer PRIMARY KEY, n integer)")
        admin.execute("INSERT INTO public.numbers SELECT i, i FROM generate_series(1, 9) AS i")
        grant = psycopg.sql.SQL("GRANT SELECT, TRIGGER ON public.numbers TO {}")
        admin.execute(grant.format(psycopg.sql.Identifier(plain_role_dsn.plain_role)))
        with psycopg.connect(plain_role_dsn.plain, autocommit=True) as plain:
            plain.execute("CREATE SCHEMA mine")
        with pgtrickle.connect(plain_role_dsn.plain) as client:
            client.install()
            with pytest.warns(pgtrickle.PgtrickleWarning, match="session_replication_role"):
                client.create_stream_table("mine.result", "SELECT id, n FROM public.numbers")
            for query in (
                "SELECT id, n FROM public.numbers WHERE n > 3",
                "SELECT n FROM public.numbers",
            ):
                with pytest.warns(pgtrickle.PgtrickleWarning, match="session_replication_role"):
                    client.alter_stream_table("mine.result", query=query)
                assert client.verify("mine.result").matches


def test_a_view_given_to_another_role_still_reads_its_rows(shop: Shop) -> None:
    shop.client.create_stream_table("shop.result", LARGE)
    shop.sql("CREATE ROLE the_owner")
    try:
        shop.sql("GRANT USAGE, CREATE ON SCHEMA shop TO the_owner")
        shop.sql("ALTER VIEW shop.result OWNER TO the_owner")
        shop.sql('GRANT SELECT ON pgtrickle_state."shop.result" TO the_owner')
        for query in (SMALL, "SELECT id FROM shop.orders"):
            shop.client.alter_stream_table("shop.result", query=query)
            shop.sql("SET ROLE the_owner")
            assert shop.sql("SELECT count(*) > 0 FROM shop.result") == [(True,)]
            shop.sql("RESET ROLE")
    finally:
        shop.sql("DROP OWNED BY the_owner CASCADE")
        shop.sql("DROP ROLE the_owner")


NESTED: LiteralString = (
    "SELECT count(*) AS customers, max(s.total) AS largest"
    " FROM (SELECT customer_id, sum(amount) AS total FROM shop.orders GROUP BY customer_id) AS s"
)
OTHER_NESTED: LiteralString = (
    "SELECT count(*) AS customers, max(s.total) AS largest"
    " FROM (SELECT customer_id, sum(amount) AS total FROM shop.orders WHERE id % 2 = 0 GROUP BY customer_id) AS s"
)


def test_stages_change_places_with_the_rows(any_shop: Shop) -> None:
    shop = any_shop
    shop.client.create_stream_table("shop.result", NESTED)
    stages: LiteralString = (
        "SELECT count(*) FROM pg_class WHERE relkind = 'r' AND relname ~ '^stage_'"
    )
    assert shop.sql(stages) == [(2,)]
    for query in (OTHER_NESTED, NESTED, LARGE, OTHER_NESTED):
        shop.client.alter_stream_table("shop.result", query=query)
        assert shop.sql(stages) == [(0 if query == LARGE else 2,)]
        for _ in range(2):
            shop.sql("UPDATE shop.orders SET amount = amount + 7 WHERE id % 3 = 0")
            assert shop.client.refresh_stream_table("shop.result").action == "DIFFERENTIAL"
            shop.assert_exact("shop.result", query)
        assert shop.client.verify("shop.result").matches
    with pytest.raises(errors.PgtrickleError):
        shop.client.alter_stream_table(
            "shop.result", query=NESTED.replace("sum(amount)", "sum(1 / (amount - amount))")
        )
    assert shop.sql(stages) == [(2,)]
    shop.sql("ALTER TABLE shop.orders ALTER COLUMN amount TYPE numeric(14,4)")
    shop.sql("UPDATE shop.orders SET amount = amount + 0.0001")
    assert shop.client.refresh_stream_table("shop.result").action == "FULL"
    shop.assert_exact("shop.result", OTHER_NESTED)
    shop.sql("UPDATE shop.orders SET amount = amount + 0.0001")
    assert shop.client.refresh_stream_table("shop.result").action == "DIFFERENTIAL"
    shop.assert_exact("shop.result", OTHER_NESTED)
    shop.client.drop_stream_table("shop.result")
    assert shop.leftovers() == []
