"""The checker can fail: it accepts a right model on every case, and catches each wrong one."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.law.case import written_tables
from tests.law.checker import (
    ImagesDifferError,
    LawBrokenError,
    RowsDifferError,
    WrongActionError,
    WrongCountsError,
)
from tests.law.model import Flaw
from tests.law.search import search
from tests.law.seed import run_seed
from tests.law.test_law import KEPT

if TYPE_CHECKING:
    from tests.law.case import Case
    from tests.law.world import World

EXPECTED: dict[Flaw, type[LawBrokenError]] = {
    Flaw.KEEPS_DELETED: RowsDifferError,
    Flaw.FORGETS_NEW: RowsDifferError,
    Flaw.SETS: RowsDifferError,
    Flaw.NULL_BLIND: RowsDifferError,
    Flaw.EQUAL_IS_SAME: ImagesDifferError,
    Flaw.FULL: WrongActionError,
    Flaw.NEVER_QUIET: WrongActionError,
    Flaw.MISCOUNTS: WrongCountsError,
    Flaw.STALE: RowsDifferError,
}


@pytest.mark.pg
def test_right_model_passes_kept_cases(world: World) -> None:
    for case in KEPT.values():
        world.check_model(case)


@pytest.mark.pg
def test_right_model_passes_random_cases(world: World) -> None:
    search(world.check_model, seed=run_seed(), examples=60, shrink=False)


@pytest.mark.pg
@pytest.mark.parametrize("flaw", EXPECTED)
def test_wrong_model_is_caught_by_a_kept_case(world: World, flaw: Flaw) -> None:
    assert any(_breaks(world, case, flaw) for case in KEPT.values())


def _breaks(world: World, case: Case, flaw: Flaw) -> bool:
    try:
        world.check_model(case, flaw)
    except LawBrokenError as error:
        return isinstance(error, EXPECTED[flaw])
    return False


@pytest.mark.pg
@pytest.mark.parametrize("flaw", EXPECTED)
def test_wrong_model_is_caught_by_random_cases(world: World, flaw: Flaw) -> None:
    with pytest.raises(LawBrokenError):
        search(
            lambda case: world.check_model(case, flaw), seed=run_seed(), examples=500, shrink=False
        )


def test_written_tables_are_read_from_the_statement() -> None:
    assert written_tables('INSERT INTO "a ""b" VALUES (1) ON CONFLICT (x) DO UPDATE SET x = 1') == (
        '"a ""b"',
    )
    assert written_tables(
        "WITH w AS (DELETE FROM a RETURNING 1), x AS (UPDATE b SET y = 1 RETURNING 1) SELECT 1, 2"
    ) == ("a", "b")
    assert written_tables("MERGE INTO t USING v ON true WHEN MATCHED THEN UPDATE SET x = 1") == (
        "t",
    )
