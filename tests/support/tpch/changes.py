"""Rounds of changes, random by a seed: each table gets inserted, updated and deleted rows, and no key dangles."""

from __future__ import annotations

import re
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle.pg.connection import Connection

ORDERS = ("orders",)
STOCK = ("stock",)
EVERYTHING = ("places", "parties", "stock", "orders")

_FILES = Path(__file__).parent / "sql" / "changes"
_DML = re.compile(r"^(INSERT INTO|UPDATE|DELETE FROM) (\w+)", re.MULTILINE)


class Rounds:
    """Changes to a loaded database, one transaction for each part of a round."""

    def __init__(self, connection: Connection, *, seed: int = 1, share: float = 0.01) -> None:
        self._connection = connection
        self._seed = seed
        connection.execute((_FILES / "dice.sql").read_bytes(), prepare=False)
        connection.execute("SELECT set_config('tpch.share', %s, false)", (str(share),))

    def run(self, parts: Sequence[str] = EVERYTHING) -> Counter[tuple[str, str]]:
        """Change the data once more; return how many rows, by table and command."""
        self._seed += 1
        self._connection.execute("SELECT set_config('tpch.seed', %s, false)", (str(self._seed),))
        changed: Counter[tuple[str, str]] = Counter()
        for part in parts:
            with self._connection.transaction():
                changed += self._apply((_FILES / f"{part}.sql").read_text(encoding="utf-8"))
        return changed

    def _apply(self, script: str) -> Counter[tuple[str, str]]:
        changed: Counter[tuple[str, str]] = Counter()
        for statement in script.split(";\n"):
            if not statement.strip():
                continue
            cursor = self._connection.execute(statement.encode(), prepare=False)
            if dml := _DML.search(statement):
                changed[dml[2], dml[1].split()[0]] += cursor.rowcount
        return changed
