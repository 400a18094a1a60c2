"""The grammar of law cases: schema, stream tables, rounds, as one hypothesis strategy."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from hypothesis import strategies as st

from tests.law.case import Case, Stream
from tests.law.dice import Dice
from tests.law.features import FIRST_OPERATORS, Features
from tests.law.queries import Query, query, view
from tests.law.relations import Source, table_source
from tests.law.rows import initial
from tests.law.schemas import create, schema
from tests.law.scripts import Targets, rounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hypothesis.strategies import DrawFn

    from tests.law.relations import Table

# What stands beside the first stream table: nothing, one over it, one beside it, or both.
_COMPANY = ((60, ""), (22, "over"), (8, "beside"), (10, "beside over"))


@st.composite
def cases(draw: DrawFn, features: Features = FIRST_OPERATORS) -> Case:
    """Draw a case whose every statement is valid."""
    dice = Dice.drawn(draw)
    tables = schema(dice)
    ddl = [create(table, dice) for table in tables]
    ddl += [initial(dice, table) for table in tables]
    sources = [table_source(table) for table in tables]
    if dice.chance(25):
        found = view(dice, sources, features)
        ddl.append(f"CREATE VIEW v AS {found.sql}")
        sources += [_source(found, "v", found.bases, "view")] * 2
    streams = _streams(dice, sources, tables, features)
    hot = {source for stream in streams for source in stream.sources}
    names = [stream.name for stream in streams]
    return Case(tuple(ddl), streams, rounds(dice, Targets.of(tables, hot), names))


def _source(found: Query, name: str, bases: frozenset[str], kind: str) -> Source:
    """Return a query's result as a source: what it stores prints in one way."""
    fields = tuple(
        replace(field, ref=field.name, settled=field.settled or kind == "stream table")
        for field in found.fields
    )
    return Source(name, fields, bases, kind, found.leaves)


def _streams(
    dice: Dice, sources: Sequence[Source], tables: Sequence[Table], features: Features
) -> tuple[Stream, ...]:
    first = query(dice, sources, features)
    streams = [_stream("st1", first)]
    company = dice.weighted(_COMPANY)
    if "beside" in company:
        streams.append(_stream("st2", query(dice, sources, features)))
    if "over" in company:
        stored = _source(first, "st1", frozenset({"st1"}), "stream table")
        below = [stored, stored, stored, table_source(tables[0])]
        streams.append(_stream("st3", query(dice, below, replace(features, inputs=3))))
    return tuple(streams)


def _stream(name: str, found: Query) -> Stream:
    return Stream(
        name,
        found.sql,
        tuple(sorted(found.bases)),
        found.unsettled(),
        tuple(sorted(found.operators)),
    )
