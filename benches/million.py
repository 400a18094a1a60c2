"""A table of a million narrow rows, its copy, and a table of orders, on an embedded server: what the stream benches read.

Narrow rows are the hardest case for any reader: what a message costs is shared by few values. Orders are as wide as most tables.
"""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeVar

from pgtrickle import embedded
from pgtrickle.pg.connection import Connection, connect
from pgtrickle.pg.copy import copy_out

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_benchmark.fixture import BenchmarkFixture

T = TypeVar("T")

ROWS = 1_000_000
COLUMNS = [
    ("id", 20, -1),
    ("account", 23, -1),
    ("amount", 701, -1),
    ("name", 25, -1),
    ("created", 1184, -1),
]
ORDERS = 300_000
ORDER_COLUMNS = [
    ("id", 20, -1),
    ("customer", 23, -1),
    ("state", 25, -1),
    ("net", 1700, (12 << 16) + 2 + 4),
    ("tax", 1700, (12 << 16) + 2 + 4),
    ("placed", 1184, -1),
    ("shipped", 1082, -1),
    ("reference", 2950, -1),
    ("paid", 16, -1),
    ("note", 25, -1),
]
TYPES = [oid for _, oid, _ in COLUMNS]
TABLES = f"""
CREATE TABLE stored AS
SELECT n::int8 AS id, (n %% 1000)::int4 AS account, n * 1.5::float8 AS amount, 'name ' || n AS name,
       timestamptz '2026-01-01' + n * interval '1 second' AS created
FROM generate_series(1, {ROWS}) n;
CREATE TABLE wanted AS SELECT * FROM stored;
CREATE TABLE orders AS
SELECT n::int8 AS id, (n %% 1000)::int4 AS customer, (ARRAY['new', 'sent', 'back'])[n %% 3 + 1] AS state,
       (n * 1.37)::numeric(12, 2) AS net, (n * 0.19)::numeric(12, 2) AS tax,
       timestamptz '2026-01-01' + n * interval '1 second' AS placed, date '2026-01-01' + n %% 365 AS shipped,
       md5(n::text)::uuid AS reference, n %% 7 = 0 AS paid, nullif('note ' || n %% 10, 'note 3') AS note
FROM generate_series(1, {ORDERS}) n;
ANALYZE stored, wanted, orders;
""".replace("%%", "%")


@dataclass(frozen=True, slots=True)
class Shape:
    """A table to read."""

    table: str
    columns: list[tuple[str, int, int]]
    rows: int

    @property
    def query(self) -> str:
        """The query that reads all of it."""
        return f"SELECT * FROM {self.table}"


SHAPES = [Shape("stored", COLUMNS, ROWS), Shape("orders", ORDER_COLUMNS, ORDERS)]


@dataclass(frozen=True, slots=True)
class Million:
    """The way to the tables."""

    dsn: str
    connection: Connection

    def stream(self, table: str) -> Iterator[bytes]:
        """Yield the table as COPY BINARY."""
        return copy_out(self.connection, f"COPY {table} TO STDOUT (FORMAT BINARY)".encode())


@contextmanager
def a_million_rows() -> Iterator[Million]:
    """Run a server with the tables for as long as the block lasts."""
    with embedded.temporary() as server, connect(server.dsn()) as connection:
        for statement in TABLES.split(";"):
            if statement.strip():
                connection.execute(statement.encode())
        yield Million(server.dsn(), connection)


def measured(benchmark: BenchmarkFixture, work: Callable[[], T]) -> T:
    """Measure work that takes about a second, and return what it returned last."""
    found: T = benchmark.pedantic(work, rounds=5, warmup_rounds=1)  # type: ignore[no-untyped-call]
    return found
