"""TPC-H: all 22 queries as stream tables of one database, exact after each of five rounds of changes to all eight tables."""

from __future__ import annotations

import warnings
from collections import Counter
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from psycopg.conninfo import make_conninfo

import pgtrickle
from pgtrickle import Action, PgtrickleError, PgtrickleWarning, RefreshMode
from tests.support import servers
from tests.support.tpch.changes import Rounds
from tests.support.tpch.data import TABLES, generate, load
from tests.support.tpch.queries import NAMES, queries

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from pgtrickle.embedded import Server
    from pgtrickle.pg.connection import Connection

SCALE = 0.01
ROUNDS = 5
CHANGING_ROUNDS = 2
# A plan that went wrong fails its own query, not the run.
PATIENCE = "-c statement_timeout=30s"

# Without a differential form today; `python -m tests.support.tpch` tells why. A query that gets one must leave this set.
EXPECT_FULL: frozenset[str] = frozenset()

pytestmark = [pytest.mark.pg, pytest.mark.xdist_group("tpch")]


@dataclass(slots=True)
class Journey:
    """What happened to one stream table: its rows at the start and after each round, or the first error."""

    mode: RefreshMode | None = None
    actions: list[Action] = field(default_factory=list)
    differing: list[int] = field(default_factory=list)
    rows: list[Counter[tuple[Any, ...]]] = field(default_factory=list)
    error: PgtrickleError | None = None


@dataclass(frozen=True, slots=True)
class Travels:
    """The journeys of all queries through the same rounds, and what each round changed."""

    journeys: dict[str, Journey]
    changes: list[Counter[tuple[str, str]]]


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory with generated rows."""
    directory = tmp_path_factory.mktemp("tpch")
    generate(directory, SCALE)
    return directory


@pytest.fixture(scope="module")
def travels(server: Server, data: Path) -> Iterator[Travels]:
    """All queries through all rounds, once for the tests of this module."""
    with (
        servers.fresh_database(server) as dsn,
        psycopg.connect(dsn, autocommit=True) as writer,
        pgtrickle.connect(make_conninfo(dsn, options=PATIENCE)) as client,
    ):
        load(writer, data)
        client.install()
        journeys = {name: Journey() for name in NAMES}
        for name, text in queries(SCALE).items():
            _create(client, writer, name, text, journeys[name])
        rounds = Rounds(writer)
        changes = []
        for _ in range(ROUNDS):
            changes.append(rounds.run())
            for name, journey in journeys.items():
                _refresh(client, writer, name, journey)
        yield Travels(journeys, changes)


def _create(
    client: pgtrickle.Client, writer: Connection, name: str, text: str, journey: Journey
) -> None:
    mode = "AUTO" if name in EXPECT_FULL else "DIFFERENTIAL"
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PgtrickleWarning)
            journey.mode = client.create_stream_table(name, text, refresh_mode=mode).effective_mode
    except PgtrickleError as error:
        journey.error = error
    else:
        journey.rows.append(_rows(writer, name))


def _refresh(client: pgtrickle.Client, writer: Connection, name: str, journey: Journey) -> None:
    if journey.error is not None:
        return
    try:
        journey.actions.append(client.refresh_stream_table(name).action)
        report = client.verify(name)
    except PgtrickleError as error:
        journey.error = error
    else:
        journey.differing.append(report.missing + report.extra)
        journey.rows.append(_rows(writer, name))


def _rows(writer: Connection, name: str) -> Counter[tuple[Any, ...]]:
    return Counter(writer.execute(f"TABLE {name}".encode()).fetchall())


@pytest.fixture
def journey(travels: Travels, name: str) -> Journey:
    """The journey of one query, which had no error."""
    found = travels.journeys[name]
    if found.error is not None:
        raise found.error
    return found


def test_each_round_inserts_updates_and_deletes_in_all_eight_tables(travels: Travels) -> None:
    expected = {(table, verb) for table in TABLES for verb in ("INSERT", "UPDATE", "DELETE")}
    for changed in travels.changes:
        assert {key for key, rows in changed.items() if rows} == expected


@pytest.mark.parametrize("name", NAMES)
def test_a_query_equals_its_stream_table_after_each_round(journey: Journey) -> None:
    assert journey.differing == [0] * ROUNDS


@pytest.mark.parametrize("name", NAMES)
def test_a_query_is_maintained_as_expected(name: str, journey: Journey) -> None:
    full = name in EXPECT_FULL
    assert journey.mode is (RefreshMode.FULL if full else RefreshMode.DIFFERENTIAL)
    assert journey.actions == [Action.FULL if full else Action.DIFFERENTIAL] * ROUNDS


@pytest.mark.parametrize("name", NAMES)
def test_a_result_is_never_empty_and_changes(journey: Journey) -> None:
    for rows in journey.rows:
        assert any(value is not None for row in rows for value in row)
    changing = sum(before != after for before, after in pairwise(journey.rows))
    assert changing >= CHANGING_ROUNDS
