"""An altered stream table with other columns: dependants are kept, created again, or named in a refusal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import pgtrickle
from pgtrickle import errors
from tests.support.alterations import MEAN, NARROWER, RETYPED, SMALL, TURNED, WIDER, state
from tests.support.shop import LARGE, TOTALS

if TYPE_CHECKING:
    from typing import LiteralString

    from tests.support.shop import Shop

pytestmark = pytest.mark.pg


@pytest.mark.parametrize(
    ("query", "said"),
    [(NARROWER, "dropped: amount"), (RETYPED, "of another type: amount"), (TURNED, "moved: id")],
    ids=["dropped", "retyped", "moved"],
)
def test_changed_columns_are_refused_with_the_list_of_dependants(
    shop: Shop, query: str, said: str
) -> None:
    shop.client.create_stream_table("shop.result", LARGE)
    shop.client.create_stream_table("shop.above", "SELECT sum(amount) AS s FROM shop.result")
    shop.sql("CREATE VIEW shop.on_top AS SELECT count(*) AS n FROM shop.result")
    shop.sql("CREATE VIEW shop.higher AS SELECT n FROM shop.on_top")
    shop.sql("CREATE MATERIALIZED VIEW shop.kept AS SELECT id FROM shop.result")
    shop.sql("CREATE FUNCTION shop.f(shop.result) RETURNS int LANGUAGE sql AS 'SELECT 1'")
    before = state(shop)
    with pytest.raises(errors.DependantsError) as caught:
        shop.client.alter_stream_table("shop.result", query=query)
    assert said in caught.value.message
    detail = caught.value.detail or ""
    for name in (
        "view shop.on_top",
        "view shop.higher",
        "materialized view shop.kept",
        "function shop.f",
    ):
        assert name in detail
    assert ("stream table shop.above" in detail) == (query != TURNED)
    assert state(shop) == before
    with pytest.raises(errors.DependantsError) as caught:
        shop.client.alter_stream_table("shop.result", query=query, cascade=True)
    assert "shop.kept" in (caught.value.detail or "")
    assert "shop.on_top" not in (caught.value.detail or "")
    assert state(shop) == before


@pytest.mark.parametrize("query", [NARROWER, RETYPED, TURNED])
def test_cascade_creates_dependant_views_again(any_shop: Shop, query: LiteralString) -> None:
    shop = any_shop
    shop.client.create_stream_table("shop.result", LARGE)
    shop.sql(
        'CREATE VIEW shop."On top" WITH (security_barrier) AS SELECT id AS "The id" FROM shop.result'
    )
    shop.sql('CREATE VIEW shop.higher AS SELECT count(*) AS n FROM shop."On top"')
    shop.sql('CREATE ROLE "the reader"')
    try:
        shop.sql('GRANT SELECT ON shop."On top" TO "the reader" WITH GRANT OPTION')
        shop.sql('GRANT SELECT (id) ON shop.result TO "the reader"')
        shop.sql("GRANT SELECT ON shop.result TO PUBLIC")
        shop.sql('ALTER VIEW shop.higher OWNER TO "the reader"')
        shop.sql("COMMENT ON VIEW shop.higher IS 'it''s high'")
        shop.sql("COMMENT ON COLUMN shop.result.id IS 'number'")
        facts: LiteralString = (
            "SELECT c.relname, c.relowner, coalesce(c.relacl, acldefault('r', c.relowner))::text, c.reloptions, obj_description(c.oid),"
            " (SELECT array_agg((a.attname, a.attacl::text, col_description(c.oid, a.attnum))::text ORDER BY a.attname)"
            "  FROM pg_attribute AS a WHERE a.attrelid = c.oid AND a.attname <> 'amount')"
            " FROM pg_class AS c WHERE relnamespace = 'shop'::regnamespace AND relkind = 'v' ORDER BY 1"
        )
        before = shop.sql(facts)
        shop.client.alter_stream_table("shop.result", query=query, cascade=True)
        assert shop.sql(facts) == before
        shop.assert_exact("shop.result", query)
        assert shop.sql("SELECT n FROM shop.higher") == shop.sql("SELECT count(*) FROM shop.result")
        shop.sql("DELETE FROM shop.orders WHERE id < 20")
        assert shop.client.refresh_stream_table("shop.result").action == "DIFFERENTIAL"
        assert shop.client.verify("shop.result").matches
    finally:
        shop.sql('DROP OWNED BY "the reader" CASCADE')
        shop.sql('DROP ROLE "the reader"')


def test_columns_may_change_freely_when_nothing_depends_on_them(shop: Shop) -> None:
    shop.client.create_stream_table("shop.result", LARGE)
    shop.sql("GRANT SELECT ON shop.result TO PUBLIC")
    for query in (NARROWER, RETYPED, TURNED, TOTALS, LARGE):
        shop.client.alter_stream_table("shop.result", query=query)
        assert shop.client.verify("shop.result").matches
    granted = "SELECT has_table_privilege('public', 'shop.result', 'SELECT')"
    assert shop.sql(granted) == [(True,)]


def test_a_view_that_needs_a_dropped_column_is_refused_even_with_cascade(shop: Shop) -> None:
    shop.client.create_stream_table("shop.result", LARGE)
    shop.sql("CREATE VIEW shop.on_top AS SELECT amount FROM shop.result")
    before = state(shop)
    with pytest.raises(errors.DependantsError, match="dropped: amount"):
        shop.client.alter_stream_table("shop.result", query=NARROWER, cascade=True)
    shop.sql(
        "CREATE OR REPLACE VIEW shop.on_top AS SELECT amount FROM shop.result WHERE amount % 2 = 0"
    )
    with pytest.raises(errors.DependantsError, match="does not fit"):
        shop.client.alter_stream_table("shop.result", query=RETYPED, cascade=True)
    assert state(shop)[:-1] == before[:-1]


def test_stream_tables_above_follow_and_are_rebuilt(any_shop: Shop) -> None:
    shop = any_shop
    shop.client.create_stream_table("shop.result", LARGE)
    above: LiteralString = "SELECT count(*) AS n, sum(id) AS s FROM shop.result"
    shop.client.create_stream_table("shop.above", above)
    with pgtrickle.connect(shop.dsn) as other:
        other.refresh_stream_table("shop.above")
        for query in (SMALL, WIDER, MEAN, NARROWER):
            shop.client.alter_stream_table("shop.result", query=query)
            shop.sql("UPDATE shop.orders SET amount = amount + 1")
            shop.client.refresh_stream_table("shop.result")
            report = other.refresh_stream_table("shop.above")
            assert report.action == "FULL"
            shop.assert_exact("shop.above", above)
            shop.sql("UPDATE shop.orders SET amount = amount + 20 WHERE id < 60")
            shop.client.refresh_all()
            shop.assert_exact("shop.result", query)
            shop.assert_exact("shop.above", above)
            assert other.verify("shop.above").matches
