"""DDL on tables that others use: short waits for locks, a bounded number of times.

A statement that waits for a lock makes everyone behind it wait too, so it gives up early and tries again.
"""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, TypeVar

from pgtrickle.errors import ConflictError, LockTimeoutError
from pgtrickle.pg.connection import transaction
from pgtrickle.pg.execute import translated

if TYPE_CHECKING:
    from collections.abc import Callable

    from pgtrickle.config import Settings
    from pgtrickle.pg.connection import Connection

T = TypeVar("T")

_FIRST_PAUSE = 0.05
_LONGEST_PAUSE = 1.0


def patiently(connection: Connection, settings: Settings, doing: str, work: Callable[[], T]) -> T:
    """Run `work` in a transaction with a lock timeout, again when locks or conflicts stop it."""
    attempt = 1
    while True:
        try:
            return _once(connection, settings.ddl_lock_timeout_ms, doing, work)
        except ConflictError as error:
            if attempt >= settings.ddl_lock_attempts:
                raise _gave_up(doing, attempt, error) from error
        _pause(attempt)
        attempt += 1


def _once(connection: Connection, timeout_ms: int, doing: str, work: Callable[[], T]) -> T:
    with translated(doing), transaction(connection, lock_timeout_ms=timeout_ms):
        return work()


def _gave_up(doing: str, attempts: int, error: ConflictError) -> LockTimeoutError:
    return LockTimeoutError(
        f"could not {doing}: its locks were not granted in {attempts} attempts",
        detail=error.message,
        hint="Long transactions are in the way; pg_stat_activity and pg_locks name them. "
        "Try again when they have ended.",
    )


def _pause(attempt: int) -> None:
    longest = min(_LONGEST_PAUSE, _FIRST_PAUSE * 2**attempt)
    time.sleep(random.uniform(longest / 2, longest))  # noqa: S311
