"""PostgreSQL's errors in our own words: what was being done, and a class that callers can act on.

Classified by SQLSTATE, never by message text. A primary message is passed on only where it cannot hold a row's
values; for data errors the condition's name stands in for it.
"""

from __future__ import annotations

import re
from contextlib import contextmanager
from typing import TYPE_CHECKING

import psycopg
from psycopg import errors as pg_errors

from pgtrickle.errors import (
    ConflictError,
    ConnectionFailedError,
    DatabaseError,
    DependantsError,
    DuplicateNameError,
    LockTimeoutError,
    PgtrickleError,
    PrivilegeError,
    QueryError,
)

if TYPE_CHECKING:
    from collections.abc import Iterator

_BY_STATE: dict[str, type[PgtrickleError]] = {
    "40001": ConflictError,
    "40P01": ConflictError,
    "55P03": LockTimeoutError,
    "42501": PrivilegeError,
    "42P07": DuplicateNameError,
    "42710": DuplicateNameError,
    "2BP01": DependantsError,
    "57P01": ConnectionFailedError,
    "57P02": ConnectionFailedError,
    "57P03": ConnectionFailedError,
    "57P05": ConnectionFailedError,
    "25P03": ConnectionFailedError,
    "25P04": ConnectionFailedError,
    "53300": ConnectionFailedError,
}
_BY_CLASS: dict[str, type[PgtrickleError]] = {
    "08": ConnectionFailedError,
    "28": ConnectionFailedError,
    "3F": QueryError,
    "42": QueryError,
}
# Of class 42, what says that we did something wrong and not the query.
_NOT_THE_QUERY = frozenset({"42P05", "42P03", "42P04", "42P06", "42602", "42939"})
_WITHOUT_VALUES = frozenset(
    {"08", "0A", "25", "28", "2B", "3D", "3F", "40", "42", "53", "55", "57"}
)
_HINTS: dict[type[PgtrickleError], str] = {
    DuplicateNameError: "Choose another name; if_not_exists=True keeps a stream table that is there.",
    DependantsError: "Drop the listed objects first, or pass cascade=True to drop them too.",
    LockTimeoutError: "Another transaction holds the lock; try again when it has ended.",
    ConnectionFailedError: "Connect again; work that was not committed is rolled back.",
}


@contextmanager
def translated(doing: str) -> Iterator[None]:
    """Turn psycopg's errors in the block into ours; `doing` completes "could not ..."."""
    try:
        yield
    except psycopg.Error as error:
        raise translate(error, doing) from error


def translate(error: psycopg.Error, doing: str) -> PgtrickleError:
    """Return our error for `error`, which came up while `doing`."""
    kind = _kind(error)
    return kind(
        f"could not {doing}: {condition(error)}", detail=_detail(error), hint=_HINTS.get(kind)
    )


def condition(error: psycopg.Error) -> str:
    """Return what went wrong, without a row's values."""
    state = error.sqlstate
    if state is None:
        return str(error).strip() or type(error).__name__
    message = error.diag.message_primary
    if message and state[:2] in _WITHOUT_VALUES:
        return f"{message} (SQLSTATE {state})"
    return f"{_condition_name(state)} (SQLSTATE {state})"


def _kind(error: psycopg.Error) -> type[PgtrickleError]:
    state = error.sqlstate
    if state is None:
        lost = isinstance(error, psycopg.OperationalError)
        return ConnectionFailedError if lost else DatabaseError
    if state in _BY_STATE:
        return _BY_STATE[state]
    if state in _NOT_THE_QUERY:
        return DatabaseError
    return _BY_CLASS.get(state[:2], DatabaseError)


def _detail(error: psycopg.Error) -> str | None:
    """Return PostgreSQL's detail where it lists objects, which are no rows."""
    return error.diag.message_detail if error.sqlstate == "2BP01" else None


def _condition_name(state: str) -> str:
    try:
        name = pg_errors.lookup(state).__name__
    except KeyError:
        return "an error of the server"
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()
