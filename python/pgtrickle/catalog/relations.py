"""Reads relations from PostgreSQL's catalog as the values that the compiler works with."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from psycopg.pq import TransactionStatus

from pgtrickle.catalog.model import storage_name
from pgtrickle.catalog.types import TypeUse, facts, read_types
from pgtrickle.dvm.schema import Column, QualifiedName, Relation, RelationKind
from pgtrickle.errors import RejectedQueryError, RowSecurityError, SourceError
from pgtrickle.pg.connection import transaction
from pgtrickle.pg.execute import translated
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import LiteralString

    from pgtrickle.pg.connection import Connection

_KINDS = {
    "r": RelationKind.TABLE,
    "p": RelationKind.PARTITIONED,
    "v": RelationKind.VIEW,
    "f": RelationKind.FOREIGN,
    "m": RelationKind.MATVIEW,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Found:
    """A relation that a name led to; `stored` is the OID of the table that holds its rows."""

    name: QualifiedName
    oid: int
    kind: RelationKind
    stored: int
    stored_as: QualifiedName


@dataclass(frozen=True, slots=True, kw_only=True)
class Details:
    """What the catalog says about many relations at once, by OID."""

    columns: Mapping[int, tuple[Column, ...]]
    keys: Mapping[int, tuple[tuple[str, ...], ...]]
    members: Mapping[int, tuple[tuple[int, QualifiedName], ...]]


@contextmanager
def qualified_names(connection: Connection) -> Iterator[None]:
    """Let PostgreSQL print every name with its schema, whatever the session's search_path.

    Outside of a transaction the block gets one of its own: a setting of the session would outlive a failure.
    """
    if connection.info.transaction_status is TransactionStatus.IDLE:
        with transaction(connection), qualified_names(connection):
            yield
        return
    query = "SELECT pg_catalog.current_setting('search_path')"
    before = connection.execute(query).fetchall()[0][0]
    change = "SELECT pg_catalog.set_config('search_path', %s, true)"
    connection.execute(change, ("pg_catalog",))
    try:
        yield
    finally:
        if connection.info.transaction_status is not TransactionStatus.INERROR:
            connection.execute(change, (before,))


def read_relations(
    connection: Connection, names: Iterable[QualifiedName]
) -> Mapping[QualifiedName, Relation]:
    """Return the named relations; what cannot be read by anyone as a source is refused."""
    with translated("read the relations of a query"), qualified_names(connection):
        found = _find(connection, list(names))
        details = _details(connection, found)
    return {each.name: _relation(each, details) for each in found}


def _find(connection: Connection, names: Sequence[QualifiedName]) -> list[Found]:
    rows = connection.execute(
        _sql("relations.sql"),
        {
            "schemas": [name.schema for name in names],
            "names": [name.name for name in names],
            "storages": [storage_name(name).name for name in names],
        },
    ).fetchall()
    return [_found(*row) for row in rows]


def _found(  # noqa: PLR0913, PLR0917
    schema: str,
    name: str,
    oid: int | None,
    relkind: str | None,
    persistence: str | None,
    is_stream_table: bool,  # noqa: FBT001
    storage: int | None,
    moved: str | None,
) -> Found:
    full = QualifiedName(schema, name)
    if oid is None or relkind not in _KINDS:
        raise SourceError(
            f"relation {full} does not exist",
            detail=None if moved is None else f"It is called {moved} now.",
            hint="Restore it and refresh, or give the stream table another query with alter_stream_table.",
        )
    if persistence == "t":
        raise RejectedQueryError(
            f"relation {full} is temporary",
            hint="A stream table outlives the session: read an ordinary table.",
        )
    if is_stream_table:
        if storage is None:
            raise SourceError(f"stream table {full} has lost its storage table")
        kind, stored, stored_as = RelationKind.STREAM_TABLE, storage, storage_name(full)
    else:
        kind, stored, stored_as = _KINDS[relkind], oid, full
    return Found(name=full, oid=oid, kind=kind, stored=stored, stored_as=stored_as)


def _details(connection: Connection, found: Sequence[Found]) -> Details:
    members = _members(connection, [each for each in found if _is_plain_table(each)])
    within = {oid for tree in members.values() for oid, _ in tree}
    oids = sorted(within | {each.oid for each in found} | {each.stored for each in found})
    keys: dict[int, tuple[tuple[str, ...], ...]] = {}
    for oid, columns in connection.execute(_sql("keys.sql"), (oids,)).fetchall():
        keys[oid] = (*keys.get(oid, ()), tuple(columns))
    return Details(columns=read_columns(connection, oids), keys=keys, members=members)


def _is_plain_table(found: Found) -> bool:
    return found.kind in {RelationKind.TABLE, RelationKind.STREAM_TABLE}


def _members(
    connection: Connection, tables: Sequence[Found]
) -> dict[int, tuple[tuple[int, QualifiedName], ...]]:
    """Return each table's inheritance tree, the table first."""
    trees: dict[int, tuple[tuple[int, QualifiedName], ...]] = {}
    rows = connection.execute(_sql("members.sql"), ([table.stored for table in tables],))
    for root, oid, schema, name in rows.fetchall():
        trees[root] = (*trees.get(root, ()), (oid, QualifiedName(schema, name)))
    return trees


