"""What changes from one list of columns to another, and whether a view can follow in place."""

from __future__ import annotations

import pytest

from pgtrickle.catalog.shape import ShapeChange, ShapeColumn, shape_change


def columns(*names: str) -> list[ShapeColumn]:
    """Return columns; `name:oid` gives one another type."""
    parts = (name.partition(":") for name in names)
    return [ShapeColumn(name, int(oid or 23), -1, 0, "") for name, _, oid in parts]


@pytest.mark.parametrize(
    ("after", "change"),
    [
        (columns("a", "b", "c"), ShapeChange()),
        (columns("a", "b", "c", "d"), ShapeChange(added=("d",))),
        (columns("a", "b"), ShapeChange(dropped=("c",))),
        (columns("b", "c"), ShapeChange(dropped=("a",))),
        (columns("a", "b:25", "c"), ShapeChange(retyped=("b",))),
        (columns("a", "c", "b"), ShapeChange(moved=("b", "c"))),
        (columns("a", "d", "b", "c"), ShapeChange(moved=("b", "c"), added=("d",))),
        (columns("x", "y"), ShapeChange(dropped=("a", "b", "c"), added=("x", "y"))),
        (
            columns("c", "a:25", "z"),
            ShapeChange(dropped=("b",), retyped=("a",), moved=("a", "c"), added=("z",)),
        ),
    ],
)
def test_a_change_is_named_by_its_columns(after: list[ShapeColumn], change: ShapeChange) -> None:
    assert shape_change(columns("a", "b", "c"), after) == change


def test_only_new_columns_at_the_end_are_made_in_place() -> None:
    assert ShapeChange(added=("d",)).in_place
    for change in (
        ShapeChange(dropped=("a",)),
        ShapeChange(retyped=("a",)),
        ShapeChange(moved=("a",)),
    ):
        assert not change.in_place


def test_a_reader_by_name_minds_what_went_or_changed_not_what_moved() -> None:
    assert ShapeChange(dropped=("a",), retyped=("b",), moved=("c",)).broken == {"a", "b"}
    assert ShapeChange(dropped=("a",), moved=("c",)).described() == "dropped: a; moved: c"
