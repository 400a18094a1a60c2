"""Replacing the rows of a stream table: a new storage is filled beside the old one, then the two change places.

Readers see the old rows until the view is replaced. That takes the view's exclusive lock, so it is done alone, with a short
lock timeout and retries: nobody who reads waits longer than that. What is left over belongs to the replacement's catalog
row, and goes with it: after a success the old storage, after a failure the new one, after a crash whichever it was.
"""

from __future__ import annotations

import time
import warnings
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from psycopg import sql

from pgtrickle.catalog import store
from pgtrickle.catalog.dependants import (
    Dependants,
    create_view,
    decorate,
    read_decorations,
    read_dependants,
    restore_options,
)
from pgtrickle.catalog.exchange import exchange
from pgtrickle.catalog.model import StreamTable, replacement_name, storage_name
from pgtrickle.catalog.shape import (
    ShapeChange,
    ShapeColumn,
    shape_change,
    shape_of,
    shape_of_query,
)
from pgtrickle.errors import (
    ConflictError,
    DependantsError,
    DuplicateNameError,
    PgtrickleError,
    PgtrickleWarning,
    QueryError,
)
from pgtrickle.pg.execute import translated
from pgtrickle.pg.lease import hold_in_transaction, refresh_key
from pgtrickle.pg.patience import patiently
from pgtrickle.refresh import create as creation
from pgtrickle.refresh.drop import discard

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle.config import Settings
    from pgtrickle.dvm.schema import QualifiedName
    from pgtrickle.pg.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Replacement:
    """A stream table, the plan of what takes its place, and why it does.

    With `readers_follow`, stream tables that read it do not stop it: the sources have changed already, and each of them is
    stored anew too, or says clearly that it cannot be.
    """

    table: StreamTable
    planned: creation.Planned
    reason: str
    cascade: bool = False
    readers_follow: bool = False


def replace_rows(
    connection: Connection, replacement: Replacement, settings: Settings
) -> creation.Filled:
    """Fill a new storage and show it in place of the old one; on failure everything is as it was."""
    table = replacement.table
    with translated(f"read the columns of stream table {table.name}"):
        columns = shape_of_query(connection, replacement.planned.facts.query)
    _require_possible(connection, replacement, columns)
    try:
        filled = creation.fill(connection, replacement.planned, settings)
    except DuplicateNameError as error:
        raise ConflictError(
            f"stream table {table.name} is being replaced by another session",
            hint="Try again when it is done.",
        ) from error
    try:
        _change_places(connection, replacement, filled, settings)
    except BaseException:
        if not connection.closed:
            _discard(connection, filled.table, settings)
        raise
    _discard(connection, store.load(connection, filled.table.name), settings)
    return filled


def _discard(connection: Connection, left: StreamTable, settings: Settings) -> None:
    """Remove what is left over; what cannot be removed now is removed by the next one who looks."""
    try:
        discard(connection, left, settings)
    except PgtrickleError as error:
        message = (
            f"what was replaced could not be removed yet, the next install or create will: {error}"
        )
        warnings.warn(message, PgtrickleWarning, stacklevel=2)
    store.release(connection, left.id)


def _change_places(
    connection: Connection, replacement: Replacement, filled: creation.Filled, settings: Settings
) -> None:
    table, timeout_ms = replacement.table, settings.view_lock_timeout_ms
    quick = replace(
        settings,
        ddl_lock_timeout_ms=timeout_ms,
        ddl_lock_attempts=settings.view_lock_attempts,
    )

    def work() -> None:
        hold_in_transaction(connection, refresh_key(table.id))
        connection.execute("SET LOCAL search_path = pg_catalog", prepare=False)
        reason, rows = replacement.reason, filled.rows
        exchange(connection, table, filled.table, reason=reason, rows=rows)
        columns = shape_of(connection, filled.table.storage)
        decorations = read_decorations(connection, table.storage, filled.table.storage)
        names = frozenset(column.name for column in columns)
        decorate(connection, filled.table.storage, decorations, names)
        change, dependants = _require_possible(connection, replacement, columns)
        _show(connection, replacement, change, dependants, timeout_ms)
        _rename(connection, table)

    patiently(connection, quick, f"show the new rows of stream table {table.name}", work)


