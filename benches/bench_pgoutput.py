"""Decoding of replication messages, against a decoder in pure Python over the same bytes of a real server."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

import psycopg
import pytest

from pgtrickle import embedded
from pgtrickle._core import Batch, Decoder, Graph, net
from tests.support.pgoutput import core, narrow
from tests.support.pgoutput.capture import SETTINGS
from tests.support.pgoutput.reference import ReferenceDecoder

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from pytest_benchmark.fixture import BenchmarkFixture

ROWS = 80_000
COLUMNS = ["id", "account", "amount", "paid"]
ROUNDS = 5


@pytest.fixture(scope="module", params=[False, True], ids=["text", "binary"])
def messages(request: pytest.FixtureRequest) -> Iterator[list[bytes]]:
    """200,000 inserts, updates and deletes of rows with four narrow columns."""
    settings = SETTINGS | {"logical_decoding_work_mem": "256MB"}
    with (
        embedded.temporary(settings=settings) as server,
        psycopg.connect(server.dsn(), autocommit=True) as connection,
    ):
        yield narrow.capture(connection, ROWS, binary=request.param)


def _rust(messages: list[bytes]) -> Batch:
    return Decoder().decode(messages)


def _python(messages: list[bytes]) -> ReferenceDecoder:
    decoder = ReferenceDecoder()
    decoder.decode(messages)
    return decoder


def _seconds(work: Callable[[list[bytes]], object], messages: list[bytes]) -> float:
    start = time.perf_counter()
    work(messages)
    return time.perf_counter() - start


def bench_decode(benchmark: BenchmarkFixture, messages: list[bytes]) -> None:
    """Decode all messages in one call."""
    batch = benchmark(_rust, messages)
    assert sum(map(len, batch.tables())) == ROWS * 7 // 2


def bench_decode_in_python(benchmark: BenchmarkFixture, messages: list[bytes]) -> None:
    """Decode them one by one in Python."""
    benchmark.pedantic(_python, [messages], rounds=2)  # type: ignore[no-untyped-call]


def bench_ratio(benchmark: BenchmarkFixture, messages: list[bytes]) -> None:
    """Compare the two in turn, by the best of a few rounds each, and the answers as well."""
    pairs = [(_seconds(_rust, messages), _seconds(_python, messages)) for _ in range(ROUNDS)]
    rust, python = (min(times) for times in zip(*pairs, strict=True))
    rate = len(messages) / rust
    print(f"\npgoutput: {rate:,.0f} row changes/s, {python / rust:.0f} times the Python decoder")
    assert core.rows(_rust(messages)) == _python(messages).rows
    assert python / rust >= 20
    benchmark.pedantic(_rust, [messages], rounds=1)  # type: ignore[no-untyped-call]


def bench_copy(benchmark: BenchmarkFixture, messages: list[bytes]) -> None:
    """Write the decoded changes as COPY input for a change buffer."""
    (changes,) = _rust(messages).tables()
    binary = changes.column("id").kinds.startswith(b"b")
    write = changes.copy_binary if binary else changes.copy_text
    benchmark(write, COLUMNS, 1 << 40)


def bench_columns(benchmark: BenchmarkFixture, messages: list[bytes]) -> None:
    """Lay out the decoded changes by column."""
    (changes,) = _rust(messages).tables()
    benchmark(lambda: [changes.column(name) for name in COLUMNS])


def bench_net_changes(benchmark: BenchmarkFixture, messages: list[bytes]) -> None:
    """Net the decoded changes over all transactions."""
    (changes,) = _rust(messages).tables()
    netted = benchmark(lambda: changes.net(COLUMNS, across_transactions=True))
    assert len(netted) == ROWS // 2


def bench_net_images(benchmark: BenchmarkFixture) -> None:
    """Net 100,000 images that come from Python, a tenth of them left."""
    images = [str(number // 10).encode() for number in range(100_000)]
    kept = benchmark(net, b"IDIDIIDIDI" * 10_000, images)
    assert len(kept) == 20_000


def bench_diamonds(benchmark: BenchmarkFixture) -> None:
    """Find the diamonds of 1,000 tables that stand in a ladder."""
    edges = [
        (3 * step + above, 3 * step + below)
        for step in range(333)
        for above, below in ((0, 1), (0, 2), (1, 3), (2, 3))
    ]
    graph = Graph(edges)
    assert len(benchmark(graph.diamonds)) == 333
