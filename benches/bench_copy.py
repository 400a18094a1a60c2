"""Whole tables from the server into the client: as Arrow through the core, against the alternatives."""

from __future__ import annotations

from typing import TYPE_CHECKING

import adbc_driver_postgresql.dbapi as adbc
import pyarrow as pa
import pytest

from benches.million import SHAPES, Million, Shape, a_million_rows, measured
from pgtrickle._core import CopyDecoder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_benchmark.fixture import BenchmarkFixture

pytestmark = pytest.mark.parametrize("shape", SHAPES, ids=lambda shape: shape.table)


@pytest.fixture(scope="module")
def million() -> Iterator[Million]:
    """The server, once for all measurements."""
    with a_million_rows() as opened:
        yield opened


def decoded(stream: Iterator[bytes], shape: Shape) -> pa.Table:
    """Return the stream as a table."""
    decoder = CopyDecoder(shape.columns)
    batches = [batch for chunk in stream for batch in decoder.feed(chunk)]
    if last := decoder.finish():
        batches.append(last)
    return pa.Table.from_batches([pa.record_batch(batch) for batch in batches])


def bench_copy_to_arrow(benchmark: BenchmarkFixture, million: Million, shape: Shape) -> None:
    """COPY BINARY through the Rust decoder."""
    benchmark.group = shape.table
    table = measured(benchmark, lambda: decoded(million.stream(shape.table), shape))
    assert table.num_rows == shape.rows


def bench_adbc(benchmark: BenchmarkFixture, million: Million, shape: Shape) -> None:
    """The Arrow driver of the ADBC project, which also reads COPY BINARY."""
    benchmark.group = shape.table
    with adbc.connect(million.dsn) as connection, connection.cursor() as cursor:

        def fetch() -> pa.Table:
            cursor.execute(shape.query)
            return cursor.fetch_arrow_table()

        table = measured(benchmark, fetch)
    assert table.num_rows == shape.rows


@pytest.mark.parametrize("binary", [False, True], ids=["text", "binary"])
def bench_psycopg_tuples(
    benchmark: BenchmarkFixture, million: Million, shape: Shape, *, binary: bool
) -> None:
    """Psycopg fetching the rows as tuples."""
    benchmark.group = shape.table

    def fetch() -> list[tuple[object, ...]]:
        with million.connection.cursor(binary=binary) as cursor:
            return cursor.execute(shape.query.encode()).fetchall()

    assert len(measured(benchmark, fetch)) == shape.rows


def bench_decode_alone(benchmark: BenchmarkFixture, million: Million, shape: Shape) -> None:
    """The decoder without the server: chunks in memory to Arrow."""
    benchmark.group = shape.table
    chunks = list(million.stream(shape.table))
    table = measured(benchmark, lambda: decoded(iter(chunks), shape))
    assert table.num_rows == shape.rows
