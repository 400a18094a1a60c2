"""Stream tables of the shop whose sources change their shape, and what must hold then."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pgtrickle import errors
from tests.support.shop import LARGE, NAMED, TOTALS

if TYPE_CHECKING:
    from typing import LiteralString

    from tests.support.shop import Shop

QUERIES: dict[str, LiteralString] = {"large": LARGE, "named": NAMED, "totals": TOTALS}
CHANGE: LiteralString = "UPDATE shop.orders SET customer_id = 1 + customer_id % 20 WHERE id % 3 = 0"


def settle(shop: Shop, expected: str) -> None:
    """Assert that all three refresh by `expected`, are exact, and go on differentially, after a write of every kind."""
    for name, query in QUERIES.items():
        report = shop.client.refresh_stream_table(f"shop.{name}")
        assert report.action == expected, (name, report)
        assert (expected == "FULL") == ("changed" in report.reason), report.reason
        shop.assert_exact("shop." + name, query)
    shop.sql(CHANGE)
    shop.sql("DELETE FROM shop.orders WHERE id % 50 = 1")
    for name, query in QUERIES.items():
        report = shop.client.refresh_stream_table(f"shop.{name}")
        assert report.action == "DIFFERENTIAL", (name, report)
        shop.assert_exact("shop." + name, query)
        assert shop.client.verify(f"shop.{name}").matches


def create_all(shop: Shop) -> None:
    """Create a stream table for each of the queries."""
    for name, query in QUERIES.items():
        shop.client.create_stream_table(f"shop.{name}", query)


def assert_clear_error(shop: Shop, name: LiteralString, said: str) -> None:
    """Assert that a refresh fails for good with a hint, that its reader sees the old rows, and that status tells."""
    rows: LiteralString = "SELECT count(*) FROM " + name
    before = shop.sql(rows)
    for _ in range(2):
        with pytest.raises(errors.SourceError) as caught:
            shop.client.refresh_stream_table(name)
        assert not caught.value.retryable
        assert caught.value.hint
        assert said in str(caught.value)
    assert shop.sql(rows) == before
    status = next(each for each in shop.client.status() if each.name == name)
    assert status.status == "ERROR"
    assert said in (status.error or "")
