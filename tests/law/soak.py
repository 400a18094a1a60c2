"""Runs random cases of the whole grammar, one after the other, and reports what broke.

    python -m tests.law.soak --examples 200 --seed 7 [--features outer_join,window] [--minutes 10]

Case number i has the seed S + i, so `--seed` of a failure with `--examples 1` repeats it. A failure is shrunk,
printed, counted, and never stops the run.
"""

from __future__ import annotations

import argparse
import re
import secrets
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import psycopg

from pgtrickle.errors import PgtrickleError
from tests.law.checker import LawBrokenError
from tests.law.compose.grammar import case as composed
from tests.law.dice import Dice
from tests.law.features import ALL_OPERATORS, MAINTAINED, Feature, Features, chosen
from tests.law.maintainers import NotCreatedError, NotDifferentialError
from tests.law.shrink import smaller
from tests.law.tally import Failure, Tally
from tests.law.world import MOST_ROWS, World, world_on
from tests.support import servers

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.law.case import Case

SHRUNK_OF_A_KIND = 3  # later failures with the same signature are printed as they are
SHRUNK_REFUSALS = 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What to run and for how long."""

    seed: int
    examples: int
    features: Features = ALL_OPERATORS
    maintained: frozenset[Feature] = MAINTAINED
    minutes: float = 0
    shrink_seconds: float = 60

    def seeds(self) -> range:
        """Return the seed of each case."""
        return range(self.seed, self.seed + self.examples)


def soak(world: World, plan: Plan) -> Tally:
    """Run the cases and return what happened; nothing that a case does gets out."""
    tally = Tally()
    until = time.monotonic() + plan.minutes * 60 if plan.minutes else float("inf")
    for seed in plan.seeds():
        if time.monotonic() > until:
            break
        _one(world, plan, seed, tally)
    return tally


def _one(world: World, plan: Plan, seed: int, tally: Tally) -> None:
    case = composed(Dice.seeded(seed), plan.features)
    try:
        most = world.try_queries(case)
    except psycopg.Error as refusal:
        tally.invalid(seed, str(refusal).splitlines()[0], case)
        return
    if most > MOST_ROWS:
        tally.large += 1
        return
    broken = _run(world, plan, case)
    tally.ran(case, world.created())
    if broken is not None:
        tally.failed(_least(world, plan, Failure(seed, signed(broken), case, str(broken)), tally))


def _least(world: World, plan: Plan, failure: Failure, tally: Tally) -> Failure:
    """Return the failure with a smaller case, if its kind is still worth the time."""
    familiar = failure.refused or failure.expected
    worth = SHRUNK_REFUSALS if familiar else SHRUNK_OF_A_KIND
    if tally.kinds[failure.signature] >= worth or not plan.shrink_seconds:
        return failure
    case = smaller(
        failure.case,
        lambda candidate: _fails_alike(world, plan, candidate, failure.signature),
        seconds=plan.shrink_seconds,
        loosen=not failure.signature.startswith("law"),
    )
    error = _run(world, plan, case)
    return failure if error is None else Failure(failure.seed, failure.signature, case, str(error))


def _run(world: World, plan: Plan, case: Case) -> Exception | None:
    try:
        world.check(case, plan.maintained)
    except Exception as error:  # every error of a case is a result
        return error
    return None


def _fails_alike(world: World, plan: Plan, case: Case, signature: str) -> bool:
    error = _run(world, plan, case)
    return error is not None and signed(error) == signature


def signed(error: Exception) -> str:
    """Return what kind of failure an error is: the law, a coded error of ours, or something unexpected."""
    if isinstance(error, LawBrokenError):
        return f"law: {type(error).__name__}"
    cause = error
    moment = "refresh"
    if isinstance(error, NotCreatedError):
        moment = "not differential" if isinstance(error, NotDifferentialError) else "create"
        cause = error.__cause__ if isinstance(error.__cause__, Exception) else error
    first = (str(cause).splitlines() or [""])[0]
    text = re.sub(r"\"[^\"]*\"|'[^']*'|\d+", "…", re.sub(r"\[PGT\d+\] ", "", first))
    if isinstance(cause, PgtrickleError):
        return f"{moment}: {cause.code} {text}"
    return f"{moment}: unexpected {type(cause).__name__}: {text}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run from the command line; return 1 when something broke."""
    options = _parser().parse_args(arguments)
    plan = Plan(
        seed=secrets.randbelow(2**31) if options.seed is None else options.seed,
        examples=options.examples,
        features=chosen(options.features.split(",")) if options.features else ALL_OPERATORS,
        maintained=MAINTAINED | {Feature(name) for name in options.maintained.split(",") if name},
        minutes=options.minutes,
        shrink_seconds=options.shrink,
    )
    say(f"seed {plan.seed}, up to {plan.examples} cases")
    with servers.running(options.server) as server, world_on(server) as world:
        tally = soak(world, plan)
    say(tally.summary())
    return 1 if tally.broken() else 0


def say(text: str) -> None:
    """Print at once, also into a file."""
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m tests.law.soak", description=__doc__)
    parser.add_argument("--examples", type=int, default=100)
    parser.add_argument("--seed", type=int)
    parser.add_argument("--features", default="", help=f"of {', '.join(Feature)}")
    parser.add_argument(
        "--maintained", default="", help="features that must be differential beyond today's"
    )
    parser.add_argument("--minutes", type=float, default=0)
    parser.add_argument("--shrink", type=float, default=60, help="seconds for each failure")
    parser.add_argument("--server", type=int, default=18, choices=servers.VERSIONS)
    return parser


if __name__ == "__main__":
    sys.exit(main())
