"""What compiling gave, in two levels: in this process, then in the catalog for all processes; what neither has is compiled.

The levels hold statements, and of a plan only what is needed to choose among them. So a new process that refreshes an existing
stream table parses no query, and one that finds a statement in its own memory asks the catalog nothing.
"""

from __future__ import annotations

import json
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from pgtrickle.catalog import plans as stored_plans
from pgtrickle.catalog.plans import PARTS, PlanKey
from pgtrickle.dvm.render import storage as stored
from pgtrickle.dvm.render.delta import delta
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.engines.postgres import Step, run
from pgtrickle.errors import PgtrickleError, PgtrickleWarning
from pgtrickle.refresh.inputs import Compilation, read_inputs
from pgtrickle.refresh.prepare import Part, PartFacts, Prepared, facts_of, ready

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from pgtrickle._core import PlanCache
    from pgtrickle.catalog.model import StreamTable
    from pgtrickle.config import Settings
    from pgtrickle.pg.connection import Connection

# A part is named in the key of a statement by its own number, out of the range of those that it reads.
MAX_PARTS = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CacheReport:
    """What the caches of compiled plans did for this client.

    `hits`, `misses`, `evictions` and `entries` are those of its memory. A miss is a `stored_hit` where the catalog had it,
    else it was `compiled`.
    """

    hits: int
    misses: int
    evictions: int
    entries: int
    stored_hits: int
    compiled: int


@dataclass(slots=True)
class Plans:
    """Statements of stream tables over one connection. What is new is kept back until `save`: a refresh must not write it."""

    connection: Connection
    settings: Settings
    memory: PlanCache
    unsaved: dict[PlanKey, dict[str, str]] = field(default_factory=dict)
    stored_hits: int = 0
    compiled: int = 0

    def prepare(self, table: StreamTable) -> Prepared:
        """Return `table` ready for refresh; it is compiled only if no process has, from what there is today."""
        compilation = Compilation(self.connection, read_inputs(self.connection, table))
        key = PlanKey(table.id, table.generation, compilation.inputs.digest())
        text = self._stored(key, PARTS, lambda: _write_facts(facts_of(compilation)))
        return ready(compilation, key, _read_facts(text), self.settings)

    def delta(self, prepared: Prepared, part: Part, changed: AbstractSet[QualifiedName]) -> str:
        """Return the statement that applies to one part a window in which exactly `changed` have changed."""
        return self._statement(
            prepared,
            part,
            sorted(prepared.numbers[name] for name in changed),
            lambda: delta(part.plan, part.storage, prepared.buffers, changed),
        )

    def refill(self, prepared: Prepared, part: Part) -> str:
        """Return the statement that compares one part with what it should be."""
        return self._statement(prepared, part, [], lambda: stored.refill(part.plan, part.storage))

    def save(self) -> None:
        """Store in the catalog what was compiled since; call it outside of transactions.

        A failure is only warned about: the refresh before it is committed, and the next process compiles for itself.
        """
        while self.unsaved:
            key, compiled = self.unsaved.popitem()
            limit = self.settings.stored_plans_per_table
            try:
                stored_plans.write(self.connection, key, compiled, limit=limit)
            except PgtrickleError as error:
                warnings.warn(str(error), PgtrickleWarning, stacklevel=2)

    def clear(self) -> None:
        """Forget what this process has compiled."""
        self.memory.clear()
        self.unsaved.clear()

    def report(self) -> CacheReport:
        """Return the counts."""
        seen = self.memory.stats()
        return CacheReport(
            hits=seen.hits,
            misses=seen.misses,
            evictions=seen.evictions,
            entries=seen.entries,
            stored_hits=self.stored_hits,
            compiled=self.compiled,
        )

    def _statement(
        self, prepared: Prepared, part: Part, changed: Sequence[int], render: Callable[[], str]
    ) -> str:
        table = prepared.table
        ids = [prepared.numbers[part.storage.name] - MAX_PARTS, *changed]
        text = self.memory.get(table.id, table.generation, ids)
        if text is None:
            text = self._stored(prepared.key, ",".join(map(str, ids)), render)
            self.memory.put(table.id, table.generation, ids, text)
        return text

    def _stored(self, plan: PlanKey, key: str, make: Callable[[], str]) -> str:
        """Return what the catalog has, else what `make` returns, which is then to be saved."""
        found = run(self.connection, [Step(stored_plans.READ, (*plan, key))])[0]
        if found is not None:
            self.stored_hits += 1
            return str(found[0])
        text = self.unsaved.setdefault(plan, {})[key] = make()
        self.compiled += 1
        return text


def _write_facts(facts: Sequence[PartFacts]) -> str:
    return json.dumps([[sorted(part.reads), part.reads_window] for part in facts])


def _read_facts(text: str) -> list[PartFacts]:
    return [
        PartFacts(frozenset(QualifiedName(*name) for name in reads), windowed)
        for reads, windowed in json.loads(text)
    ]
