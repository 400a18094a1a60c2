"""Run the recipe and print the table: `python -m benches.recipe [--rows N] [--rate R] [--cycles C] [--json]`."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
from contextlib import nullcontext
from time import perf_counter
from typing import TYPE_CHECKING, NamedTuple

from rich.console import Console
from rich.table import Table

import pgtrickle
from benches.recipe.handwritten import Handwritten
from benches.recipe.shop import QUERIES, SCHEMA, load, mutate
from pgtrickle import embedded
from pgtrickle.pg.connection import connect

if TYPE_CHECKING:
    from collections.abc import Iterable

WARM_UP = 3


class Line(NamedTuple):
    """One query's medians in milliseconds."""

    query: str
    hand_ms: float
    ours_ms: float
    ratio: float
    no_change_ms: float
    full_ms: float
    exact: bool


def run(dsn: str, *, rows: int, rate: float, cycles: int) -> list[Line]:
    """Return the medians of `cycles` rounds after a warm-up, both sides in the same rounds."""
    writer, by_hand = connect(dsn), connect(dsn)
    load(writer, rows)
    hand = Handwritten(by_hand)
    hand_ms: dict[str, list[float]] = {name: [] for name in QUERIES}
    ours_ms: dict[str, list[float]] = {name: [] for name in QUERIES}
    quiet_ms: dict[str, list[float]] = {name: [] for name in QUERIES}
    with pgtrickle.connect(dsn) as client:
        client.install()
        for name, query in QUERIES.items():
            client.create_stream_table(f"{SCHEMA}.{name}", query, refresh_mode="DIFFERENTIAL")
        for cycle in range(cycles + WARM_UP):
            mutate(writer, int(rows * rate))
            if cycle % 2:
                _add(hand_ms, hand.refresh())
                _add(ours_ms, _refresh(client))
            else:
                _add(ours_ms, _refresh(client))
                _add(hand_ms, hand.refresh())
            _add(quiet_ms, _refresh(client, expected="NO_DATA"))
            hand.clean_up()
            client.clean_up()
        return [
            _line(client, hand, name, (hand_ms[name], ours_ms[name], quiet_ms[name]))
            for name in QUERIES
        ]


def _refresh(client: pgtrickle.Client, expected: str = "DIFFERENTIAL") -> dict[str, float]:
    times = {}
    for name in QUERIES:
        start = perf_counter()
        report = client.refresh_stream_table(f"{SCHEMA}.{name}")
        times[name] = (perf_counter() - start) * 1000
        if report.action != expected:
            sys.exit(f"{name}: {report.action} ({report.reason}), expected {expected}")
    return times


def _add(samples: dict[str, list[float]], times: dict[str, float]) -> None:
    for name, value in times.items():
        samples[name].append(value)


def _line(
    client: pgtrickle.Client,
    hand: Handwritten,
    name: str,
    samples: tuple[list[float], list[float], list[float]],
) -> Line:
    hand_ms, ours_ms, quiet_ms = (statistics.median(values[WARM_UP:]) for values in samples)
    exact = client.verify(f"{SCHEMA}.{name}").matches and hand.mismatches(name) == 0
    start = perf_counter()
    client.refresh_stream_table(f"{SCHEMA}.{name}", full=True)
    full_ms = (perf_counter() - start) * 1000
    return Line(name, hand_ms, ours_ms, ours_ms / hand_ms, quiet_ms, full_ms, exact)


def show(lines: Iterable[Line]) -> None:
    """Print the lines as a table."""
    table = Table(title="refresh after 1 window of changes, medians in ms")
    for heading in ("query", "by hand", "pgtrickle", "ratio", "no change", "full", "exact"):
        table.add_column(heading, justify="left" if heading == "query" else "right")
    for line in lines:
        numbers = [f"{value:.2f}" for value in line[1:6]]
        table.add_row(line.query, *numbers, "yes" if line.exact else "NO")
    Console().print(table)


def main() -> None:
    """Parse the command line, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--dsn", help="a server to use; default: a temporary embedded one")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rate", type=float, default=0.01)
    parser.add_argument("--cycles", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    server = nullcontext() if arguments.dsn else embedded.temporary()
    with server as running:
        dsn = arguments.dsn or (running.dsn() if running else "")
        lines = run(dsn, rows=arguments.rows, rate=arguments.rate, cycles=arguments.cycles)
    if arguments.json:
        print(json.dumps([line._asdict() for line in lines]))
    else:
        show(lines)
    if not all(line.exact for line in lines):
        sys.exit("a result differs from its query")


if __name__ == "__main__":
    main()
