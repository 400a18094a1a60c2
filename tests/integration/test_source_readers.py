"""Sources change, and others stand on the stream table or below it: views, stream tables, policies."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

import pgtrickle
from pgtrickle import errors
from tests.support.evolution import assert_clear_error, create_all
from tests.support.shop import LARGE

if TYPE_CHECKING:
    from typing import LiteralString

    from tests.support.servers import Roles
    from tests.support.shop import Shop

pytestmark = pytest.mark.pg


def test_a_retyped_column_is_refused_while_others_depend_on_it(any_shop: Shop) -> None:
    shop = any_shop
    create_all(shop)
    shop.sql("CREATE VIEW shop.on_top AS SELECT amount FROM shop.large")
    shop.sql("ALTER TABLE shop.orders ALTER COLUMN amount TYPE numeric(14,4)")
    with pytest.raises(errors.DependantsError) as caught:
        shop.client.refresh_stream_table("shop.large")
    assert "view shop.on_top" in (caught.value.detail or "")
    assert "cascade" in (caught.value.hint or "")
    assert shop.client.refresh_stream_table("shop.totals").action == "FULL"
    shop.client.alter_stream_table("shop.large", query=LARGE, cascade=True)
    shop.sql("UPDATE shop.orders SET amount = amount + 0.0001")
    assert shop.client.refresh_stream_table("shop.large").action == "DIFFERENTIAL"
    shop.assert_exact("shop.large", LARGE)
    shop.assert_exact("shop.on_top", "SELECT amount FROM shop.orders WHERE amount > 100")


def test_stream_tables_above_follow_a_retyped_column(shop: Shop) -> None:
    create_all(shop)
    above: LiteralString = "SELECT region, max(amount) AS largest FROM shop.named GROUP BY region"
    shop.client.create_stream_table("shop.above", above)
    shop.sql("ALTER TABLE shop.orders ALTER COLUMN amount TYPE numeric(14,4)")
    shop.sql("UPDATE shop.orders SET amount = amount + 0.0001")
    assert {report.action for report in shop.client.refresh_all()} == {"FULL"}
    shop.assert_exact("shop.above", above)
    shop.sql("UPDATE shop.orders SET amount = amount + 0.0001")
    assert {report.action for report in shop.client.refresh_all()} == {"DIFFERENTIAL"}
    shop.assert_exact("shop.above", above)


def test_a_view_below_that_loses_its_differential_form_makes_the_table_full(shop: Shop) -> None:
    shop.sql("CREATE VIEW shop.regions AS SELECT region FROM shop.customers")
    query: LiteralString = "SELECT region FROM shop.regions WHERE region <> 'x'"
    shop.client.create_stream_table("shop.auto", query)
    shop.client.create_stream_table("shop.strict", query, refresh_mode="DIFFERENTIAL")
    shop.sql(
        "CREATE OR REPLACE VIEW shop.regions AS SELECT region FROM shop.customers WHERE now() > '2020-01-01'"
    )
    with pytest.warns(pgtrickle.PgtrickleWarning, match="PGT220"):
        assert shop.client.refresh_stream_table("shop.auto").action == "FULL"
    shop.assert_exact("shop.auto", query)
    status = next(each for each in shop.client.status() if each.name == "shop.auto")
    assert status.effective_mode == "FULL"
    assert status.reasons
    assert shop.client.refresh_stream_table("shop.auto").action == "FULL"
    assert_clear_error(shop, "shop.strict", "differentially")
    shop.sql("CREATE OR REPLACE VIEW shop.regions AS SELECT region FROM shop.customers")
    for name in ("shop.auto", "shop.strict"):
        shop.client.refresh_stream_table(name)
        shop.sql("UPDATE shop.customers SET region = 'y' || coalesce(region, '')")
        assert shop.client.refresh_stream_table(name).action == "DIFFERENTIAL"
        assert shop.client.verify(name).matches


def test_a_view_below_that_becomes_volatile_is_a_clear_error(shop: Shop) -> None:
    shop.sql("CREATE VIEW shop.regions AS SELECT region FROM shop.customers")
    shop.client.create_stream_table("shop.result", "SELECT region FROM shop.regions")
    shop.sql(
        "CREATE OR REPLACE VIEW shop.regions AS SELECT region FROM shop.customers WHERE random() < 0.5"
    )
    for _ in range(2):
        with pytest.raises(errors.RejectedQueryError, match="volatile") as caught:
            shop.client.refresh_stream_table("shop.result")
        assert caught.value.hint
    assert shop.sql("SELECT count(*) FROM shop.result") == [(20,)]


def test_row_security_switched_on_is_told_with_what_to_do(plain_role_dsn: Roles) -> None:
    with psycopg.connect(plain_role_dsn.admin, autocommit=True) as admin:
        admin.execute("CREATE TABLE public.numbers (id integer PRIMARY KEY, n integer)")
        admin.execute("INSERT INTO public.numbers SELECT i, i FROM generate_series(1, 9) AS i")
        grant = psycopg.sql.SQL("GRANT SELECT, TRIGGER ON public.numbers TO {}")
        admin.execute(grant.format(psycopg.sql.Identifier(plain_role_dsn.plain_role)))
        with psycopg.connect(plain_role_dsn.plain, autocommit=True) as plain:
            plain.execute("CREATE SCHEMA mine")
            with pgtrickle.connect(plain_role_dsn.plain) as client:
                client.install()
                with pytest.warns(pgtrickle.PgtrickleWarning):
                    client.create_stream_table("mine.copy", "SELECT id, n FROM public.numbers")
                admin.execute("ALTER TABLE public.numbers ENABLE ROW LEVEL SECURITY")
                admin.execute("DELETE FROM public.numbers WHERE id > 5")
                with pytest.raises(errors.RowSecurityError) as caught:
                    client.refresh_stream_table("mine.copy")
                assert "BYPASSRLS" in (caught.value.hint or "")
                assert plain.execute("SELECT count(*) FROM mine.copy").fetchone() == (9,)
                admin.execute("ALTER TABLE public.numbers DISABLE ROW LEVEL SECURITY")
                assert client.verify("mine.copy").matches
                assert plain.execute("SELECT count(*) FROM mine.copy").fetchone() == (5,)
                assert client.status()[0].status == "ACTIVE"
