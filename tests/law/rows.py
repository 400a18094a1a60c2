"""Random rows, and INSERT statements that never violate a key.

A key conflict inside one statement is avoided by drawing distinct keys; one with a row that is already
there by asking the table in the statement itself, or by ON CONFLICT where the key allows it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.law.relations import Column, KeyKind, Table

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.law.dice import Dice

Row = tuple[str, ...]


def literal(dice: Dice, column: Column) -> str:
    """Return a value for the column, NULL now and then where it may be."""
    if column.nullable and dice.chance(12):
        return column.domain.null
    return dice.pick(column.domain.literals())


def row(dice: Dice, table: Table) -> Row:
    """Return one row of literals."""
    return tuple(literal(dice, column) for column in table.columns)


def rows(dice: Dice, table: Table, least: int, most: int) -> list[Row]:
    """Return rows with distinct keys; without a key, duplicates are likely."""
    found: list[Row] = []
    for _ in range(dice.between(least, most)):
        if found and not table.key and dice.chance(30):
            found.append(dice.pick(found))
        else:
            found.append(row(dice, table))
    return _distinct(table, found) if table.key else found


def _distinct(table: Table, found: Sequence[Row]) -> list[Row]:
    places = [table.columns.index(column) for column in table.key]
    unique: dict[tuple[object, ...], Row] = {}
    for candidate in found:
        identity = tuple(table.columns[place].domain.identity(candidate[place]) for place in places)
        unique.setdefault(identity, candidate)
    return list(unique.values())


def values(found: Sequence[Row]) -> str:
    """Return rows as a VALUES list."""
    return ", ".join(f"({', '.join(each)})" for each in found)


def names(columns: Sequence[Column], prefix: str = "") -> str:
    """Return column names, comma-separated."""
    return ", ".join(f"{prefix}{column.name}" for column in columns)


def same_key(table: Table, left: str, right: str) -> str:
    """Return the condition that two row aliases have the same key."""
    return " AND ".join(f"{left}.{column.name} = {right}.{column.name}" for column in table.key)


def insert(dice: Dice, table: Table) -> str:
    """Return an INSERT of a few rows."""
    found = rows(dice, table, 1, 4)
    if not table.key:
        return f"INSERT INTO {table.name} VALUES {values(found)}"
    if table.kind is not KeyKind.DEFERRABLE and dice.chance(40):
        return f"INSERT INTO {table.name} VALUES {values(found)} {_on_conflict(dice, table)}"
    return (
        f"INSERT INTO {table.name} SELECT v.* FROM (VALUES {values(found)}) v({names(table.columns)}) "
        f"WHERE NOT EXISTS (SELECT 1 FROM {table.name} t WHERE {same_key(table, 't', 'v')})"
    )


def _on_conflict(dice: Dice, table: Table) -> str:
    others = table.others()
    if not others or dice.chance(25):
        return "ON CONFLICT DO NOTHING"
    chosen = dice.some(others, 1, len(others))
    updates = ", ".join(f"{column.name} = excluded.{column.name}" for column in chosen)
    return f"ON CONFLICT ({names(table.key)}) DO UPDATE SET {updates}"


def initial(dice: Dice, table: Table) -> str:
    """Return the INSERT that fills a new table."""
    found = rows(dice, table, 5, 10)
    if not table.key and len(found) > 1:
        found.append(found[0])
    return f"INSERT INTO {table.name} VALUES {values(found)}"
