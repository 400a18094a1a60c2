"""`pgtrickle demo`: stream tables at work, on a PostgreSQL that is gone afterwards."""

import time
from collections.abc import Callable
from contextlib import ExitStack
from typing import Annotated, TypeAlias

import typer
from rich.live import Live

from pgtrickle import embedded
from pgtrickle.api import Client, connect
from pgtrickle.cli.console import say, show_table, stdout, working
from pgtrickle.cli.demo.display import LEGEND, board, screen, summary
from pgtrickle.cli.demo.scoreboard import Score, Scoreboard, after, all_match
from pgtrickle.cli.demo.shop import create_chain, open_shop
from pgtrickle.cli.demo.workload import Workload
from pgtrickle.cli.door import DIFFERS, reported
from pgtrickle.pg.connection import connect as open_connection

Seconds = Annotated[
    float, typer.Option("--seconds", min=0.1, max=3_600, help="How long the shop stays open.")
]
Show: TypeAlias = Callable[[Scoreboard, str], None]

DEFAULT_SECONDS = 6.0
ROUND_SECONDS = 0.15
NEXT = (
    "Next, try it on your own tables: export PGTRICKLE_DSN=postgresql://user@host/database, then"
    ' pgtrickle install and pgtrickle create my_totals "SELECT ... GROUP BY ...".'
)


def demo(*, seconds: Seconds = DEFAULT_SECONDS) -> None:
    """Show stream tables at work on a temporary PostgreSQL of its own; under a minute."""
    with reported(), ExitStack() as resources:
        version = embedded.bundled().version
        say(f"Starting a temporary PostgreSQL {version}; nothing of it will be left.")
        with working("starting PostgreSQL"):
            dsn = resources.enter_context(embedded.temporary()).dsn()
        client = resources.enter_context(connect(dsn))
        prepare(client, dsn)
        scores, applied = _play(client, Workload(dsn), seconds)
    if not stdout().is_terminal:
        say(applied)
        show_table(board(scores))
        say(LEGEND)
    say(NEXT)
    if not all_match(scores):
        raise typer.Exit(DIFFERS)


def prepare(client: Client, dsn: str) -> None:
    """Fill the shop and create the stream tables above it, and say so."""
    with working("filling the shop"), open_connection(dsn) as connection:
        counts = open_shop(connection)
    say("A small shop: " + ", ".join(f"{rows:,} {name}" for name, rows in counts.items()) + ".")
    with working("creating stream tables"):
        create_chain(client)


def _play(client: Client, workload: Workload, seconds: float) -> tuple[Scoreboard, str]:
    """Change and refresh for some seconds, then audit; return the scores and what was applied."""
    scores = _first_scores(client)
    console = stdout()
    with Live(console=console, auto_refresh=False) if console.is_terminal else ExitStack() as live:

        def show(now: Scoreboard, headline: str) -> None:
            if isinstance(live, Live):
                drawn = screen(now, headline, workload.applied, width=console.width)
                live.update(drawn, refresh=True)

        with workload:
            scores = _follow(client, scores, seconds, show)
        scores = after(scores, client.refresh_all())
        for name, score in scores.items():
            show(scores, "The shop is closed; each stream table is compared with its query.")
            scores = {**scores, name: score.verified(client.verify(name))}
        show(scores, _conclusion(scores))
    return scores, summary(workload.applied)


def _first_scores(client: Client) -> Scoreboard:
    return {
        str(table.name): Score(
            name=str(table.name),
            mode=table.effective_mode,
            rows=client.verify(str(table.name)).rows,
        )
        for table in client.stream_tables()
    }


def _follow(client: Client, scores: Scoreboard, seconds: float, show: Show) -> Scoreboard:
    """Refresh all stream tables again and again while the shop changes."""
    started = time.monotonic()
    while (elapsed := time.monotonic() - started) < seconds:
        show(scores, f"The shop is open, and changes while we refresh ({elapsed:.0f} s) …")
        scores = after(scores, client.refresh_all())
        time.sleep(ROUND_SECONDS)
    return scores


def _conclusion(scores: Scoreboard) -> str:
    if all_match(scores):
        return "Every stream table equals its query, row for row."
    return "A stream table differs from its query: this is a bug, please report it."
