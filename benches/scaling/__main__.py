"""Run the sizes and print the table: `python -m benches.scaling [--sizes N …] [--changes C] [--cycles K] [--json]`."""

from __future__ import annotations

import argparse
import json
import random
import statistics
import sys
from time import perf_counter
from typing import NamedTuple

from rich.console import Console
from rich.table import Table

import pgtrickle
from benches.scaling.tables import GROUP, QUERIES, SCHEMA, change, load
from pgtrickle import embedded
from pgtrickle.pg.connection import connect

WARM_UP = 3
EACH = 10
BOUND = 2.0


class Line(NamedTuple):
    """One query's medians in milliseconds, by the size of the table."""

    query: str
    ms: dict[int, float]
    exact: bool

    @property
    def ratio(self) -> float:
        """How much longer the largest table takes than the smallest."""
        return self.ms[max(self.ms)] / self.ms[min(self.ms)]


def chosen(dice: random.Random, size: int, changes: int) -> list[int]:
    """Return the items to change: ten of each chosen group, so that as many groups change in a table of any size."""
    groups = dice.sample(range(size // GROUP), changes // EACH)
    return [group * GROUP + place for group in groups for place in dice.sample(range(GROUP), EACH)]


def measure(size: int, *, changes: int, cycles: int) -> dict[str, tuple[float, bool]]:
    """Return for each query the median of `cycles` refreshes after a warm-up, and whether the result is exact."""
    dice = random.Random(size)  # noqa: S311 - reproducible, not secret
    samples: dict[str, list[float]] = {name: [] for name in QUERIES}
    with (
        embedded.temporary() as server,
        connect(server.dsn()) as writer,
        pgtrickle.connect(server.dsn()) as client,
    ):
        load(writer, size)
        client.install()
        for name, query in QUERIES.items():
            client.create_stream_table(f"{SCHEMA}.{name}", query, refresh_mode="DIFFERENTIAL")
        writer.execute("VACUUM ANALYZE", prepare=False)
        for _ in range(WARM_UP + cycles):
            change(writer, size, chosen(dice, size, changes))
            for name, times in samples.items():
                start = perf_counter()
                report = client.refresh_stream_table(f"{SCHEMA}.{name}")
                times.append((perf_counter() - start) * 1000)
                if report.action != "DIFFERENTIAL":
                    sys.exit(f"{name}: {report.action} ({report.reason}), expected DIFFERENTIAL")
            client.clean_up()
        return {
            name: (
                statistics.median(times[WARM_UP:]),
                client.verify(f"{SCHEMA}.{name}").matches,
            )
            for name, times in samples.items()
        }


def show(lines: list[Line], changes: int) -> None:
    """Print the lines as a table."""
    table = Table(title=f"refresh after {changes} changed rows, medians in ms")
    sizes = sorted(lines[0].ms)
    for heading in ("query", *(f"{size:,} rows" for size in sizes), "ratio", "exact"):
        table.add_column(heading, justify="left" if heading == "query" else "right")
    for line in lines:
        times = [f"{line.ms[size]:.2f}" for size in sizes]
        ratio = f"{line.ratio:.2f}" + (" !" if line.ratio > BOUND else "")
        table.add_row(line.query, *times, ratio, "yes" if line.exact else "NO")
    Console().print(table)


def main() -> None:
    """Parse the command line, run, print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[10_000, 100_000, 1_000_000])
    parser.add_argument("--changes", type=int, default=100)
    parser.add_argument("--cycles", type=int, default=15)
    parser.add_argument("--json", action="store_true")
    arguments = parser.parse_args()
    found = {
        size: measure(size, changes=arguments.changes, cycles=arguments.cycles)
        for size in arguments.sizes
    }
    lines = [
        Line(
            name,
            {size: cells[name][0] for size, cells in found.items()},
            all(cells[name][1] for cells in found.values()),
        )
        for name in QUERIES
    ]
    if arguments.json:
        print(json.dumps([{**line._asdict(), "ratio": line.ratio} for line in lines]))
    else:
        show(lines, arguments.changes)
    if not all(line.exact for line in lines):
        sys.exit("a result differs from its query")


if __name__ == "__main__":
    main()
