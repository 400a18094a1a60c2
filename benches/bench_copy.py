"""A million rows from the server into the client: as Arrow through the core, against the alternatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import adbc_driver_postgresql.dbapi as adbc
import pyarrow as pa
import pytest

from benches.million import COLUMNS, QUERY, ROWS, Million, a_million_rows, measured
from pgtrickle._core import CopyDecoder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_benchmark.fixture import BenchmarkFixture

pytestmark = pytest.mark.benchmark(group="a million rows to the client")


@pytest.fixture(scope="module")
def million() -> Iterator[Million]:
    """The server, once for all measurements."""
    with a_million_rows() as opened:
        yield opened


def decoded(stream: Iterator[bytes]) -> pa.Table:
    """Return the stream as a table."""
    decoder = CopyDecoder(COLUMNS)
    batches = [batch for chunk in stream for batch in decoder.feed(chunk)]
    if last := decoder.finish():
        batches.append(last)
    return pa.Table.from_batches([pa.record_batch(batch) for batch in batches])


def bench_copy_to_arrow(benchmark: BenchmarkFixture, million: Million) -> None:
    """COPY BINARY through the Rust decoder."""
    table = measured(benchmark, lambda: decoded(million.stream("stored")))
    assert table.num_rows == ROWS


def bench_adbc(benchmark: BenchmarkFixture, million: Million) -> None:
    """The Arrow driver of the ADBC project, which also reads COPY BINARY."""
    with adbc.connect(million.dsn) as connection, connection.cursor() as cursor:

        def fetch() -> pa.Table:
            cursor.execute(QUERY)
            return cursor.fetch_arrow_table()

        table = measured(benchmark, fetch)
    assert table.num_rows == ROWS


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def bench_psycopg_tuples(benchmark: BenchmarkFixture, million: Million, *, binary: bool) -> None:
    """Psycopg fetching the rows as tuples."""

    def fetch() -> list[tuple[object, ...]]:
        with million.connection.cursor(binary=binary) as cursor:
            return cursor.execute(QUERY.encode()).fetchall()

    rows = measured(benchmark, fetch)
    assert len(rows) == ROWS


def bench_decode_alone(benchmark: BenchmarkFixture, million: Million) -> None:
    """The decoder without the server: chunks in memory to Arrow."""
    chunks = list(million.stream("stored"))
    table = measured(benchmark, lambda: decoded(iter(chunks)))
    assert table.num_rows == ROWS
