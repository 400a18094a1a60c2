"""What a query reads: fields with their types, and sources that hold them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from enum import StrEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.law.domains import Domain
    from tests.law.features import Feature


class KeyKind(StrEnum):
    """How a table tells its rows apart."""

    PRIMARY = "primary key"
    UNIQUE = "unique"
    DEFERRABLE = "primary key deferrable"
    NONE = "no key"


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a table. Names are kept as SQL text, quoted where they must be."""

    name: str
    domain: Domain
    nullable: bool = True


@dataclass(frozen=True, slots=True)
class Table:
    """A base table; `key` is empty for a bag."""

    name: str
    columns: tuple[Column, ...]
    key: tuple[Column, ...]
    kind: KeyKind

    def others(self) -> tuple[Column, ...]:
        """Return the columns outside the key."""
        return tuple(column for column in self.columns if column not in self.key)


@dataclass(frozen=True, slots=True)
class Field:
    """A column in the scope of a query: how to refer to it, and its type.

    `settled` says that SQL determines how the value prints, not only what it equals.
    """

    name: str
    ref: str
    domain: Domain
    settled: bool = True

    def within(self, alias: str) -> Field:
        """Return the field as seen through an alias."""
        return replace(self, ref=f"{alias}.{self.name}")


@dataclass(frozen=True, slots=True)
class Source:
    """A table, view or stream table that a query may name."""

    name: str
    fields: tuple[Field, ...]
    bases: frozenset[str]
    kind: str
    leaves: int = 1  # how many tables are multiplied in it
    key: tuple[str, ...] | None = None  # columns that no two rows share; None where unknown
    features: frozenset[Feature] = frozenset()  # what is in a view
    undetermined: bool = False  # a view whose rows SQL leaves open


def table_source(table: Table) -> Source:
    """Return a base table as a source."""
    fields = tuple(Field(column.name, column.name, column.domain) for column in table.columns)
    key = tuple(column.name for column in table.key) or None
    return Source(table.name, fields, frozenset({table.name}), "table", key=key)
