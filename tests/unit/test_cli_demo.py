from __future__ import annotations

from collections import Counter
from dataclasses import replace

from pgtrickle.catalog.model import Action, RefreshMode, RefreshReport, Scope, VerifyReport
from pgtrickle.cli.console import plain
from pgtrickle.cli.demo.display import board, summary
from pgtrickle.cli.demo.scoreboard import Score, Scoreboard, after, all_match

NAME = '"public"."sales"'
FRESH: Scoreboard = {NAME: Score(name=NAME, mode=RefreshMode.DIFFERENTIAL, rows=10)}
REPORT = RefreshReport(
    stream_table=NAME,
    action=Action.DIFFERENTIAL,
    scope=Scope.DELTA,
    reason="",
    inserted=3,
    updated=2,
    deleted=1,
    elapsed_ms=4.25,
    snapshot="1:1:",
)
AUDIT = VerifyReport(stream_table=NAME, matches=True, missing=0, extra=0, rows=12, snapshot="1:1:")


def test_rows_follow_from_what_refreshes_report() -> None:
    scores = after(after(FRESH, [REPORT]), [REPORT])
    assert (scores[NAME].rows, scores[NAME].changed, scores[NAME].total) == (14, 6, 12)


def test_a_refresh_that_found_nothing_leaves_the_last_change_in_sight() -> None:
    once = after(FRESH, [REPORT])
    quiet = replace(REPORT, action=Action.NO_DATA, inserted=0, updated=0, deleted=0)
    assert after(once, [quiet]) == once


def test_success_takes_an_audit_of_every_table() -> None:
    assert not all_match(FRESH)
    assert all_match({NAME: FRESH[NAME].verified(AUDIT)})
    assert not all_match({NAME: FRESH[NAME].verified(replace(AUDIT, matches=False))})


def test_the_board_shows_the_verdict() -> None:
    good = {NAME: after(FRESH, [REPORT])[NAME].verified(AUDIT)}
    header, line = plain(board(good, wide=False)).splitlines()
    assert header.split() == ["stream", "table", "mode", "rows", "changed", "ms", "total", "verify"]
    assert line.split() == ["sales", "DIFFERENTIAL", "12", "6", "4.2", "6", "verified"]
    bad = {NAME: FRESH[NAME].verified(replace(AUDIT, matches=False))}
    assert "DIFFERS" in plain(board(bad))


def test_the_workload_is_summed_up_in_one_line() -> None:
    assert summary(Counter()) == "0 transactions"
    applied = Counter({"orders placed": 2, "shipped": 1})
    assert summary(applied) == "3 transactions: 2 orders placed, 1 shipped"
