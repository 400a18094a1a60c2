"""The typed face of the Rust module; `mypy.stubtest` proves it against the build."""

from collections.abc import Sequence
from typing import Protocol, Self, final

__all__ = [
    "CacheStats",
    "CopyDecoder",
    "CopyError",
    "CycleError",
    "Graph",
    "Hashes",
    "MultisetHasher",
    "PlanCache",
    "RecordBatch",
    "__version__",
    "row_hashes",
    "tuple_hashes",
]

__version__: str

class CopyError(Exception):
    """A COPY BINARY stream or an Arrow column cannot be read.

    `row` (counted from 1) and `column` (its name) are attributes of the error; None where no
    single one is to blame. No message holds a value of a row.
    """

    row: int | None
    column: str | None

class CycleError(Exception):
    """The dependencies form a cycle.

    `path` is an attribute of the error (it is not in `args`): the ids of one cycle in the
    direction of the edges, from the smallest back to the smallest, as in `[1, 2, 3, 1]`.
    """

    path: list[int]

@final
class CacheStats:
    """What a plan cache has done since it was made, and what it holds now."""

    @property
    def hits(self) -> int: ...
    @property
    def misses(self) -> int: ...
    @property
    def evictions(self) -> int: ...
    @property
    def entries(self) -> int: ...

@final
class PlanCache:
    """A bounded cache of compiled plan texts, shared by threads.

    The changed set is a set: its order and repetitions do not matter.
    A capacity of 0 is a `ValueError`, a negative one an `OverflowError`.
    """

    def __new__(cls, capacity: int) -> Self: ...
    def get(self, table: int, generation: int, changed: Sequence[int]) -> str | None: ...
    def peek(self, table: int, generation: int, changed: Sequence[int]) -> str | None: ...
    def put(self, table: int, generation: int, changed: Sequence[int], text: str) -> None: ...
    def invalidate(self, table: int) -> int: ...
    def clear(self) -> None: ...
    def stats(self) -> CacheStats: ...

@final
class Graph:
    """Dependencies between tables; an edge goes from what is read to what reads it."""

    def __new__(cls, edges: Sequence[tuple[int, int]], nodes: Sequence[int] = ()) -> Self: ...
    def waves(self) -> list[list[int]]: ...
    def cycle(self) -> list[int] | None: ...

class _ArrowStream(Protocol):
    """A table, a batch or a reader, of any library that speaks Arrow."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class RecordBatch:
    """Rows in columns; `pyarrow.record_batch(batch)` takes it over without a copy."""

    @property
    def num_rows(self) -> int: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

@final
class CopyDecoder:
    """Decodes one COPY BINARY stream, which may come in chunks of any size, to Arrow.

    A column is its name, type OID and type modifier (-1 for none). A domain is given as its base
    type, an enum or another type whose binary image is its text as text (25), arrays of these as
    text[] (1009). A batch holds at most `batch_rows` rows, and fewer when they are large.
    `pyarrow.schema(decoder)` is the schema of the batches. After an error it stays refused.
    """

    def __new__(cls, columns: Sequence[tuple[str, int, int]], batch_rows: int = 65536) -> Self: ...
    def feed(self, chunk: bytes) -> list[RecordBatch]: ...
    def finish(self) -> RecordBatch | None: ...
    def __arrow_c_schema__(self) -> object: ...

@final
class MultisetHasher:
    """Sums the rows of one COPY BINARY stream to a fingerprint that ignores their order.

    `types` are the type OIDs of the columns: a domain as its base type, an array of a type that
    a user made as anyarray (2277). Rows are equal when PostgreSQL prints them the same, so 1.0 and
    1.00 differ as numerics, 0 and -0 as floats, and all NaN are one.
    """

    def __new__(cls, types: Sequence[int]) -> Self: ...
    def update(self, chunk: bytes) -> None: ...
    def finish(self) -> tuple[int, str]: ...

@final
class Hashes:
    """The 64-bit hashes of rows; `pyarrow.array(hashes)` takes them over without a copy."""

    def __len__(self) -> int: ...
    def tolist(self) -> list[int]: ...
    def __arrow_c_array__(
        self, requested_schema: object | None = None
    ) -> tuple[object, object]: ...

def tuple_hashes(types: Sequence[int], stream: bytes) -> Hashes: ...
def row_hashes(data: _ArrowStream) -> Hashes: ...
