"""Print how each of the 22 queries would be maintained, and why not differentially: `python -m tests.support.tpch`."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table

import pgtrickle
from pgtrickle import embedded
from pgtrickle.pg.connection import connect
from tests.support.tpch.data import create_tables
from tests.support.tpch.queries import queries


def main() -> None:
    """Ask the compiler, on empty tables of a temporary server."""
    found = Table("query", "mode", "reason")
    with embedded.temporary() as server, pgtrickle.connect(server.dsn()) as client:
        with connect(server.dsn()) as connection:
            create_tables(connection)
        client.install()
        for name, text in queries(1).items():
            try:
                verdict = client.validate_query(text)
                found.add_row(name, verdict.mode, "\n".join(verdict.reasons))
            except pgtrickle.PgtrickleError as error:
                found.add_row(name, "refused", f"{error.code}: {error.message}")
    Console().print(found)


if __name__ == "__main__":
    main()
