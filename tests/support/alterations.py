"""Queries that a stream table of the shop is altered to, and what a failed alter must leave as it was."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any, LiteralString

    from tests.support.shop import Shop

SMALL: LiteralString = "SELECT id, amount FROM shop.orders WHERE amount < 50"
WIDER: LiteralString = "SELECT id, amount, note FROM shop.orders WHERE amount < 50"
NARROWER: LiteralString = "SELECT id FROM shop.orders WHERE amount < 50"
RETYPED: LiteralString = "SELECT id, amount::float8 AS amount FROM shop.orders"
TURNED: LiteralString = "SELECT amount, id FROM shop.orders"
MEAN: LiteralString = "SELECT customer_id AS id, sum(amount) AS amount FROM shop.orders GROUP BY 1"


def state(shop: Shop) -> list[tuple[Any, ...]]:
    """Everything of ours and of the shop's views that a failed alter must leave as it was."""
    return [
        *sorted(shop.leftovers()),
        *shop.sql(
            "SELECT query, refresh_mode, schedule, status, options, generation FROM pgtrickle.stream_tables ORDER BY id"
        ),
        *shop.sql(
            "SELECT oid, relname, relacl::text FROM pg_class WHERE relkind = 'v' ORDER BY oid"
        ),
        *shop.sql("SELECT * FROM pgtrickle.dependencies ORDER BY 1, 2"),
    ]