def _show(
    connection: Connection,
    replacement: Replacement,
    change: ShapeChange,
    dependants: Dependants,
    timeout_ms: int,
) -> None:
    """Let the view read the new storage: in place, or with its dependants dropped and made anew."""
    table, compiled = replacement.table, replacement.planned.compiled
    new_storage = storage_name(replacement_name(table.id))
    if change.in_place:
        options = read_decorations(connection, table.name, table.name)
        creation.show(connection, table.name, new_storage, compiled, replace=True)
        restore_options(connection, options)
        return
    names = [table.name, *(view.name for view in dependants.views)]
    decorations = {name: read_decorations(connection, name, name) for name in names}
    _drop_views(connection, names[::-1], timeout_ms)
    creation.show(connection, table.name, new_storage, compiled, replace=False)
    decorate(connection, table.name, decorations[table.name], frozenset(compiled.plan.visible))
    for view in dependants.views:
        try:
            with translated(f"create view {view.name} again"):
                create_view(connection, view)
        except QueryError as error:
            raise DependantsError(
                f"view {view.name} does not fit the new columns of {table.name}",
                detail=error.message,
                hint="Drop the view, or keep the columns that it reads.",
            ) from error
        kept = frozenset(column.name for column in shape_of(connection, view.name))
        decorate(connection, view.name, decorations[view.name], kept)


def _drop_views(connection: Connection, names: list[QualifiedName], timeout_ms: int) -> None:
    """Drop views, those that read others first; all locks together are waited for no longer than one."""
    deadline = time.monotonic() + timeout_ms / 1000
    for name in names:
        left = max(1, round((deadline - time.monotonic()) * 1000))
        script = sql.SQL("SET LOCAL lock_timeout = {}; DROP VIEW {}")
        filled = script.format(sql.Literal(left), sql.Identifier(*name))
        connection.execute(filled, prepare=False)


def _rename(connection: Connection, table: StreamTable) -> None:
    """Let old and new storage exchange their names; nobody is waited for while the view is locked."""
    old, new = table.storage, storage_name(replacement_name(table.id))
    aside = f"{new.name} aside"
    names = [old, new] if shape_of(connection, old) else [new]
    tables = sql.SQL(", ").join(sql.Identifier(*name) for name in names)
    lock = sql.SQL("LOCK TABLE {} IN ACCESS EXCLUSIVE MODE NOWAIT").format(tables)
    steps = [(new.name, aside), (old.name, new.name), (aside, old.name)]
    renames = [
        sql.SQL("ALTER TABLE IF EXISTS {} RENAME TO {}").format(
            sql.Identifier(new.schema, before), sql.Identifier(after)
        )
        for before, after in steps
    ]
    connection.execute(sql.SQL("; ").join([lock, *renames]), prepare=False)


def _require_possible(
    connection: Connection, replacement: Replacement, columns: Sequence[ShapeColumn]
) -> tuple[ShapeChange, Dependants]:
    """Return how storage of these columns changes the view, and who depends on it; raise if that breaks someone."""
    table, plan = replacement.table, replacement.planned.compiled.plan
    dependants = read_dependants(connection, table)
    if dependants.on_storage:
        raise DependantsError(
            f"the storage table of stream table {table.name} cannot be replaced",
            detail=f"On it depend: {', '.join(dependants.on_storage)}.",
            hint=f"Let them read {table.name} instead.",
        )
    with translated(f"read the columns of stream table {table.name}"):
        change = shape_change(shape_of(connection, table.name), columns[: len(plan.visible)])
    readers = [] if replacement.readers_follow else _broken_readers(connection, table, change)
    lost = [view for view in dependants.views if view.uses.intersection(change.dropped)]
    blocked = [*readers, *dependants.others, *(f"view {view.name}" for view in lost)]
    if not replacement.cascade:
        blocked = [*readers, *dependants.described()]
    if blocked and not change.in_place:
        raise DependantsError(
            f"columns of stream table {table.name} would change ({change.described()})",
            detail=f"On it depend: {', '.join(blocked)}.",
            hint=_hint(cascade=replacement.cascade),
        )
    return change, dependants


def _broken_readers(connection: Connection, table: StreamTable, change: ShapeChange) -> list[str]:
    return [
        f"stream table {reader.name}"
        for reader in store.load_all(connection)
        for dependency in reader.dependencies
        if dependency.source.relation == table.name
        and change.broken.intersection(dependency.columns)
    ]


def _hint(*, cascade: bool) -> str:
    if cascade:
        return "Drop or alter them first: only views that still fit can be created again."
    return "Keep the columns and add new ones at the end, or use alter_stream_table(cascade=True) with the query, which creates dependant views again."
