"""What a change of each source costs, as the plan tells it, and which indexes are missing."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pgtrickle.dvm.analysis.cost import (
    Complexity,
    costs,
    missing_indexes,
    reads_by_source,
)
from tests.golden.shop import CUSTOMERS, ORDERS, staged, storage

if TYPE_CHECKING:
    from pgtrickle.dvm.analysis.cost import Indexes, Reads, SourceCost

BY_CUSTOMER: Indexes = {ORDERS.name: [("id",), ("customer_id", "region")]}
BY_REGION: Indexes = {ORDERS.name: [("id",), ("region",)]}
JOINED = "(shop.orders o JOIN shop.customers c ON ((c.id = o.customer_id)))"
LEFT_JOINED = "(shop.customers c LEFT JOIN shop.orders o ON ((c.id = o.customer_id)))"
WITH_ORDERS = (
    "SELECT c.name FROM shop.customers c"
    " WHERE (EXISTS ( SELECT 1 FROM shop.orders o WHERE (o.customer_id = c.id)))"
)
LARGEST = (
    "SELECT c.name, t.n FROM (shop.customers c JOIN ( SELECT orders.customer_id, max(orders.amount) AS n"
    " FROM shop.orders GROUP BY orders.customer_id) t ON ((t.customer_id = c.id)))"
)
RANKED = (
    "SELECT id, rank() OVER (PARTITION BY customer_id ORDER BY amount, id) AS r FROM shop.orders"
)


def _reads(query: str) -> Reads:
    compiled = staged(query)
    parts = [(stage.plan, stage.relation.name) for stage in compiled.stages]
    parts.append((compiled.plan, storage(compiled.plan).name))
    return reads_by_source(parts, [use.relation for use in compiled.sources])


def _cost(query: str, source: str, indexes: Indexes) -> SourceCost:
    return next(each for each in costs(_reads(query), indexes) if each.source == f"shop.{source}")


def _suggested(query: str, indexes: Indexes) -> list[str]:
    advice = missing_indexes(_reads(query), indexes, [ORDERS.name, CUSTOMERS.name])
    return [each.statement for each in advice]


@pytest.mark.parametrize(
    "query",
    [
        "SELECT id FROM shop.orders WHERE (amount > (1)::numeric)",
        "SELECT customer_id, count(*) AS n FROM shop.orders GROUP BY customer_id",
        "SELECT DISTINCT region FROM shop.orders",
        "SELECT id FROM shop.orders UNION ALL SELECT id FROM shop.customers",
    ],
)
def test_what_follows_from_the_change_alone_reads_nothing_else(query: str) -> None:
    cost = _cost(query, "orders", {})
    assert (cost.complexity, cost.reads) == (Complexity.CHANGE, ())
    assert _suggested(query, {}) == []


def test_a_join_looks_up_one_row_by_a_key_and_all_matches_by_another_column() -> None:
    query = f"SELECT o.id, c.name FROM {JOINED}"
    assert _cost(query, "orders", {}).complexity is Complexity.LOOKUPS
    assert _cost(query, "orders", {}).reads == ("shop.customers by (id): one row each",)
    assert _cost(query, "customers", BY_CUSTOMER).complexity is Complexity.MATCHES
    without = _cost(query, "customers", {})
    assert without.complexity is Complexity.WHOLE
    assert without.reads == ("all of shop.orders: no index on (customer_id)",)


def test_the_missing_index_is_the_one_that_the_look_up_needs() -> None:
    query = f"SELECT o.id, c.name FROM {JOINED}"
    assert _suggested(query, {}) == ['CREATE INDEX ON "shop"."orders"("customer_id")']
    assert _suggested(query, BY_CUSTOMER) == []
    expression: Indexes = {ORDERS.name: [(None, "customer_id")]}
    assert len(_suggested(query, expression)) == 1


@pytest.mark.parametrize("first", ["customer_id", "region"])
def test_the_order_of_the_columns_of_an_index_does_not_matter(first: str) -> None:
    query = (
        "SELECT o.id, c.id AS c FROM (shop.orders o JOIN shop.customers c"
        " ON (((c.id = o.customer_id) AND (c.name = o.region))))"
    )
    both = sorted(["customer_id", "region"], key=lambda name: name != first)
    assert _suggested(query, {ORDERS.name: [tuple(both)]}) == []
    # An index on one of them helps, so nothing is read whole; one on both would help more.
    one: Indexes = {ORDERS.name: [(first,)]}
    assert _cost(query, "customers", one).complexity is Complexity.MATCHES
    assert _suggested(query, one) == ['CREATE INDEX ON "shop"."orders"("customer_id", "region")']


def test_without_an_equality_the_other_side_is_read_whole_and_no_index_is_suggested() -> None:
    query = "SELECT o.id, c.id AS c FROM (shop.orders o JOIN shop.customers c ON ((c.id > o.id)))"
    cost = _cost(query, "orders", {})
    assert cost.complexity is Complexity.WHOLE
    assert cost.reads == ("all of shop.customers: no equality leads to its rows",)
    assert _suggested(query, {}) == []


@pytest.mark.parametrize("query", [WITH_ORDERS, f"SELECT c.id, o.amount FROM {LEFT_JOINED}"])
def test_matches_are_counted_so_both_sides_are_looked_up(query: str) -> None:
    reads = _cost(query, "orders", BY_CUSTOMER).reads
    assert set(reads) == {
        "shop.customers by (id): one row each",
        "shop.orders by (customer_id): the matching rows",
    }
    assert _suggested(query, {}) == ['CREATE INDEX ON "shop"."orders"("customer_id")']


@pytest.mark.parametrize(
    ("function", "rows"),
    [
        ("max(amount)", "the rows of groups whose extremum left"),
        ("array_agg(amount)", "the rows of changed groups"),
    ],
)
def test_groups_that_are_read_again_want_an_index_on_the_group(function: str, rows: str) -> None:
    query = f"SELECT region, {function} AS f FROM shop.orders GROUP BY region"
    assert _suggested(query, {}) == ['CREATE INDEX ON "shop"."orders"("region")']
    cost = _cost(query, "orders", BY_REGION)
    assert cost.complexity is Complexity.GROUPS
    assert cost.reads == (f"shop.orders by (region): {rows}",)


def test_one_group_of_all_rows_is_read_whole() -> None:
    query = "SELECT array_agg(amount) AS f FROM shop.orders"
    assert _cost(query, "orders", {}).complexity is Complexity.WHOLE


def test_a_window_reads_the_changed_partitions() -> None:
    assert _cost(RANKED, "orders", BY_CUSTOMER).complexity is Complexity.GROUPS
    assert _suggested(RANKED, {}) == ['CREATE INDEX ON "shop"."orders"("customer_id")']


def test_a_set_operation_looks_rows_up_on_both_sides() -> None:
    query = "SELECT id FROM shop.orders EXCEPT SELECT id FROM shop.customers"
    assert _cost(query, "orders", {}).reads == (
        "shop.orders by (id): the rows of changed partitions",
        "shop.customers by (id): the rows of changed partitions",
    )
    assert _suggested(query, {}) == []


def test_a_limit_computes_everything_again() -> None:
    query = "SELECT id FROM shop.orders ORDER BY amount DESC LIMIT 3"
    cost = _cost(query, "orders", {})
    assert cost.complexity is Complexity.EVERYTHING
    assert cost.reads == ("all of shop.orders",)


def test_a_change_of_a_stage_counts_as_a_change_of_what_it_reads() -> None:
    reads = _cost(LARGEST, "orders", BY_CUSTOMER).reads
    assert "shop.orders by (customer_id): the rows of groups whose extremum left" in reads
    assert "shop.customers by (id): one row each" in reads


def test_inputs_reached_through_another_are_looked_up_too() -> None:
    query = (
        "SELECT o.id, p.id AS p FROM ((shop.orders o JOIN shop.customers c ON ((c.id = o.customer_id)))"
        " JOIN shop.orders p ON ((p.region = c.name)))"
    )
    assert "shop.orders by (region): the matching rows" in _cost(query, "orders", BY_REGION).reads
