"""The capture function of one table: PL/pgSQL from a skeleton, with names filled in.

One function serves one table of one source and nobody else: dropping it removes that table's triggers, also where
we do not own the table. Each version of a capture has functions of its own.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from psycopg import sql

from pgtrickle.catalog.model import CHANGES_SCHEMA, CaptureFailure
from pgtrickle.cdc.buffer import capture_prefix, trigger_name
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import LiteralString

    from pgtrickle.catalog.model import CapturedColumn

_TEMPLATES = "pgtrickle.cdc.trigger.templates"
_OLD = sql.SQL("OLD TABLE AS old_rows")
_NEW = sql.SQL("NEW TABLE AS new_rows")
_TRANSITIONS = {
    "insert": sql.SQL("REFERENCING {}").format(_NEW),
    "update": sql.SQL("REFERENCING {} {}").format(_OLD, _NEW),
    "delete": sql.SQL("REFERENCING {}").format(_OLD),
    "truncate": sql.Composed([]),
}
EVENTS = tuple(_TRANSITIONS)


@dataclass(frozen=True, slots=True)
class PairingColumn:
    """A key column by which the old and the new image of a row find each other."""

    name: str
    hashable: bool = True
    not_null: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Capture:
    """How the changes of one source are captured, in one version.

    `per_row` captures with row triggers. With `pairing`, an update whose captured columns stay the same is no change.
    """

    source_id: int
    version: int
    buffer: QualifiedName
    columns: tuple[CapturedColumn, ...]
    capture_failure: CaptureFailure
    per_row: bool = False
    pairing: tuple[PairingColumn, ...] | None = None


def function_name(capture: Capture, table_oid: int) -> QualifiedName:
    """Return the name of the function that captures one table."""
    prefix = capture_prefix(capture.source_id)
    return QualifiedName(CHANGES_SCHEMA, f"{prefix}{table_oid}_v{capture.version}")


def create_function(capture: Capture, table_oid: int) -> sql.Composed:
    """Return the statements that create a table's capture function, for nobody else to call.

    The body is a literal, not dollar-quoted: no name in it can end it.
    """
    function = sql.Identifier(*function_name(capture, table_oid))
    body = function_body(capture).as_string(None)
    create = sql.SQL(statement(_TEMPLATES, "function.sql"))
    return sql.SQL("{}; REVOKE ALL ON FUNCTION {}() FROM PUBLIC").format(
        create.format(function=function, body=sql.Literal(body)), function
    )


def create_triggers(capture: Capture, table: QualifiedName, table_oid: int) -> sql.Composed:
    """Return the statements that create or replace the triggers of one table."""
    function = sql.Identifier(*function_name(capture, table_oid))
    return sql.SQL("; ").join(
        sql.SQL("CREATE OR REPLACE TRIGGER {} AFTER {} ON {} {} EXECUTE FUNCTION {}()").format(
            sql.Identifier(trigger_name(capture.source_id, event)),
            sql.SQL(event),
            sql.Identifier(*table),
            _level(event, per_row=capture.per_row),
            function,
        )
        for event in EVENTS
    )


def always_enabled(capture: Capture, table: QualifiedName) -> sql.Composed:
    """Return the statement that lets the triggers fire for replicated writes too; needs ownership."""
    return sql.SQL("ALTER TABLE {} {}").format(
        sql.Identifier(*table),
        sql.SQL(", ").join(
            sql.SQL("ENABLE ALWAYS TRIGGER {}").format(
                sql.Identifier(trigger_name(capture.source_id, event))
            )
            for event in EVENTS
        ),
    )


def function_body(capture: Capture) -> sql.Composed:
    """Return the PL/pgSQL that writes changes to the buffer."""
    guarded = capture.capture_failure is CaptureFailure.REBUILD
    return _template("guarded.sql" if guarded else "unguarded.sql").format(
        capture=_rows(capture) if capture.per_row else _statements(capture),
        source_id=sql.Literal(capture.source_id),
    )


def _rows(capture: Capture) -> sql.Composed:
    return _template("rows.sql").format(
        **_common(capture), old_values=_values("OLD", capture), new_values=_values("NEW", capture)
    )


def _statements(capture: Capture) -> sql.Composed:
    values = {"old_values": _values("o", capture), "new_values": _values("n", capture)}
    common = _common(capture)
    if capture.pairing is None:
        update = _template("update.sql").format(**common, **values)
    else:
        update = _paired_update(capture, capture.pairing)
    return _template("statements.sql").format(**common, **values, update=update)


def _paired_update(capture: Capture, pairing: tuple[PairingColumn, ...]) -> sql.Composed:
    halves = [sql.Identifier(f"c{number}") for number, _ in enumerate(capture.columns)]
    return _template("paired_update.sql").format(
        **_common(capture),
        old_values=_values("o", capture),
        new_values=_values("n", capture),
        half_names=_listed(halves),
        half_values=_listed(sql.SQL("half.{}").format(half) for half in halves),
        match=_match(pairing),
        old_image=_image("o", capture),
        new_image=_image("n", capture),
    )


def _match(pairing: tuple[PairingColumn, ...]) -> sql.Composed:
    """Return the join condition: plain equality where it can be hashed, else a hash and a recheck.

    A pair that is missed costs a change that cancels itself, never a wrong one.
    """
    if all(column.hashable and column.not_null for column in pairing):
        return _all_of("o.{0} = n.{0}", pairing)
    return sql.SQL("{} = {} AND {}").format(
        _hash("o", pairing),
        _hash("n", pairing),
        _all_of("o.{0} IS NOT DISTINCT FROM n.{0}", pairing),
    )


def _all_of(condition: LiteralString, pairing: tuple[PairingColumn, ...]) -> sql.Composed:
    return sql.SQL(" AND ").join(
        sql.SQL(condition).format(sql.Identifier(column.name)) for column in pairing
    )


def _hash(side: LiteralString, pairing: tuple[PairingColumn, ...]) -> sql.Composed:
    fields = [
        sql.SQL("{}.{}" if column.hashable else "{}.{}::text").format(
            sql.SQL(side), sql.Identifier(column.name)
        )
        for column in pairing
    ]
    return sql.SQL("hash_record_extended(ROW({}), 0)").format(sql.SQL(", ").join(fields))


def _level(event: str, *, per_row: bool) -> sql.Composed:
    if per_row and event != "truncate":
        return sql.Composed([sql.SQL("FOR EACH ROW")])
    return sql.SQL("{} FOR EACH STATEMENT").format(_TRANSITIONS[event])


def _common(capture: Capture) -> dict[str, sql.Composable]:
    return {
        "buffer": sql.Identifier(*capture.buffer),
        "columns": _listed(sql.Identifier(column.buffer_column) for column in capture.columns),
        "source_id": sql.Literal(capture.source_id),
    }


def _values(row: LiteralString, capture: Capture) -> sql.Composed:
    return _listed(_fields(row, capture))


def _image(row: LiteralString, capture: Capture) -> sql.Composed:
    return sql.SQL(", ").join(_fields(row, capture))


def _fields(row: LiteralString, capture: Capture) -> Iterable[sql.Composable]:
    return [
        sql.SQL("{}.{}").format(sql.SQL(row), sql.Identifier(column.name))
        for column in capture.columns
    ]


def _listed(items: Iterable[sql.Composable]) -> sql.Composed:
    """Return the items, each after a comma: there may be none."""
    return sql.Composed([sql.SQL(", {}").format(item) for item in items])


def _template(file: str) -> sql.SQL:
    return sql.SQL(statement(_TEMPLATES, file))
