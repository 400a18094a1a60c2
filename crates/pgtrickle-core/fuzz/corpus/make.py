"""Writes the seeds of the corpus: for each shape of columns one short stream that a server could send."""

from __future__ import annotations

import struct
from pathlib import Path

HEADER, END = b"PGCOPY\n\xff\r\n\0" + bytes(8), b"\xff\xff"
NUMERIC = struct.pack(">hhHH3H", 3, 1, 0x4000, 2, 1, 2345, 6700)
INT4, EIGHT = struct.pack(">i", 7), struct.pack(">q", 86_399_000_000)


def array(element: int, *items: bytes) -> bytes:
    """Return a one-dimensional array."""
    head = struct.pack(">iiIii", 1, 0, element, len(items), 1)
    return head + b"".join(struct.pack(">i", len(item)) + item for item in items)


# In the order of SHAPES in fuzz_targets/copy.rs.
ROWS: list[list[bytes]] = [
    [], [b"\1"], [b"\0\xff"], [b"a"], [EIGHT], [b"\0\7"], [INT4], ["ä".encode()], [INT4],
    [struct.pack(">f", 1.5)], [struct.pack(">d", float("nan"))], [INT4], [EIGHT], [EIGHT], [EIGHT],
    [struct.pack(">qii", 1, 2, 3)], [NUMERIC], [NUMERIC], [NUMERIC], [bytes(range(16))],
    [b'\1{"a": 1}'], [array(23, INT4)], [array(25, b"a", b"")],
    [array(701, struct.pack(">d", -0.0))], [array(1700, NUMERIC)], [array(1700, NUMERIC)],
    [INT4, b"text", struct.pack(">d", 1.5), EIGHT, array(25, b"x")],
]  # fmt: skip


def stream(fields: list[bytes]) -> bytes:
    """Return the row, a row of NULLs, and what is around them."""
    count = struct.pack(">h", len(fields))
    row = count + b"".join(struct.pack(">i", len(field)) + field for field in fields)
    return HEADER + row + count + struct.pack(">i", -1) * len(fields) + END


if __name__ == "__main__":
    folder = Path(__file__).parent / "copy"
    for at, fields in enumerate(ROWS):
        (folder / f"shape{at:02}").write_bytes(bytes([at, 5 + at]) + stream(fields))
