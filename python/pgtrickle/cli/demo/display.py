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

COLUMNS = (
    "stream table",
    "what it is",
    "mode",
    "#rows",
    "#last change",
    "#took",
    "#refreshes",
    "#rows changed",
    "verify",
)


def screen(scores: Scoreboard, headline: str, applied: Mapping[str, int]) -> Group:
    """Return everything that is shown at one moment."""
    return Group(Text(headline, "bold"), Text(summary(applied), "dim"), board(scores))


def board(scores: Scoreboard) -> Table:
    """Return the scoreboard as a table."""
    shows = {definition.name: definition.shows for definition in CHAIN}
    return table(COLUMNS, [_row(score, shows) for score in scores.values()])


def summary(applied: Mapping[str, int]) -> str:
    """Return what the workload has done, in one line."""
    kinds = ", ".join(f"{count} {kind}" for kind, count in applied.items() if count)
    return f"{sum(applied.values())} transactions" + (f": {kinds}" if kinds else "")


def _row(score: Score, shows: Mapping[str, str]) -> list[Text | str]:
    name = bare(score.name).rpartition(".")[2]
    differential = score.mode is RefreshMode.DIFFERENTIAL and not score.full
    return [
        name,
        Text(shows.get(name, ""), "dim"),
        Text(score.mode, "green" if differential else "yellow"),
        f"{score.rows:,}",
        f"{score.changed:,}",
        "" if score.elapsed_ms is None else f"{score.elapsed_ms:.1f} ms",
        f"{score.refreshes:,}",
        f"{score.total:,}",
        Text("…", "dim") if score.matches is None else verdict(matches=score.matches),
    ]
