"""Random cases and kept cases, on every server: a refreshed stream table equals its query."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from tests.law.cases import JOINS, KEYS
from tests.law.cases_bags import BAGS, GROUPS, TRANSACTIONS
from tests.law.search import search
from tests.law.seed import SEED, run_examples, run_seed

if TYPE_CHECKING:
    from tests.law.case import Case
    from tests.law.world import World

SHARDS = 8
ON_EACH_SERVER = 20
KEPT: dict[str, Case] = JOINS | KEYS | BAGS | GROUPS | TRANSACTIONS

pytestmark = pytest.mark.pg


@pytest.mark.timeout(900)
@pytest.mark.parametrize("shard", range(SHARDS))
def test_refreshed_stream_tables_equal_their_queries(world: World, shard: int) -> None:
    os.write(1, f"{SEED}={run_seed()}, shard {shard}\n".encode())
    examples = run_examples() // SHARDS + (shard < run_examples() % SHARDS)
    search(world.check, seed=run_seed() + shard, examples=max(examples, 1))


@pytest.mark.parametrize("name", KEPT)
def test_kept_case_obeys_the_law(any_world: World, name: str) -> None:
    any_world.check(KEPT[name])


@pytest.mark.timeout(900)
def test_random_cases_obey_the_law_on_every_server(any_world: World) -> None:
    os.write(1, f"{SEED}={run_seed()}\n".encode())
    search(any_world.check, seed=run_seed() - 1, examples=ON_EACH_SERVER)
