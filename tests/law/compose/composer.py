"""The composer: dice, switches, what may be read, and a ledger of what was used.

A block draws its parts through the composer and never throws a part away, so the ledger is exact.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, TypeAlias

from tests.law.features import Feature
from tests.law.joins import From

if TYPE_CHECKING:
    from collections.abc import Iterable

    from tests.law.dice import Dice
    from tests.law.features import Features
    from tests.law.queries import Query
    from tests.law.relations import Field, Source

MOST_LEAVES = 6  # tables in one query, so that results stay small

QueryMaker: TypeAlias = Callable[["Composer", int], "Query"]


@dataclass(slots=True)
class Ledger:
    """What a query has used so far."""

    bases: set[str] = field(default_factory=set)
    features: set[Feature] = field(default_factory=set)
    undetermined: bool = False
    leaves: int = 0
    aliases: int = 0


@dataclass(frozen=True, slots=True)
class Composer:
    """Draws the parts of one query."""

    dice: Dice
    features: Features
    sources: tuple[Source, ...]
    make: QueryMaker
    ledger: Ledger = field(default_factory=Ledger)

    def query(self, depth: int) -> Query:
        """Return a query of any kind, with at most `depth` operators above each other."""
        return self.make(self, depth)

    def over(self, sources: Iterable[Source]) -> Composer:
        """Return a composer for the same query that reads other sources."""
        return replace(self, sources=tuple(sources))

    def keeping(self, features: Iterable[Feature]) -> Composer:
        """Return a composer for the same query that uses only these of its features."""
        kept = frozenset(features) & self.features.on
        return replace(self, features=replace(self.features, on=kept))

    def alias(self, prefix: str = "q") -> str:
        """Return a name that the query does not have yet."""
        self.ledger.aliases += 1
        return f"{prefix}{self.ledger.aliases}"

    def on(self, *features: Feature) -> bool:
        """Return whether one of the features may be used."""
        return any(each in self.features.on for each in features)

    def use(self, feature: Feature) -> None:
        """Record that a feature is used."""
        self.ledger.features.add(feature)

    def wants(self, feature: Feature, percent: int) -> bool:
        """Return True in `percent` of the draws if the feature is on, and record it then."""
        if not self.on(feature) or not self.dice.chance(percent):
            return False
        self.use(feature)
        return True

    def leaves_open(self, percent: int = 60) -> bool:
        """Return whether to leave an order incomplete; then SQL does not determine the result."""
        if not self.wants(Feature.INCOMPLETE_ORDER, percent):
            return False
        self.ledger.undetermined = True
        return True

    def full(self) -> bool:
        """Return whether the query has as many tables as it may."""
        return self.ledger.leaves >= MOST_LEAVES

    def read(self, source: Source) -> From:
        """Return a source as an input, under a name of its own."""
        self.ledger.bases |= source.bases
        self.ledger.features |= source.features
        self.ledger.undetermined |= source.undetermined
        self.ledger.leaves += 1
        alias = self.alias()
        fields = tuple(each.within(alias) for each in source.fields)
        key = None if source.key is None else tuple(f"{alias}.{name}" for name in source.key)
        return From(f"{source.name} {alias}", fields, source.bases, frozenset(), key=key)

    def relation(self, sql: str, fields: Iterable[Field], key: tuple[str, ...] | None) -> From:
        """Return an input that is no source: a derived table, VALUES, a function."""
        return From(sql, tuple(fields), frozenset(), frozenset(), key=key)
