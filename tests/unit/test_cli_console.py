from __future__ import annotations

import pytest

from pgtrickle.cli.console import bare, plain, show_error, table
from pgtrickle.errors import UnknownStreamTableError


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ('"public"."orders"', "public.orders"),
        ('"public"."Orders"', 'public."Orders"'),
        ('"a ""b"', '"a ""b"'),
        ('"x" = \'"quoted"\'', "x = '\"quoted\"'"),
        ("'it''s \"x\"' = \"y\"", "'it''s \"x\"' = y"),
    ],
)
def test_names_lose_only_quotes_that_a_reader_does_not_need(text: str, shown: str) -> None:
    assert bare(text) == shown


def test_a_piped_table_is_aligned_words_and_cuts_nothing_off() -> None:
    long = "x" * 300
    text = plain(table(("name", "#rows", "remark"), [("a", "1", long), ("bcd", "1,000", "")]))
    assert text.splitlines() == [
        "name   rows  remark",
        f"a         1  {long}",
        "bcd   1,000",
    ]


def test_a_piped_cell_is_not_read_as_markup() -> None:
    assert "[red]x[/red]" in plain(table(("name",), [("[red]x[/red]",)]))


def test_an_error_is_told_on_stderr_with_all_it_knows(capsys: pytest.CaptureFixture[str]) -> None:
    show_error(UnknownStreamTableError("no such table", detail="It is gone.", hint="Look again."))
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines() == [
        "error: [PGT102] no such table",
        "detail: It is gone.",
        "hint: Look again.",
    ]
