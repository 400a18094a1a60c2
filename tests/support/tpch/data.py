"""The tables, filled from `tpchgen-cli`."""

from __future__ import annotations

import shutil
import subprocess
import sysconfig
from pathlib import Path
from typing import TYPE_CHECKING

from psycopg import sql

if TYPE_CHECKING:
    from pgtrickle.pg.connection import Connection

TABLES = ("region", "nation", "supplier", "customer", "part", "partsupp", "orders", "lineitem")

_FILES = Path(__file__).parent / "sql"
_CHUNK = 1 << 20


def generate(directory: Path, scale: float) -> None:
    """Write one CSV file for each table into `directory`; the same scale gives the same rows."""
    command = [_generator(), "csv", "-s", f"{scale}", "-o", str(directory), "--quiet"]
    subprocess.run(command, check=True)  # noqa: S603 - our own list of arguments, no shell


def load(connection: Connection, directory: Path) -> None:
    """Create the eight tables in the schema that comes first, fill them, index the foreign keys."""
    create_tables(connection)
    for table in TABLES:
        copy = sql.SQL("COPY {} FROM STDIN (FORMAT csv, HEADER)").format(sql.Identifier(table))
        with (
            (directory / f"{table}.csv").open("rb") as file,
            connection.cursor().copy(copy) as rows,
        ):
            while chunk := file.read(_CHUNK):
                rows.write(chunk)
    connection.execute((_FILES / "indexes.sql").read_bytes(), prepare=False)
    connection.execute("ANALYZE", prepare=False)


def create_tables(connection: Connection) -> None:
    """Create the eight tables, empty."""
    connection.execute((_FILES / "schema.sql").read_bytes(), prepare=False)


def _generator() -> str:
    """Return the program that the development dependency `tpchgen-cli` installs."""
    found = shutil.which("tpchgen-cli", path=sysconfig.get_path("scripts")) or shutil.which(
        "tpchgen-cli"
    )
    if found is None:
        raise FileNotFoundError("tpchgen-cli is not installed; pip install --group dev brings it")
    return found
