"""Altering a stream table: what its rows are, how they are kept, and whether they are refreshed at all."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from pgtrickle.catalog import store
from pgtrickle.catalog.definitions import read_defined_relations
from pgtrickle.catalog.exchange import set_facts, set_status
from pgtrickle.catalog.model import (
    CAPTURE_FAILURE,
    FUNCTIONS,
    LAYOUT,
    STAGES,
    CaptureFailure,
    RefreshMode,
    Status,
    StreamTable,
)
from pgtrickle.catalog.shape import shape_of, shape_of_query
from pgtrickle.dag.graph import waves
from pgtrickle.errors import InternalError, RejectedQueryError
from pgtrickle.refresh import create as creation
from pgtrickle.refresh.capture import capture
from pgtrickle.refresh.replace import Replacement, replace_rows

if TYPE_CHECKING:
    from pgtrickle.config import Settings
    from pgtrickle.pg.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Alteration:
    """What a user wants changed; None leaves it as it is. `cascade` lets dependant views be created again."""

    query: str | None = None
    schedule: str | None = None
    refresh_mode: RefreshMode | None = None
    status: Status | None = None
    capture_failure: CaptureFailure | None = None
    cascade: bool = False


def alter(
    connection: Connection, table: StreamTable, wanted: Alteration, settings: Settings
) -> list[str]:
    """Make the changes and return warnings; when one fails, the stream table goes on as it was."""
    warnings: list[str] = []
    replaced = False
    if wanted.query is not None or wanted.refresh_mode is not None:
        planned = creation.plan(connection, request_for(table, wanted))
        _refuse_circle(connection, table, planned)
        warnings += planned.fallback_warnings
        other_query = wanted.query is not None and planned.facts.query != table.query
        replaced = other_query or kept_otherwise(connection, table, planned)
        if replaced:
            replacement = Replacement(
                table=table, planned=planned, reason="altered", cascade=wanted.cascade
            )
            warnings += replace_rows(connection, replacement, settings).warnings
    if wanted.capture_failure is not None:
        _change_capture_failure(connection, table, wanted.capture_failure, settings)
    if not replaced:
        set_facts(connection, table, schedule=wanted.schedule, refresh_mode=wanted.refresh_mode)
    if wanted.status is not None:
        set_status(connection, table, wanted.status)
    return warnings


def request_for(table: StreamTable, wanted: Alteration) -> creation.Request:
    """Return the request for what takes the place of `table`: as it is, but for what is wanted otherwise.

    A query that stays keeps the settings that it was written under; a new one means what this session says.
    """
    kept = CaptureFailure(table.options.get(CAPTURE_FAILURE, CaptureFailure.REBUILD))
    return creation.Request(
        name=table.name,
        query=table.query if wanted.query is None else wanted.query,
        schedule=wanted.schedule or table.schedule,
        refresh_mode=wanted.refresh_mode or table.refresh_mode,
        capture_failure=wanted.capture_failure or kept,
        replaces=table.id,
        settings=table.settings if wanted.query is None else None,
    )


def kept_otherwise(connection: Connection, table: StreamTable, planned: creation.Planned) -> bool:
    """Return whether `planned` keeps its rows in another way than `table` does: mode, settings, layout, types."""
    new = creation.options_of(planned)
    settings = planned.request.settings or planned.facts.settings
    before = (table.effective_mode, table.reasons, table.settings)
    if before != (planned.effective_mode, planned.reasons, settings):
        return True
    if any(table.options.get(key) != new[key] for key in (LAYOUT, FUNCTIONS, STAGES)):
        return True
    columns = shape_of_query(connection, planned.facts.query)
    return columns != shape_of(connection, table.storage)[: len(columns)]


def _refuse_circle(connection: Connection, table: StreamTable, planned: creation.Planned) -> None:
    """Raise if the new query reads the stream table itself, directly or by way of those that read it."""
    tables = [
        replace(each, relations=planned.facts.relations) if each.id == table.id else each
        for each in store.load_all(connection)
    ]
    try:
        waves(tables)
    except InternalError as error:
        raise RejectedQueryError(
            f"the query of stream table {table.name} would read its own result",
            detail=error.message,
            hint="Read the tables below instead.",
        ) from error


def _change_capture_failure(
    connection: Connection, table: StreamTable, wanted: CaptureFailure, settings: Settings
) -> None:
    """Store the wish, then capture each source accordingly: the strictest wish of its readers holds."""
    table = store.load(connection, table.name)
    before = CaptureFailure(table.options.get(CAPTURE_FAILURE, CaptureFailure.REBUILD))
    names = [dependency.source.relation for dependency in table.dependencies]
    relations = read_defined_relations(connection, names)
    set_facts(connection, table, capture_failure=wanted)
    try:
        for dependency in table.dependencies:
            capture(
                connection,
                relations[dependency.source.relation],
                dependency.columns,
                capture_failure=wanted,
                settings=settings,
                relax=True,
            )
    except BaseException:
        if not connection.closed:
            set_facts(connection, table, capture_failure=before)
        raise
