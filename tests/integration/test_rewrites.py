"""What the compiler makes of a query before it plans it, told pass by pass."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.support.shop import Shop

pytestmark = pytest.mark.pg


def test_each_pass_says_what_it_did(shop: Shop) -> None:
    query = (
        "SELECT region, count(*) FILTER (WHERE id > 1), rank() OVER w FROM shop.customers"
        " GROUP BY region WINDOW w AS (ORDER BY region) ORDER BY region"
    )
    found = {each.name: each for each in shop.client.explain_query_rewrite(query)}
    did = [name for name, each in found.items() if each.changed]
    assert did == ["drop_order", "qualify", "inline_windows", "fold_filters"]
    assert "FILTER" in found["inline_windows"].sql
    assert "FILTER" not in found["fold_filters"].sql
    assert "WINDOW" not in found["inline_windows"].sql
