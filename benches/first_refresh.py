"""What the first refresh in a new process costs: while nothing is compiled yet, and after another process did it.

`python -m benches.first_refresh` prints milliseconds of `refresh_stream_table` for a simple query and for large ones.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from time import perf_counter

import pgtrickle
from pgtrickle.pg.connection import connect
from tests.support import servers
from tests.support.tpch.data import generate, load
from tests.support.tpch.queries import queries

SCALE = 0.01
LARGE = ("q05", "q08", "q20", "q21")
SIMPLE = "SELECT o_orderkey, o_totalprice FROM orders WHERE o_totalprice > 1000"
CHANGE = (
    b"UPDATE lineitem SET l_quantity = l_quantity + 1 WHERE l_orderkey < 10;"
    b" UPDATE orders SET o_totalprice = o_totalprice + 1 WHERE o_orderkey < 10"
)


def main() -> None:
    """Create the stream tables, then refresh each in processes of its own, one after the other."""
    texts = {"simple": SIMPLE, **{name: queries(SCALE)[name] for name in LARGE}}
    with servers.running(18) as server, servers.fresh_database(server) as dsn:
        _create(dsn, texts)
        print(f"{'query':8}{'first process':>15}{'second':>10}{'third':>10}  ms")
        for name in texts:
            times = [_in_new_process(dsn, name) for _ in range(3)]
            print(f"{name:8}{times[0]:15.1f}{times[1]:10.1f}{times[2]:10.1f}")


def _create(dsn: str, texts: dict[str, str]) -> None:
    with tempfile.TemporaryDirectory() as directory, connect(dsn) as connection:
        generate(Path(directory), SCALE)
        load(connection, Path(directory))
    with pgtrickle.connect(dsn) as client, warnings.catch_warnings():
        warnings.simplefilter("ignore", pgtrickle.PgtrickleWarning)
        client.install()
        for name, text in texts.items():
            client.create_stream_table(name, text)


def _in_new_process(dsn: str, name: str) -> float:
    with connect(dsn) as connection:
        connection.execute(CHANGE, prepare=False)
    command = [sys.executable, "-m", "benches.first_refresh", dsn, name]
    done = subprocess.run(command, check=True, capture_output=True, text=True)  # noqa: S603
    return float(done.stdout)


def refresh(dsn: str, name: str) -> None:
    """Print how many milliseconds one refresh takes in this process."""
    with pgtrickle.connect(dsn) as client:
        started = perf_counter()
        client.refresh_stream_table(name)
        print((perf_counter() - started) * 1000)


if __name__ == "__main__":
    if len(sys.argv) > 1:
        refresh(*sys.argv[1:])
    else:
        main()
