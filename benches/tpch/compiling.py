"""What compiling costs: from the text to the plan, and on to the statement for a window in which every source changed."""

from __future__ import annotations

import statistics
import warnings
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import pgtrickle
from pgtrickle.catalog import store
from pgtrickle.catalog.definitions import read_defined_relations
from pgtrickle.catalog.model import FUNCTIONS
from pgtrickle.catalog.names import existing_name
from pgtrickle.catalog.stages import compile_stored, read_functions
from pgtrickle.dvm.compile import compile_query
from pgtrickle.dvm.render.delta import delta
from pgtrickle.dvm.schema import Schema
from pgtrickle.pg.connection import connect
from pgtrickle.refresh.prepare import prepare
from tests.support.tpch.data import create_tables

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pgtrickle.pg.connection import Connection

REPEATS = 5


class Compiling(NamedTuple):
    """One query's medians in milliseconds; a query without a differential form has no delta."""

    query: str
    plan_ms: float
    delta_ms: float | None
    characters: int | None

    @property
    def total_ms(self) -> float:
        """From the text to rendered SQL."""
        return self.plan_ms + (self.delta_ms or 0.0)


def compile_all(dsn: str, texts: Mapping[str, str]) -> list[Compiling]:
    """Create the stream tables on empty tables and compile each a few times over."""
    with connect(dsn) as connection, pgtrickle.connect(dsn) as client:
        create_tables(connection)
        client.install()
        for name, text in texts.items():
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", pgtrickle.PgtrickleWarning)
                client.create_stream_table(name, text)
        return [_compiling(connection, name) for name in texts]


def _compiling(connection: Connection, name: str) -> Compiling:
    table = store.load(connection, existing_name(connection, name))
    ready = prepare(connection, table, pgtrickle.Settings())
    differential = table.effective_mode is pgtrickle.RefreshMode.DIFFERENTIAL
    known = Schema(
        relations=read_defined_relations(connection, table.relations),
        functions=read_functions(table.options.get(FUNCTIONS)),
    )
    schema = compile_stored(
        connection, table.query, known, differential=differential, id_=table.stages_of
    ).schema
    plan_ms, delta_ms, text = [], [], ""
    for _ in range(REPEATS):
        start = perf_counter()
        compiled = compile_query(table.query, schema)
        planned = perf_counter()
        if differential:
            plans = [*(stage.plan for stage in compiled.stages), compiled.plan]
            text = ";".join(
                delta(plan, part.storage, ready.buffers, plan.root.reads())
                for plan, part in zip(plans, ready.parts, strict=True)
            )
        plan_ms.append((planned - start) * 1000)
        delta_ms.append((perf_counter() - planned) * 1000)
    return Compiling(
        query=name,
        plan_ms=statistics.median(plan_ms),
        delta_ms=statistics.median(delta_ms) if differential else None,
        characters=len(text) if differential else None,
    )
