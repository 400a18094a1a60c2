"""Row hashes and fingerprints of the Rust core as Python sees them."""

from __future__ import annotations

import struct

import pyarrow as pa
import pytest
import xxhash

from pgtrickle._core import CopyError, MultisetHasher, row_hashes, tuple_hashes
from tests.unit.test_core_copy import END, HEADER, row

INT4, TEXT = 23, 25
ROWS = [row(struct.pack(">i", 7), b"seven"), row(None, b""), row(struct.pack(">i", 0), None)]


def fingerprint(rows: list[bytes], size: int = 1000) -> tuple[int, str]:
    hasher = MultisetHasher([INT4, TEXT])
    stream = HEADER + b"".join(rows) + END
    for start in range(0, len(stream), size):
        hasher.update(stream[start : start + size])
    return hasher.finish()


def seed() -> int:
    return xxhash.xxh3_64_intdigest(struct.pack(">II", INT4, TEXT))


def test_a_row_hash_is_xxh3_of_the_tuple_seeded_with_the_types() -> None:
    found = tuple_hashes([INT4, TEXT], HEADER + b"".join(ROWS) + END)
    assert found.tolist() == [xxhash.xxh3_64_intdigest(row, seed()) for row in ROWS]
    assert len(found) == 3


def test_a_fingerprint_is_the_sum_of_the_row_hashes() -> None:
    total = sum(xxhash.xxh3_128_intdigest(row, seed()) for row in ROWS) % 2**128
    assert fingerprint(ROWS) == (3, f"{total:032x}")


def test_neither_order_nor_chunks_matter() -> None:
    assert fingerprint(ROWS) == fingerprint(ROWS[::-1], size=1)
    assert fingerprint(ROWS) != fingerprint([*ROWS, ROWS[0]])


def test_arrow_rows_hash_like_their_tuples() -> None:
    table = pa.table(
        {
            "n": pa.array([7, None, 0], pa.int32()),
            "t": pa.array(["seven", "", None]),
        }
    )
    found = row_hashes(table)
    assert found.tolist() == [xxhash.xxh3_64_intdigest(row, seed()) for row in ROWS]
    assert pa.array(found).type == pa.uint64()
    assert pa.array(found).to_pylist() == found.tolist()
    sliced = row_hashes(table.slice(1, 2))
    assert sliced.tolist() == found.tolist()[1:]


def test_lists_hash_element_by_element() -> None:
    lists = pa.table({"l": pa.array([[1, 2], [], None, [1, None], [12]], pa.list_(pa.int32()))})
    found = row_hashes(lists).tolist()
    assert len(set(found)) == 5
    assert row_hashes(lists.slice(3)).tolist() == found[3:]


def test_an_arrow_type_without_an_image_names_its_column() -> None:
    table = pa.table({"d": pa.array([b"x"]), "s": pa.array([{"a": 1}])})
    with pytest.raises(CopyError, match='column "s": the Arrow type') as refused:
        row_hashes(table)
    assert refused.value.column == "s"


def test_what_is_not_arrow_is_a_type_error() -> None:
    with pytest.raises(TypeError, match="__arrow_c_stream__"):
        row_hashes([1, 2])  # type: ignore[arg-type]


def test_a_stream_that_ends_early_has_no_fingerprint() -> None:
    hasher = MultisetHasher([INT4, TEXT])
    hasher.update(HEADER + ROWS[0])
    with pytest.raises(CopyError, match="without its trailer"):
        hasher.finish()


def test_a_wrong_number_of_columns_is_told() -> None:
    with pytest.raises(CopyError, match="the row has 2 fields, and 1 columns are declared"):
        tuple_hashes([INT4], HEADER + ROWS[0] + END)
