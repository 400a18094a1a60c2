"""How a stored row is found again: by key, or by its whole image.

NOT NULL keys match by plain equality on a natural index. A nullable key, and one of several columns that no index entry can
hold, matches by an indexed hash and is then compared with IS NOT DISTINCT FROM; no hash is ever trusted alone. The *image* of
a value is what a reader sees: where equal values may look different (1.0 and 1.00), it is the text.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.sqlast import Expr, all_of, as_text, binary, call, col, number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pgtrickle.dvm.plan.model import Keyed
    from pgtrickle.dvm.schema import Relation, TypeFacts


# What a btree entry holds of a third of a page, less its headers, and PostgreSQL's limit for the columns of an index.
MAX_ENTRY = 2600
MAX_COLUMNS = 32


@dataclass(frozen=True, slots=True)
class StoredTypes:
    """The types of a storage table's columns."""

    types: Mapping[str, TypeFacts]

    @classmethod
    def of(cls, storage: Relation) -> StoredTypes:
        """Return the types of `storage`."""
        return cls({column.name: column.type for column in storage.columns})

    def image(self, name: str, value: Expr) -> Expr:
        """Return what tells `value` of column `name` from every other value."""
        return value.copy() if self.types[name].exact else as_text(value)

    def comparand(self, name: str, value: Expr) -> Expr:
        """Return what PostgreSQL compares `value` of column `name` by when it looks for equal rows.

        The value where its type can be hashed: such columns can stand together in any set operation. Else its text.
        """
        return value.copy() if self.types[name].hashable else as_text(value)

    def image_hash(self, columns: Mapping[str, Expr]) -> Expr:
        """Return the hash of a whole row's image."""
        parts = [
            value.copy() if facts.exact and facts.hashable else as_text(value)
            for facts, value in ((self.types[name], value) for name, value in columns.items())
        ]
        return _hash(parts)

    def same_image(self, name: str, left: Expr, right: Expr) -> Expr:
        """Return whether two values of column `name` look the same."""
        return binary(exp.NullSafeEQ, self.image(name, left), self.image(name, right))

    def fit(self, names: Sequence[str]) -> bool:
        """Return whether every value of these columns fits into one entry of a btree index."""
        widths = [self.types[name].width for name in names]
        known = [width for width in widths if width is not None]
        return len(names) == len(known) <= MAX_COLUMNS and sum(known) <= MAX_ENTRY

    def found_by_hash(self, key: Keyed) -> bool:
        """Return whether rows with this key are looked up by the hash of the whole key."""
        return bool(key.nullable) or (len(key.columns) > 1 and not self.fit(key.columns))

    def key_hash(self, columns: Mapping[str, Expr]) -> Expr | None:
        """Return a hash that equal keys share; None when no key column can be hashed."""
        parts = []
        for name, value in columns.items():
            facts = self.types[name]
            if facts.hashable:
                parts.append(value.copy())
            elif facts.exact and facts.name.startswith("bit") and not facts.array:
                # Of the types without a hash only these have a text that no setting changes, as an index demands.
                parts.append(as_text(value))
        return _hash(parts) if parts else None

    def same_key(self, key: Keyed, left: Mapping[str, Expr], right: Mapping[str, Expr]) -> Expr:
        """Return whether two rows have the same key; both map stored key columns to expressions."""
        conditions = []
        if self.found_by_hash(key):
            hashes = self.key_hash(left), self.key_hash(right)
            if hashes[0] is not None and hashes[1] is not None:
                conditions.append(binary(exp.EQ, hashes[0], hashes[1]))
        for name in key.columns:
            kind = exp.NullSafeEQ if name in key.nullable else exp.EQ
            conditions.append(binary(kind, left[name], right[name]))
        return all_of(conditions)


def _hash(parts: Sequence[Expr]) -> Expr:
    return call("hash_record_extended", call("ROW", *parts), number(0))


def of_table(names: Sequence[str], table: str) -> dict[str, Expr]:
    """Return a reference to each of `names` in `table`."""
    return {name: col(name, table) for name in names}
