"""The support matrix says what the code does."""

from __future__ import annotations

from ci.sql_support import TARGET, text


def test_the_support_matrix_is_fresh() -> None:
    assert TARGET.read_text(encoding="utf-8") == text(), "run python ci/sql_support.py"
