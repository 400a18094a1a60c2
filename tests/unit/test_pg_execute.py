"""PostgreSQL's SQLSTATEs and our error tree."""

from __future__ import annotations

import psycopg
import pytest
from psycopg import errors as pg_errors

from pgtrickle import errors
from pgtrickle.pg.execute import translate, translated


def of(state: str) -> psycopg.Error:
    return pg_errors.lookup(state)("primary message with the value 424242")


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("40001", errors.ConflictError),
        ("40P01", errors.ConflictError),
        ("55P03", errors.LockTimeoutError),
        ("42501", errors.PrivilegeError),
        ("42P07", errors.DuplicateNameError),
        ("42710", errors.DuplicateNameError),
        ("08006", errors.ConnectionFailedError),
        ("57P01", errors.ConnectionFailedError),
        ("57P03", errors.ConnectionFailedError),
        ("42601", errors.QueryError),
        ("42703", errors.QueryError),
        ("42P01", errors.QueryError),
        ("42702", errors.QueryError),
        ("2BP01", errors.DependantsError),
        ("57014", errors.DatabaseError),
        ("23505", errors.DatabaseError),
        ("22012", errors.DatabaseError),
        ("XX000", errors.DatabaseError),
    ],
)
def test_the_sqlstate_decides(state: str, expected: type[errors.PgtrickleError]) -> None:
    assert type(translate(of(state), "do it")) is expected


def test_data_errors_are_named_and_not_quoted() -> None:
    message = str(translate(of("23505"), "do it"))
    assert "could not do it: unique_violation (SQLSTATE 23505)" in message
    assert "424242" not in message


def test_the_cause_is_kept() -> None:
    with pytest.raises(errors.ConflictError) as raised, translated("do it"):
        raise of("40001")
    assert isinstance(raised.value.__cause__, psycopg.errors.SerializationFailure)
    assert raised.value.retryable


def test_a_connection_that_broke_has_no_sqlstate() -> None:
    lost = psycopg.OperationalError("server closed the connection unexpectedly")
    assert type(translate(lost, "do it")) is errors.ConnectionFailedError
    assert type(translate(psycopg.ProgrammingError("x"), "do it")) is errors.DatabaseError


def test_our_own_errors_pass_through() -> None:
    with pytest.raises(errors.SourceError), translated("do it"):
        raise errors.SourceError("x")
