"""Random changes of one table: each is valid whatever the table holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.law.relations import Column, KeyKind, Table
from tests.law.rows import insert, literal, names, rows, values

if TYPE_CHECKING:
    from collections.abc import Callable

    from tests.law.dice import Dice

_GROWING: dict[str, str] = {
    "int": "{} + 1",
    "bigint": "{} - 1",
    "numeric(12,2)": "{} + 0.25",
    "numeric": "{} * 1.00",
    "float8": "{} + 0.5",
    "text": "{} || 'a'",
    "date": "{} + 1",
}


def statement(dice: Dice, table: Table) -> str:
    """Return one statement that changes the table, or may."""
    makers: list[tuple[int, Callable[[Dice, Table], str]]] = [
        (40, insert),
        (34, update),
        (14, delete),
    ]
    if table.key:
        makers += [(8, move_key), (8, merge)]
    if table.kind is KeyKind.DEFERRABLE:
        makers.append((10, _shift))
    return dice.weighted(makers)(dice, table)


def where(dice: Dice, table: Table) -> str:
    """Return a condition that some rows of the table satisfy; mostly on a column that links."""
    column = dice.pick(table.columns[:3]) if dice.chance(70) else dice.pick(table.columns)
    literals = column.domain.literals()
    if column.nullable and dice.chance(18):
        return f"{column.name} IS NULL"
    if not column.domain.equality:
        return f"{column.name} IS NOT NULL"
    if dice.chance(35):
        chosen = dice.some(literals, 2, 3)
        return f"{column.name} IN ({', '.join(chosen)})"
    operator = "<>" if dice.chance(12) else "="
    return f"{column.name} {operator} {dice.pick(literals)}"


def update(dice: Dice, table: Table) -> str:
    """Return an UPDATE of columns outside the key."""
    free = table.others()
    if not free:
        return delete(dice, table)
    chosen = dice.some(free, 1, 2)
    sets = ", ".join(f"{column.name} = {_new_value(dice, column)}" for column in chosen)
    return f"UPDATE {table.name} SET {sets} WHERE {_target(dice, table)}"


def _target(dice: Dice, table: Table) -> str:
    if not table.key and dice.chance(40):
        return f"ctid = (SELECT min(ctid) FROM {table.name} WHERE {where(dice, table)})"
    return where(dice, table)


def _new_value(dice: Dice, column: Column) -> str:
    growing = _GROWING.get(column.domain.type)
    if growing and dice.chance(50 if column.domain.type == "numeric" else 25):
        return growing.format(column.name)
    if column.nullable and dice.chance(25):
        other = dice.pick(column.domain.literals())
        return f"CASE WHEN {column.name} IS NULL THEN {other} END"
    if dice.chance(5):
        return column.name
    return literal(dice, column)


def delete(dice: Dice, table: Table) -> str:
    """Return a DELETE: of some rows, one of several duplicates, or now and then all."""
    if dice.chance(3):
        return f"DELETE FROM {table.name}"
    return f"DELETE FROM {table.name} WHERE {_target(dice, table)}"


def move_key(dice: Dice, table: Table) -> str:
    """Return an UPDATE that gives rows another key, where no row has it."""
    column = table.key[0]
    old, new = dice.pick(column.domain.literals()), dice.pick(column.domain.literals())
    if column.domain.extremes and dice.chance(60):
        old = f"(SELECT {dice.pick(('max', 'min'))}({column.name}) FROM {table.name})"
    rest = "".join(f" AND x.{other.name} = t.{other.name}" for other in table.key[1:])
    taken = f"SELECT 1 FROM {table.name} x WHERE x.{column.name} = {new}{rest}"
    free = f"{column.name} = {new} OR NOT EXISTS ({taken})"
    return (
        f"UPDATE {table.name} t SET {column.name} = {new} WHERE {column.name} = {old} AND ({free})"
    )


def _shift(dice: Dice, table: Table) -> str:
    """Return an UPDATE whose keys collide until the statement ends: for deferrable keys only."""
    column = table.key[0]
    if column.domain.type == "int":
        change = dice.pick(("{} + 1", "9 - {}"))
        return f"UPDATE {table.name} SET {column.name} = {change.format(column.name)}"
    first, second, *_ = column.domain.literals()
    if column.domain.identity(first) == column.domain.identity(second):
        return move_key(dice, table)
    swapped = f"CASE WHEN {column.name} = {first} THEN {second} ELSE {first} END"
    return f"UPDATE {table.name} SET {column.name} = {swapped} WHERE {column.name} IN ({first}, {second})"


def merge(dice: Dice, table: Table) -> str:
    """Return a MERGE that updates, deletes and inserts by key."""
    found = rows(dice, table, 2, 4)
    source = f"(VALUES {values(found)}) v({names(table.columns)})"
    matched = " AND ".join(f"t.{column.name} = v.{column.name}" for column in table.key)
    sets = ", ".join(f"{column.name} = v.{column.name}" for column in table.others())
    actions = [f"WHEN MATCHED AND {_gone(dice, table)} THEN DELETE"]
    if sets:
        actions.append(f"WHEN MATCHED THEN UPDATE SET {sets}")
    actions.append(f"WHEN NOT MATCHED THEN INSERT VALUES ({names(table.columns, 'v.')})")
    return f"MERGE INTO {table.name} t USING {source} ON {matched} {' '.join(actions)}"


def _gone(dice: Dice, table: Table) -> str:
    column = dice.pick(table.columns)
    return f"t.{column.name} IS {dice.pick(('NOT NULL', 'NULL'))}"
