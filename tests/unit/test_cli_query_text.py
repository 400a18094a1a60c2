from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
import typer

from pgtrickle.cli.options import require_one_or_all
from pgtrickle.cli.query_text import query_text

if TYPE_CHECKING:
    from pathlib import Path


def test_a_query_is_an_argument() -> None:
    assert query_text("SELECT 1", None) == "SELECT 1"


def test_a_query_may_come_from_a_file(tmp_path: Path) -> None:
    file = tmp_path / "query.sql"
    file.write_text("SELECT 'ä'", encoding="utf-8")
    assert query_text(None, file) == "SELECT 'ä'"


def test_a_dash_reads_stdin(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(typer, "get_text_stream", lambda _: io.StringIO("SELECT 2"))
    assert query_text("-", None) == "SELECT 2"


def test_no_query_two_queries_and_an_empty_one_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "query.sql"
    file.write_bytes(b"\xff")
    for query, given in ((None, None), ("SELECT 1", file), ("  ", None), (None, file)):
        with pytest.raises(typer.BadParameter):
            query_text(query, given)


@pytest.mark.parametrize(("name", "everything"), [(None, False), ("t", True)])
def test_one_stream_table_or_all_of_them(name: str | None, everything: bool) -> None:
    with pytest.raises(typer.BadParameter, match="or --all"):
        require_one_or_all(name, everything=everything)
