from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from pgtrickle._core import CacheStats, PlanCache


def counts(stats: CacheStats) -> tuple[int, int, int, int]:
    return stats.hits, stats.misses, stats.evictions, stats.entries


@pytest.mark.parametrize(("capacity", "error"), [(0, ValueError), (-1, OverflowError)])
def test_a_capacity_below_one_is_refused(capacity: int, error: type[Exception]) -> None:
    with pytest.raises(error):
        PlanCache(capacity)


def test_a_huge_capacity_costs_nothing_until_used() -> None:
    assert counts(PlanCache(2**60).stats()) == (0, 0, 0, 0)


def test_a_plan_is_found_under_its_key_only() -> None:
    plans = PlanCache(4)
    plans.put(1, 1, [3, 2], "plan ✓")
    assert plans.get(1, 1, (2, 3)) == "plan ✓"
    assert plans.get(2, 1, [2, 3]) is None
    assert plans.get(1, 2, [2, 3]) is None
    assert plans.get(1, 1, [2]) is None
    assert counts(plans.stats()) == (1, 3, 0, 1)


def test_peek_neither_counts_nor_promotes() -> None:
    plans = PlanCache(2)
    plans.put(1, 1, [], "one")
    plans.put(2, 1, [], "two")
    assert plans.peek(1, 1, []) == "one"
    assert plans.peek(9, 1, []) is None
    plans.put(3, 1, [], "three")
    assert plans.peek(1, 1, []) is None
    assert counts(plans.stats()) == (0, 0, 1, 2)


def test_get_promotes() -> None:
    plans = PlanCache(2)
    plans.put(1, 1, [], "one")
    plans.put(2, 1, [], "two")
    plans.get(1, 1, [])
    plans.put(3, 1, [], "three")
    assert (plans.peek(1, 1, []), plans.peek(2, 1, [])) == ("one", None)


def test_invalidate_drops_all_generations_of_one_table() -> None:
    plans = PlanCache(8)
    for table, generation in [(1, 1), (1, 2), (2, 1)]:
        plans.put(table, generation, [5], "plan")
    assert plans.invalidate(1) == 2
    assert plans.stats().entries == 1
    plans.clear()
    assert plans.stats().entries == 0


def test_stats_are_read_only() -> None:
    stats = PlanCache(1).stats()
    with pytest.raises(AttributeError):
        stats.hits = 5  # type: ignore[misc]


def test_threads_share_a_cache() -> None:
    plans = PlanCache(16)

    def work(table: int) -> bool:
        for generation in range(200):
            plans.put(table, generation, [table], f"{table}/{generation}")
            plans.get(table, generation, [table])
        return plans.stats().entries <= 16

    with ThreadPoolExecutor(4) as pool:
        assert all(pool.map(work, range(4)))
    stats = plans.stats()
    assert stats.hits + stats.misses == 800
