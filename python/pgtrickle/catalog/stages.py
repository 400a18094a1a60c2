"""The stages of a stream table: their names, and the types that PostgreSQL gives their columns."""

from __future__ import annotations

import json
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from pgtrickle.catalog.introspect import describe_query
from pgtrickle.catalog.model import CHANGES_SCHEMA, STATE_SCHEMA
from pgtrickle.catalog.relations import read_relations
from pgtrickle.catalog.shape import shape_of
from pgtrickle.dvm.compile import Compiled, compile_query
from pgtrickle.dvm.plan.builder import StageUnknownError
from pgtrickle.dvm.render.storage import columns, visible_rows
from pgtrickle.dvm.schema import (
    Function,
    FunctionKind,
    QualifiedName,
    Schema,
    StageFacts,
    Volatility,
)
from pgtrickle.dvm.sqlast import to_sql

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pgtrickle.pg.connection import Connection


def stage_storage(stream_table_id: int, number: int) -> QualifiedName:
    """Return the table that holds the rows of a stage."""
    return QualifiedName(STATE_SCHEMA, f"stage_{stream_table_id}_{number}")


def stage_buffer(stream_table_id: int, number: int) -> QualifiedName:
    """Return the table that holds the changes of a stage."""
    return QualifiedName(CHANGES_SCHEMA, f"stage_{stream_table_id}_{number}")


def stored_functions(functions: Iterable[Function]) -> str:
    """Return, as text to store, the functions that a plan must tell from scalar ones."""
    kept = [
        asdict(function)
        for function in functions
        if function.kind is not FunctionKind.SCALAR or function.returns_set
    ]
    return json.dumps(kept)


def read_functions(text: str | None) -> tuple[Function, ...]:
    """Return the functions that `stored_functions` wrote."""
    return tuple(
        Function(
            **{
                **each,
                "kind": FunctionKind(each["kind"]),
                "volatility": Volatility(each["volatility"]),
            }
        )
        for each in json.loads(text or "[]")
    )


def compile_for(compiled: Compiled, query: str, id_: int) -> Compiled:
    """Return the same plan with its stages stored where the stream table with this id keeps them."""
    if not compiled.stages:
        return compiled
    stages = tuple(
        replace(facts, storage=stage_storage(id_, number))
        for number, facts in enumerate(compiled.schema.stages, start=1)
    )
    return compile_query(query, replace(compiled.schema, stages=stages))


def compile_described(
    connection: Connection, query: str, schema: Schema, *, differential: bool, id_: int = 0
) -> Compiled:
    """Return the plan of `query`, PostgreSQL asked for the types of each stage on the way."""
    while True:
        try:
            return compile_query(query, schema, differential=differential)
        except StageUnknownError as unknown:
            text = to_sql(visible_rows(unknown.plan))
            outputs = describe_query(connection, None, text).outputs
            facts = StageFacts(
                storage=stage_storage(id_, len(schema.stages) + 1),
                types=tuple(column.type for column in outputs),
            )
            schema = replace(schema, stages=(*schema.stages, facts))


def compile_stored(
    connection: Connection, query: str, schema: Schema, *, differential: bool, id_: int
) -> Compiled:
    """Return the plan of a stream table whose stages have their storage already."""
    while True:
        try:
            return compile_query(query, schema, differential=differential)
        except StageUnknownError as unknown:
            name = stage_storage(id_, len(schema.stages) + 1)
            visible = columns(unknown.plan)[: len(unknown.plan.visible)]
            if not {column.name for column in shape_of(connection, name)}.issuperset(visible):
                return compile_described(
                    connection, query, schema, differential=differential, id_=id_
                )
            stored = read_relations(connection, [name])[name]
            types = {column.name: column.type for column in stored.columns}
            found = tuple(types[each] for each in visible)
            schema = replace(schema, stages=(*schema.stages, StageFacts(storage=name, types=found)))
