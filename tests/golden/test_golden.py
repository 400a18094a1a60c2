"""The SQL that the compiler writes, as text pairs: a query, and the statement that applies one window.

Set PGTRICKLE_UPDATE_GOLDEN=1 to write the files anew; read the difference before committing it.
"""

from __future__ import annotations

import os
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from pgtrickle.dvm.render.delta import delta
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.refresh.storage import stage_buffers
from tests.golden.shop import BUFFERS, staged, storage

if TYPE_CHECKING:
    from collections.abc import Iterator

CASES = Path(__file__).parent / "cases"
UPDATE = "PGTRICKLE_UPDATE_GOLDEN"


class Case(NamedTuple):
    """One pair of a file; `changed` are the tables that the window touches."""

    file: Path
    name: str
    changed: tuple[str, ...]
    query: str
    expected: str


def _cases() -> Iterator[Case]:
    for file in sorted(CASES.glob("*.sql")):
        for part in re.split(r"^-- name: ", file.read_text(encoding="utf-8"), flags=re.MULTILINE)[
            1:
        ]:
            head, _, expected = part.partition("\n---\n")
            name, changed, query = head.split("\n", 2)
            tables = tuple(changed.removeprefix("-- changed: ").split(", "))
            yield Case(file, name, tables, query.strip(), expected.strip())


def _compiled(case: Case) -> str:
    compiled = staged(case.query)
    if compiled.fallback is not None:
        return f"FULL [{compiled.fallback.code}] {compiled.fallback.message}"
    changed = {QualifiedName("shop", table) for table in case.changed}
    buffers = {**BUFFERS, **stage_buffers(1, compiled.stages)}
    statements = []
    for number, plan in enumerate([*(each.plan for each in compiled.stages), compiled.plan], 1):
        mine = plan.root.reads() & changed
        if not mine:
            continue
        target = storage(plan)
        if number <= len(compiled.stages):
            name = compiled.stages[number - 1].relation.name
            target = replace(target, name=name, stored_as=name)
            changed.add(name)
        statements.append(delta(plan, target, buffers, mine, pretty=True))
    return "\n;\n".join(statements)


def _written(case: Case, text: str) -> str:
    tables = ", ".join(case.changed)
    return f"-- name: {case.name}\n-- changed: {tables}\n{case.query}\n---\n{text}\n"


@pytest.mark.parametrize("file", sorted(CASES.glob("*.sql")), ids=lambda file: file.stem)
def test_the_compiler_writes_the_sql_that_was_reviewed(file: Path) -> None:
    cases = [case for case in _cases() if case.file == file]
    assert cases, f"{file.name} holds no case"
    if os.environ.get(UPDATE):
        file.write_text(
            "\n".join(_written(case, _compiled(case)) for case in cases), encoding="utf-8"
        )
        return
    for case in cases:
        assert _compiled(case) == case.expected, case.name
