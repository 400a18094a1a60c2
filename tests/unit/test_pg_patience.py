"""DDL that waits a little, more than once, and not for ever."""

from __future__ import annotations

from contextlib import nullcontext
from typing import TYPE_CHECKING, cast

import pytest

from pgtrickle.config import Settings
from pgtrickle.errors import ConflictError, LockTimeoutError, QueryError
from pgtrickle.pg import patience

if TYPE_CHECKING:
    from pgtrickle.pg.connection import Connection

NOBODY = cast("Connection", None)
SETTINGS = Settings(ddl_lock_attempts=3)


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(patience, "transaction", lambda *_, **__: nullcontext())
    monkeypatch.setattr(patience, "_pause", lambda _: None)


def test_it_tries_again_after_a_conflict() -> None:
    outcomes = iter([LockTimeoutError("no"), ConflictError("no"), None])

    def work() -> str:
        outcome = next(outcomes)
        if outcome is not None:
            raise outcome
        return "done"

    assert patience.patiently(NOBODY, SETTINGS, "work", work) == "done"


def test_it_gives_up_with_a_hint() -> None:
    calls = []

    def work() -> None:
        calls.append(1)
        raise LockTimeoutError("no")

    with pytest.raises(LockTimeoutError, match="3 attempts") as raised:
        patience.patiently(NOBODY, SETTINGS, "work", work)
    assert len(calls) == 3
    assert raised.value.hint


def test_other_errors_pass_at_once() -> None:
    def work() -> None:
        raise QueryError("no")

    with pytest.raises(QueryError):
        patience.patiently(NOBODY, SETTINGS, "work", work)
