"""Decisions from facts: what may have been missed always comes before what is cheap."""

from __future__ import annotations

import pytest

from pgtrickle.catalog.model import RefreshMode
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.refresh.decide import Delta, Full, Rebuild, Skip, WindowFacts, decide

ORDERS = QualifiedName("shop", "orders")
QUIET = WindowFacts(
    mode=RefreshMode.DIFFERENTIAL, changed=(), marks=(), same_epoch=True, same_fingerprint=True
)


def test_nothing_changed_is_skipped() -> None:
    assert isinstance(decide(QUIET), Skip)


def test_a_result_that_depends_on_the_clock_is_never_skipped() -> None:
    facts = QUIET._replace(mode=RefreshMode.FULL, skippable=False)
    assert isinstance(decide(facts), Full)


def test_changes_are_applied_as_a_delta_of_exactly_those_sources() -> None:
    assert decide(QUIET._replace(changed=(ORDERS,))) == Delta((ORDERS,))


def test_a_full_refresh_can_be_asked_for() -> None:
    assert isinstance(decide(QUIET._replace(full_requested=True)), Full)


def test_full_mode_recomputes_when_something_changed() -> None:
    assert isinstance(decide(QUIET._replace(mode=RefreshMode.FULL, changed=(ORDERS,))), Full)


def test_truncate_is_told_as_the_reason_although_it_changes_the_fingerprint_too() -> None:
    facts = QUIET._replace(marks=("truncate",), changed=(ORDERS,), same_fingerprint=False)
    decision = decide(facts)
    assert isinstance(decision, Rebuild)
    assert "truncate" in decision.reason


@pytest.mark.parametrize(
    "broken",
    [
        QUIET._replace(same_epoch=False),
        QUIET._replace(same_fingerprint=False),
        QUIET._replace(marks=("gap",)),
    ],
)
def test_missed_changes_lead_to_a_rebuild_whatever_else_holds(broken: WindowFacts) -> None:
    assert isinstance(decide(broken._replace(changed=(ORDERS,), full_requested=True)), Rebuild)
