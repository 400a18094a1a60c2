"""A refresh in one round trip: the statements of the one before, sent before it is known that they are right.

A small refresh spends its time waiting for the client to decide. But what it decides from, its position apart, is mostly what
it was the last time, and equal facts lead to equal statements. So they go along with the window statement, which compares the
facts: where they are others it publishes an empty window, the statements change nothing, and the refresh is done as usual.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from pgtrickle.catalog.model import Scope
from pgtrickle.engines.postgres import COMMIT, Step, run
from pgtrickle.refresh.apply import Counts, Outcome, finish
from pgtrickle.refresh.window import Window, opened

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle.pg.connection import Connection
    from pgtrickle.refresh.prepare import Prepared


class Guess(NamedTuple):
    """The statements that a refresh with these facts consists of, and what it does."""

    facts: str
    changes: Sequence[Step]
    outcome: Outcome


def guess(
    prepared: Prepared, window: Window, changes: Sequence[Step], outcome: Outcome
) -> Guess | None:
    """Return what the next refresh will be if nothing but the rows differ.

    None where statements would do their work even in an empty window, or where the partitions must be compared at the end.
    """
    if outcome.scope is not Scope.DELTA or prepared.partitioned:
        return None
    return Guess(window.facts, changes, outcome)


def repeat(
    connection: Connection, prepared: Prepared, guessed: Guess
) -> tuple[Window, Counts | None]:
    """Run the whole refresh at once; return its window, and what it did if the guess was right."""
    begun = len(prepared.begin)
    last = finish(prepared, guessed.outcome)
    opening = [*prepared.begin, Step(prepared.window, (guessed.facts,))]
    rows = run(connection, [*opening, *guessed.changes, last, COMMIT])
    window = opened(prepared, rows[begun])
    counted = rows[-2]
    return window, Counts(*counted) if window.go and counted else None
