"""The demonstration on screen: one line for each stream table, and what the shop is doing."""

from __future__ import annotations

from typing import TYPE_CHECKING

from rich.console import Group
from rich.text import Text

from pgtrickle.catalog.model import RefreshMode
from pgtrickle.cli.console import bare, table
from pgtrickle.cli.demo.shop import CHAIN
from pgtrickle.cli.verify import verdict

if TYPE_CHECKING:
    from collections.abc import Mapping

    from rich.table import Table

    from pgtrickle.cli.demo.scoreboard import Score, Scoreboard

COLUMNS: tuple[str, ...] = ("stream table", "mode", "#rows", "#changed", "#ms", "#total", "verify")
WHAT = "what it is"
WIDE = 110
LEGEND = (
    "changed, ms: rows and time of the last refresh that found changes; total: rows changed so far"
)


def screen(
    scores: Scoreboard, headline: str, applied: Mapping[str, int], *, width: int = WIDE
) -> Group:
    """Return everything that is shown at one moment."""
    drawn = board(scores, wide=width >= WIDE)
    doing, legend = Text(summary(applied), "dim"), Text(LEGEND, "dim")
    return Group(Text(headline, "bold"), doing, drawn, legend)


def board(scores: Scoreboard, *, wide: bool = True) -> Table:
    """Return the scoreboard: rows now, rows and time of the last change, all rows changed so far."""
    rows = [_row(score) for score in scores.values()]
    columns = COLUMNS
    if wide:
        shows = {definition.name: Text(definition.shows, "dim") for definition in CHAIN}
        rows = [[row[0], shows.get(str(row[0]), ""), *row[1:]] for row in rows]
        columns = (COLUMNS[0], WHAT, *COLUMNS[1:])
    return table(columns, rows)


def summary(applied: Mapping[str, int]) -> str:
    """Return what the workload has done, in one line."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in applied.items() if count)
    return f"{sum(applied.values())} transactions" + (f": {kinds}" if kinds else "")


def _row(score: Score) -> list[Text | str]:
    differential = score.mode is RefreshMode.DIFFERENTIAL and not score.full
    return [
        bare(score.name).rpartition(".")[2],
        Text(score.mode, "green" if differential else "yellow"),
        f"{score.rows:,}",
        f"{score.changed:,}",
        "" if score.elapsed_ms is None else f"{score.elapsed_ms:.1f}",
        f"{score.total:,}",
        Text("…", "dim") if score.matches is None else verdict(matches=score.matches),
    ]
