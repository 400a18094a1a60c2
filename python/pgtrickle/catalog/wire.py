"""How the columns of any relation travel in COPY BINARY, so that the Rust core can read them.

The core knows PostgreSQL's own types by their OIDs. Types that users made have OIDs of their own: a domain is sent as the
type below it, an enum as text. What the core does not know at all (a range, a composite, inet) is cast to text by the server.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from psycopg import sql

from pgtrickle._core import CopyDecoder, CopyError
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pgtrickle.pg.connection import Connection

TEXT = 25
NO_TYPMOD = -1


class WireColumn(NamedTuple):
    """A column as `CopyDecoder` wants to know it."""

    name: str
    type_oid: int
    typmod: int = NO_TYPMOD


@dataclass(frozen=True, slots=True)
class Wire:
    """A COPY that sends rows in binary, and the columns by which the core reads them."""

    copy: sql.Composed
    columns: tuple[WireColumn, ...]


def wire(connection: Connection, rows: QualifiedName | str) -> Wire:
    """Return how the core reads `rows`, a relation's name or the text of a query; no row is read here."""
    query = (
        sql.SQL("TABLE {}").format(sql.Identifier(*rows))
        if isinstance(rows, QualifiedName)
        else sql.SQL(rows)
    )
    sent = _sent(connection, query)
    read = [column if _decodes(column) else WireColumn(column.name, TEXT) for column in sent]
    # Numbers for names: a query may call two columns the same.
    names = [sql.Identifier(f"c{place}") for place in range(len(sent))]
    outputs = [
        name if column is kept else sql.SQL("{}::pg_catalog.text").format(name)
        for name, column, kept in zip(names, sent, read, strict=True)
    ]
    copy = sql.SQL("COPY (SELECT {} FROM ({}) AS sent{}) TO STDOUT (FORMAT BINARY)").format(
        sql.SQL(", ").join(outputs),
        query,
        sql.SQL("({})").format(sql.SQL(", ").join(names)) if names else sql.SQL(""),
    )
    return Wire(copy, tuple(read))


def _sent(connection: Connection, query: sql.Composable) -> list[WireColumn]:
    """Return the columns of `query` by the types that the core would have to know."""
    described = connection.execute(sql.SQL("SELECT * FROM ({}) AS sent LIMIT 0").format(query))
    result = described.pgresult
    if result is None:
        return []
    places = range(result.nfields)
    known = _known(connection, {result.ftype(place) for place in places})
    columns = []
    for column, place in zip(described.description or (), places, strict=True):
        oid, typmod = known[result.ftype(place)]
        declared = result.fmod(place)
        columns.append(WireColumn(column.name, oid, typmod if declared == NO_TYPMOD else declared))
    return columns


def _known(connection: Connection, types: Iterable[int]) -> dict[int, tuple[int, int]]:
    """Return, by OID, the OID by which the core may know a type, and the modifier that the type itself declares."""
    query = statement("pgtrickle.catalog.statements", "wire_types.sql")
    rows = connection.execute(query, {"types": sorted(types)}).fetchall()
    return {oid: (known, typmod) for oid, known, typmod in rows}


def _decodes(column: WireColumn) -> bool:
    """Say whether the core reads this type; it is the core that is asked."""
    try:
        CopyDecoder([column])
    except CopyError:
        return False
    return True
