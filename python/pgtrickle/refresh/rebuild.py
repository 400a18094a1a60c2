"""Rebuild: when changes may have been missed, capture is installed anew and storage is compared with the query.

The view and its storage stay: readers see the old rows until the difference is committed. Where the rows must be stored in
another way now (a key came or went, a column changed its type), they are stored anew beside the old ones and change places.
"""

from __future__ import annotations

import time
import warnings
from typing import TYPE_CHECKING

from pgtrickle.catalog import store
from pgtrickle.catalog.definitions import read_defined_relations
from pgtrickle.catalog.model import Action, RefreshReport, Scope, StreamTable
from pgtrickle.catalog.relations import refuse_row_security
from pgtrickle.catalog.shape import shape_change, shape_of, shape_of_query
from pgtrickle.cdc.epoch import adopt_epoch
from pgtrickle.dvm.render import storage as stored
from pgtrickle.dvm.sqlast import to_sql
from pgtrickle.errors import (
    LayoutChangedError,
    PgtrickleWarning,
    QueryError,
    SourceChangedError,
    SourceError,
    UnsupportedQueryError,
)
from pgtrickle.pg.execute import translated
from pgtrickle.refresh import create as creation
from pgtrickle.refresh.alter import Alteration, kept_otherwise, request_for
from pgtrickle.refresh.apply import Counts, Outcome, apply, look, refreshing
from pgtrickle.refresh.capture import capture
from pgtrickle.refresh.engine import Auditor, refills, report
from pgtrickle.refresh.prepare import Prepared, begin_steps, prepare
from pgtrickle.refresh.replace import Replacement, replace_rows

if TYPE_CHECKING:
    from pgtrickle.config import Settings
    from pgtrickle.pg.connection import Connection


def rebuild(
    connection: Connection,
    table: StreamTable,
    reason: str,
    settings: Settings,
    audit: Auditor | None = None,
) -> RefreshReport:
    """Bring a stream table back to the law after its capture was broken or its sources changed."""
    try:
        return _refill(connection, table, reason, settings, audit)
    except QueryError as error:
        raise _misfit(connection, table, error) from error
    except LayoutChangedError:
        try:
            anew = _store_anew(connection, table, reason, settings)
        except QueryError as error:
            raise _misfit(connection, table, error) from error
    if audit is None:
        return anew
    return _refill(connection, store.load(connection, table.name), reason, settings, audit)


def _refill(
    connection: Connection,
    table: StreamTable,
    reason: str,
    settings: Settings,
    audit: Auditor | None,
) -> RefreshReport:
    """Compare storage with the query and apply the difference."""
    started = time.perf_counter()
    prepare(connection, table, settings)
    _recapture(connection, table, settings)
    adopt_epoch(connection, table.id, settings)
    table = store.load(connection, table.name)
    before = creation.fingerprint_of(connection, table)
    _require_same_plan(connection, table)
    outcome = Outcome(Action.FULL, Scope.ALL, reason)
    with translated(f"rebuild stream table {table.name}"), refreshing(connection):
        fingerprint, moment = look(connection, table, begin_steps(table, settings))
        if fingerprint != before:
            raise SourceChangedError(f"a source of stream table {table.name} changed meanwhile")
        # Compiled here, from the catalog of the very snapshot whose fingerprint is stored.
        prepared = prepare(connection, table, settings)
        _require_same_columns(connection, prepared)
        counts = apply(connection, prepared, refills(prepared), moment.tree, outcome, commit=False)
        store.activate(connection, table.id, fingerprint=fingerprint, snapshot=moment.snapshot)
        if audit is not None:
            audit(prepared)
    return report(table, moment.snapshot, outcome, counts, started)


def _misfit(connection: Connection, table: StreamTable, error: QueryError) -> SourceError:
    """Return what it means that a statement no longer fits: the stream table was replaced, or its sources changed."""
    if store.load(connection, table.name).generation != table.generation:
        return SourceChangedError(f"stream table {table.name} was changed meanwhile")
    return SourceError(
        f"the query of stream table {table.name} no longer fits its sources",
        detail=error.message,
        hint="Restore the source and refresh, or give the stream table another query with alter_stream_table.",
    )


def _planned(connection: Connection, table: StreamTable) -> creation.Planned:
    """Return what PostgreSQL and the compiler make of the stored query today."""
    try:
        return creation.plan(connection, request_for(table, Alteration()))
    except UnsupportedQueryError as error:
        raise SourceError(
            f"stream table {table.name} can no longer be maintained differentially",
            detail=str(error),
            hint="Restore its sources, or alter it to refresh mode AUTO or FULL.",
        ) from error


def _require_same_plan(connection: Connection, table: StreamTable) -> None:
    """Raise unless the query would be kept today as it is: a view below may call other functions, the clock too."""
    if kept_otherwise(connection, table, _planned(connection, table)):
        raise LayoutChangedError(
            f"the rows of stream table {table.name} would be kept differently today",
            hint="Refresh the stream table: its rows are then stored anew.",
        )


def _require_same_columns(connection: Connection, prepared: Prepared) -> None:
    """Raise unless storage has the very types that the query gives now: else values would be cast to the old ones.

    Stages come first: what stands on a stage takes its types from it.
    """
    for part in prepared.parts:
        wanted = shape_of_query(connection, to_sql(stored.contents(part.plan)))
        found = shape_of(connection, part.storage.name)[: len(wanted)]
        if wanted != found:
            raise LayoutChangedError(
                f"columns of stream table {prepared.table.name} have other types now",
                detail=shape_change(found, wanted).described(),
                hint="Refresh the stream table: its rows are then stored anew.",
            )


def _store_anew(
    connection: Connection, table: StreamTable, reason: str, settings: Settings
) -> RefreshReport:
    """Replace the storage by one that fits; in mode AUTO the stream table may become FULL, with a warning."""
    started = time.perf_counter()
    adopt_epoch(connection, table.id, settings)
    planned = _planned(connection, table)
    replacement = Replacement(table=table, planned=planned, reason=reason, readers_follow=True)
    filled = replace_rows(connection, replacement, settings)
    for message in (*planned.fallback_warnings, *filled.warnings):
        warnings.warn(message, PgtrickleWarning, stacklevel=2)
    snapshot = str(filled.table.frontier.snapshot) if filled.table.frontier else ""
    outcome = Outcome(Action.FULL, Scope.ALL, reason)
    return report(table, snapshot, outcome, Counts(inserted=filled.rows), started)


def _recapture(connection: Connection, table: StreamTable, settings: Settings) -> None:
    names = [dependency.source.relation for dependency in table.dependencies]
    relations = read_defined_relations(connection, names)
    refuse_row_security(connection, relations.values())
    for dependency in table.dependencies:
        capture(
            connection,
            relations[dependency.source.relation],
            dependency.columns,
            capture_failure=dependency.source.capture_failure,
            settings=settings,
        )
