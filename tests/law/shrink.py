"""Makes a failing case smaller by leaving parts out: what hypothesis cannot, because later draws shift.

A part is left out when the case still fails with the same kind of error. Large parts go first: stream tables,
rounds, transactions; then parts of queries, then single rows.
"""

from __future__ import annotations

import re
import time
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from tests.law.case import Block, Case, Round, Stream, Transaction, written_tables
from tests.law.shrink_query import Shorter, shorter

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

T = TypeVar("T")

_ROWS = re.compile(r"(?P<head>INSERT INTO .+? VALUES )(?P<rows>\(.+\))$", re.DOTALL)
_VIEW = "CREATE VIEW v AS "
_BETWEEN_ROWS = re.compile(r"(?<=\)), (?=\()")


def smaller(
    case: Case, fails: Callable[[Case], bool], *, seconds: float, loosen: bool = False
) -> Case:
    """Return a case that still fails and of which no part can be left out, or as far as time allows.

    Without `loosen` no order is left out of a query: its result would be open, and then any difference fails.
    """
    until = time.monotonic() + seconds
    before = None
    while case != before:
        before = case
        queries = partial(_shorter_queries, loosen=loosen)
        for family in (_fewer_parts, queries, _shorter_statements):
            case = _least(case, family, fails, until)
    return case


def _least(
    case: Case,
    family: Callable[[Case], Iterator[Case]],
    fails: Callable[[Case], bool],
    until: float,
) -> Case:
    """Return the case from which one family of reductions can take nothing more."""
    found = True
    while found:
        found = False
        for candidate in family(case):
            if time.monotonic() > until:
                return case
            if fails(candidate):
                case, found = candidate, True
                break
    return case


def _fewer_parts(case: Case) -> Iterator[Case]:
    """Yield the case with one stream table, table, round, transaction or statement less."""
    for streams in _without_one(case.streams):
        names = {stream.name for stream in case.streams} - {stream.name for stream in streams}
        if streams and not any(names & set(stream.sources) for stream in streams):
            yield replace(case, streams=streams)
    yield from _without_tables(case)
    for rounds in _without_one(case.rounds):
        yield replace(case, rounds=rounds)
    for place, changes in enumerate(case.rounds):
        for fewer in _rounds(changes):
            yield replace(case, rounds=_put(case.rounds, place, fewer))


def _shorter_queries(case: Case, *, loosen: bool = False) -> Iterator[Case]:
    for place, stream in enumerate(case.streams):
        for found in shorter(stream.query):
            images = found.same_columns or not stream.unsettled
            if images and (loosen or stream.undetermined or not found.loosens):
                yield replace(case, streams=_put(case.streams, place, _over(stream, found)))
    for place, statement in enumerate(case.ddl):
        if statement.startswith(_VIEW):
            for found in shorter(statement.removeprefix(_VIEW)):
                yield replace(case, ddl=_put(case.ddl, place, _VIEW + found.sql))


def _over(stream: Stream, found: Shorter) -> Stream:
    """Return the stream table with a shorter query; a view may read any of its sources."""
    kept = tuple(name for name in stream.sources if found.reads(name) or found.reads("v"))
    moved = tuple(
        place - (found.lost is not None and place > found.lost)
        for place in stream.unsettled
        if place != found.lost
    )
    return replace(stream, query=found.sql, sources=kept, unsettled=moved)


def _shorter_statements(case: Case) -> Iterator[Case]:
    """Yield the case with one row of an INSERT less."""
    for place, statement in enumerate(case.ddl):
        for less in _statements(statement):
            yield replace(case, ddl=_put(case.ddl, place, less))


def _without_tables(case: Case) -> Iterator[Case]:
    read = {source for stream in case.streams for source in stream.sources}
    for statement in case.ddl:
        name = statement.split("(")[0].removeprefix("CREATE TABLE ").strip()
        if statement.startswith("CREATE TABLE") and name not in read:
            ddl = tuple(
                other
                for other in case.ddl
                if other != statement and name not in written_tables(other)
            )
            yield replace(case, ddl=ddl, rounds=tuple(_unwritten(case.rounds, name)))
        elif statement.startswith("CREATE VIEW"):
            yield replace(case, ddl=tuple(other for other in case.ddl if other != statement))


def _unwritten(rounds: tuple[Round, ...], table: str) -> Iterator[Round]:
    for changes in rounds:
        kept = (replace(each, steps=_untouched(each.steps, table)) for each in changes.transactions)
        yield replace(changes, transactions=tuple(kept))


def _untouched(steps: tuple[str | Block, ...], table: str) -> tuple[str | Block, ...]:
    return tuple(
        replace(step, steps=_untouched(step.steps, table)) if isinstance(step, Block) else step
        for step in steps
        if isinstance(step, Block) or table not in written_tables(step)
    )


def _rounds(changes: Round) -> Iterator[Round]:
    if changes.skipped:
        yield replace(changes, skipped=())
    for transactions in _without_one(changes.transactions):
        yield replace(changes, transactions=transactions)
    for place, transaction in enumerate(changes.transactions):
        for steps in _fewer_steps(transaction.steps):
            fewer = Transaction(steps, transaction.commits)
            yield replace(changes, transactions=_put(changes.transactions, place, fewer))


def _fewer_steps(steps: tuple[str | Block, ...]) -> Iterator[tuple[str | Block, ...]]:
    yield from _without_one(steps)
    for place, step in enumerate(steps):
        if isinstance(step, Block):
            yield (*steps[:place], *step.steps, *steps[place + 1 :])
            for inner in _fewer_steps(step.steps):
                yield _put(steps, place, replace(step, steps=inner))
        else:
            for shorter in _statements(step):
                yield _put(steps, place, shorter)


def _statements(statement: str) -> Iterator[str]:
    """Yield an INSERT with one row less."""
    match = _ROWS.match(statement)
    if match:
        for rows in _without_one(tuple(_BETWEEN_ROWS.split(match["rows"]))):
            if rows:
                yield match["head"] + ", ".join(rows)


def _without_one(items: tuple[T, ...]) -> Iterator[tuple[T, ...]]:
    for place in range(len(items)):
        yield items[:place] + items[place + 1 :]


def _put(items: tuple[T, ...], place: int, item: T) -> tuple[T, ...]:
    return (*items[:place], item, *items[place + 1 :])
