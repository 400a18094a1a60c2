"""Lets PostgreSQL read a query: validity, names, types, relations, functions.

The query becomes a view in a transaction that is rolled back, so PostgreSQL's own parser decides what it means for
this session. Nothing here judges whether the query can be maintained.
"""

from __future__ import annotations

import re
import secrets
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from pgtrickle.catalog.model import STATE_SCHEMA
from pgtrickle.catalog.relations import (
    qualified_names,
    read_columns,
    read_relations,
    refuse_row_security,
)
from pgtrickle.dvm.schema import (
    Column,
    Function,
    FunctionKind,
    QualifiedName,
    Relation,
    Schema,
    Volatility,
)
from pgtrickle.errors import InternalError, PrivilegeError, QueryError, RejectedQueryError
from pgtrickle.pg.connection import scratch
from pgtrickle.pg.execute import condition, translate, translated
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import LiteralString

    from pgtrickle.errors import PgtrickleError
    from pgtrickle.pg.connection import Connection

__all__ = [
    "SESSION_SETTINGS",
    "QueryFacts",
    "Reading",
    "describe_query",
    "read_back",
    "read_relations",
]

SESSION_SETTINGS = (
    "TimeZone",
    "DateStyle",
    "IntervalStyle",
    "lc_monetary",
    "lc_numeric",
    "lc_time",
    "bytea_output",
    "xmloption",
    "default_text_search_config",
    "extra_float_digits",
)

_COMMENTS = re.compile(r"(?:\s|\(|--[^\n]*(?:\n|$)|/\*.*?\*/)*", re.DOTALL)
_QUERY_WORDS = frozenset({"select", "with", "values", "table"})
_FEATURE_NOT_SUPPORTED = "0A000"
_INVALID_TABLE_DEFINITION = "42P16"


