"""The typed face of the Rust module; `mypy.stubtest` proves it against the build."""

from collections.abc import Sequence
from typing import Protocol, Self, final

__all__ = [
    "Batch",
    "CacheStats",
    "Column",
    "ColumnValues",
    "CopyDecoder",
    "CopyError",
    "CycleError",
    "Decoder",
    "Event",
    "Graph",
    "Hashes",
    "ImageError",
    "MultisetHasher",
    "PgoutputError",
    "PlanCache",
    "RecordBatch",
    "TableChanges",
    "__version__",
    "net",
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

class PgoutputError(Exception):
    """A replication message cannot be read; `message` is its number in the batch."""

    message: int

class ImageError(Exception):
    """Changes cannot be written as asked for.

    A column is missing, a value is not told by the replica identity or came in the other format, or a transaction
    id is not older than the next one.
    """

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
    def diamonds(self) -> list[list[int]]: ...
    def components(self) -> list[list[int]]: ...
    def with_node(self, node: int, upstreams: Sequence[int]) -> Graph: ...
    def without_node(self, node: int) -> Graph: ...
    def __len__(self) -> int: ...

def net(actions: bytes, images: Sequence[bytes], groups: Sequence[int] | None = None) -> list[int]:
    """Return the numbers of the rows that remain when I and D of equal images cancel.

    `actions` holds a letter for each image. Rows of different groups do not cancel.
    """

@final
class Decoder:
    """Reads the messages of one replication session, in order; a new session needs a new one.

    A batch that cannot be read raises `PgoutputError` and leaves the decoder as it was.
    """

    def __new__(cls) -> Self: ...
    def decode(self, messages: Sequence[bytes]) -> Batch: ...

@final
class Batch:
    """What a batch of messages told: rows by table and shape, and the events between them."""

    def tables(self) -> list[TableChanges]: ...
    def events(self) -> list[Event]: ...

@final
class Event:
    """A message that is neither a row nor the shape of a table; what it does not tell is None.

    `kind` is its name in PostgreSQL's documentation, such as "Stream Commit"; `message` its number in the batch.
    Positions are 64-bit numbers, times microseconds since 2000-01-01 UTC. `name` is that of an origin, a type, a
    prepared transaction (its gid) or a message's prefix.
    """

    @property
    def message(self) -> int: ...
    @property
    def kind(self) -> str: ...
    @property
    def xid(self) -> int | None: ...
    @property
    def subxid(self) -> int | None: ...
    @property
    def lsn(self) -> int | None: ...
    @property
    def end_lsn(self) -> int | None: ...
    @property
    def time(self) -> int | None: ...
    @property
    def name(self) -> str | None: ...
    @property
    def relations(self) -> list[int] | None: ...
    @property
    def content(self) -> bytes | None: ...

@final
class Column:
    """A published column."""

    @property
    def name(self) -> str: ...
    @property
    def type_oid(self) -> int: ...
    @property
    def type_modifier(self) -> int: ...
    @property
    def is_key(self) -> bool: ...

@final
class ColumnValues:
    """The values of one column, laid out as Arrow's binary arrays are.

    `kinds` has a letter for each row: n for NULL, t for text, b for binary, u for a value that is not told.
    `offsets` are native 32-bit integers, one more than there are rows, into `values`.
    """

    @property
    def kinds(self) -> bytes: ...
    @property
    def offsets(self) -> bytes: ...
    @property
    def values(self) -> bytes: ...

@final
class TableChanges:
    """The rows of one table in one shape, in the order in which they changed.

    `actions` has a letter for each row, D or I; an update is a D and then an I. `xids`, `subxids` and `messages`
    are native 32-bit unsigned integers, one for each row. A value that the replica identity does not tell has
    kind u; COPY input cannot hold one.
    """

    @property
    def oid(self) -> int: ...
    @property
    def schema(self) -> str: ...
    @property
    def name(self) -> str: ...
    @property
    def replica_identity(self) -> str: ...
    @property
    def columns(self) -> list[Column]: ...
    @property
    def actions(self) -> bytes: ...
    @property
    def xids(self) -> bytes: ...
    @property
    def subxids(self) -> bytes: ...
    @property
    def messages(self) -> bytes: ...
    def __len__(self) -> int: ...
    def column(self, name: str) -> ColumnValues: ...
    def net(self, columns: Sequence[str], *, across_transactions: bool = False) -> TableChanges: ...
    def copy_binary(self, columns: Sequence[str], next_xid: int) -> bytes: ...
    def copy_text(self, columns: Sequence[str], next_xid: int) -> bytes: ...

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
