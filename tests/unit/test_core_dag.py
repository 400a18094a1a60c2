from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgtrickle._core import CycleError, Graph

edge_lists = st.lists(st.tuples(st.integers(-6, 6), st.integers(-6, 6)), max_size=20)


def test_a_diamond_has_three_waves() -> None:
    graph = Graph([(1, 3), (1, 2), (2, 4), (3, 4)], nodes=[5])
    assert graph.waves() == [[1, 5], [2, 3], [4]]
    assert graph.cycle() is None


def test_an_empty_graph_has_no_waves() -> None:
    assert Graph([]).waves() == []


def test_a_cycle_is_raised_with_its_path() -> None:
    graph = Graph([(0, 3), (3, 1), (1, 2), (2, 3)])
    with pytest.raises(CycleError, match="1 -> 2 -> 3 -> 1") as raised:
        graph.waves()
    assert raised.value.path == [1, 2, 3, 1] == graph.cycle()


def test_a_table_that_reads_itself_is_a_cycle() -> None:
    assert Graph([(7, 7)]).cycle() == [7, 7]


def test_a_deep_chain_does_not_overflow_the_stack() -> None:
    chain = [(node, node + 1) for node in range(10_000)]
    assert len(Graph(chain).waves()) == 10_001
    assert len(Graph([*chain, (10_000, 0)]).cycle() or []) == 10_002


def test_an_id_beyond_64_bits_is_refused() -> None:
    with pytest.raises(OverflowError):
        Graph([(1, 2**63)])


@given(edges=edge_lists)
def test_waves_respect_every_edge_or_a_cycle_is_named(edges: list[tuple[int, int]]) -> None:
    graph = Graph(edges)
    cycle = graph.cycle()
    if cycle is None:
        wave_of = {node: number for number, wave in enumerate(graph.waves()) for node in wave}
        assert all(wave_of[upstream] < wave_of[downstream] for upstream, downstream in edges)
    else:
        assert cycle[0] == cycle[-1]
        assert set(pairwise(cycle)) <= set(edges)


@given(edges=edge_lists)
def test_the_order_of_edges_does_not_matter(edges: list[tuple[int, int]]) -> None:
    assert Graph(edges).cycle() == Graph(edges[::-1]).cycle()


def test_branches_of_one_source_that_meet_are_a_diamond() -> None:
    graph = Graph([(1, 2), (1, 3), (2, 4), (3, 4), (9, 1)])
    assert graph.diamonds() == [[2, 3, 4]]
    assert Graph([(1, 2), (2, 3)]).diamonds() == []


def test_components_come_upstream_first() -> None:
    assert Graph([(9, 2), (2, 3), (3, 2), (3, 1)]).components() == [[9], [2, 3], [1]]
    with pytest.raises(CycleError):
        Graph([(2, 3), (3, 2)]).diamonds()


def test_a_change_gives_a_new_graph_and_leaves_the_old_one() -> None:
    old = Graph([(1, 2), (1, 3)])
    new = old.with_node(4, [2, 3])
    assert (old.diamonds(), new.diamonds()) == ([], [[2, 3, 4]])
    assert (len(old), len(new), len(new.without_node(4))) == (3, 4, 3)
    assert new.without_node(4).waves() == old.waves()
