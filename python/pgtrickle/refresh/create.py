"""Creating, filling and removing a stream table.

Creation is three transactions: capture is installed and committed; the consumer is registered, so that clean-up keeps what it may
need; then one REPEATABLE READ transaction fills storage and makes the view. A failure in the last one undoes the first two.
A replacement of a stream table is made in the same way, without a view: it is shown when it takes the other's place.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg import sql

from pgtrickle.catalog import fingerprint, store
from pgtrickle.catalog.introspect import QueryFacts, Reading, describe_query, read_back
from pgtrickle.catalog.model import (
    CAPTURE_FAILURE,
    FUNCTIONS,
    LAYOUT,
    REPLACES,
    STAGES,
    CaptureFailure,
    Dependency,
    NewStreamTable,
    RefreshMode,
    StreamTable,
    StreamTableId,
    replacement_name,
)
from pgtrickle.catalog.stages import compile_described, compile_for, stored_functions
from pgtrickle.cdc.trigger.install import remove_capture
from pgtrickle.dvm.parse.read import read
from pgtrickle.dvm.render import storage as stored
from pgtrickle.dvm.schema import CAPTURABLE, QualifiedName
from pgtrickle.dvm.sqlast import to_sql
from pgtrickle.engines.postgres import Step, run
from pgtrickle.errors import QueryError, SourceChangedError, UnsupportedQueryError
from pgtrickle.pg.execute import translated
from pgtrickle.refresh.apply import look, refreshing, require_same_tree
from pgtrickle.refresh.capture import capture
from pgtrickle.refresh.prepare import begin_steps
from pgtrickle.refresh.storage import make_stage, make_storage

if TYPE_CHECKING:
    from pgtrickle.config import Settings
    from pgtrickle.dvm.compile import Compiled
    from pgtrickle.pg.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What a user asks for when creating a stream table, or when one is replaced.

    `replaces` is the stream table whose place it takes; `settings` are those that its query was written under, where
    they are not this session's.
    """

    name: QualifiedName
    query: str
    schedule: str
    refresh_mode: RefreshMode
    capture_failure: CaptureFailure
    strict: bool = False
    replaces: StreamTableId | None = None
    settings: dict[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Planned:
    """A request that PostgreSQL and the compiler have accepted."""

    request: Request
    facts: QueryFacts
    compiled: Compiled

    @property
    def effective_mode(self) -> RefreshMode:
        """DIFFERENTIAL where the plan is, else FULL."""
        full = self.request.refresh_mode is RefreshMode.FULL or self.compiled.fallback is not None
        return RefreshMode.FULL if full else RefreshMode.DIFFERENTIAL

    @property
    def reasons(self) -> tuple[str, ...]:
        """Why the mode is FULL, each with its code."""
        found = self.compiled.fallback
        return (f"{found.code}: {found.message}",) if found else ()

    @property
    def fallback_warnings(self) -> list[str]:
        """What a user must be told when a fallback was taken silently otherwise."""
        return [
            f"refresh mode of {self.request.name} is FULL, every refresh reads the whole query: {reason}"
            for reason in self.reasons
            if self.request.refresh_mode is RefreshMode.AUTO
        ]


def plan(connection: Connection, request: Request) -> Planned:
    """Return the plan for `request`; nothing is written. Fallback is refused in DIFFERENTIAL and strict."""
    free_name = request.name if request.replaces is None else None
    facts = describe_query(connection, free_name, request.query)
    require_same_reading(connection, facts)
    compiled = compiled_for(connection, facts, request.refresh_mode)
    strict = request.strict and request.refresh_mode is not RefreshMode.FULL
    required = strict or request.refresh_mode is RefreshMode.DIFFERENTIAL
    if compiled.fallback is not None and required:
        raise compiled.fallback
    return Planned(request=request, facts=facts, compiled=compiled)


def require_same_reading(connection: Connection, facts: QueryFacts) -> None:
    """Raise unless PostgreSQL reads back what the compiler read: query and views, printed by the compiler, are the same.

    PostgreSQL may print its own text differently when it reads that back, so both are compared after one reading.
    """
    for meant in facts.readings:
        ours = _ours(connection, meant)
        if ours is None or (
            ours.text != meant.text and ours.text != read_back(connection, meant.text).text
        ):
            raise UnsupportedQueryError(
                "the compiler reads this query differently from PostgreSQL",
                code="PGT214",
                detail="Printed by the compiler and read back, its definition is another one.",
                hint="Rewrite the unusual construct, or report it with the query.",
            )
        if ours.own_calls != meant.own_calls:
            raise UnsupportedQueryError(
                "the query compares values by operators that its printed form does not name",
                code="PGT215",
                detail="USING, NATURAL, IS DISTINCT FROM, NULLIF and CASE x WHEN take the operator from the search_path.",
                hint="For types of an extension write the operator: ON a.x = b.x, or CASE WHEN x = y.",
            )


def _ours(connection: Connection, meant: Reading) -> Reading | None:
    try:
        return read_back(connection, to_sql(read(meant.text)))
    except QueryError:
        return None


def compiled_for(connection: Connection, facts: QueryFacts, mode: RefreshMode) -> Compiled:
    """Return the plan of a described query in the given mode."""
    differential = mode is not RefreshMode.FULL
    return compile_described(connection, facts.query, facts.schema, differential=differential)


@dataclass(frozen=True, slots=True, kw_only=True)
class Filled:
    """A stream table whose rows are in place; this session still counts as its creator."""

    table: StreamTable
    rows: int
    warnings: tuple[str, ...]


def create(connection: Connection, planned: Planned, settings: Settings) -> tuple[str, ...]:
    """Create the stream table and return warnings; on failure nothing of it is left."""
    filled = fill(connection, planned, settings)
    store.release(connection, filled.table.id)
    return filled.warnings


def fill(connection: Connection, planned: Planned, settings: Settings) -> Filled:
    """Capture, register and populate; on failure nothing of it is left."""
    dependencies, warnings = _capture(connection, planned, settings)
    id_ = None
    try:
        new = _new(planned, dependencies)
        id_ = store.register(connection, new)
        table = store.load(connection, new.name)
        rows = _populate(connection, table, planned, settings)
        return Filled(table=store.load(connection, new.name), rows=rows, warnings=tuple(warnings))
    except BaseException:
        _undo(connection, id_, dependencies)
        raise


def _capture(
    connection: Connection, planned: Planned, settings: Settings
) -> tuple[tuple[Dependency, ...], list[str]]:
    dependencies: list[Dependency] = []
    warnings: list[str] = []
    for use in planned.compiled.sources:
        relation = planned.facts.schema.relations[use.relation]
        if relation.kind not in CAPTURABLE:
            continue
        captured = capture(
            connection,
            relation,
            use.columns,
            capture_failure=planned.request.capture_failure,
            settings=settings,
        )
        dependencies.append(Dependency(source=captured.source, columns=use.columns))
        warnings.extend(captured.warnings)
    return tuple(dependencies), warnings


def _new(planned: Planned, dependencies: tuple[Dependency, ...]) -> NewStreamTable:
    request, facts = planned.request, planned.facts
    replaces = request.replaces
    return NewStreamTable(
        name=request.name if replaces is None else replacement_name(replaces),
        query=facts.query,
        query_hash=hashlib.sha256(facts.query.encode()).hexdigest(),
        refresh_mode=request.refresh_mode,
        effective_mode=planned.effective_mode,
        reasons=planned.reasons,
        schedule=request.schedule,
        settings=facts.settings if request.settings is None else request.settings,
        relations=facts.relations,
        dependencies=dependencies,
        options=options_of(planned),
    )


def options_of(planned: Planned) -> dict[str, str]:
    """Return what is stored about a plan, beside what its reader asked for."""
    request, compiled = planned.request, planned.compiled
    options = {
        LAYOUT: stored.layout(compiled.plan, compiled.stages),
        FUNCTIONS: stored_functions(planned.facts.schema.functions),
        STAGES: str(len(compiled.stages)),
        CAPTURE_FAILURE: request.capture_failure.value,
    }
    if request.replaces is not None:
        options[REPLACES] = str(request.replaces)
    return options


def _undo(
    connection: Connection, id_: StreamTableId | None, dependencies: tuple[Dependency, ...]
) -> None:
    if connection.closed:
        return
    if id_ is not None:
        store.remove(connection, id_)
        store.release(connection, id_)
    for dependency in dependencies:
        remove_capture(connection, dependency.source.id)


def _populate(
    connection: Connection, table: StreamTable, planned: Planned, settings: Settings
) -> int:
    """Fill storage in one transaction, from sources that still are what the plan was made for; return its rows."""
    name = planned.request.name
    before = fingerprint_of(connection, table)
    again = describe_query(connection, None, table.query)
    if again.schema != planned.facts.schema:
        raise _changed(name)
    with translated(f"populate stream table {name}"), refreshing(connection):
        found, moment = look(connection, table, begin_steps(table, settings))
        if found != before:
            raise _changed(name)
        rows = _fill(connection, table, planned)
        if planned.request.replaces is None:
            show(connection, table.name, table.storage, planned.compiled, replace=False)
        live = run(connection, [Step(fingerprint.LIVE, (table.id,))])[0]
        require_same_tree(name, moment.tree, live)
        store.activate(connection, table.id, fingerprint=found, snapshot=moment.snapshot)
    return rows


def fingerprint_of(connection: Connection, table: StreamTable) -> str:
    """Return what the sources of `table` look like now."""
    with translated("read the shape of the sources"):
        row = run(connection, [Step(fingerprint.AT_SNAPSHOT, (table.id,))])[0]
    return str(row[0]) if row else ""


def _changed(name: QualifiedName) -> SourceChangedError:
    return SourceChangedError(
        f"a source of stream table {name} changed while it was filled",
        hint="The same call will read the new shape.",
    )


def _fill(connection: Connection, table: StreamTable, planned: Planned) -> int:
    """Create and fill the storage of each stage and of the whole; return the rows of the whole."""
    compiled = compile_for(planned.compiled, table.query, table.id)
    for stage in compiled.stages:
        make_stage(connection, table.id, stage)
    make_storage(connection, table.storage, compiled.plan)
    counted = "SELECT pg_catalog.pg_stat_get_xact_tuples_inserted(pg_catalog.to_regclass(%s))"
    row = connection.execute(counted, (str(table.storage),)).fetchone()
    return int(row[0] or 0) if row else 0


def show(
    connection: Connection,
    name: QualifiedName,
    storage: QualifiedName,
    compiled: Compiled,
    *,
    replace: bool,
) -> None:
    """Show the user's columns of `storage` through the view `name`: a new one, or with `replace` the one that is there."""
    create = sql.SQL("CREATE OR REPLACE VIEW" if replace else "CREATE VIEW")
    columns = sql.SQL(", ").join(map(sql.Identifier, compiled.plan.visible))
    filled = sql.SQL("{} {} AS SELECT {} FROM {}").format(
        create, sql.Identifier(*name), columns, sql.Identifier(*storage)
    )
    connection.execute(filled, prepare=False)
