"""Runs a case and holds the law against it, with SQL of its own.

After each refresh: the stored rows equal the query's rows as multisets, they print alike wherever SQL
determines how, the report names a differential refresh of the delta's scope (or none exactly when
nothing was committed to the sources), and its counts explain how the number of rows changed. A query that has
features which are not maintained yet may be refreshed in full, if its creation said so with a code. Where SQL
leaves the rows open, the maintainer's own audit speaks for the completed query.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tests.law.case import Block, written_tables
from tests.law.features import MAINTAINED, SCANS_ALL

if TYPE_CHECKING:
    from collections.abc import Sequence
    from collections.abc import Set as AbstractSet

    import psycopg

    from tests.law.case import Case, Round, Stream, Transaction
    from tests.law.maintainers import Created, Maintainer, Report

_NO_EQUALITY = frozenset({"json", "xml", "point", "box", "polygon", "line", "path"})

_DIFFERENCE = """
WITH wanted AS (SELECT {columns} FROM ({query}) AS q({names})),
     stored AS (SELECT {columns} FROM (SELECT * FROM {name}) AS q({names}))
SELECT 'missing ' || d::text FROM (SELECT * FROM wanted EXCEPT ALL SELECT * FROM stored) AS d
UNION ALL
SELECT 'extra ' || d::text FROM (SELECT * FROM stored EXCEPT ALL SELECT * FROM wanted) AS d
"""


class LawBrokenError(AssertionError):
    """A stream table is not what its query says, or a refresh not what it claims."""


class RowsDifferError(LawBrokenError):
    """Rows are missing or in excess."""


class CompletedRowsDifferError(LawBrokenError):
    """The audit finds other rows than the completed query has."""


class AuditDisagreesError(LawBrokenError):
    """The audit finds a difference where there is none."""


class AuditBlindError(RowsDifferError):
    """Rows are missing or in excess, and the maintainer's own audit does not see it."""


class ImagesDifferError(LawBrokenError):
    """Rows are equal but do not print alike."""


class WrongActionError(LawBrokenError):
    """The refresh did work where there was none, or the wrong kind of work."""


class WrongScopeError(LawBrokenError):
    """The refresh looked at more than the delta."""


class WrongCountsError(LawBrokenError):
    """The reported counts do not explain the number of rows."""


@dataclass(slots=True)
class Observed:
    """What the run of a case showed, for statistics about the grammar."""

    rows: list[int]
    refreshes: int = 0
    changed: int = 0
    quiet: int = 0


def check(
    case: Case,
    connection: psycopg.Connection[Any],
    maintainer: Maintainer,
    maintained: AbstractSet[str] = MAINTAINED,
) -> Observed:
    """Run the case in the connection's current schema, or raise LawBrokenError.

    A query all of whose features are `maintained` must be differential.
    """
    for statement in case.ddl:
        connection.execute(statement)
    run = _Run(case, connection, maintainer)
    run.create(maintained)
    for number, changes in enumerate(case.rounds, start=1):
        run.round(number, changes)
    run.audit()
    run.drop()
    return run.observed


def compare(connection: psycopg.Connection[Any], stream: Stream, moment: str) -> None:
    """Raise if the stored rows are not the query's rows, by value and then by image."""
    types = _column_types(connection, stream.query)
    names = [f"c{place}" for place in range(len(types))]
    by_value = [
        f"{name}::text" if kind in _NO_EQUALITY else name
        for name, kind in zip(names, types, strict=True)
    ]
    by_image = [
        value if place in stream.unsettled else f"{name}::text"
        for place, (name, value) in enumerate(zip(names, by_value, strict=True))
    ]
    _same(connection, stream, by_value, f"{moment}: rows differ", RowsDifferError)
    _same(connection, stream, by_image, f"{moment}: images differ", ImagesDifferError)


def _column_types(connection: psycopg.Connection[Any], query: str) -> list[str]:
    cursor = connection.execute(f"SELECT * FROM ({query}) AS q LIMIT 0")
    kinds = connection.adapters.types
    found = [kinds.get(column.type_code) for column in cursor.description or ()]
    return [kind.name if kind else "unknown" for kind in found]


def _same(
    connection: psycopg.Connection[Any],
    stream: Stream,
    columns: Sequence[str],
    message: str,
    error: type[LawBrokenError],
) -> None:
    names = ", ".join(f"c{place}" for place in range(len(columns)))
    text = _DIFFERENCE.format(
        columns=", ".join(columns), names=names, query=stream.query, name=stream.name
    )
    found = sorted(str(row) for (row,) in connection.execute(text))
    if found:
        shown = "\n  ".join(found[:12])
        raise error(f"{stream.name} {message} ({len(found)} rows)\n  {shown}\nof {stream.query}")


def _rewritten(name: str) -> str:
    """Return the name under which changes are counted that a reader may not notice."""
    return f"{name}, rewritten"


def _truncated(name: str) -> str:
    return f"{name}, truncated"


