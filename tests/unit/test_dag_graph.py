from __future__ import annotations

from dataclasses import dataclass

import pytest

from pgtrickle.dag.graph import diamonds, waves
from pgtrickle.errors import InternalError


@dataclass(frozen=True, slots=True)
class Table:
    name: str
    relations: tuple[str, ...]


def test_a_diamond_over_a_base_table_is_a_group_without_it() -> None:
    tables = [
        Table("total", ("north", "south")),
        Table("north", ("orders",)),
        Table("south", ("orders",)),
        Table("report", ("total",)),
    ]
    assert [sorted(group) for group in diamonds(tables)] == [["north", "south", "total"]]
    assert waves(tables) == [["north", "south"], ["total"], ["report"]]


def test_a_circle_is_told_with_the_names() -> None:
    tables = [Table("a", ("b",)), Table("b", ("a", "orders"))]
    for question in (waves, diamonds):
        with pytest.raises(InternalError, match="a → b → a"):
            question(tables)
