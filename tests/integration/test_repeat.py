"""A refresh in one round trip: right where the guess is right, and without a trace where it is wrong."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import pgtrickle
from pgtrickle import errors
from pgtrickle.engines.postgres import run
from pgtrickle.pg.lease import hold_in_transaction, refresh_key
from pgtrickle.refresh import repeat
from tests.support.shop import NAMED

if TYPE_CHECKING:
    from typing import LiteralString

    from pgtrickle.engines.postgres import Row, Step
    from pgtrickle.pg.connection import Connection
    from tests.support.shop import Shop

pytestmark = pytest.mark.pg

INSERT = "INSERT INTO shop.orders SELECT max(id) + 1, 1, 500 FROM shop.orders"


@pytest.fixture
def repeated(shop: Shop, monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """A stream table that has been refreshed twice, so that the next refresh is a guess; counts the guesses."""
    tried: list[int] = []

    def counted(connection: Connection, steps: list[Step]) -> list[Row | None]:
        tried.append(len(steps))
        return run(connection, steps)

    monkeypatch.setattr(repeat, "run", counted)
    shop.client.create_stream_table("shop.named", NAMED)
    shop.sql(INSERT)
    assert shop.client.refresh_stream_table("shop.named").inserted == 1
    assert tried == []
    return tried


def test_equal_facts_take_one_round_trip(shop: Shop, repeated: list[int]) -> None:
    for _ in range(3):
        shop.sql(INSERT)
        report = shop.client.refresh_stream_table("shop.named")
        assert (report.action, report.scope, report.inserted) == ("DIFFERENTIAL", "delta", 1)
        shop.assert_exact("shop.named", NAMED)
    assert len(repeated) == 3
    assert len(shop.client.refresh_history("shop.named")) == 4


def test_a_quiet_window_writes_nothing(shop: Shop, repeated: list[int]) -> None:
    before = shop.sql("SELECT xmin, snapshot::text FROM pgtrickle.frontiers")
    assert shop.client.refresh_stream_table("shop.named").action == "NO_DATA"
    assert shop.sql("SELECT xmin, snapshot::text FROM pgtrickle.frontiers") == before
    assert len(repeated) == 1


@pytest.mark.parametrize(
    ("change", "action"),
    [
        ("UPDATE shop.customers SET name = name || '!'", "DIFFERENTIAL"),
        ("TRUNCATE shop.orders", "FULL"),
        ("ALTER TABLE shop.orders ADD COLUMN later integer DEFAULT 1", "DIFFERENTIAL"),
        ("ALTER TABLE shop.orders DISABLE TRIGGER USER", "FULL"),
    ],
)
def test_other_facts_are_seen(
    shop: Shop, repeated: list[int], change: LiteralString, action: str
) -> None:
    shop.sql(change)
    shop.sql("INSERT INTO shop.orders (id, customer_id, amount) VALUES (5000, 1, 500)")
    assert shop.client.refresh_stream_table("shop.named").action == action
    assert len(repeated) == 1
    shop.assert_exact("shop.named", NAMED)


def test_a_table_suspended_meanwhile_is_not_refreshed(shop: Shop, repeated: list[int]) -> None:
    with pgtrickle.connect(shop.dsn) as other:
        other.alter_stream_table("shop.named", status="SUSPENDED")
    shop.sql(INSERT)
    before = shop.sql("SELECT xmin, snapshot::text FROM pgtrickle.frontiers")
    with pytest.raises(errors.SuspendedError):
        shop.client.refresh_stream_table("shop.named")
    assert repeated
    assert shop.sql("SELECT xmin, snapshot::text FROM pgtrickle.frontiers") == before


def test_another_refresh_that_runs_is_not_disturbed(shop: Shop, repeated: list[int]) -> None:
    shop.sql(INSERT)
    with pgtrickle.connect(shop.dsn) as other:
        table = other._load("shop.named")
        other._connection.execute("BEGIN")
        hold_in_transaction(other._connection, refresh_key(table.id))
        with pytest.raises(errors.ConflictError):
            shop.client.refresh_stream_table("shop.named")
        other._connection.execute("ROLLBACK")
    assert repeated
    assert shop.client.refresh_stream_table("shop.named").inserted == 1
    shop.assert_exact("shop.named", NAMED)


def test_a_statement_that_no_longer_fits_leads_to_what_it_would_have_led_to(shop: Shop) -> None:
    """A child of a source is dropped: the statements that read it fail, and the refresh stores the rows anew."""
    shop.sql("CREATE TABLE shop.late () INHERITS (shop.orders)")
    shop.client.create_stream_table("shop.named", NAMED)
    for _ in range(2):
        shop.sql("UPDATE shop.customers SET name = name || '!' WHERE id = 1")
        assert shop.client.refresh_stream_table("shop.named").action == "DIFFERENTIAL"
    shop.sql("INSERT INTO shop.late SELECT 9000, 1, 500")
    shop.sql("DROP TABLE shop.late")
    shop.sql("UPDATE shop.customers SET name = name || '!' WHERE id = 1")
    assert shop.client.refresh_stream_table("shop.named").action == "FULL"
    shop.assert_exact("shop.named", NAMED)
