"""`pgtrickle explain` and `pgtrickle validate`: how a query is maintained, or would be."""

from collections.abc import Iterable, Sequence
from typing import Annotated

import typer
from rich.syntax import Syntax
from rich.text import Text

from pgtrickle.catalog.model import RefreshMode
from pgtrickle.cli.console import bare, say, show_table, stdout, table
from pgtrickle.cli.door import connected
from pgtrickle.cli.jsonform import show_json
from pgtrickle.cli.options import AsJson, Dsn, Name
from pgtrickle.cli.query_text import Query, QueryFile, query_text
from pgtrickle.monitor.explain import Explanation

WithSql = Annotated[
    bool, typer.Option("--sql", help="Also print the statement that applies each source's changes.")
]
INDENT = "  "


def explain(
    name: Name, *, with_sql: WithSql = False, as_json: AsJson = False, dsn: Dsn = None
) -> None:
    """Show how a stream table is kept, what a change of each source costs, and which indexes are missing."""
    with connected(dsn) as client:
        found = client.explain_stream_table(name)
    if as_json:
        show_json(found)
        return
    say(Text(bare(found.stream_table), "bold"))
    _show_mode(found.mode, found.reasons)
    _show("rows", found.identity)
    _show("strategy", found.strategy)
    _show("columns", ", ".join(found.visible_columns))
    if found.hidden_columns:
        _show("hidden", ", ".join(found.hidden_columns))
    _show_lines("plan", found.operators)
    for number, stage in enumerate(found.stages, start=1):
        _show(f"stage {number}", f"{stage.storage}, {stage.strategy}, {stage.identity}")
        _show_lines("plan", stage.operators)
    _show_costs(found)
    if with_sql:
        _show_deltas(found)


def validate(
    query: Query = None, *, file: QueryFile = None, as_json: AsJson = False, dsn: Dsn = None
) -> None:
    """Say how a query would be maintained; nothing is created."""
    text = query_text(query, file)
    with connected(dsn) as client:
        found = client.validate_query(text)
    if as_json:
        show_json(found)
        return
    _show_mode(found.mode, found.reasons)
    for hint in found.hints:
        _show("hint", hint)
    sources = (f"{bare(name)} ({', '.join(columns)})" for name, columns in found.sources.items())
    _show_lines("sources", sources)
    _show_lines("plan", found.operators)


def _show_mode(mode: RefreshMode, reasons: Sequence[str]) -> None:
    style = "green" if mode is RefreshMode.DIFFERENTIAL else "yellow"
    _show("mode", Text(mode, style))
    for reason in reasons:
        _show("because", reason)


def _show(label: str, value: Text | str) -> None:
    say(Text.assemble((f"{label:<10}", "dim"), value))


def _show_lines(label: str, lines: Iterable[str]) -> None:
    say(Text(label, "dim"))
    for line in lines:
        say(f"{INDENT}{bare(line)}")


def _show_costs(found: Explanation) -> None:
    rows = [
        (bare(cost.source), cost.complexity.value, bare("; ".join(cost.reads)) or "nothing else")
        for cost in found.costs
    ]
    if rows:
        show_table(table(["source", "a change costs", "and reads"], rows))
    missing = [
        (advice.statement, ", ".join(map(bare, advice.sources)))
        for advice in found.suggested_indexes
    ]
    if missing:
        show_table(table(["suggested index", "for changes of"], missing))


def _show_deltas(found: Explanation) -> None:
    for source, text in found.deltas.items():
        say(Text(f"\n-- changes of {bare(source)}", "dim"))
        console = stdout()
        if console.is_terminal:
            console.print(Syntax(text, "sql", background_color="default", word_wrap=True))
        else:
            typer.echo(text)
