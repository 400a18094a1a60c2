"""A law case as a value: tables, stream tables over them, and rounds of changes.

A case is SQL text and nothing else, so that its repr can be pasted into `cases.py` and its
`script()` into psql. It refuses to know how a stream table is maintained.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

_WRITES = re.compile(
    r"(?<!DO )(?<!THEN )\b(?:INSERT INTO|UPDATE|DELETE FROM|MERGE INTO|TRUNCATE)\s+"
    r"(?P<table>\"(?:[^\"]|\"\")+\"|\w+)"
)


def written_tables(statement: str) -> tuple[str, ...]:
    """Return the tables that a statement writes, as spelled, in order of appearance."""
    return tuple(match["table"] for match in _WRITES.finditer(statement))


@dataclass(frozen=True, slots=True)
class Block:
    """Steps between a savepoint and its release, or its rollback when not kept."""

    steps: tuple[str | Block, ...]
    kept: bool = False


@dataclass(frozen=True, slots=True)
class Transaction:
    """Steps that are committed together, or rolled back together."""

    steps: tuple[str | Block, ...]
    commits: bool = True


@dataclass(frozen=True, slots=True)
class Round:
    """What is written before the next refresh; `skipped` stream tables are not refreshed after it."""

    transactions: tuple[Transaction, ...] = ()
    skipped: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Stream:
    """A stream table to maintain.

    `sources` are the tables and stream tables it reads, through views too. `unsettled` are the
    positions of columns where SQL leaves the printed form open (a group key that is 1.0 in one row
    and 1.00 in another); all others must print exactly as the query prints them. `features` are what the
    query is made of; an `undetermined` one is compared in its completed form, by the maintainer itself.
    """

    name: str
    query: str
    sources: tuple[str, ...]
    unsettled: tuple[int, ...] = ()
    operators: tuple[str, ...] = ()
    features: tuple[str, ...] = ()
    undetermined: bool = False


@dataclass(frozen=True, slots=True)
class Case:
    """One world: statements that build it, its stream tables in order of dependency, its rounds."""

    ddl: tuple[str, ...]
    streams: tuple[Stream, ...]
    rounds: tuple[Round, ...]

    def script(self) -> str:
        """Return the case as a script for a person with psql."""
        lines = [f"{statement};" for statement in self.ddl]
        lines += [f"-- stream table {stream.name}:\n  {stream.query};" for stream in self.streams]
        for number, changes in enumerate(self.rounds, start=1):
            skipped = f", but not {', '.join(changes.skipped)}" if changes.skipped else ""
            for transaction in changes.transactions:
                end = "COMMIT;" if transaction.commits else "ROLLBACK;"
                lines += ["BEGIN;", *_steps(transaction.steps, depth=1), end]
            lines.append(f"-- refresh {number}{skipped}")
        return "\n".join(lines)


def _steps(steps: tuple[str | Block, ...], depth: int) -> Iterator[str]:
    indent = "  " * depth
    for step in steps:
        if isinstance(step, str):
            yield f"{indent}{step};"
        else:
            yield f"{indent}SAVEPOINT s{depth};"
            yield from _steps(step.steps, depth + 1)
            yield f"{indent}{'RELEASE' if step.kept else 'ROLLBACK TO'} s{depth};"
