"""`pgtrickle status`: how each stream table stands."""

from datetime import UTC, datetime

from rich.text import Text

from pgtrickle.catalog.model import RefreshMode, Status
from pgtrickle.cli.console import note, show_table, stdout, table
from pgtrickle.cli.door import connected
from pgtrickle.cli.jsonform import show_json
from pgtrickle.cli.options import AsJson, Dsn
from pgtrickle.monitor.status import TableStatus

COLUMNS = ("stream table", "status", "mode", "last change applied", "remark")
STYLES = {
    Status.ACTIVE: "green",
    Status.POPULATING: "yellow",
    Status.SUSPENDED: "yellow",
    Status.ERROR: "bold red",
}
MINUTE, HOUR, DAY = 60, 3_600, 86_400


def status(*, as_json: AsJson = False, dsn: Dsn = None) -> None:
    """Show every stream table with its status, mode and last refresh."""
    with connected(dsn) as client:
        found = client.status()
    if as_json:
        show_json(found)
    elif not found:
        note("no stream tables yet; create one with: pgtrickle create NAME QUERY")
    else:
        now = datetime.now(UTC) if stdout().is_terminal else None
        show_table(table(COLUMNS, [_row(each, now) for each in found]))


def _row(each: TableStatus, now: datetime | None) -> list[Text | str]:
    differential = each.effective_mode is RefreshMode.DIFFERENTIAL
    return [
        each.name,
        Text(each.status, STYLES[each.status]),
        Text(each.effective_mode, "" if differential else "yellow"),
        moment(each.refreshed_at, now),
        each.error or "; ".join(each.reasons),
    ]


def moment(then: datetime | None, now: datetime | None) -> str:
    """Return when something was: how long before `now`, or the time itself without one."""
    if then is None:
        return "never"
    if now is None:
        return then.isoformat(timespec="seconds")
    seconds = max(0, int((now - then).total_seconds()))
    if seconds < MINUTE:
        return f"{seconds} s ago"
    if seconds < HOUR:
        return f"{seconds // MINUTE} min ago"
    if seconds < DAY:
        return f"{seconds // HOUR} h ago"
    return f"{seconds // DAY} d ago"
