"""What explain says of costs and indexes, against the catalog and the planner of a real server."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from pgtrickle.dvm.analysis.cost import Complexity
from pgtrickle.pg.connection import connect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.shop import Shop

pytestmark = pytest.mark.pg

GROWN = """
INSERT INTO shop.customers SELECT i, 'customer ' || i, 'region ' || i % 50 FROM generate_series(21, 30000) AS i;
INSERT INTO shop.orders SELECT i, 1 + i % 30000, i, 'note ' || i / 3 FROM generate_series(201, 90000) AS i;
ANALYZE shop.customers, shop.orders;
"""
# The query, the source whose change is costly, and the table and columns by which its delta looks rows up.
LOOK_UPS = {
    "join": (
        "SELECT o.id, c.name FROM shop.orders o JOIN shop.customers c ON c.id = o.customer_id",
        "shop.customers",
        ("customer_id",),
    ),
    "semi_join": (
        "SELECT id, name FROM shop.customers c"
        " WHERE EXISTS (SELECT 1 FROM shop.orders o WHERE o.customer_id = c.id)",
        "shop.orders",
        ("customer_id",),
    ),
    "rescan": (
        "SELECT customer_id, array_agg(amount) AS amounts FROM shop.orders GROUP BY customer_id",
        "shop.orders",
        ("customer_id",),
    ),
    "nullable_group": (
        "SELECT note, max(amount) AS largest FROM shop.orders GROUP BY note",
        "shop.orders",
        ("note",),
    ),
    "partition": (
        "SELECT id, rank() OVER (PARTITION BY customer_id ORDER BY amount, id) AS place FROM shop.orders",
        "shop.orders",
        ("customer_id",),
    ),
    "correlated": (
        "SELECT c.id, (SELECT max(o.amount) FROM shop.orders o WHERE o.customer_id = c.id) AS largest"
        " FROM shop.customers c",
        "shop.orders",
        ("customer_id",),
    ),
}


@pytest.mark.parametrize("case", LOOK_UPS)
def test_the_suggested_index_is_used_and_then_not_suggested_any_more(shop: Shop, case: str) -> None:
    query, source, columns = LOOK_UPS[case]
    shop.sql(GROWN)
    shop.client.create_stream_table("shop.kept", query)
    before = shop.client.explain_stream_table("shop.kept")
    (advice,) = before.suggested_indexes
    assert (advice.table, advice.columns) == ("shop.orders", columns)
    assert source in advice.sources
    assert _complexity(shop, source) is Complexity.WHOLE

    shop.connection.execute(advice.statement.encode())
    shop.sql("ANALYZE shop.orders")

    assert shop.client.explain_stream_table("shop.kept").suggested_indexes == ()
    assert _complexity(shop, source) is not Complexity.WHOLE
    scans = list(_scans(shop, before.deltas[source]))
    assert ("Seq Scan", "orders") not in scans
    assert any(kind != "Seq Scan" and name == "orders" for kind, name in scans)


def test_names_are_quoted_in_a_suggestion(shop: Shop) -> None:
    shop.sql('CREATE TABLE shop."Order" (id integer PRIMARY KEY, "select" integer NOT NULL)')
    query = 'SELECT o.id, c.name FROM shop."Order" o JOIN shop.customers c ON c.id = o."select"'
    shop.client.create_stream_table("shop.kept", query)
    (advice,) = shop.client.explain_stream_table("shop.kept").suggested_indexes
    shop.connection.execute(advice.statement.encode())
    assert shop.client.explain_stream_table("shop.kept").suggested_indexes == ()


@pytest.mark.parametrize(
    "index",
    [
        "CREATE INDEX ON shop.orders (customer_id) WHERE amount > 0",
        "CREATE INDEX ON shop.orders USING hash (customer_id)",
        "CREATE INDEX ON shop.orders ((customer_id + 0))",
        "CREATE INDEX ON shop.orders (amount) INCLUDE (customer_id)",
    ],
)
def test_an_index_that_does_not_lead_to_the_rows_does_not_count(shop: Shop, index: str) -> None:
    shop.connection.execute(index.encode())
    shop.client.create_stream_table("shop.kept", LOOK_UPS["join"][0])
    assert len(shop.client.explain_stream_table("shop.kept").suggested_indexes) == 1


def _complexity(shop: Shop, source: str) -> Complexity:
    found = shop.client.explain_stream_table("shop.kept").costs
    return next(cost.complexity for cost in found if cost.source == source)


def _scans(shop: Shop, statements: str) -> Iterator[tuple[str, str]]:
    """Yield how and where the statements read tables, as the planner has it in a session like that of a refresh."""
    with connect(shop.dsn) as session:
        session.execute(
            "SELECT set_config('pgtrickle.frontier', pg_current_snapshot()::text, false),"
            " set_config('pgtrickle.applied_xid', '0', false)"
        )
        for statement in statements.split(";\n\n"):
            cursor = session.execute(b"EXPLAIN (FORMAT JSON) " + statement.encode())
            yield from _nodes(cursor.fetchall()[0][0][0]["Plan"])


def _nodes(node: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if "Relation Name" in node:
        yield node["Node Type"], node["Relation Name"]
    for child in node.get("Plans", ()):
        yield from _nodes(child)