def refuse_row_security(connection: Connection, relations: Iterable[Relation]) -> None:
    """Raise RowSecurityError if policies would hide rows of a relation from this role."""
    names = [
        name
        for relation in relations
        if relation.kind is not RelationKind.VIEW
        for name in (relation.members or (relation.stored_as,))
    ]
    with translated("look for row security"):
        rows = connection.execute(
            _sql("row_security.sql"), ([n.schema for n in names], [n.name for n in names])
        ).fetchall()
    for schema, name in rows:
        raise RowSecurityError(
            f"row security hides rows of table {QualifiedName(schema, name)} from this role",
            detail="A stream table must be computed from all rows.",
            hint="Use a role that owns the table (without FORCE ROW LEVEL SECURITY) or has BYPASSRLS.",
        )


def read_columns(connection: Connection, oids: Sequence[int]) -> dict[int, tuple[Column, ...]]:
    """Return the columns of relations by the relations' OIDs."""
    rows = connection.execute(_sql("columns.sql"), (list(oids),)).fetchall()
    types = read_types(connection, (row[2] for row in rows))
    columns: dict[int, tuple[Column, ...]] = {}
    for oid, name, type_oid, typmod, printed, deterministic, not_null, generated in rows:
        use = TypeUse(oid=type_oid, typmod=typmod, printed=printed, deterministic=deterministic)
        column = Column(name=name, type=facts(use, types), not_null=not_null, generated=generated)
        columns[oid] = (*columns.get(oid, ()), column)
    return columns


def _relation(found: Found, details: Details) -> Relation:
    tree = details.members.get(found.stored, ())
    columns = _columns(found, [oid for oid, _ in tree], details)
    visible = {column.name for column in columns}
    # A key of an inheritance parent does not hold for its children's rows.
    keys = details.keys.get(found.stored, ()) if len(tree) <= 1 else ()
    return Relation(
        name=found.name,
        kind=found.kind,
        columns=columns,
        stored_as=found.stored_as,
        members=tuple(name for _, name in tree),
        keys=tuple(key for key in keys if visible.issuperset(key)),
    )


def _columns(found: Found, tree: Sequence[int], details: Details) -> tuple[Column, ...]:
    """Return the visible columns with the facts of the table below."""
    visible = details.columns.get(found.oid, ())
    stored = {column.name: column for column in details.columns.get(found.stored, ())}
    columns = (stored.get(column.name, column) for column in visible)
    return tuple(_of_all(column, tree, details) for column in columns)


def _of_all(column: Column, tree: Sequence[int], details: Details) -> Column:
    """Return `column` with what holds in every member: a child may drop NOT NULL."""
    same = [each for oid in tree for each in details.columns[oid] if each.name == column.name]
    if any(each.generated != column.generated for each in same):
        raise SourceError(
            f'generated column "{column.name}" has another expression in a child table',
            hint="Give the column the same expression in the whole inheritance tree.",
        )
    return replace(column, not_null=column.not_null and all(each.not_null for each in same))


def _sql(file: str) -> LiteralString:
    return statement("pgtrickle.catalog.statements", file)


def oid_of(connection: Connection, name: QualifiedName) -> int:
    """Return the OID of a relation of ours."""
    row = connection.execute("SELECT to_regclass(%s)::oid", (str(name),)).fetchone()
    if row is None or row[0] is None:
        raise SourceError(
            f"the table {name} is gone", hint="Drop the stream table and create it again."
        )
    return int(row[0])
