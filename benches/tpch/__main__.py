"""Run TPC-H and print the table: `python -m benches.tpch [--scale 0.1] [--rounds 3] [--only q05 …] [--compile] [--json]`."""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from psycopg.conninfo import make_conninfo
from rich.console import Console
from rich.table import Table

import pgtrickle
from benches.tpch.compiling import Compiling, compile_all
from benches.tpch.contest import WARM_UP, Contest, Line
from pgtrickle import embedded
from pgtrickle.pg.connection import connect
from tests.support.tpch.changes import ORDERS, STOCK, Rounds
from tests.support.tpch.data import generate, load
from tests.support.tpch.queries import NAMES, queries

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

# These read neither orders nor lineitem; the rounds change parts and partsupp for them instead.
STOCK_QUERIES = frozenset({"q02", "q11", "q16"})


def run(dsn: str, arguments: argparse.Namespace) -> list[Line]:
    """Return the medians of all rounds after a warm-up."""
    limited = make_conninfo(dsn, options=f"-c statement_timeout={arguments.limit}s")
    with connect(dsn) as writer, connect(limited) as bare, pgtrickle.connect(limited) as client:
        with tempfile.TemporaryDirectory() as directory:
            generate(Path(directory), arguments.scale)
            load(writer, Path(directory))
        client.install()
        contests = [
            Contest(name, text, "stock" if name in STOCK_QUERIES else "orders", client, bare)
            for name, text in queries(arguments.scale).items()
            if name in arguments.only
        ]
        for contest in contests:
            contest.create()
        rounds = Rounds(writer, share=arguments.share)
        for _ in range(WARM_UP + arguments.rounds):
            rounds.run(ORDERS)
            _refresh(contests, measured="orders")
            rounds.run(STOCK)
            _refresh(contests, measured="stock")
            client.clean_up()
        return [contest.line() for contest in contests]


def _refresh(contests: Iterable[Contest], measured: str) -> None:
    """Measure the queries whose changes these were; the others take in what has reached them."""
    for contest in contests:
        if contest.changed == measured:
            contest.measure()
        elif measured == "stock":
            contest.absorb()


def geometric_mean(ratios: Collection[float | None]) -> float | None:
    """Return the mean of what was measured."""
    known = [ratio for ratio in ratios if ratio is not None]
    return statistics.geometric_mean(known) if known else None


def show(lines: list[Line], title: str) -> None:
    """Print the lines as a table."""
    table = Table(title=title)
    for heading in ("query", "changed", "differential", "full", "bare", "full/diff", "bare/diff"):
        table.add_column(heading, justify="left" if heading in {"query", "changed"} else "right")
    table.add_column("rows", justify="right")
    table.add_column("exact")
    table.add_column("note")
    exact = {True: "yes", False: "NO", None: "-"}
    for line in lines:
        times = map(_number, (line.differential_ms, line.full_ms, line.bare_ms))
        ratios = map(_number, (line.ratio, line.bare_ratio))
        rows = "-" if line.rows is None else str(line.rows)
        table.add_row(line.query, line.changed, *times, *ratios, rows, exact[line.exact], line.note)
    means = map(_number, _means(lines))
    table.add_row("mean", "geometric", "", "", "", *means, end_section=True)
    Console(width=None if sys.stdout.isatty() else 150).print(table)


def show_compiling(lines: list[Compiling]) -> None:
    """Print what compiling costs."""
    table = Table(title="compiling, all sources changed, medians in ms")
    for heading in ("query", "to the plan", "to the delta", "together", "characters"):
        table.add_column(heading, justify="left" if heading == "query" else "right")
    for line in lines:
        times = map(_number, (line.plan_ms, line.delta_ms, line.total_ms))
        table.add_row(line.query, *times, "-" if line.characters is None else str(line.characters))
    Console().print(table)


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.1f}"


def _means(lines: list[Line]) -> tuple[float | None, float | None]:
    full = geometric_mean([line.ratio for line in lines])
    return full, geometric_mean([line.bare_ratio for line in lines])


def _report(lines: list[Line], arguments: argparse.Namespace) -> None:
    if arguments.json:
        found = [
            {**line._asdict(), "ratio": line.ratio, "bare_ratio": line.bare_ratio} for line in lines
        ]
        ratio, bare_ratio = _means(lines)
        print(json.dumps({"queries": found, "ratio": ratio, "bare_ratio": bare_ratio}))
    else:
        title = f"scale {arguments.scale}, {arguments.share:.0%} changed, medians of {arguments.rounds} in ms"
        show(lines, title)
    if not all(line.exact for line in lines):
        sys.exit("a result differs from its query, or could not be compared")


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scale", type=float, default=0.1)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--share", type=float, default=0.01, help="of orders and lineitem")
    parser.add_argument("--limit", type=int, default=60, help="seconds for one statement")
    parser.add_argument("--only", nargs="+", choices=NAMES, default=NAMES, metavar="q01")
    parser.add_argument("--compile", action="store_true", help="measure the compiler instead")
    parser.add_argument("--json", action="store_true")
    return parser.parse_args()


def main() -> None:
    """Parse the command line, run, print."""
    arguments = _arguments()
    with embedded.temporary() as server:
        if not arguments.compile:
            _report(run(server.dsn(), arguments), arguments)
            return
        texts = queries(arguments.scale)
        lines = compile_all(server.dsn(), {name: texts[name] for name in arguments.only})
    if arguments.json:
        print(json.dumps([{**line._asdict(), "total_ms": line.total_ms} for line in lines]))
    else:
        show_compiling(lines)


if __name__ == "__main__":
    main()
