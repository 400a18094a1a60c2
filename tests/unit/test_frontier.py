"""Snapshots as values: what they see, and the meet that clean-up works with."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from pgtrickle.frontier import Frontier, Snapshot, meet

XIDS = range(1, 25)


@st.composite
def snapshots(draw: st.DrawFn) -> Snapshot:
    """Draw a snapshot over small transaction numbers, as a server could have given it."""
    xmin = draw(st.integers(1, 15))
    xmax = draw(st.integers(xmin, 22))
    inside = st.integers(xmin, xmax - 1) if xmax > xmin else st.nothing()
    return Snapshot(xmin, xmax, draw(st.frozensets(inside)))


@given(snapshots())
def test_a_snapshot_survives_its_text(snapshot: Snapshot) -> None:
    assert Snapshot.parse(str(snapshot)) == snapshot


@given(st.lists(snapshots(), min_size=1, max_size=5))
def test_the_meet_sees_exactly_what_all_see(found: list[Snapshot]) -> None:
    met = meet(found)
    assert met is not None
    for xid in XIDS:
        assert met.sees(xid) == all(snapshot.sees(xid) for snapshot in found)


def test_no_consumer_has_no_meet() -> None:
    assert meet([]) is None


@given(snapshots(), snapshots())
def test_covering_is_seeing_everything_the_other_sees(one: Snapshot, other: Snapshot) -> None:
    expected = all(one.sees(xid) for xid in XIDS if other.sees(xid))
    assert one.covers(other) == expected


def test_a_late_commit_with_a_low_number_is_not_consumed() -> None:
    frontier = Frontier(Snapshot(10, 20, frozenset({12})))
    assert frontier.consumed(15)
    assert not frontier.consumed(12)


def test_rows_of_the_applying_transaction_are_consumed() -> None:
    assert Frontier(Snapshot(10, 20), applied_xid=25).consumed(25)
