"""What the demonstration knows of each stream table, folded from the reports. Values; no IO."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

from pgtrickle.catalog.model import Action

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pgtrickle.catalog.model import RefreshMode, RefreshReport, VerifyReport


@dataclass(frozen=True, slots=True, kw_only=True)
class Score:
    """One stream table so far; `changed` and `elapsed_ms` are of the last refresh that found changes."""

    name: str
    mode: RefreshMode
    rows: int
    changed: int = 0
    elapsed_ms: float | None = None
    total: int = 0
    full: int = 0
    matches: bool | None = None

    def refreshed(self, report: RefreshReport) -> Score:
        """Return the score after one more refresh; one that found nothing leaves it as it is."""
        if report.action is Action.NO_DATA:
            return self
        changed = report.inserted + report.updated + report.deleted
        return replace(
            self,
            rows=self.rows + report.inserted - report.deleted,
            changed=changed,
            elapsed_ms=report.elapsed_ms,
            total=self.total + changed,
            full=self.full + (report.action is Action.FULL),
        )

    def verified(self, report: VerifyReport) -> Score:
        """Return the score with the audit's verdict and count."""
        return replace(self, matches=report.matches, rows=report.rows)


Scoreboard: TypeAlias = dict[str, Score]


def after(scores: Scoreboard, reports: Iterable[RefreshReport]) -> Scoreboard:
    """Return the scoreboard after these refreshes."""
    by_name = {report.stream_table: report for report in reports}
    return {
        name: score.refreshed(by_name[name]) if name in by_name else score
        for name, score in scores.items()
    }


def all_match(scores: Scoreboard) -> bool:
    """Return whether every stream table was audited and equals its query."""
    return all(score.matches is True for score in scores.values())
