"""The Rust decoder of COPY BINARY as Python sees it."""

from __future__ import annotations

import struct
import threading

import pyarrow as pa
import pytest

from pgtrickle._core import CopyDecoder, CopyError

INT4, TEXT, POINT = 23, 25, 600
HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
END = b"\xff\xff"


def row(*fields: bytes | None) -> bytes:
    """Return the tuple with these fields."""
    parts = [
        struct.pack(">i", -1) if field is None else struct.pack(">i", len(field)) + field
        for field in fields
    ]
    return struct.pack(">h", len(fields)) + b"".join(parts)


def test_rows_become_columns() -> None:
    decoder = CopyDecoder([("n", INT4, -1), ("t", TEXT, -1)])
    stream = HEADER + row(struct.pack(">i", 7), b"seven") + row(None, "ä".encode()) + END
    assert decoder.feed(stream) == []
    batch = decoder.finish()
    assert batch is not None
    assert batch.num_rows == 2
    taken = pa.record_batch(batch)
    assert taken.to_pydict() == {"n": [7, None], "t": ["seven", "ä"]}
    assert taken.schema == pa.schema(decoder)


def test_a_batch_outlives_its_decoder_and_is_not_copied() -> None:
    decoder = CopyDecoder([("n", INT4, -1)])
    decoder.feed(HEADER + row(struct.pack(">i", 7)) + END)
    batch = decoder.finish()
    del decoder
    buffers = [pa.record_batch(batch).column(0).buffers()[1] for _ in range(2)]
    del batch
    assert buffers[0].address == buffers[1].address
    assert buffers[0].to_pybytes() == struct.pack("<i", 7)


@pytest.mark.parametrize("size", [1, 3, 1000])
def test_chunks_may_end_anywhere(size: int) -> None:
    stream = HEADER + b"".join(row(struct.pack(">i", n)) for n in range(10)) + END
    decoder = CopyDecoder([("n", INT4, -1)], 4)
    batches = []
    for start in range(0, len(stream), size):
        batches += decoder.feed(stream[start : start + size])
    last = decoder.finish()
    assert last is not None
    found = [pa.record_batch(batch).column(0).to_pylist() for batch in [*batches, last]]
    assert found == [[0, 1, 2, 3], [4, 5, 6, 7], [8, 9]]


def test_no_rows_are_no_batch() -> None:
    decoder = CopyDecoder([("n", INT4, -1)])
    decoder.feed(HEADER + END)
    assert decoder.finish() is None


def test_an_error_tells_row_and_column_and_stays() -> None:
    decoder = CopyDecoder([("n", INT4, -1)])
    message = 'row 2, column "n": the value is not the binary image of the type int4'
    for _ in range(2):
        with pytest.raises(CopyError) as refused:
            decoder.feed(HEADER + row(None) + row(b"abc"))
        assert str(refused.value) == message
        assert (refused.value.row, refused.value.column) == (2, "n")


def test_a_type_without_a_decoder_names_its_column() -> None:
    with pytest.raises(CopyError, match="OID 600 has no decoder") as refused:
        CopyDecoder([("n", INT4, -1), ("p", POINT, -1)])
    assert (refused.value.row, refused.value.column) == (None, "p")


def test_a_truncated_stream_has_no_end() -> None:
    decoder = CopyDecoder([("n", INT4, -1)])
    decoder.feed(HEADER)
    with pytest.raises(CopyError, match="without its trailer"):
        decoder.finish()


def test_what_is_not_copy_binary_is_refused() -> None:
    with pytest.raises(CopyError, match="signature"):
        CopyDecoder([("n", INT4, -1)]).feed(b"1,one\n2,two\n3,three\n")


def test_two_threads_decode_at_once() -> None:
    stream = HEADER + row(b"x" * 100) * 50_000 + END
    found: list[int] = []

    def work() -> None:
        decoder = CopyDecoder([("t", TEXT, -1)])
        rows = sum(batch.num_rows for batch in decoder.feed(stream))
        last = decoder.finish()
        found.append(rows + (last.num_rows if last else 0))

    threads = [threading.Thread(target=work) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [50_000, 50_000]
