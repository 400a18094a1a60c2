"""Costs of the Rust core as Python sees them: one crossing of the boundary each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgtrickle._core import Graph, PlanCache

if TYPE_CHECKING:
    from pytest_benchmark.fixture import BenchmarkFixture

NODES = 10_000


def bench_template_hit(benchmark: BenchmarkFixture) -> None:
    """Look up a plan that the cache holds."""
    plans = PlanCache(100)
    plans.put(1, 1, [1, 2, 3], "SELECT 1" * 500)
    assert benchmark(plans.get, 1, 1, [1, 2, 3]) is not None


def bench_waves(benchmark: BenchmarkFixture) -> None:
    """Order a binary tree of tables."""
    graph = Graph([(node // 2, node) for node in range(1, NODES)])
    waves: list[list[int]] = benchmark(graph.waves)
    assert sum(map(len, waves)) == NODES
