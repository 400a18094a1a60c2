"""A table of a million narrow rows and its copy, on an embedded server: what the stream benches read."""

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
TYPES = [oid for _, oid, _ in COLUMNS]
TABLES = f"""
CREATE TABLE stored AS
SELECT n::int8 AS id, (n %% 1000)::int4 AS account, n * 1.5::float8 AS amount, 'name ' || n AS name,
       timestamptz '2026-01-01' + n * interval '1 second' AS created
FROM generate_series(1, {ROWS}) n;
CREATE TABLE wanted AS SELECT * FROM stored;
ANALYZE stored, wanted;
""".replace("%%", "%")
QUERY = "SELECT id, account, amount, name, created FROM stored"


@dataclass(frozen=True, slots=True)
class Million:
    """The way to the two tables."""

    dsn: str
    connection: Connection

    def stream(self, table: str) -> Iterator[bytes]:
        """Yield the table as COPY BINARY."""
        return copy_out(self.connection, f"COPY {table} TO STDOUT (FORMAT BINARY)".encode())


@contextmanager
def a_million_rows() -> Iterator[Million]:
    """Run a server with both tables for as long as the block lasts."""
    with embedded.temporary() as server, connect(server.dsn()) as connection:
        for statement in TABLES.split(";"):
            if statement.strip():
                connection.execute(statement.encode())
        yield Million(server.dsn(), connection)


def measured(benchmark: BenchmarkFixture, work: Callable[[], T]) -> T:
    """Measure work that takes about a second, and return what it returned last."""
    found: T = benchmark.pedantic(work, rounds=5, warmup_rounds=1)  # type: ignore[no-untyped-call]
    return found
