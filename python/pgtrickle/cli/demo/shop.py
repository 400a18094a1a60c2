"""The shop's tables, and the stream tables above them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from pgtrickle.api import Client
    from pgtrickle.pg.connection import Connection

TABLES = ("customers", "products", "orders", "order_lines")


@dataclass(frozen=True, slots=True)
class Definition:
    """A stream table of the demonstration: its name, what it shows, and its query."""

    name: str
    shows: str
    query: str


CHAIN = (
    Definition(
        "valid_orders",
        "filter",
        "SELECT id, customer_id, status, placed_at FROM orders WHERE status <> 'cancelled'",
    ),
    Definition(
        "sales",
        "join of 4, one of them a stream table",
        """
        SELECT l.order_id, l.line, c.region, p.category, p.name AS product, l.quantity,
               (l.quantity * p.price)::numeric(12, 2) AS amount
        FROM valid_orders AS o
        JOIN order_lines AS l ON l.order_id = o.id
        JOIN products AS p ON p.id = l.product_id
        JOIN customers AS c ON c.id = o.customer_id
        """,
    ),
    Definition(
        "product_sales",
        "aggregate on a stream table",
        """
        SELECT region, category, product, count(*) AS lines, sum(quantity) AS units,
               sum(amount)::numeric(14, 2) AS revenue, max(amount) AS largest
        FROM sales GROUP BY region, category, product
        """,
    ),
    Definition(
        "region_revenue",
        "aggregate on an aggregate",
        """
        SELECT region, sum(lines) AS lines, sum(revenue) AS revenue, max(largest) AS largest
        FROM product_sales GROUP BY region
        """,
    ),
    Definition(
        "category_prices",
        "aggregate",
        """
        SELECT category, count(*) AS products, min(price) AS cheapest, max(price) AS dearest,
               avg(price) AS average
        FROM products GROUP BY category
        """,
    ),
)


def open_shop(connection: Connection) -> dict[str, int]:
    """Create and fill the shop's tables and return how many rows each has."""
    connection.execute(statement("pgtrickle.cli.demo", "shop.sql"))
    counts = connection.execute(statement("pgtrickle.cli.demo", "counts.sql")).fetchone() or ()
    return dict(zip(TABLES, counts, strict=True))


def create_chain(client: Client) -> None:
    """Create the catalog and every stream table of the chain; none may fall back to FULL."""
    client.install()
    for definition in CHAIN:
        client.create_stream_table(definition.name, definition.query, strict=True)
