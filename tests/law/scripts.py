"""Random rounds of transactions, and the bundles of statements that maintainers get wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.law.case import Block, Round, Transaction
from tests.law.dml import delete, merge, move_key, statement, update, where
from tests.law.relations import Column, KeyKind, Table
from tests.law.rows import insert, names, row, rows, values

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from collections.abc import Set as AbstractSet

    from tests.law.dice import Dice


@dataclass(frozen=True, slots=True)
class Targets:
    """The tables to write to; `likely` repeats those that some stream table reads."""

    tables: tuple[Table, ...]
    likely: tuple[Table, ...]

    @classmethod
    def of(cls, tables: Sequence[Table], read: AbstractSet[str]) -> Targets:
        """Return the tables, with those that are read drawn much more often."""
        often = [table for table in tables if table.name in read]
        return cls(tuple(tables), (*often * 3, *tables))

    def pick(self, dice: Dice) -> Table:
        """Return one table."""
        return dice.pick(self.likely)


def rounds(
    dice: Dice, targets: Targets, streams: Sequence[str], *, truncates: bool = False
) -> tuple[Round, ...]:
    """Return three or four rounds, some of them without a change."""
    count = dice.weighted(((75, 3), (25, 4)))
    found = [_round(dice, targets, streams, last=place == count) for place in range(1, count + 1)]
    if truncates and dice.chance(5):
        place = dice.upto(count - 1)
        found[place] = replace(
            found[place], transactions=(*found[place].transactions, _truncation(dice, targets))
        )
    return tuple(found)


def _truncation(dice: Dice, targets: Targets) -> Transaction:
    """Empty a table without a row event, mostly with new rows after it."""
    table = targets.pick(dice)
    steps = [f"TRUNCATE {table.name}"]
    return Transaction((*steps, insert(dice, table)) if dice.chance(70) else tuple(steps))


def _round(dice: Dice, targets: Targets, streams: Sequence[str], *, last: bool) -> Round:
    quiet = dice.chance(10)
    count = 0 if quiet else dice.between(1, 3)
    skipped: list[str] = []
    if not last and len(streams) > 1 and dice.chance(20):
        skipped = dice.some(streams, 1, 1)
    return Round(tuple(_transaction(dice, targets) for _ in range(count)), tuple(skipped))


def _transaction(dice: Dice, targets: Targets) -> Transaction:
    steps: list[str | Block] = []
    for _ in range(dice.between(1, 4)):
        if dice.chance(18):
            steps.append(_block(dice, targets, depth=0))
        elif dice.chance(28):
            steps += dice.pick(_BUNDLES)(dice, targets)
        else:
            steps.append(statement(dice, targets.pick(dice)))
    return Transaction(tuple(steps), commits=not dice.chance(10))


def _block(dice: Dice, targets: Targets, depth: int) -> Block:
    steps: list[str | Block] = [
        statement(dice, targets.pick(dice)) for _ in range(dice.between(1, 2))
    ]
    if depth == 0 and dice.chance(25):
        steps.append(_block(dice, targets, depth=1))
    return Block(tuple(steps), kept=dice.chance(40))


def _everywhere(dice: Dice, targets: Targets) -> list[str]:
    """Delete the rows of one link value from every table: all sides of a join at once."""
    column, literal = _link(dice, targets)
    holders = [
        table for table in targets.tables if column.name in {each.name for each in table.columns}
    ]
    return [f"DELETE FROM {table.name} WHERE {column.name} = {literal}" for table in holders]


def _everywhere_at_once(dice: Dice, targets: Targets) -> list[str]:
    """The same in one statement; it returns how many rows each part deleted."""
    parts = _everywhere(dice, targets)
    if len(parts) < 2:
        return parts
    bodies = ", ".join(f"w{place} AS ({part} RETURNING 1)" for place, part in enumerate(parts))
    counts = ", ".join(f"(SELECT count(*) FROM w{place})" for place in range(len(parts)))
    return [f"WITH {bodies} SELECT {counts}"]


def _link(dice: Dice, targets: Targets) -> tuple[Column, str]:
    columns = [
        each for table in targets.tables for each in table.columns[:2] if each.domain.equality
    ]
    column = dice.pick(columns)
    return column, dice.pick(column.domain.literals())


def _refilled(dice: Dice, targets: Targets) -> list[str]:
    """Empty a group (or the table) and fill it again in one window."""
    table = targets.pick(dice)
    gone = f"DELETE FROM {table.name} WHERE {where(dice, table)}"
    return [gone, insert(dice, table), insert(dice, table)]


def _restless(dice: Dice, targets: Targets) -> list[str]:
    """Change the same rows several times, the key too."""
    table = targets.pick(dice)
    steps = [update(dice, table), update(dice, table)]
    if table.key:
        steps += [move_key(dice, table), update(dice, table)]
    return [*steps, delete(dice, table)] if dice.chance(30) else steps


def _flipped(dice: Dice, targets: Targets) -> list[str]:
    """Set a link to NULL and other links from NULL to a value, in one window."""
    table = targets.pick(dice)
    free = [column for column in table.others() if column.nullable]
    if not free:
        return [update(dice, table)]
    column = dice.pick(free)
    first, second = dice.pick(column.domain.literals()), dice.pick(column.domain.literals())
    swapped = f"CASE WHEN {column.name} IS NULL THEN {first} END"
    steps = [f"UPDATE {table.name} SET {column.name} = {swapped}"]
    if dice.chance(50):
        steps.append(
            f"UPDATE {table.name} SET {column.name} = {second} WHERE {column.name} IS NULL"
        )
    return steps


def _come_and_gone(dice: Dice, targets: Targets) -> list[str]:
    """Insert and delete again: changes that cancel."""
    table = targets.pick(dice)
    return [insert(dice, table), f"DELETE FROM {table.name} WHERE {where(dice, table)}"]


def _doubled(dice: Dice, targets: Targets) -> list[str]:
    """Insert copies of rows into a bag, and take one of several away."""
    bags = [table for table in targets.tables if not table.key]
    if not bags:
        return [merge(dice, targets.pick(dice))]
    table = dice.pick(bags)
    copy = f"INSERT INTO {table.name} SELECT * FROM {table.name} WHERE {where(dice, table)}"
    found = row(dice, table)
    twice = f"INSERT INTO {table.name} VALUES {values((found, found))}"
    one = f"SELECT max(ctid) FROM {table.name} WHERE {where(dice, table)}"
    return [dice.pick((copy, twice)), f"DELETE FROM {table.name} WHERE ctid = ({one})"]


def _same_key_merge(dice: Dice, targets: Targets) -> list[str]:
    """Delete a row and insert another with its key, in one MERGE."""
    keyed = [
        table for table in targets.tables if table.key and table.kind is not KeyKind.DEFERRABLE
    ]
    if not keyed:
        return [statement(dice, targets.pick(dice))]
    table = dice.pick(keyed)
    found = rows(dice, table, 1, 3)
    columns = names(table.columns)
    both = [
        *((*each, "'1 gone'::text") for each in found),
        *((*each, "'2 come'::text") for each in found),
    ]
    matched = " AND ".join(f"t.{column.name} = v.{column.name}" for column in table.key)
    return [
        f"MERGE INTO {table.name} t USING (VALUES {values(both)}) v({columns}, op) "
        f"ON {matched} AND v.op = '1 gone' WHEN MATCHED THEN DELETE "
        f"WHEN NOT MATCHED AND v.op = '2 come' THEN INSERT VALUES ({names(table.columns, 'v.')})"
    ]


_BUNDLES: tuple[Callable[[Dice, Targets], list[str]], ...] = (
    _everywhere,
    _everywhere_at_once,
    _refilled,
    _restless,
    _flipped,
    _come_and_gone,
    _doubled,
    _same_key_merge,
)
