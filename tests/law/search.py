"""Runs a property over many random cases and shrinks the first failure."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING
from unittest import mock

import hypothesis
from hypothesis import HealthCheck, Phase
from hypothesis.internal.conjecture.engine import ConjectureRunner

from tests.law.features import FIRST_OPERATORS, Features
from tests.law.grammar import cases

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.law.case import Case


def search(
    holds: Callable[[Case], object],
    *,
    seed: int,
    examples: int,
    shrink: bool = True,
    features: Features = FIRST_OPERATORS,
) -> None:
    """Draw cases until one makes `holds` raise, shrink that one, and raise its error."""

    @hypothesis.seed(seed)
    @hypothesis.settings(
        max_examples=examples,
        deadline=None,
        derandomize=False,
        database=None,
        print_blob=True,
        report_multiple_bugs=False,
        phases=(Phase.generate, Phase.shrink) if shrink else (Phase.generate,),
        suppress_health_check=list(HealthCheck),
    )
    @hypothesis.given(case=cases(features))
    def law(case: Case) -> None:
        hypothesis.note(f"as a script:\n{case.script()}")
        holds(case)

    with _fresh_examples():
        law()


@contextmanager
def _fresh_examples() -> Iterator[None]:
    """Keep hypothesis from varying old examples instead of drawing new ones.

    Measured: of 300 cases, 63 had a query of their own with its mutations, 282 without.
    """
    with mock.patch.object(ConjectureRunner, "generate_mutations_from", return_value=None):
        yield
