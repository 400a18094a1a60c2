"""What the compiler knows of the database: relations, columns, keys, types, functions.

Facts only. They are read from the catalog elsewhere and arrive here as values; nothing in this module asks a server.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, NamedTuple

from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Mapping

HIDDEN_PREFIX = "__pgt_"
_PLAIN = re.compile(r"[a-z_][a-z0-9_]*")


class QualifiedName(NamedTuple):
    """A relation's schema and name, unquoted."""

    schema: str
    name: str

    @override
    def __str__(self) -> str:
        return f"{quoted(self.schema)}.{quoted(self.name)}"


def quoted(identifier: str) -> str:
    """Return `identifier` as PostgreSQL reads it back unchanged: in double quotes where it must be."""
    if _PLAIN.fullmatch(identifier):
        return identifier
    return '"' + identifier.replace('"', '""') + '"'


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeFacts:
    """What a type allows.

    `exact` means that equal values are the same value to a reader: true for integers and text, false for
    numeric without a declared scale (1.0 = 1.00), floats (0 = -0), interval, jsonb. `width` is how many bytes a
    value takes at most, None for text and all else that may outgrow an index entry. `array` also holds for a domain
    over an array. `native` is false for an extension's types: their operators are not found by name alone.
    """

    name: str
    hashable: bool = True
    comparable: bool = True
    exact: bool = True
    scale: int | None = None
    array: bool = False
    native: bool = True
    width: int | None = field(default=8, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """One column of a relation; `generated` is the expression of a virtual generated column."""

    name: str
    type: TypeFacts
    not_null: bool = False
    generated: str | None = None


class RelationKind(StrEnum):
    """How a relation is read and captured."""

    TABLE = "table"
    PARTITIONED = "partitioned"
    STREAM_TABLE = "stream_table"
    VIEW = "view"
    FOREIGN = "foreign"
    MATVIEW = "matview"
    STAGE = "stage"


CAPTURABLE = frozenset({RelationKind.TABLE, RelationKind.PARTITIONED, RelationKind.STREAM_TABLE})


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A table, view or stream table that a query may read.

    `stored_as` is the table that holds the rows (the storage of a stream table, else the relation itself).
    `members` are the inheritance tree's tables, the relation first; a partitioned table has none, it is read whole.
    `keys` are sets of NOT NULL columns that no two rows share, the primary key first.
    """

    name: QualifiedName
    kind: RelationKind
    columns: tuple[Column, ...]
    stored_as: QualifiedName
    members: tuple[QualifiedName, ...] = ()
    keys: tuple[tuple[str, ...], ...] = ()
    definition: str | None = None

    def column(self, name: str) -> Column | None:
        """Return the column called `name`, or None."""
        return next((column for column in self.columns if column.name == name), None)


class Volatility(StrEnum):
    """PostgreSQL's promise about a function, as pg_proc stores it."""

    IMMUTABLE = "i"
    STABLE = "s"
    VOLATILE = "v"


class FunctionKind(StrEnum):
    """What a function works on, as pg_proc stores it."""

    SCALAR = "f"
    AGGREGATE = "a"
    WINDOW = "w"


@dataclass(frozen=True, slots=True, kw_only=True)
class Function:
    """A function that the query calls, also through an operator or an aggregate."""

    schema: str
    name: str
    volatility: Volatility
    builtin: bool
    kind: FunctionKind = FunctionKind.SCALAR
    returns_set: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class StageFacts:
    """The storage of a stage, and the types that PostgreSQL gives its columns, in order."""

    storage: QualifiedName
    types: tuple[TypeFacts, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Schema:
    """Everything that one query refers to, directly or through views; the stages that are known so far."""

    relations: Mapping[QualifiedName, Relation]
    functions: tuple[Function, ...] = ()
    reads_clock: bool = False
    stages: tuple[StageFacts, ...] = ()

    def relation(self, name: QualifiedName) -> Relation | None:
        """Return the relation called `name`, or None."""
        return self.relations.get(name)