@dataclass(frozen=True, slots=True)
class Reading:
    """A text as PostgreSQL prints it, and the functions of extensions and users that it means, each as often as it is called."""

    text: str
    own_calls: tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryFacts:
    """What PostgreSQL made of a query.

    `query` is its canonical text, every name qualified; `settings` are those of the session that bear on the result.
    `readings` are the query and the views below it.
    """

    query: str
    outputs: tuple[Column, ...]
    schema: Schema
    relations: tuple[QualifiedName, ...]
    settings: dict[str, str]
    readings: tuple[Reading, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reached:
    """A relation below the query; `definition` is a view's text."""

    oid: int
    name: QualifiedName
    direct: bool
    readable: bool
    definition: str | None


def describe_query(connection: Connection, name: QualifiedName | None, query: str) -> QueryFacts:
    """Return what `query` means in this session, as a view called `name` or as a view of no name.

    With a name, that name must be free and this role must be allowed to create it.
    """
    _require_query(query)
    with translated("read the query"), scratch(connection):
        settings = _session_settings(connection)
        view = _create_view(connection, name or _scratch_name(), query)
        with qualified_names(connection):
            return _describe(connection, view, settings)


def read_back(connection: Connection, query: str) -> Reading:
    """Return what PostgreSQL makes of a `query` whose names are qualified, as every refresh reads it."""
    with translated("read the query"), scratch(connection), qualified_names(connection):
        view = _create_view(connection, _scratch_name(), query)
        text = _text(connection, view)
        return _readings(connection, {view: text})[0]


def _readings(connection: Connection, texts: Mapping[int, str]) -> tuple[Reading, ...]:
    rows = connection.execute(_sql("own_calls.sql"), (list(texts),)).fetchall()
    calls: dict[int, list[int]] = dict(rows)
    return tuple(Reading(text, tuple(calls.get(view, ()))) for view, text in texts.items())


def _text(connection: Connection, view: int) -> str:
    _print_unambiguously(connection)
    row = connection.execute("SELECT pg_catalog.pg_get_viewdef(%s::oid)", (view,)).fetchone()
    if row is None:
        raise InternalError("the view of the query is gone")
    return _canonical(row[0])


def _describe(connection: Connection, view: int, settings: dict[str, str]) -> QueryFacts:
    text = _text(connection, view)
    outputs = read_columns(connection, [view]).get(view, ())
    if not outputs:
        raise RejectedQueryError("the query has no columns")
    reached = _reached(connection, view)
    relations = {
        each.name: relation
        for each, relation in zip(reached, _relations(connection, reached), strict=True)
    }
    views = {view: text, **{each.oid: each.definition for each in reached if each.definition}}
    functions, reads_clock = _functions(connection, list(views))
    return QueryFacts(
        query=text,
        outputs=outputs,
        schema=Schema(relations=relations, functions=functions, reads_clock=reads_clock),
        relations=tuple(relations),
        settings=settings,
        readings=_readings(connection, views),
    )


def _require_query(query: str) -> None:
    start = _COMMENTS.match(query)
    word = re.match(r"\w*", query[start.end() if start else 0 :])
    if word is None or word[0].lower() not in _QUERY_WORDS or "\0" in query:
        raise RejectedQueryError(
            "the query is not a SELECT",
            hint="A stream table is defined by one SELECT, VALUES or WITH ... SELECT statement.",
        )


def _scratch_name() -> QualifiedName:
    return QualifiedName(STATE_SCHEMA, f"~query {secrets.token_hex(8)}")


def _session_settings(connection: Connection) -> dict[str, str]:
    rows = connection.execute(
        "SELECT name, pg_catalog.current_setting(name) FROM unnest(%s::text[]) AS name",
        (list(SESSION_SETTINGS),),
    ).fetchall()
    return dict(rows)


def _create_view(connection: Connection, name: QualifiedName, query: str) -> int:
    """Create the view and return its OID.

    Binary results make psycopg use the extended protocol, which takes exactly one statement: whatever follows a
    semicolon is never run.
    """
    prefix = sql.SQL("CREATE VIEW {} AS ").format(sql.Identifier(*name)).as_string(connection)
    try:
        text = f"{prefix}{query}".encode(connection.info.encoding)
        connection.execute(text, binary=True, prepare=False)
    except psycopg.Error as error:
        raise _explained(error, name, query, len(prefix)) from error
    row = connection.execute(
        "SELECT c.oid::bigint, c.reloptions IS NULL FROM pg_catalog.pg_class AS c"
        " JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace"
        " WHERE n.nspname = %s AND c.relname = %s",
        name,
    ).fetchone()
    if row is None:
        raise RejectedQueryError(
            "a stream table cannot be temporary", hint="Name it in an ordinary schema."
        )
    if not row[1]:
        raise RejectedQueryError(
            "the query is not a SELECT", hint="Leave out WITH CHECK OPTION: nobody writes to it."
        )
    return int(row[0])


def _explained(
    error: psycopg.Error, name: QualifiedName, query: str, offset: int
) -> PgtrickleError:
    """Return PostgreSQL's complaint about the query; its values come from the query, not from rows."""
    state = error.sqlstate or ""
    message = error.diag.message_primary or condition(error)
    if error.diag.source_function == "exec_parse_message":
        return RejectedQueryError(
            "the query is more than one statement",
            hint="A stream table is defined by one SELECT statement.",
        )
    if state in {_FEATURE_NOT_SUPPORTED, _INVALID_TABLE_DEFINITION}:
        return RejectedQueryError(
            f"the query cannot be a view: {message}",
            hint=error.diag.message_hint or "It may only read, and only what outlives the session.",
        )
    ours = translate(error, f"create stream table {name}")
    if isinstance(ours, QueryError) or state[:2] == "22":
        return QueryError(
            message,
            detail=_place(error.diag.statement_position, query, offset),
            hint=error.diag.message_hint,
        )
    return ours


def _place(position: str | None, query: str, offset: int) -> str | None:
    """Return where in the query the error is, from PostgreSQL's position in the whole statement."""
    if position is None or int(position) <= offset:
        return None
    before = query[: int(position) - offset - 1]
    line = before.count("\n") + 1
    return f"At line {line}, column {len(before) - before.rfind(chr(10))} of the query."


def _print_unambiguously(connection: Connection) -> None:
    """Set what bears on how PostgreSQL prints constants, for the rest of the scratch transaction."""
    connection.execute(
        "SET LOCAL DateStyle = ISO; SET LOCAL extra_float_digits = 1;"
        " SET LOCAL quote_all_identifiers = off; SET LOCAL standard_conforming_strings = on;"
        " SET LOCAL bytea_output = hex",
        prepare=False,
    )


def _canonical(text: str) -> str:
    return text.strip().removesuffix(";")


def _reached(connection: Connection, view: int) -> list[Reached]:
    rows = connection.execute(_sql("reachable.sql"), {"view": view}).fetchall()
    return [
        Reached(
            oid=row[0],
            name=QualifiedName(row[1], row[2]),
            direct=row[3],
            readable=row[4],
            definition=None if row[5] is None else _canonical(row[5]),
        )
        for row in rows
    ]


def _relations(connection: Connection, reached: Sequence[Reached]) -> list[Relation]:
    for each in reached:
        if each.direct and not each.readable:
            raise PrivilegeError(
                f"this role may not read relation {each.name}",
                hint=f"GRANT SELECT, TRIGGER ON {each.name} TO the role.",
            )
    relations = read_relations(connection, [each.name for each in reached])
    refuse_row_security(connection, relations.values())
    return [replace(relations[each.name], definition=each.definition) for each in reached]


def _functions(connection: Connection, views: Sequence[int]) -> tuple[tuple[Function, ...], bool]:
    rows = connection.execute(_sql("functions.sql"), (list(views),)).fetchall()
    functions = dict.fromkeys(
        Function(
            schema=row[0],
            name=row[1],
            volatility=Volatility(row[2]),
            builtin=row[3],
            kind=FunctionKind(row[4]),
            returns_set=row[5],
        )
        for row in rows
    )
    values = connection.execute(_sql("session_values.sql"), (list(views),)).fetchone()
    return tuple(functions), any(row[6] for row in rows) or values == (True,)


def _sql(file: str) -> LiteralString:
    return statement("pgtrickle.catalog.statements", file)
