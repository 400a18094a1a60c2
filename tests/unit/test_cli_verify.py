from __future__ import annotations

from typing import TYPE_CHECKING

from pgtrickle.catalog.model import Difference, DifferenceKind, VerifyReport
from pgtrickle.cli.verify import show_reports

if TYPE_CHECKING:
    import pytest


def _report(*values: str | None, missing: int = 0, unlike: int = 0) -> VerifyReport:
    differences = tuple(
        Difference(kind=DifferenceKind.MISSING, row={"id": "7", "note": value}) for value in values
    )
    return VerifyReport(
        stream_table="public.t",
        matches=missing == 0,
        missing=missing,
        extra=0,
        rows=9,
        snapshot="1:1:",
        unlike=unlike,
        differences=differences,
    )


def test_differing_rows_are_shown_by_column(capsys: pytest.CaptureFixture[str]) -> None:
    show_reports([_report("red", None, missing=2)])
    shown = capsys.readouterr()
    assert [line.split() for line in shown.out.splitlines()][3:] == [
        ["difference", "id", "note"],
        ["missing", "7", "red"],
        ["missing", "7", "NULL"],
    ]
    assert shown.err == ""


def test_rows_that_are_not_shown_are_counted(capsys: pytest.CaptureFixture[str]) -> None:
    show_reports([_report("red", missing=1_234)])
    assert "public.t: 1,233 more rows differ" in capsys.readouterr().err


def test_a_value_is_one_line_that_no_terminal_acts_on(capsys: pytest.CaptureFixture[str]) -> None:
    show_reports([_report("a\n\x1b[31mb" + "c" * 100, missing=1)])
    last = capsys.readouterr().out.splitlines()[-1]
    assert "a··[31mbccc" in last
    assert last.endswith("c…")
    assert len(last) < 100


def test_rows_that_only_print_differently_are_told_beside_the_result(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_reports([_report(unlike=3)])
    shown = capsys.readouterr()
    assert "verified" in shown.out
    assert "3 rows equal the query's and print differently" in shown.err
