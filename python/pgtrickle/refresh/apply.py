"""The end of every refresh: apply one statement, check that the sources kept their shape, move the frontier."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, NamedTuple

from psycopg.pq import TransactionStatus

from pgtrickle.catalog import fingerprint
from pgtrickle.engines.postgres import COMMIT, Step, run
from pgtrickle.errors import ConflictError, SourceChangedError, UnknownStreamTableError
from pgtrickle.pg.connection import roll_back
from pgtrickle.pg.statement import statement

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from pgtrickle.catalog.model import Action, Scope, StreamTable
    from pgtrickle.pg.connection import Connection
    from pgtrickle.refresh.prepare import Prepared

FINISH = statement("pgtrickle.refresh.statements", "finish.sql")
MOMENT = statement("pgtrickle.refresh.statements", "moment.sql")


class Outcome(NamedTuple):
    """What a refresh does, for its report and its history."""

    action: Action
    scope: Scope
    reason: str


class Counts(NamedTuple):
    """How many stored rows a refresh touched."""

    inserted: int = 0
    updated: int = 0
    deleted: int = 0


class Moment(NamedTuple):
    """The snapshot that a refresh reads with, and the sources' partitions as it sees them."""

    snapshot: str
    tree: str


@contextmanager
def refreshing(connection: Connection) -> Iterator[None]:
    """Commit at the end of the block the transaction that it opened, unless it did; roll back when it raises."""
    try:
        yield
    except BaseException:
        roll_back(connection)
        raise
    if connection.pgconn.transaction_status == TransactionStatus.IDLE:
        return
    if connection.execute("COMMIT", prepare=False).statusmessage != "COMMIT":
        raise ConflictError("the refresh was rolled back", hint="Try again.")


def look(connection: Connection, table: StreamTable, begin: Sequence[Step]) -> tuple[str, Moment]:
    """Open a transaction by `begin`; return the fingerprint of the table's sources and the moment that it reads."""
    *_, found, now = run(
        connection,
        [
            *begin,
            Step(fingerprint.AT_SNAPSHOT, (table.id,)),
            Step(MOMENT, (table.id, str(table.storage))),
        ],
    )
    if found is None or now is None:
        raise UnknownStreamTableError(f"stream table {table.name} does not exist any more")
    return found[0], Moment(now[0], found[1])


def apply(
    connection: Connection,
    prepared: Prepared,
    changes: Sequence[Step],
    tree: str,
    outcome: Outcome,
    *,
    commit: bool,
) -> Counts:
    """Run `changes`, compare the live partitions with those of the snapshot, store the frontier and a history row.

    Where nothing is left to check, `commit` ends the transaction in the same round trip.
    """
    steps = [*changes, finish(prepared, outcome)]
    if prepared.partitioned:
        steps.append(Step(fingerprint.LIVE, (prepared.table.id,)))
    elif commit:
        steps.append(COMMIT)
    rows = run(connection, steps)
    counts = rows[len(changes)]
    if prepared.partitioned:
        require_same_tree(prepared.table.name, tree, rows[-1])
    return Counts(*counts) if counts else Counts()


def finish(prepared: Prepared, outcome: Outcome) -> Step:
    """Return the statement that moves the frontier to the snapshot of its transaction and writes the history."""
    done = (outcome.action.value, outcome.scope.value, outcome.reason)
    return Step(FINISH, (prepared.table.id, prepared.storage_oid, *done))


def require_same_tree(name: object, seen: str, live: tuple[object, ...] | None) -> None:
    """Raise when a source's partitions are not those that the snapshot saw.

    Planning reads the live catalog: a partition attached after the snapshot was read, but never captured.
    """
    if live is None or live[0] != seen:
        raise SourceChangedError(
            f"a source of stream table {name} changed its partitions while it was read",
            hint="The next refresh reads the new shape.",
        )
