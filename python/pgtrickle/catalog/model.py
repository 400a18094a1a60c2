"""What is stored: stream tables, sources, captured columns, refreshes. Values; no IO."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NewType

from pgtrickle.dvm.schema import QualifiedName, RelationKind

if TYPE_CHECKING:
    from collections.abc import Mapping
    from datetime import datetime

    from pgtrickle.frontier import Frontier, Snapshot

StreamTableId = NewType("StreamTableId", int)
SourceId = NewType("SourceId", int)

CATALOG_SCHEMA = "pgtrickle"
CHANGES_SCHEMA = "pgtrickle_changes"
STATE_SCHEMA = "pgtrickle_state"
MAX_IDENTIFIER_BYTES = 63

# Keys of a stream table's options: how its rows are stored, the functions that its plan must know, the number of its
# stages and the id that they are named by, what a failed capture does, and whose place it takes.
LAYOUT = "layout"
FUNCTIONS = "functions"
STAGES = "stages"
STAGES_OF = "stages_of"
CAPTURE_FAILURE = "capture_failure"
REPLACES = "replaces"


class RefreshMode(StrEnum):
    """How a stream table is asked to be maintained."""

    AUTO = "AUTO"
    DIFFERENTIAL = "DIFFERENTIAL"
    FULL = "FULL"


class Status(StrEnum):
    """Where a stream table stands in its life."""

    POPULATING = "POPULATING"
    ACTIVE = "ACTIVE"
    SUSPENDED = "SUSPENDED"
    ERROR = "ERROR"


class CaptureFailure(StrEnum):
    """What a capture trigger does when it cannot write to the buffer."""

    REBUILD = "rebuild"
    FAIL = "fail"


class MarkKind(StrEnum):
    """Events in a source's history that rows cannot express."""

    TRUNCATE = "truncate"
    GAP = "gap"
    REBUILD = "rebuild"


class Action(StrEnum):
    """What a refresh did."""

    NO_DATA = "NO_DATA"
    DIFFERENTIAL = "DIFFERENTIAL"
    FULL = "FULL"


class Scope(StrEnum):
    """How much of the stream table a refresh looked at."""

    DELTA = "delta"
    ALL = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class CapturedColumn:
    """A source column and the buffer column that holds it (another name where ours would collide).

    `collation` is quoted and qualified, and None where the type has none.
    """

    name: str
    buffer_column: str
    type: str
    collation: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """A captured relation and its change buffer.

    `relation` is what a query names; `table` is where triggers sit (the storage of a stream table, else the same).
    """

    id: SourceId
    relation: QualifiedName
    table: QualifiedName
    table_oid: int
    kind: RelationKind
    columns: tuple[CapturedColumn, ...]
    capture_failure: CaptureFailure = CaptureFailure.REBUILD
    capture_version: int = 0
    floor: Snapshot | None = None

    @property
    def buffer(self) -> QualifiedName:
        """The change buffer's name."""
        return QualifiedName(CHANGES_SCHEMA, f"changes_{self.id}")


@dataclass(frozen=True, slots=True, kw_only=True)
class Dependency:
    """A source that a stream table reads, with the columns that it needs."""

    source: Source
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamTable:
    """One stream table, as stored. `query` is PostgreSQL's own, fully qualified text of the SELECT."""

    id: StreamTableId
    name: QualifiedName
    query: str
    query_hash: str
    refresh_mode: RefreshMode
    effective_mode: RefreshMode
    reasons: tuple[str, ...]
    status: Status
    schedule: str
    settings: dict[str, str]
    fingerprint: str
    generation: int
    relations: tuple[QualifiedName, ...] = ()
    error: str | None = None
    dependencies: tuple[Dependency, ...] = ()
    frontier: Frontier | None = None
    refreshed_at: datetime | None = None
    options: dict[str, str] = field(default_factory=dict)

    @property
    def storage(self) -> QualifiedName:
        """The table that holds the rows and the hidden columns."""
        return storage_name(self.name)

    @property
    def stages_of(self) -> int:
        """The id by which its stages are named: its own, or that of the replacement that it took them over from."""
        return int(self.options.get(STAGES_OF, self.id))


@dataclass(frozen=True, slots=True, kw_only=True)
class NewStreamTable:
    """A stream table that is about to be registered: everything the catalog does not fill in itself."""

    name: QualifiedName
    query: str
    query_hash: str
    refresh_mode: RefreshMode
    effective_mode: RefreshMode
    reasons: tuple[str, ...]
    schedule: str
    settings: dict[str, str]
    relations: tuple[QualifiedName, ...]
    dependencies: tuple[Dependency, ...]
    options: dict[str, str] = field(default_factory=dict)


def storage_name(name: QualifiedName) -> QualifiedName:
    """Return the storage table's name for the stream table `name`.

    It reads `schema.name`; a digest follows where that would be ambiguous or longer than an identifier may be.
    """
    plain = f"{name.schema}.{name.name}"
    if (
        len(plain.encode()) <= MAX_IDENTIFIER_BYTES
        and "." not in name.schema
        and "." not in name.name
    ):
        return QualifiedName(STATE_SCHEMA, plain)
    digest = hashlib.blake2s(str(name).encode(), digest_size=8).hexdigest()
    kept = plain.encode()[: MAX_IDENTIFIER_BYTES - len(digest) - 1].decode(errors="ignore")
    return QualifiedName(STATE_SCHEMA, f"{kept}~{digest}")


def replacement_name(id_: StreamTableId) -> QualifiedName:
    """Return the name under which the replacement of a stream table is filled: there is one at a time."""
    return QualifiedName(STATE_SCHEMA, f"~replacement of {id_}")


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshReport:
    """What one refresh did."""

    stream_table: str
    action: Action
    scope: Scope
    reason: str
    inserted: int
    updated: int
    deleted: int
    elapsed_ms: float
    snapshot: str


class DifferenceKind(StrEnum):
    """On which side alone a row is: `missing` from the stream table, or `extra` in it."""

    MISSING = "missing"
    EXTRA = "extra"


@dataclass(frozen=True, slots=True, kw_only=True)
class Difference:
    """A row that only the query or only the stream table has; its values as PostgreSQL prints them, by column."""

    kind: DifferenceKind
    row: Mapping[str, str | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class VerifyReport:
    """The audit of one stream table against its query, both in one snapshot.

    `differences` are the first of the rows that are `missing` or `extra`, in the order of their texts. `unlike` counts rows
    that equal the query's and print differently, as 1.0 for 1.00: no fault, because SQL leaves open which of them a group shows.
    """

    stream_table: str
    matches: bool
    missing: int
    extra: int
    rows: int
    snapshot: str
    unlike: int = 0
    differences: tuple[Difference, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshRecord:
    """One line of a stream table's history."""

    id: int
    stream_table: str
    action: Action
    scope: Scope
    reason: str
    started_at: datetime
    finished_at: datetime
    inserted: int
    updated: int
    deleted: int
    snapshot: str
    error: str | None
