"""What identifies a stored row, as the compiler derives it."""

from __future__ import annotations

import pytest

from pgtrickle.dvm.compile import compile_query
from pgtrickle.dvm.plan.model import Bag, Keyed, RowsPlan
from tests.golden.shop import SCHEMA

JOINED = "shop.orders o JOIN shop.customers c ON ((c.id = o.customer_id))"


def _identity(query: str) -> Keyed | Bag:
    compiled = compile_query(query, SCHEMA)
    assert compiled.fallback is None
    return compiled.plan.identity


def test_a_selected_primary_key_is_the_key() -> None:
    assert _identity("SELECT id, amount FROM shop.orders") == Keyed(("id",))


def test_a_renamed_key_is_known_by_its_new_name() -> None:
    assert _identity("SELECT amount, id AS order_id FROM shop.orders") == Keyed(("order_id",))


def test_a_key_that_is_not_selected_is_stored_hidden() -> None:
    compiled = compile_query("SELECT amount FROM shop.orders", SCHEMA)
    assert isinstance(compiled.plan, RowsPlan)
    assert compiled.plan.identity == Keyed(("__pgt_key_1",))
    assert compiled.plan.visible == ("amount",)


def test_the_key_of_a_dimension_joined_by_its_key_adds_nothing() -> None:
    assert _identity(f"SELECT o.id, c.name FROM ({JOINED})") == Keyed(("id",))


def test_without_a_functional_dependency_the_keys_add_up() -> None:
    query = (
        "SELECT o.id, c.id AS c FROM (shop.orders o JOIN shop.customers c ON ((c.name = o.region)))"
    )
    assert _identity(query) == Keyed(("id", "c"))


def test_an_equality_in_where_counts_as_one_in_on() -> None:
    query = "SELECT o.id, c.name FROM shop.orders o, shop.customers c WHERE (c.id = o.customer_id)"
    assert _identity(query) == Keyed(("id",))


@pytest.mark.parametrize(
    "condition", ["(c.id > o.customer_id)", "((c.id = o.customer_id) OR (o.id = 1))"]
)
def test_other_conditions_determine_nothing(condition: str) -> None:
    query = f"SELECT o.id, c.id AS c FROM (shop.orders o JOIN shop.customers c ON ({condition}))"
    assert _identity(query) == Keyed(("id", "c"))


def test_a_table_without_a_key_makes_a_bag_of_every_join() -> None:
    assert _identity("SELECT kind FROM shop.events") == Bag()
    assert _identity("SELECT o.id, e.kind FROM shop.orders o, shop.events e") == Bag()


def test_a_key_survives_a_derived_table_that_hides_it() -> None:
    query = "SELECT s.amount FROM ( SELECT orders.amount FROM shop.orders) s"
    assert _identity(query) == Keyed(("__pgt_key_1",))


def test_group_keys_are_nullable_unless_proved_otherwise() -> None:
    by_region = "SELECT region, count(*) AS n FROM shop.orders GROUP BY region"
    assert _identity(by_region) == Keyed(("region",), frozenset({"region"}))
    by_customer = "SELECT customer_id, count(*) AS n FROM shop.orders GROUP BY customer_id"
    assert _identity(by_customer) == Keyed(("customer_id",))
