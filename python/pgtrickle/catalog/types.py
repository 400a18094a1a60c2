"""What each type allows: equality, hashing, how long a value may be, and whether equal values look equal.

PostgreSQL's catalog answers for simple types; arrays, ranges, composites and domains are answered from their parts.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pgtrickle.dvm.schema import TypeFacts
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from pgtrickle.pg.connection import Connection

NO_TYPMOD = -1
_TYPMOD_HEADER = 4

_EXACT = frozenset(
    {"bool", "int2", "int4", "int8", "oid", "money", "uuid", "bytea", "bit", "varbit"}
    | {"date", "time", "timetz", "timestamp", "timestamptz"}
    | {"pg_lsn", "xid8", "inet", "cidr", "macaddr", "macaddr8"}
    | {
        "regclass",
        "regtype",
        "regproc",
        "regprocedure",
        "regoper",
        "regoperator",
        "regrole",
        "regnamespace",
    }
)
_EXACT_TEXT = frozenset({"text", "varchar", "name", "char"})

# Bytes, at most, for each unit of the modifier: characters, bits, digits.
_LIMITED = {"varchar": 4, "bpchar": 4, "bit": 1, "varbit": 1, "numeric": 1}
_ADDRESSES = frozenset({"inet", "cidr"})
_ADDRESS_WIDTH = 24
_HEADER = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeRow:
    """One type as the catalog stores it; `parts` are a range's subtype or a composite's fields."""

    oid: int
    name: str
    builtin: bool
    kind: str
    element: int | None
    base: int | None
    base_typmod: int
    parts: tuple[int, ...]
    compares: bool
    hashes: bool
    length: int


@dataclass(frozen=True, slots=True, kw_only=True)
class TypeUse:
    """A type as a column uses it."""

    oid: int
    typmod: int
    printed: str
    deterministic: bool


def read_types(connection: Connection, oids: Iterable[int]) -> dict[int, TypeRow]:
    """Return the given types and all that they are made of, by OID."""
    query = statement("pgtrickle.catalog.statements", "types.sql")
    rows = connection.execute(query, (sorted(set(oids)),)).fetchall()
    return {
        row[0]: TypeRow(
            oid=row[0],
            name=row[1],
            builtin=row[2],
            kind=row[3],
            element=row[4],
            base=row[5],
            base_typmod=row[6],
            parts=tuple(row[7]),
            compares=row[8],
            hashes=row[9],
            length=row[10],
        )
        for row in rows
    }


def facts(use: TypeUse, types: Mapping[int, TypeRow]) -> TypeFacts:
    """Return what the compiler may assume of a column's type."""
    plain = _without_domains(use, types)
    return TypeFacts(
        name=use.printed,
        hashable=_hashable(plain.oid, types),
        comparable=_comparable(plain.oid, types),
        exact=_exact(plain, types),
        scale=_scale(plain, types),
        array=types[plain.oid].element is not None,
        native=_native(types[plain.oid]),
        width=_width(plain, types),
    )


def _without_domains(use: TypeUse, types: Mapping[int, TypeRow]) -> TypeUse:
    """Return the use of the type below the domains, with the typmod that they declare."""
    row = types[use.oid]
    if row.base is None:
        return use
    below = TypeUse(
        oid=row.base,
        typmod=row.base_typmod if use.typmod == NO_TYPMOD else use.typmod,
        printed=use.printed,
        deterministic=use.deterministic,
    )
    return _without_domains(below, types)


def _native(row: TypeRow) -> bool:
    """Return whether the type's operators are PostgreSQL's own; those of arrays, ranges, enums and composites are."""
    return row.builtin or row.kind != "b" or row.element is not None


def _comparable(oid: int, types: Mapping[int, TypeRow]) -> bool:
    row = types[oid]
    if row.compares or row.kind in {"e", "r", "m"}:
        return True
    return _from_parts(row, types, _comparable)


def _hashable(oid: int, types: Mapping[int, TypeRow]) -> bool:
    row = types[oid]
    if row.hashes or row.kind == "e":
        return True
    return _from_parts(row, types, _hashable)


def _from_parts(
    row: TypeRow, types: Mapping[int, TypeRow], holds: Callable[[int, Mapping[int, TypeRow]], bool]
) -> bool:
    if row.element is not None:
        return holds(row.element, types)
    if row.base is not None:
        return holds(row.base, types)
    if row.kind in {"r", "m", "c"}:
        return all(holds(part, types) for part in row.parts)
    return False


def _exact(use: TypeUse, types: Mapping[int, TypeRow]) -> bool:
    row = types[use.oid]
    if row.kind == "e":
        return True
    if row.element is not None:
        return _exact(_element(use, row.element, types), types)
    if not row.builtin:
        return False
    if row.name in _EXACT_TEXT or (row.name == "bpchar" and use.typmod != NO_TYPMOD):
        return use.deterministic
    return row.name in _EXACT or _scale(use, types) is not None


def _element(use: TypeUse, element: int, types: Mapping[int, TypeRow]) -> TypeUse:
    of_element = TypeUse(
        oid=element, typmod=use.typmod, printed=use.printed, deterministic=use.deterministic
    )
    return _without_domains(of_element, types)


def _scale(use: TypeUse, types: Mapping[int, TypeRow]) -> int | None:
    """Return the declared scale of a numeric, which may be negative."""
    row = types[use.oid]
    if not (row.builtin and row.name == "numeric") or use.typmod == NO_TYPMOD:
        return None
    bits = (use.typmod - _TYPMOD_HEADER) & 0x7FF
    return (bits ^ 1024) - 1024


def _width(use: TypeUse, types: Mapping[int, TypeRow]) -> int | None:
    """Return the greatest number of bytes that a value takes, None where only memory limits it."""
    row = types[use.oid]
    if row.length > 0:
        return row.length
    if row.kind == "r":
        plain = (_without_domains(_plain_use(part), types) for part in row.parts)
        widths = [_width(part, types) for part in plain]
        return None if None in widths else _HEADER + 2 * sum(width or 0 for width in widths)
    if not row.builtin or row.element is not None:
        return None
    if row.name in _ADDRESSES:
        return _ADDRESS_WIDTH
    if use.typmod == NO_TYPMOD or row.name not in _LIMITED:
        return None
    units = use.typmod >> 16 if row.name == "numeric" else use.typmod
    return _HEADER + _LIMITED[row.name] * units


def _plain_use(oid: int) -> TypeUse:
    return TypeUse(oid=oid, typmod=NO_TYPMOD, printed="", deterministic=True)
