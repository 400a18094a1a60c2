"""What compiling gave, kept in the catalog for other processes.

An entry is found by all that it was compiled from, so one that is found is right; what is not found is compiled. Everything here
may be lost at any time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from pgtrickle.pg.execute import translated
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pgtrickle.catalog.model import StreamTableId
    from pgtrickle.pg.connection import Connection

_STATEMENTS = "pgtrickle.catalog.statements"

PARTS: Final = "parts"
"""The key under which a plan's parts are described; all others are keys of statements."""

READ: Final = statement(_STATEMENTS, "plan_cache_read.sql")
"""$1: stream table, $2: generation, $3: inputs, $4: key; one row or none: what was compiled."""


class PlanKey(NamedTuple):
    """What a plan was compiled for, and a digest of what it was compiled from."""

    stream_table_id: StreamTableId
    generation: int
    inputs: str


def write(
    connection: Connection, plan: PlanKey, compiled: Mapping[str, str], *, limit: int
) -> None:
    """Store what was compiled of a plan, unless `limit` is reached or the generation is another by now."""
    facts = {
        "id": plan.stream_table_id,
        "generation": plan.generation,
        "inputs": plan.inputs,
        "parts": PARTS,
        "keys": list(compiled),
        "compiled": list(compiled.values()),
        "limit": limit,
    }
    with translated("store a compiled plan"):
        connection.execute(statement(_STATEMENTS, "plan_cache_write.sql"), facts)


def clear(connection: Connection) -> None:
    """Forget every plan of every stream table."""
    with translated("clear the stored plans"):
        connection.execute("DELETE FROM pgtrickle.plan_cache")
