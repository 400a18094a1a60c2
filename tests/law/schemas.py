"""Random tables: keys of every kind and none, nullable columns, many types, awkward names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.law import domains as d
from tests.law.relations import Column, KeyKind, Table

if TYPE_CHECKING:
    from tests.law.dice import Dice

# Link columns have one name and one type in all tables of a case, so that NATURAL and USING meet them.
_LINK_NAMES = (("id", "ref", "grp"), ('"Id"', '"ref col"', '"order"'))
_TABLE_NAMES = (("a", "b", "c"), ('"A b"', '"select"', '"q""t"'))
_PAYLOAD_NAMES = ("{}1", "{}2", "{}3", '"{}. é"')
_KINDS = (
    (40, KeyKind.PRIMARY),
    (34, KeyKind.NONE),
    (14, KeyKind.UNIQUE),
    (12, KeyKind.DEFERRABLE),
)


def schema(dice: Dice) -> tuple[Table, ...]:
    """Return one to three tables that share link columns."""
    count = dice.weighted(((14, 1), (36, 2), (50, 3)))
    names = dice.weighted(((88, _TABLE_NAMES[0]), (12, _TABLE_NAMES[1])))
    links = _links(dice)
    return tuple(_table(dice, names[number], "abc"[number], links) for number in range(count))


def _links(dice: Dice) -> tuple[Column, ...]:
    names = dice.weighted(((88, _LINK_NAMES[0]), (12, _LINK_NAMES[1])))
    return (
        Column(names[0], dice.weighted(d.KEYS), nullable=False),
        Column(names[1], dice.weighted(d.LINKS)),
        Column(names[2], dice.weighted(d.LINKS)),
    )


def _table(dice: Dice, name: str, letter: str, links: tuple[Column, ...]) -> Table:
    identity, ref, group = links
    kind = dice.weighted(_KINDS)
    shared = [ref, group] if dice.chance(70) else [ref]
    key: tuple[Column, ...] = ()
    if kind is not KeyKind.NONE:
        composite = dice.chance(30)
        if composite:
            shared[0] = Column(ref.name, ref.domain, nullable=False)
        key = (identity, shared[0]) if composite else (identity,)
        shared.insert(0, identity)
    elif dice.chance(25):
        shared.insert(0, Column(identity.name, identity.domain))
    return Table(name, (*shared, *_payloads(dice, letter)), key, kind)


def _payloads(dice: Dice, letter: str) -> list[Column]:
    count = dice.between(1, 4)
    return [
        Column(_PAYLOAD_NAMES[number].format(letter), dice.weighted(d.PAYLOADS), dice.chance(75))
        for number in range(count)
    ]


def create(table: Table, dice: Dice) -> str:
    """Return the CREATE TABLE statement."""
    lines = [
        f"{column.name} {column.domain.type}{'' if column.nullable else ' NOT NULL'}"
        for column in table.columns
    ]
    columns = ", ".join(column.name for column in table.key)
    match table.kind:
        case KeyKind.PRIMARY:
            lines.append(f"PRIMARY KEY ({columns})")
        case KeyKind.UNIQUE:
            lines.append(f"UNIQUE ({columns})")
        case KeyKind.DEFERRABLE:
            moment = dice.pick(("IMMEDIATE", "DEFERRED"))
            lines.append(f"PRIMARY KEY ({columns}) DEFERRABLE INITIALLY {moment}")
        case KeyKind.NONE:
            pass
    return f"CREATE TABLE {table.name} ({', '.join(lines)})"