class _Run:
    """One case under way: what was written since each stream table's last refresh."""

    def __init__(
        self, case: Case, connection: psycopg.Connection[Any], maintainer: Maintainer
    ) -> None:
        self._case = case
        self._connection = connection
        self._maintainer = maintainer
        self._pending: dict[str, Counter[str]] = {}
        self._created: dict[str, Created] = {}
        self.observed = Observed([])

    def create(self, maintained: AbstractSet[str]) -> None:
        for stream in self._case.streams:
            differential = maintained >= set(stream.features)
            created = self._maintainer.create(stream.name, stream.query, differential=differential)
            self._created[stream.name] = created
            if created.mode != "DIFFERENTIAL" and not created.codes():
                raise WrongActionError(f"{stream.name} is {created.mode} without a coded reason")
            self._pending[stream.name] = Counter()
            self._compare(stream, "after creation")

    def audit(self) -> None:
        """Let the maintainer compare what was compared here; it must come to the same result."""
        for stream in self._case.streams:
            found = self._audit(stream)
            if found:
                raise AuditDisagreesError(f"{stream.name} at the end: {found}")

    def _audit(self, stream: Stream) -> str:
        """Return what the maintainer's audit finds; how rows print counts where SQL settles it for every column."""
        return self._maintainer.audit(stream.name, images=not stream.unsettled)

    def _compare(self, stream: Stream, moment: str) -> None:
        if stream.undetermined:
            found = self._audit(stream)
            if found:
                raise CompletedRowsDifferError(f"{stream.name} {moment}: {found}")
            return
        try:
            compare(self._connection, stream, moment)
        except RowsDifferError as error:
            if not self._maintainer.audit(stream.name, images=False):
                raise AuditBlindError(*error.args) from error
            raise

    def drop(self) -> None:
        for stream in reversed(self._case.streams):
            self._maintainer.drop(stream.name)

    def round(self, number: int, changes: Round) -> None:
        for transaction in changes.transactions:
            self._written(self._transact(transaction))
        for stream in self._case.streams:
            if stream.name not in changes.skipped:
                self._refresh(stream, f"round {number}")

    def _written(self, counts: Counter[str]) -> None:
        for pending in self._pending.values():
            pending.update(counts)

    def _transact(self, transaction: Transaction) -> Counter[str]:
        """Return the rows written by table, none for a transaction that rolls back."""
        self._connection.execute("BEGIN")
        counts = self._steps(transaction.steps)
        self._connection.execute("COMMIT" if transaction.commits else "ROLLBACK")
        return counts if transaction.commits else Counter()

    def _steps(self, steps: Sequence[str | Block]) -> Counter[str]:
        counts: Counter[str] = Counter()
        for step in steps:
            counts += self._statement(step) if isinstance(step, str) else self._block(step)
        return counts

    def _block(self, block: Block) -> Counter[str]:
        self._connection.execute("SAVEPOINT s")
        counts = self._steps(block.steps)
        if not block.kept:
            self._connection.execute("ROLLBACK TO s")
        self._connection.execute("RELEASE s")
        return counts if block.kept else Counter()

    def _statement(self, statement: str) -> Counter[str]:
        cursor = self._connection.execute(statement)
        tables = written_tables(statement)
        if statement.startswith("TRUNCATE"):
            return Counter({name: 1 for table in tables for name in (table, _truncated(table))})
        numbers = cursor.fetchone() if cursor.description else (cursor.rowcount,)
        if numbers is None or len(numbers) != len(tables):
            raise ValueError(f"cannot tell how many rows were written by: {statement}")
        return Counter(dict(zip(tables, numbers, strict=True)))

    def _refresh(self, stream: Stream, moment: str) -> None:
        before = self._images(stream)
        report = self._maintainer.refresh(stream.name)
        pending, self._pending[stream.name] = self._pending[stream.name], Counter()
        self._judge(stream, report, pending, moment)
        self._compare(stream, moment)
        after = self._images(stream)
        grown = report.inserted - report.deleted
        if after.total() - before.total() != grown:
            raise WrongCountsError(
                f"{stream.name} {moment}: {before.total()} rows became {after.total()}, "
                f"but the report says {report}"
            )
        self._pass_on(stream, report, changed=before != after)
        quiet = report.action == "NO_DATA"
        self._observe(after.total(), changed=before != after, quiet=quiet)

    def _judge(self, stream: Stream, report: Report, pending: Counter[str], moment: str) -> None:
        written = any(pending[source] for source in stream.sources)
        rewritten = any(pending[_rewritten(source)] for source in stream.sources)
        truncated = any(pending[_truncated(source)] for source in stream.sources)
        mode = self._created[stream.name].mode
        action = mode if written else "NO_DATA"
        either = rewritten and not written and report.action == mode
        rebuilt = truncated and report.action == "FULL"
        if report.action != action and not either and not rebuilt:
            raise WrongActionError(f"{stream.name} {moment}: {action} expected, not {report}")
        scopes = {"all"} if report.action == "FULL" else {"delta"}
        if report.action == "DIFFERENTIAL" and SCANS_ALL & set(stream.features):
            scopes.add("all")
        if report.scope not in scopes:
            raise WrongScopeError(f"{stream.name} {moment}: scope {scopes} expected, not {report}")

    def _pass_on(self, stream: Stream, report: Report, *, changed: bool) -> None:
        """Count a stream table's changed rows as written, for those that read it.

        An update may or may not have been captured: the columns that others read may be the same.
        """
        touched = report.inserted + report.updated + report.deleted
        if changed and touched == 0:
            raise WrongCountsError(f"{stream.name} changed, but the report says {report}")
        moved = report.inserted + report.deleted if changed else 0
        self._written(Counter({stream.name: moved, _rewritten(stream.name): touched}))

    def _images(self, stream: Stream) -> Counter[str]:
        rows = self._connection.execute(f"SELECT q::text FROM {stream.name} AS q").fetchall()
        return Counter(str(image) for (image,) in rows)

    def _observe(self, rows: int, *, changed: bool, quiet: bool) -> None:
        self.observed.refreshes += 1
        self.observed.rows.append(rows)
        self.observed.changed += changed
        self.observed.quiet += quiet
