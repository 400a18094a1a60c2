from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from pgtrickle.cli.status import moment

NOW = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("ago", "shown"),
    [
        (timedelta(seconds=-1), "0 s ago"),
        (timedelta(seconds=59), "59 s ago"),
        (timedelta(minutes=59), "59 min ago"),
        (timedelta(hours=23), "23 h ago"),
        (timedelta(days=2), "2 d ago"),
    ],
)
def test_a_person_reads_how_long_ago(ago: timedelta, shown: str) -> None:
    assert moment(NOW - ago, NOW) == shown


def test_a_program_reads_the_time() -> None:
    assert moment(NOW, None) == "2026-01-02T03:04:05+00:00"
    assert moment(None, NOW) == "never"
