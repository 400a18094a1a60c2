"""Random queries: select-project-join, and the same under GROUP BY."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.law.aggregates import aggregate
from tests.law.expressions import Value, predicate, value
from tests.law.joins import Budget, From, join
from tests.law.relations import Field, Source

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.law.dice import Dice
    from tests.law.features import Feature, Features

_SPARE = tuple(f"x{number}" for number in range(1, 20))


@dataclass(frozen=True, slots=True)
class Query:
    """A SELECT with the columns it yields, the names it reads and the operators it is made of."""

    sql: str
    fields: tuple[Field, ...]
    bases: frozenset[str]
    operators: frozenset[str]
    leaves: int = 1
    key: tuple[str, ...] | None = None  # columns that no two rows share; None where unknown
    features: frozenset[Feature] = frozenset()
    undetermined: bool = False  # SQL leaves open which rows it yields

    def unsettled(self) -> tuple[int, ...]:
        """Return the positions of columns whose printed form SQL leaves open."""
        return tuple(place for place, field in enumerate(self.fields) if not field.settled)


def query(dice: Dice, sources: Sequence[Source], features: Features) -> Query:
    """Return a query over the sources, with or without GROUP BY."""
    inputs = dice.weighted(((30, 1), (38, 2), (20, 3), (12, 4)))
    clause = _from(dice, sources, min(inputs, features.inputs), features, depth=0)
    where = _where(dice, clause, percent=40)
    if dice.chance(48):
        return _grouped(dice, clause, where, features)
    return _projected(dice, clause, where)


def view(dice: Dice, sources: Sequence[Source], features: Features) -> Query:
    """Return a small query for a view or derived table; it keeps a column to join on."""
    clause = _from(dice, sources, dice.weighted(((75, 1), (25, 2))), features, depth=1)
    where = _where(dice, clause, percent=30)
    if features.nested_aggregates and dice.chance(35):
        return _grouped(dice, clause, where, features)
    return _projected(dice, clause, where, link=True)


def _from(
    dice: Dice, sources: Sequence[Source], inputs: int, features: Features, depth: int
) -> From:
    items: list[From] = []
    used: list[str] = []
    for number in range(inputs):
        room = features.inputs - sum(item.leaves for item in items)
        fitting = [source for source in sources if source.leaves <= room]
        if items and not fitting:
            break
        source = dice.pick(fitting or sources)
        alias = f"r{number + 1}" if depth == 0 else f"s{number + 1}"
        if depth == 0 and room > 1 and dice.chance(15):
            items.append(_derived(dice, fitting or sources, alias, features))
        elif source.name not in used and dice.chance(30):
            items.append(_item(source, source.name, source.name))
        else:
            items.append(_item(source, alias, f"{source.name} {alias}"))
        used.append(source.name)
    clause = join(dice, items, Budget(1 if len(items) > 2 else 2))
    repeated = {"self join"} if len(set(used)) < len(used) else set()
    return replace(clause, operators=clause.operators | repeated)


def _item(source: Source, alias: str, sql: str) -> From:
    fields = tuple(field.within(alias) for field in source.fields)
    kind = frozenset({source.kind})
    return From(sql, fields, source.bases, kind, leaves=source.leaves)


def _derived(dice: Dice, sources: Sequence[Source], alias: str, features: Features) -> From:
    inner = view(dice, sources, replace(features, inputs=2))
    fields = tuple(field.within(alias) for field in inner.fields)
    operators = inner.operators | {"derived table"}
    sql = f"({inner.sql}) AS {alias}"
    return From(sql, fields, inner.bases, operators, leaves=inner.leaves)


def _where(dice: Dice, clause: From, percent: int) -> str:
    tests = list(clause.conditions)
    if dice.chance(percent):
        tests.append(predicate(dice, clause.fields))
    return f" WHERE {' AND '.join(tests)}" if tests else ""


def _operators(clause: From, where: str, *more: str) -> frozenset[str]:
    filtered = {"filter"} if where else set()
    return clause.operators | filtered | set(more)


def _projected(dice: Dice, clause: From, where: str, *, link: bool = False) -> Query:
    unique = all(count == 1 for count in clause.names().values())
    if unique and dice.chance(15):
        fields = tuple(replace(field, ref=field.name) for field in clause.fields)
        sql = f"SELECT * FROM {clause.sql}{where}"
        return Query(sql, fields, clause.bases, _operators(clause, where, "star"), clause.leaves)
    chosen = [value(dice, clause.fields) for _ in range(dice.between(1, 5))]
    if link:
        field = dice.pick(clause.fields[:3])
        chosen.insert(0, Value(field.ref, field.domain, field.settled, plain=True))
    columns, fields = select_list(dice, chosen, clause)
    sql = f"SELECT {columns} FROM {clause.sql}{where}"
    return Query(sql, fields, clause.bases, _operators(clause, where, "project"), clause.leaves)


def select_list(dice: Dice, chosen: Sequence[Value], clause: From) -> tuple[str, tuple[Field, ...]]:
    """Return the list as SQL and as fields: own names where they are unique, else o1, o2, …"""
    items: list[str] = []
    fields: list[Field] = []
    visible = clause.names()
    by_ref = {field.ref: field.name for field in clause.fields}
    for place, item in enumerate(chosen, start=1):
        own = by_ref.get(item.sql, "")
        taken = {field.name for field in fields}
        if own and own not in taken and dice.chance(60):
            short = visible[own] == 1 and dice.chance(30)
            spelled = f"{item.sql} AS {own}" if "(" in item.sql else item.sql
            items.append(own if short else spelled)
            name = own
        else:
            name = next(name for name in (f"o{place}", *_SPARE) if name not in taken)
            items.append(f"{item.sql} AS {name}")
        fields.append(Field(name, name, item.domain, item.settled))
    return ", ".join(items), tuple(fields)


def _keys(dice: Dice, clause: From, features: Features) -> list[Value]:
    usable = [field for field in clause.fields if field.domain.equality]
    wanted = dice.weighted(((50, 1), (20, 2), (10, 3), (20, 0 if features.ungrouped else 1)))
    found: list[Value] = []
    for _ in range(wanted if usable else 0):
        key = value(dice, usable, plain=72)
        if key.domain.equality and key.sql not in {other.sql for other in found}:
            found.append(replace(key, settled=key.settled and key.domain.canonical))
    return found


def _grouped(dice: Dice, clause: From, where: str, features: Features) -> Query:
    keys = _keys(dice, clause, features)
    shown = keys[:-1] if keys and dice.chance(12) else keys
    calls = [aggregate(dice, clause.fields, features) for _ in range(dice.between(1, 4))]
    values = [call for call, _ in calls]
    chosen = [*values, *shown] if dice.chance(15) else [*shown, *values]
    columns, fields = select_list(dice, chosen, clause)
    by_position = len(shown) == len(keys) and chosen[: len(keys)] == keys and dice.chance(15)
    terms = [str(place + 1) if by_position else key.sql for place, key in enumerate(keys)]
    group = f" GROUP BY {', '.join(terms)}" if terms else ""
    having = " HAVING count(*) > 1" if features.having and dice.chance(20) else ""
    names = {name for _, name in calls} | ({"having"} if having else set())
    names |= {"FILTER"} if any("FILTER (" in call.sql for call in values) else set()
    names |= {f"group by {len(keys)}"}
    names |= set() if all(key.plain for key in keys) else {"group by expression"}
    sql = f"SELECT {columns} FROM {clause.sql}{where}{group}{having}"
    return Query(sql, fields, clause.bases, _operators(clause, where, *names))
