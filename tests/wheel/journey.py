"""What a user does first, run by the Python of an environment that holds the wheel and nothing of this repository."""

from __future__ import annotations

from pathlib import Path

import pgtrickle
from pgtrickle import embedded

QUERY = "SELECT region, sum(amount) AS total FROM orders GROUP BY region"


def main() -> None:
    """Install, create, refresh and verify on the embedded server; say where the package was found."""
    with embedded.temporary() as server, pgtrickle.connect(server.dsn()) as client:
        client.install()
        orders = client._connection
        orders.execute("CREATE TABLE orders (id integer PRIMARY KEY, region text, amount integer)")
        orders.execute("INSERT INTO orders VALUES (1, 'north', 10), (2, 'south', 20)")
        client.create_stream_table("revenue", QUERY)
        orders.execute("UPDATE orders SET amount = 11 WHERE id = 1")
        assert client.refresh_stream_table("revenue").action is pgtrickle.Action.DIFFERENTIAL
        assert client.verify("revenue").matches
        rows = orders.execute("SELECT * FROM revenue ORDER BY region").fetchall()
        assert rows == [("north", 11), ("south", 20)], rows
    print(Path(pgtrickle.__file__).resolve())  # noqa: T201 - the test reads it


if __name__ == "__main__":
    main()
