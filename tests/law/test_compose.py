"""Composed queries: all of the grammar, held against the law in the mode that each gets; the grammar itself first."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

import psycopg
import pytest

from tests.law.compose.grammar import case as composed
from tests.law.dice import Dice
from tests.law.features import ALL_OPERATORS, COMPOSITIONS, Feature, chosen
from tests.law.seed import SEED, run_examples, run_seed
from tests.law.soak import Plan, soak

if TYPE_CHECKING:
    from tests.law.world import World

SHARDS = 4
DRAWN = 1500


def test_every_feature_is_used() -> None:
    used: Counter[str] = Counter()
    for number in range(DRAWN):
        case = composed(Dice.seeded(run_seed() + number), ALL_OPERATORS)
        used.update({feature for stream in case.streams for feature in stream.features})
    assert {feature for feature in Feature if used[feature] < 5} <= {Feature.TRUNCATE}


def test_features_that_are_off_are_not_used() -> None:
    on = chosen(("outer_join", "window"))
    for number in range(100):
        case = composed(Dice.seeded(number), on)
        used = {feature for stream in case.streams for feature in stream.features}
        assert used <= {"outer_join", "window"}


def test_a_feature_can_be_drawn_alone() -> None:
    for feature in Feature:
        if feature not in COMPOSITIONS:
            composed(Dice.seeded(1), chosen((feature,)))


@pytest.mark.pg
def test_composed_queries_are_valid_and_determined(world: World) -> None:
    refused = 0
    for number in range(200):
        case = composed(Dice.seeded(run_seed() + number), ALL_OPERATORS)
        try:
            world.try_queries(case, shaken=True)
        except psycopg.Error:
            refused += 1
    assert refused <= 2


@pytest.mark.pg
def test_right_model_passes_composed_cases(world: World) -> None:
    for number in range(30):
        case = composed(Dice.seeded(run_seed() + number), ALL_OPERATORS)
        if world.try_queries(case) < 200:
            world.check_model(case)


@pytest.mark.pg
@pytest.mark.timeout(900)
@pytest.mark.parametrize("shard", range(SHARDS))
def test_composed_queries_obey_the_law(world: World, shard: int) -> None:
    seed = run_seed() + 1_000_000 * (shard + 1)
    os.write(1, f"{SEED}={run_seed()}, soak seed {seed}\n".encode())
    tally = soak(world, Plan(seed=seed, examples=max(run_examples() // (4 * SHARDS), 1)))
    assert not tally.broken(), "\n\n".join(map(str, tally.broken()))
