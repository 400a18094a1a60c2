"""Writes docs/sql-support.md from the code: `python ci/sql_support.py`; with `--check` it only compares."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import sys
from pathlib import Path

from pgtrickle.dvm import operators
from pgtrickle.dvm.analysis.functions import BUILTIN, HYPOTHETICAL, ORDERED_SET, TRUTHS
from pgtrickle.dvm.operators.base import Operator
from pgtrickle.dvm.operators.partitioned import Partitioned

TARGET = Path(__file__).parent.parent / "docs" / "sql-support.md"
ALGEBRAIC = {"count", *TRUTHS}
BY_TYPE = {"sum", "avg"}
EXTREMA = {"min", "max"}


def operator_rows() -> list[str]:
    """Return a line for each operator: what it is, and how it follows a change."""
    rows = []
    for module in sorted(pkgutil.iter_modules(operators.__path__), key=lambda each: each.name):
        if module.ispkg:
            continue
        loaded = importlib.import_module(f"{operators.__name__}.{module.name}")
        for name, kind in inspect.getmembers(loaded, inspect.isclass):
            if not issubclass(kind, Operator) or kind.__module__ != loaded.__name__:
                continue
            if not inspect.isabstract(kind):
                summary = (loaded.__doc__ or "").splitlines()[0].rstrip(".")
                rows.append(
                    f"| {name} | {summary} | {_follows(name, kind)} | {_ready(kind)} | yes |"
                )
    return rows


def _follows(name: str, kind: type[Operator]) -> str:
    if name == "Aggregate":
        return "by its functions, below; a stage when below another operator"
    if issubclass(kind, Partitioned):
        return (
            "the partitions with a change are computed again; a stage when below another operator"
        )
    if kind.staged:
        return "computed again after any change (scope `all`); a stage when below another operator"
    return "from the change alone"


def _ready(kind: type[Operator]) -> str:
    return "no: needs stored state" if kind.staged else "yes"


def aggregate_rows() -> list[str]:
    """Return a line for each aggregate and its strategy."""
    return [f"| {name} | {_strategy(name)} |" for name in sorted(BUILTIN | HYPOTHETICAL)]


def _strategy(name: str) -> str:
    if name in ALGEBRAIC:
        return "algebraic"
    if name in BY_TYPE:
        return "algebraic over integers and numeric of a fixed scale; else rescan of the group"
    if name in EXTREMA:
        return "extremum: rescan of the group only when the extreme value leaves"
    if name in ORDERED_SET | HYPOTHETICAL:
        return "rescan of the group (WITHIN GROUP)"
    return "rescan of the group, in a completed order where the order shows"


def text() -> str:
    """Return the whole document."""
    return "\n".join(
        [
            "# What SQL is maintained, and how",
            "",
            "Written by `python ci/sql_support.py` from the code; a test fails when it is stale. IMMEDIATE is not there yet: the column",
            "says which operators need no stored state of their own. What has no differential form is refreshed in full, with a code",
            "([errors.md](errors.md)), a warning at creation, and the reason in `status` and `explain`.",
            "",
            "| operator | what | DIFFERENTIAL | IMMEDIATE-ready | FULL |",
            "|---|---|---|---|---|",
            *operator_rows(),
            "",
            "Any aggregate with DISTINCT or ORDER BY inside, and every user-defined aggregate, is a rescan of the group.",
            "",
            "| aggregate | strategy |",
            "|---|---|",
            *aggregate_rows(),
            "",
        ]
    )


def main() -> None:
    """Write the document, or compare it."""
    if "--check" in sys.argv[1:]:
        if TARGET.read_text(encoding="utf-8") != text():
            sys.exit("docs/sql-support.md is stale: run python ci/sql_support.py")
        return
    TARGET.write_text(text(), encoding="utf-8")


if __name__ == "__main__":
    main()
