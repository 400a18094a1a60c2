"""Row hashes against Python's xxhash per row; fingerprints of two relations against EXCEPT ALL."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest
import xxhash

from benches.million import ROWS, TYPES, Million, a_million_rows, measured
from pgtrickle._core import MultisetHasher, row_hashes, tuple_hashes

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pytest_benchmark.fixture import BenchmarkFixture

NARROW = 100_000
WIDE, WIDE_BYTES = 10_000, 4096
HEADER, END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
INT8, INT4, TEXT = 20, 23, 25
# An audit by the database alone: rows missing, rows too many, all rows.
EXCEPT_ALL = b"""
SELECT (SELECT count(*) FROM (TABLE wanted EXCEPT ALL TABLE stored) c),
       (SELECT count(*) FROM (TABLE stored EXCEPT ALL TABLE wanted) c),
       (SELECT count(*) FROM stored)
"""


def encoded(row: tuple[int, int, str]) -> bytes:
    """Return the tuple of a narrow row, as careful Python packs it."""
    text = row[2].encode()
    return b"%b\0\0\0\4%b%b%b" % (
        b"\0\3\0\0\0\x08" + row[0].to_bytes(8, "big"),
        row[1].to_bytes(4, "big"),
        len(text).to_bytes(4, "big"),
        text,
    )


ROWS_NARROW = [(n, n % 1000, f"name {n}") for n in range(NARROW)]


@pytest.mark.benchmark(group="hash 100,000 narrow rows")
def bench_narrow_xxhash_per_row(benchmark: BenchmarkFixture) -> None:
    """Python: each tuple packed and hashed by a call."""
    seed = xxhash.xxh3_64_intdigest(struct.pack(">III", INT8, INT4, TEXT))
    digest = xxhash.xxh3_64_intdigest
    found = benchmark(lambda: [digest(encoded(row), seed) for row in ROWS_NARROW])
    assert found == tuple_hashes([INT8, INT4, TEXT], _stream(map(encoded, ROWS_NARROW))).tolist()


@pytest.mark.benchmark(group="hash 100,000 narrow rows")
def bench_narrow_xxhash_of_packed_rows(benchmark: BenchmarkFixture) -> None:
    """Python: only the calls, over tuples that someone else packed."""
    packed, digest = [encoded(row) for row in ROWS_NARROW], xxhash.xxh3_64_intdigest
    assert len(benchmark(lambda: [digest(row, 7) for row in packed])) == NARROW


@pytest.mark.benchmark(group="hash 100,000 narrow rows")
def bench_narrow_tuples(benchmark: BenchmarkFixture) -> None:
    """The core, over a COPY BINARY stream."""
    stream = _stream(map(encoded, ROWS_NARROW))
    assert len(benchmark(tuple_hashes, [INT8, INT4, TEXT], stream)) == NARROW


@pytest.mark.benchmark(group="hash 100,000 narrow rows")
def bench_narrow_arrow(benchmark: BenchmarkFixture) -> None:
    """The core, over Arrow columns."""
    ids, accounts, names = zip(*ROWS_NARROW, strict=True)
    types = (pa.int64(), pa.int32(), pa.string())
    columns = [pa.array(c, t) for c, t in zip((ids, accounts, names), types, strict=True)]
    table = pa.table(columns, names=["id", "account", "name"])
    found = benchmark(row_hashes, table)
    assert (
        found.tolist()
        == tuple_hashes([INT8, INT4, TEXT], _stream(map(encoded, ROWS_NARROW))).tolist()
    )


@pytest.mark.benchmark(group="hash 10,000 rows of 4 KiB")
def bench_wide_tuples(benchmark: BenchmarkFixture) -> None:
    """The core, over a COPY BINARY stream; the throughput is in `extra_info`."""
    row = b"\0\1" + struct.pack(">i", WIDE_BYTES) + b"x" * WIDE_BYTES
    found = benchmark(tuple_hashes, [TEXT], _stream([row] * WIDE))
    assert len(found) == WIDE
    if benchmark.stats is not None:
        gigabytes = WIDE * WIDE_BYTES / benchmark.stats["median"] / 1e9
        benchmark.extra_info["GB/s"] = round(gigabytes, 2)
        print(f"\nrows of 4 KiB: {gigabytes:.1f} GB/s")


def _stream(rows: Iterator[bytes] | list[bytes]) -> bytes:
    return HEADER + b"".join(rows) + END


@pytest.fixture(scope="module")
def million() -> Iterator[Million]:
    """The server, once for all measurements."""
    with a_million_rows() as opened:
        yield opened


def fingerprint(stream: Iterator[bytes]) -> tuple[int, str]:
    """Return rows and fingerprint of a stream."""
    hasher = MultisetHasher(TYPES)
    for chunk in stream:
        hasher.update(chunk)
    return hasher.finish()


@pytest.mark.benchmark(group="compare two relations of a million rows")
def bench_compare_fingerprints(benchmark: BenchmarkFixture, million: Million) -> None:
    """Two COPY BINARY streams, one after the other, each hashed as it comes."""
    pair = measured(
        benchmark, lambda: [fingerprint(million.stream(table)) for table in ("stored", "wanted")]
    )
    assert pair[0] == pair[1]
    assert pair[0][0] == ROWS


@pytest.mark.benchmark(group="compare two relations of a million rows")
def bench_compare_except_all(benchmark: BenchmarkFixture, million: Million) -> None:
    """The comparison that a fingerprint spares `pgtrickle verify`."""
    found = measured(benchmark, lambda: million.connection.execute(EXCEPT_ALL).fetchone())
    assert found == (0, 0, ROWS)
