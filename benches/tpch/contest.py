"""One query's stream table against its full evaluation, under the same changes.

The differential refresh comes first, on buffers nobody has read; the full ones find its pages warm and nothing left to
write. Both favour the other side.
"""

from __future__ import annotations

import statistics
import warnings
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

import psycopg
from psycopg import sql

from pgtrickle import Action, PgtrickleError, PgtrickleWarning, RefreshMode

if TYPE_CHECKING:
    from collections.abc import Callable

    from pgtrickle import Client
    from pgtrickle.pg.connection import Connection

WARM_UP = 1
OVER_LIMIT = "over the limit"


class Line(NamedTuple):
    """One query's medians in milliseconds; None where nothing could be measured, and `note` says why."""

    query: str
    changed: str
    differential_ms: float | None
    full_ms: float | None
    bare_ms: float | None
    rows: int | None
    exact: bool | None
    note: str

    @property
    def ratio(self) -> float | None:
        """How many times as long a full refresh takes."""
        return _quotient(self.full_ms, self.differential_ms)

    @property
    def bare_ratio(self) -> float | None:
        """How many times as long CREATE TABLE AS of the query takes."""
        return _quotient(self.bare_ms, self.differential_ms)


def _quotient(other: float | None, ours: float | None) -> float | None:
    return other / ours if other is not None and ours is not None else None


@dataclass(slots=True)
class Contest:
    """A query with what was measured of it so far; a way that failed once is not tried again."""

    name: str
    text: str
    changed: str
    client: Client
    bare: Connection
    differential: bool = False
    reason: str = ""
    samples: dict[str, list[float]] = field(default_factory=dict)
    failures: dict[str, str] = field(default_factory=dict)
    rows: int | None = None
    exact: bool | None = None

    def create(self) -> None:
        """Create the stream table, differential if it can be."""

        def work() -> None:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", PgtrickleWarning)
                table = self.client.create_stream_table(self.name, self.text)
            self.differential = table.effective_mode is RefreshMode.DIFFERENTIAL
            self.reason = "; ".join(table.reasons)

        self._attempt("creation", work)

    def absorb(self) -> None:
        """Refresh without measuring; these changes may not have reached this query at all."""
        if "creation" in self.failures:
            return
        kept = self.samples
        self.samples = {}
        self._attempt("absorbing", lambda: self.client.refresh_stream_table(self.name))
        self.samples = kept

    def measure(self) -> None:
        """Measure each way once, and audit what the differential one left."""
        if "creation" in self.failures:
            return
        if self.differential:
            self._attempt("differential", self._refresh)
        self._attempt("audit", self._audit)
        self._attempt("full refresh", self._refresh_fully)
        self._attempt("bare query", self._create_table_as)

    def line(self) -> Line:
        """Return what was measured."""
        failures = [f"{way}: {failure}" for way, failure in self.failures.items()]
        return Line(
            query=self.name,
            changed=self.changed,
            differential_ms=self._median("differential"),
            full_ms=self._median("full refresh"),
            bare_ms=self._median("bare query"),
            rows=self.rows,
            exact=self.exact,
            note="; ".join([self.reason, *failures] if self.reason else failures),
        )

    def _median(self, way: str) -> float | None:
        samples = self.samples.get(way, [])[WARM_UP:]
        return statistics.median(samples) if samples and way not in self.failures else None

    def _attempt(self, way: str, work: Callable[[], object]) -> None:
        if way in self.failures:
            return
        start = perf_counter()
        try:
            work()
        except (PgtrickleError, psycopg.Error) as error:
            self.failures[way] = _failure(error)
        else:
            self.samples.setdefault(way, []).append((perf_counter() - start) * 1000)

    def _refresh(self) -> None:
        report = self.client.refresh_stream_table(self.name)
        if self.differential and report.action is not Action.DIFFERENTIAL:
            self.failures["differential"] = f"{report.action}, {report.reason}"

    def _refresh_fully(self) -> None:
        self.client.refresh_stream_table(self.name, full=True)

    def _audit(self) -> None:
        report = self.client.verify(self.name)
        self.rows = report.rows
        self.exact = report.matches and self.exact is not False

    def _create_table_as(self) -> None:
        table = sql.Identifier(f"bare_{self.name}")
        query = sql.SQL(self.text)
        self.bare.execute(sql.SQL("CREATE TABLE {} AS {}").format(table, query), prepare=False)
        self.bare.execute(sql.SQL("DROP TABLE {}").format(table), prepare=False)


def _failure(error: Exception) -> str:
    """Return a few words for what went wrong."""
    if isinstance(error, psycopg.errors.QueryCanceled) or isinstance(
        error.__cause__, psycopg.errors.QueryCanceled
    ):
        return OVER_LIMIT
    return f"{error.code}: {error.message}" if isinstance(error, PgtrickleError) else str(error)
