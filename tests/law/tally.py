"""What a soak run has seen: modes and codes for each feature, failures with their least case."""

from __future__ import annotations

import sys
from collections import Counter, defaultdict
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from typing_extensions import override

from tests.law.features import Feature
from tests.law.known import known

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.law.case import Case
    from tests.law.maintainers import Created


@dataclass(frozen=True, slots=True)
class Failure:
    """A case that broke, made as small as time allowed."""

    seed: int
    signature: str
    case: Case
    message: str

    @property
    def refused(self) -> bool:
        """Whether a coded error of ours refused to create the stream table: loud, and no wrong result."""
        return self.signature.startswith(("create: PGT1", "create: PGT2"))

    @property
    def expected(self) -> str:
        """Why this failure is known today; nothing for a new one."""
        return known(self.message)

    @override
    def __str__(self) -> str:
        features = {feature for stream in self.case.streams for feature in stream.features}
        return "\n".join(
            (
                f"=== seed {self.seed}: {self.signature}{f' (known: {self.expected})' * bool(self.expected)}",
                f"features of the case as drawn: {', '.join(sorted(features)) or 'none'}",
                self.case.script(),
                "---",
                self.message,
            )
        )


@dataclass(slots=True)
class Tally:
    """Counts of a run."""

    cases: int = 0
    large: int = 0
    failures: list[Failure] = field(default_factory=list)
    kinds: Counter[str] = field(default_factory=Counter)
    refused: Counter[str] = field(default_factory=Counter)
    outcomes: dict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def ran(self, case: Case, created: Mapping[str, Created]) -> None:
        """Count the modes that the stream tables of a case got."""
        self.cases += 1
        for stream in case.streams:
            found = created.get(stream.name)
            if found is None:
                outcome = "not created"
            elif found.mode == "DIFFERENTIAL":
                outcome = found.mode
            else:
                outcome = f"{found.mode} {' '.join(found.codes()) or 'without a code'}"
            for feature in stream.features or ("none",):
                self.outcomes[feature][outcome] += 1

    def invalid(self, seed: int, message: str, case: Case) -> None:
        """Count a case that PostgreSQL itself refuses: a fault of the grammar."""
        if self.refused[message] == 0:
            queries = "\n  ".join(stream.query for stream in case.streams)
            _say(f"--- seed {seed}: PostgreSQL refuses the case: {message}\n  {queries}")
        self.refused[message] += 1

    def failed(self, failure: Failure) -> None:
        """Record a failure and print it; of refusals and known failures only the first of a kind."""
        self.failures.append(failure)
        self.kinds[failure.signature] += 1
        familiar = failure.refused or failure.expected
        if not familiar or self.kinds[failure.signature] == 1:
            _say(f"\n{failure}\n")

    def broken(self) -> list[Failure]:
        """Return the failures that are more than a refusal, and new."""
        return [each for each in self.failures if not each.refused and not each.expected]

    def summary(self) -> str:
        """Return the counts, one line for each feature."""
        lines = ["", "stream tables by feature:"]
        for feature in ("none", *Feature):
            counts = self.outcomes.get(feature)
            if not counts:
                continue
            shown = ", ".join(f"{name} {count}" for name, count in counts.most_common())
            lines.append(f"  {feature:<24}{counts.total():>5}: {shown}")
        lines.append(
            f"{self.cases} cases ran, {self.large} were too large, "
            f"{self.refused.total()} were refused by PostgreSQL itself"
        )
        for kind, count in self.kinds.most_common():
            alike = [failure for failure in self.failures if failure.signature == kind]
            verb = "refused" if alike[0].refused else "known" if alike[0].expected else "failed"
            seeds = ", ".join(str(failure.seed) for failure in alike[:12])
            lines.append(f"  {verb} {count}x {kind}: seeds {seeds}")
        broken = self.broken()
        lines.append(
            f"{len(broken)} failures, {len(self.failures) - len(broken)} refusals and known ones"
        )
        return "\n".join(lines)


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
