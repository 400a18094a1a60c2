"""What the plan of a stream table is compiled from, all of it: equal inputs give equal plans and equal statements."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import resources
from typing import TYPE_CHECKING

from sqlglot._version import __version__ as sqlglot_version

from pgtrickle._core import __version__
from pgtrickle.catalog.definitions import read_defined_relations
from pgtrickle.catalog.model import FUNCTIONS, LAYOUT, STAGES, RefreshMode, StreamTable
from pgtrickle.catalog.stages import compile_stored, read_functions, stage_storage
from pgtrickle.dvm.differentiate.sources import Buffer
from pgtrickle.dvm.render import storage as stored
from pgtrickle.dvm.schema import QualifiedName, Relation, Schema
from pgtrickle.errors import LayoutChangedError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from importlib.resources.abc import Traversable

    from pgtrickle.dvm.compile import Compiled
    from pgtrickle.dvm.plan.model import MaintenancePlan
    from pgtrickle.pg.connection import Connection


@dataclass(frozen=True, slots=True, kw_only=True)
class Inputs:
    """A stream table as stored, and the catalog as it is; `storages` are those of its stages, then its own."""

    table: StreamTable
    schema: Schema
    storages: tuple[Relation, ...]

    @property
    def buffers(self) -> dict[QualifiedName, Buffer]:
        """The change buffer of each source."""
        return {
            dependency.source.relation: Buffer(
                table=dependency.source.buffer,
                columns={
                    column.name: column.buffer_column
                    for column in dependency.source.columns
                    if column.name in dependency.columns
                },
            )
            for dependency in self.table.dependencies
        }

    @property
    def numbers(self) -> dict[QualifiedName, int]:
        """What identifies a source or a storage in the key of a statement: positive for sources, negative for storages."""
        return {
            **{d.source.relation: int(d.source.id) for d in self.table.dependencies},
            **{storage.name: -1 - number for number, storage in enumerate(self.storages)},
        }

    def digest(self) -> str:
        """Return a text that is another one when anything here is, or the compiler is."""
        table = self.table
        facts = (
            compiler(),
            (table.query, table.effective_mode.value, table.stages_of),
            sorted(table.options.items()),
            sorted(self.schema.relations.items()),
            self.schema.functions,
            self.storages,
            sorted(self.buffers.items()),
            sorted(self.numbers.items()),
        )
        return hashlib.blake2b(repr(facts).encode(), digest_size=20).hexdigest()


@dataclass(frozen=True)
class Compilation:
    """The plans of `inputs`, compiled when they are first asked for."""

    connection: Connection
    inputs: Inputs

    @cached_property
    def compiled(self) -> Compiled:
        """The whole with its stages; LayoutChangedError where its rows are stored in another way."""
        return _compile(self.connection, self.inputs)

    @property
    def plans(self) -> tuple[MaintenancePlan, ...]:
        """The plan of each stage, then of the whole."""
        return (*(stage.plan for stage in self.compiled.stages), self.compiled.plan)


def read_inputs(connection: Connection, table: StreamTable) -> Inputs:
    """Return what the plan of `table` is to be compiled from."""
    count = int(table.options.get(STAGES, "0"))
    names = [*(stage_storage(table.stages_of, each + 1) for each in range(count)), table.storage]
    found = read_defined_relations(connection, [*table.relations, *names])
    relations: Mapping[QualifiedName, Relation] = {name: found[name] for name in table.relations}
    functions = read_functions(table.options.get(FUNCTIONS))
    return Inputs(
        table=table,
        schema=Schema(relations=relations, functions=functions),
        storages=tuple(found[name] for name in names),
    )


@cache
def compiler() -> str:
    """Return what tells this compiler from any other: versions, and a digest of its own text.

    A version alone would not do: while the package is developed, its text changes and its version does not.
    """
    text = hashlib.blake2b(digest_size=20)
    for file in _files(resources.files("pgtrickle.dvm")):
        text.update(file.read_bytes())
    return f"{__version__} {sqlglot_version} {text.hexdigest()}"


def _files(folder: Traversable) -> Iterator[Traversable]:
    for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
        if entry.is_dir():
            yield from _files(entry)
        elif entry.name.endswith(".py"):
            yield entry


def _compile(connection: Connection, inputs: Inputs) -> Compiled:
    table = inputs.table
    differential = table.effective_mode is RefreshMode.DIFFERENTIAL
    compiled = compile_stored(
        connection, table.query, inputs.schema, differential=differential, id_=table.stages_of
    )
    if differential and compiled.fallback is not None:
        raise LayoutChangedError(
            f"stream table {table.name} can no longer be maintained differentially",
            detail=str(compiled.fallback),
            hint="Refresh it: in refresh mode AUTO it becomes FULL.",
        )
    if stored.layout(compiled.plan, compiled.stages) != table.options.get(LAYOUT):
        raise LayoutChangedError(
            f"sources of stream table {table.name} changed so that its rows are stored differently now",
            detail="A primary key, a NOT NULL or an inheritance child came or went.",
            hint="Refresh the stream table: its rows are then stored anew.",
        )
    return compiled
