"""A shop's day in seconds: small transactions of every kind, in a connection and thread of their own."""

from __future__ import annotations

import random
import threading
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pgtrickle.pg.connection import connect, transaction

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import TracebackType
    from typing import Self, TypeAlias

    from pgtrickle.pg.connection import Connection

    Change: TypeAlias = Callable[[Connection, random.Random], None]

SEED = 7
PAUSE_SECONDS = 0.015
REGIONS = ("north", "south", "east", "west")

_PLACE = "INSERT INTO orders (customer_id, status) VALUES (%s, 'placed') RETURNING id"
_ADD_LINES = """
    INSERT INTO order_lines (order_id, line, product_id, quantity)
    SELECT %s, line, 1 + (%s + line * 17) %% 100, %s FROM generate_series(1, %s) AS line
"""
_CANCEL = """
    UPDATE orders SET status = 'cancelled'
    WHERE id = (SELECT id FROM orders WHERE status = 'placed' AND id >= %s ORDER BY id LIMIT 1)
"""
_SHIP = """
    UPDATE orders SET status = 'shipped'
    WHERE id IN (SELECT id FROM orders WHERE status = 'placed' ORDER BY id LIMIT %s)
"""
_DELETE = "DELETE FROM orders WHERE id = (SELECT id FROM orders WHERE id >= %s ORDER BY id LIMIT 1)"
_QUANTITY = "UPDATE order_lines SET quantity = %s WHERE order_id = %s"
_PRICE = "UPDATE products SET price = greatest(1, round(price * %s::numeric, 2)) WHERE id = %s"
_MOVE = "UPDATE customers SET region = %s WHERE id = %s"


def place_order(connection: Connection, dice: random.Random) -> None:
    """Insert an order and its lines."""
    placed = connection.execute(_PLACE, (dice.randint(1, 400),)).fetchone()
    if placed is not None:
        lines = (placed[0], dice.randint(0, 99), dice.randint(1, 5), dice.randint(1, 4))
        connection.execute(_ADD_LINES, lines)


def cancel_order(connection: Connection, dice: random.Random) -> None:
    """Update an order so that it leaves the filter."""
    connection.execute(_CANCEL, (dice.randint(1, 2000),))


def ship_orders(connection: Connection, dice: random.Random) -> None:
    """Update a few orders at once."""
    connection.execute(_SHIP, (dice.randint(1, 3),))


def delete_order(connection: Connection, dice: random.Random) -> None:
    """Delete an order; its lines go with it."""
    connection.execute(_DELETE, (dice.randint(1, 2000),))


def change_quantity(connection: Connection, dice: random.Random) -> None:
    """Update the lines of an order."""
    connection.execute(_QUANTITY, (dice.randint(1, 9), dice.randint(1, 2000)))


def change_price(connection: Connection, dice: random.Random) -> None:
    """Update a product, and with it every sale of it."""
    connection.execute(_PRICE, (dice.choice(("0.90", "1.05", "1.10")), dice.randint(1, 100)))


def move_customer(connection: Connection, dice: random.Random) -> None:
    """Update a customer, whose sales move to another group."""
    connection.execute(_MOVE, (dice.choice(REGIONS), dice.randint(1, 400)))


WEIGHTS: dict[str, tuple[Change, int]] = {
    "orders placed": (place_order, 10),
    "shipped": (ship_orders, 4),
    "cancelled": (cancel_order, 3),
    "deleted": (delete_order, 2),
    "quantities changed": (change_quantity, 3),
    "prices changed": (change_price, 1),
    "customers moved": (move_customer, 1),
}


@dataclass(slots=True)
class Workload:
    """Changes the shop from a second connection for as long as the block lasts."""

    dsn: str
    applied: Counter[str] = field(default_factory=Counter)
    failure: BaseException | None = None
    _stop: threading.Event = field(default_factory=threading.Event)
    _thread: threading.Thread | None = None

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._run, name="demo workload")
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        if self._thread is not None:
            self._thread.join()
        if self.failure is not None and error is None:
            raise self.failure

    def _run(self) -> None:
        try:
            with connect(self.dsn, application_name="pgtrickle demo workload") as connection:
                self._change(connection, random.Random(SEED))  # noqa: S311 - a shop, not a secret
        except BaseException as error:
            self.failure = error

    def _change(self, connection: Connection, dice: random.Random) -> None:
        kinds = list(WEIGHTS)
        weights = [weight for _, weight in WEIGHTS.values()]
        while not self._stop.wait(PAUSE_SECONDS):
            kind = dice.choices(kinds, weights)[0]
            with transaction(connection):
                WEIGHTS[kind][0](connection, dice)
            self.applied[kind] += 1
