"""GROUP BY: keys and expressions, grouping sets, HAVING, windows over the groups."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.law import domains as d
from tests.law.compose import inputs
from tests.law.compose.calls import call
from tests.law.compose.select import limited, where_clause
from tests.law.compose.subqueries import SCALARS, scalar
from tests.law.compose.windows import Rows, window
from tests.law.expressions import Value, predicate, value
from tests.law.features import Feature
from tests.law.queries import Query, select_list
from tests.law.relations import Field

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.law.compose.composer import Composer
    from tests.law.joins import From


@dataclass(frozen=True, slots=True)
class Groups:
    """Keys and aggregates of a grouped query, before they are put in its SELECT list."""

    keys: list[Value]
    calls: list[Value]
    clause: From

    def fields(self) -> list[Field]:
        """Return keys and aggregates as fields, for what is evaluated over groups."""
        return [
            Field(f"f{place}", f"({each.sql})", each.domain, each.settled)
            for place, each in enumerate((*self.keys, *self.calls))
        ]

    def plain_keys(self) -> list[Field]:
        """Return the keys that are columns: what a subquery may refer to."""
        by_ref = {field.ref: field for field in self.clause.fields if "(" not in field.ref}
        return [by_ref[each.sql] for each in self.keys if each.sql in by_ref]


def grouped(composer: Composer, depth: int) -> Query:
    """Return a query with aggregates, over groups or over all rows."""
    groups, where = _groups(composer, depth, sets=False)
    shown = groups.keys[:-1] if groups.keys and composer.dice.chance(8) else groups.keys
    chosen = [*shown, *groups.calls, *_over_groups(composer, groups)]
    columns, fields = select_list(composer.dice, chosen, groups.clause)
    group = f" GROUP BY {', '.join(key.sql for key in groups.keys)}" if groups.keys else ""
    having = _having(composer, groups, depth)
    key = tuple(field.name for field in fields[: len(shown)])
    whole = len(shown) == len(groups.keys)
    sql = f"SELECT {columns} FROM {groups.clause.sql}{where}{group}{having}"
    found = Query(sql, fields, frozenset(), frozenset(), key=key if whole else None)
    if whole and composer.on(Feature.TOP_K, Feature.WITH_TIES) and composer.dice.chance(40):
        return replace(found, sql=f"{sql}{limited(composer, _output(fields), key)}")
    return found


def _output(fields: Sequence[Field]) -> list[Field]:
    """Return the columns as ORDER BY of the same SELECT names them."""
    return [replace(field, ref=field.name) for field in fields]


def grouping_sets(composer: Composer, depth: int) -> Query:
    """Return a query over several groupings at once, with GROUPING() to tell them apart."""
    composer.use(Feature.GROUPING_SETS)
    dice = composer.dice
    groups, where = _groups(composer, depth, sets=True)
    terms = [key.sql for key in groups.keys]
    listed = ", ".join(terms)
    if not terms:
        spelled = "()"
    elif dice.chance(40):
        spelled = f"{dice.pick(('ROLLUP', 'CUBE'))} ({listed})"
    else:
        sets = [
            f"({', '.join(dice.some(terms, 0, len(terms)))})" for _ in range(dice.between(1, 3))
        ]
        spelled = f"GROUPING SETS (({listed}), {', '.join(sets)})"
    if len(terms) > 1 and dice.chance(15):
        spelled = f"{terms[0]}, ROLLUP ({', '.join(terms[1:])})"
    chosen = [*groups.keys, *groups.calls]
    if terms:
        chosen.append(Value(f"GROUPING({listed})", d.INT))
    columns, fields = select_list(dice, chosen, groups.clause)
    having = _having(composer, groups, depth)
    sql = f"SELECT {columns} FROM {groups.clause.sql}{where} GROUP BY {spelled}{having}"
    return Query(sql, fields, frozenset(), frozenset(), key=None)


def _groups(composer: Composer, depth: int, *, sets: bool) -> tuple[Groups, str]:
    clause = inputs.clause(composer, depth)
    where = where_clause(composer, clause, depth)
    keys = _keys(composer, clause, sets=sets)
    count = composer.dice.between(1, 3)
    calls = [call(composer, clause.fields, clause.key) for _ in range(count)]
    return Groups(keys, calls, clause), where


def _keys(composer: Composer, clause: From, *, sets: bool) -> list[Value]:
    dice = composer.dice
    usable = [field for field in clause.fields if field.domain.equality]
    wanted = dice.between(1, 3) if sets else dice.weighted(((55, 1), (25, 2), (20, 0)))
    found: list[Value] = []
    for _ in range(wanted if usable else 0):
        key = value(dice, usable, plain=100 if sets else 80)
        if key.domain.equality and key.sql not in {other.sql for other in found}:
            found.append(replace(key, settled=key.settled and key.domain.canonical))
    return found


def _over_groups(composer: Composer, groups: Groups) -> list[Value]:
    if not composer.wants(Feature.WINDOW_OVER_GROUPS, 60):
        return []
    key = tuple(f"({each.sql})" for each in groups.keys)
    return [window(composer, Rows(groups.fields(), key, grouped=True))]


def _having(composer: Composer, groups: Groups, depth: int) -> str:
    if not composer.wants(Feature.HAVING, 65):
        return ""
    dice = composer.dice
    if composer.on(*SCALARS) and not composer.full() and dice.chance(30):
        found = scalar(composer, groups.plain_keys(), depth)
        if found.domain.type in {"int", "bigint", "numeric"}:
            return f" HAVING count(*) <= {found.sql}"
        return f" HAVING {found.sql} IS NOT NULL"
    if dice.chance(30):
        return f" HAVING count(*) {dice.pick(('> 1', '<> 2', '>= 1'))}"
    return f" HAVING {predicate(dice, groups.fields())}"
