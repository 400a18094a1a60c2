"""Which blocks make a query, and how cases are put together from such queries."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from tests.law.case import Case, Stream
from tests.law.compose.calls import FAMILIES
from tests.law.compose.composer import Composer
from tests.law.compose.ctes import cte, edges, recursive
from tests.law.compose.grouping import grouped, grouping_sets
from tests.law.compose.select import distinct, distinct_on, projected, top
from tests.law.compose.set_operations import set_operation
from tests.law.compose.subqueries import PREDICATES
from tests.law.features import Feature, Features
from tests.law.relations import Source, table_source
from tests.law.rows import initial
from tests.law.schemas import create, schema
from tests.law.scripts import Targets, rounds

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.law.compose.composer import QueryMaker
    from tests.law.dice import Dice
    from tests.law.queries import Query
    from tests.law.relations import Table

_BLOCKS: tuple[tuple[tuple[Feature, ...], QueryMaker], ...] = (
    ((Feature.DISTINCT,), distinct),
    ((Feature.DISTINCT_ON,), distinct_on),
    ((Feature.UNION_ALL, Feature.SET_OPERATION), set_operation),
    ((Feature.TOP_K, Feature.WITH_TIES), top),
    ((Feature.CTE, Feature.CTE_TWICE), cte),
    ((Feature.RECURSIVE_UNION, Feature.RECURSIVE_UNION_ALL), recursive),
    ((Feature.GROUPING_SETS,), grouping_sets),
)
_OF_GROUPS = (*FAMILIES, Feature.HAVING, Feature.WINDOW_OVER_GROUPS)
_OF_NESTED_GROUPS = (*_OF_GROUPS, Feature.NESTED_AGGREGATE)
_LINEAR = frozenset(
    {
        Feature.UNION_ALL,
        Feature.VALUES,
        Feature.TABLE_FUNCTION,
        Feature.SET_RETURNING,
        Feature.CTE,
        Feature.CTE_TWICE,
        Feature.NESTED_AGGREGATE,
    }
)
_MOST_BLOCKS = 5
# What only shows in company: one of its hosts is drawn with it.
_HOSTS: dict[Feature, tuple[Feature, ...]] = {
    Feature.WINDOW_FRAME: (Feature.WINDOW,),
    Feature.NESTED_PREDICATE: PREDICATES,
    Feature.PREDICATE_VALUE: PREDICATES,
    Feature.INCOMPLETE_ORDER: (
        Feature.WINDOW,
        Feature.DISTINCT_ON,
        Feature.TOP_K,
        Feature.LATERAL_LIMIT,
        Feature.AGGREGATE_COLLECT,
        Feature.AGGREGATE_REGRESSION,
        Feature.AGGREGATE_SPREAD,
    ),
}
_RECURSION = (Feature.RECURSIVE_UNION, Feature.RECURSIVE_UNION_ALL)
_COMPANY = ((60, ""), (25, "over"), (15, "beside"))


def make(composer: Composer, depth: int) -> Query:
    """Return a query of some kind; what is nested in another is recorded as that."""
    if depth == composer.features.depth:
        return _kind(composer, depth)(composer, depth)
    if not composer.on(Feature.NESTED_OPERATOR):
        kept = _OF_NESTED_GROUPS if composer.on(Feature.NESTED_AGGREGATE) else ()
        composer = composer.keeping(kept)
    outside = set(composer.ledger.features)
    composer.ledger.features.clear()
    kind = _kind(composer, depth)
    found = kind(composer, depth)
    if kind in {grouped, grouping_sets}:
        composer.use(Feature.NESTED_AGGREGATE)
    if kind is not grouped and composer.ledger.features - _LINEAR:
        composer.use(Feature.NESTED_OPERATOR)
    composer.ledger.features |= outside
    return found


def _kind(composer: Composer, depth: int) -> QueryMaker:
    nested = depth < composer.features.depth
    kinds: list[tuple[int, QueryMaker]] = [(16, projected)]
    if not nested or composer.on(Feature.NESTED_AGGREGATE):
        kinds.append((50 if composer.on(*_OF_GROUPS) else 12, grouped))
    if depth > 0:
        blocks = [(25, block) for features, block in _BLOCKS if composer.on(*features)]
        kinds += blocks[:_MOST_BLOCKS]
    return composer.dice.weighted(kinds)


def case(dice: Dice, features: Features) -> Case:
    """Return a case whose queries use a few of the features: what is drawn together meets more often."""
    few = _few(dice, features)
    tables = schema(dice)
    if any(feature in few.on for feature in _RECURSION):
        tables = (*tables, edges(dice))
    ddl = [create(table, dice) for table in tables]
    ddl += [initial(dice, table) for table in tables]
    sources = [table_source(table) for table in tables]
    if dice.chance(15):
        found = compose(dice, sources, replace(few, depth=3), nested=True)
        ddl.append(f"CREATE VIEW v AS {found.sql}")
        sources.append(_view(found))
    streams = _streams(dice, sources, tables, few)
    hot = {source for stream in streams for source in stream.sources}
    names = [stream.name for stream in streams]
    truncates = Feature.TRUNCATE in few.on
    return Case(
        tuple(ddl), streams, rounds(dice, Targets.of(tables, hot), names, truncates=truncates)
    )


def _few(dice: Dice, features: Features) -> Features:
    drawn = dice.some(features.drawn(), 1, 4)
    hosts = [dice.pick(_HOSTS[feature]) for feature in drawn if feature in _HOSTS]
    return features.only([*drawn, *hosts])


def compose(
    dice: Dice, sources: Sequence[Source], features: Features, *, nested: bool = False
) -> Query:
    """Return a query with everything that it has used; a nested one stands below others."""
    composer = Composer(dice, features, tuple(sources), make)
    found = composer.query(features.depth - nested)
    used = composer.ledger
    return replace(
        found,
        bases=frozenset(used.bases),
        features=frozenset(used.features),
        undetermined=used.undetermined,
    )


def _view(found: Query) -> Source:
    fields = tuple(replace(field, ref=field.name) for field in found.fields)
    return Source(
        "v",
        fields,
        found.bases,
        "view",
        key=found.key,
        features=found.features,
        undetermined=found.undetermined,
    )


def _stored(found: Query) -> Source:
    """Return a stream table as a source: what it stores prints in one way."""
    fields = tuple(replace(field, ref=field.name, settled=True) for field in found.fields)
    return Source("st1", fields, frozenset({"st1"}), "stream table", key=found.key)


def _streams(
    dice: Dice, sources: Sequence[Source], tables: Sequence[Table], features: Features
) -> tuple[Stream, ...]:
    depth = dice.weighted(((25, 1), (35, 2), (25, 3), (15, 4)))
    features = replace(features, depth=depth)
    first = compose(dice, sources, features)
    streams = [_stream("st1", first)]
    company = dice.weighted(_COMPANY)
    if company == "beside":
        streams.append(_stream("st2", compose(dice, sources, features)))
    if company == "over":
        below = [_stored(first), _stored(first), *map(table_source, tables)]
        streams.append(_stream("st3", compose(dice, below, replace(features, depth=min(depth, 2)))))
    return tuple(streams)


def _stream(name: str, found: Query) -> Stream:
    return Stream(
        name,
        found.sql,
        tuple(sorted(found.bases)),
        found.unsettled(),
        features=tuple(sorted(found.features)),
        undetermined=found.undetermined,
    )
