"""Inner join: pair the rows of any number of inputs under one condition.

Rule, for two inputs: d(A * B) = dA * B + A * dB - dA * dB, with A and B as they are after the window; the last term takes
back what the first two count twice. For k changed inputs there is one term for each non-empty set of them, with the
sign (-1)^(size + 1): 2^k - 1 terms, each driven by small deltas. Beyond `SIGNED_LIMIT` changed inputs the same sum
is telescoped into k terms: inputs before the i-th as they were, those after it as they are, where "as they were" is
the rows now minus the delta. Weights multiply.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING

from sqlglot import exp
from typing_extensions import override

from pgtrickle.dvm.operators.base import Operator, PlanColumn
from pgtrickle.dvm.sqlast import (
    WEIGHT,
    Expr,
    Query,
    binary,
    col,
    derived,
    named,
    number,
    select,
    to_sql,
    union_all,
    where,
)

if TYPE_CHECKING:
    from collections.abc import Iterable

    from pgtrickle.dvm.differentiate.sources import Leaves

SIGNED_LIMIT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class InnerJoin(Operator):
    """Pair rows of all `inputs` for which every one of `conditions` is true."""

    inputs: tuple[Operator, ...]
    conditions: tuple[Expr, ...]

    @property
    @override
    def columns(self) -> tuple[PlanColumn, ...]:
        return tuple(column for child in self.inputs for column in child.columns)

    @property
    @override
    def children(self) -> tuple[Operator, ...]:
        return self.inputs

    @override
    def full(self, leaves: Leaves) -> Query:
        return self._pair([(child.full(leaves), False) for child in self.inputs], sign=None)

    @override
    def delta(self, leaves: Leaves) -> Query | None:
        changes = [leaves.delta(child) for child in self.inputs]
        changed = [position for position, change in enumerate(changes) if change is not None]
        if not changed:
            return None
        terms = self._signed if len(changed) <= SIGNED_LIMIT else self._telescoped
        return union_all(list(terms(leaves, changes, changed)))

    def _signed(
        self, leaves: Leaves, changes: list[Query | None], changed: list[int]
    ) -> Iterable[Query]:
        for size in range(1, len(changed) + 1):
            for chosen in combinations(changed, size):
                factors = [
                    (change, True)
                    if change is not None and position in chosen
                    else (self.inputs[position].full(leaves), False)
                    for position, change in enumerate(changes)
                ]
                yield self._pair(factors, sign=1 if size % 2 else -1)

    def _telescoped(
        self, leaves: Leaves, changes: list[Query | None], changed: list[int]
    ) -> Iterable[Query]:
        for driver in changed:
            factors: list[tuple[Query, bool]] = []
            for position, change in enumerate(changes):
                if change is not None and position == driver:
                    factors.append((change, True))
                elif change is not None and position < driver:
                    factors.append((self._before(position, leaves, change), True))
                else:
                    factors.append((self.inputs[position].full(leaves), False))
            yield self._pair(factors, sign=1)

    def _before(self, position: int, leaves: Leaves, change: Query) -> Query:
        child = self.inputs[position]
        now = select(
            [*child.references(), named(number(1), WEIGHT)], derived(child.full(leaves), "rows")
        )
        taken_back = named(exp.Neg(this=col(WEIGHT)), WEIGHT)
        undone = select([*child.references(), taken_back], derived(change, "changes"))
        return union_all([now, undone])

    def _pair(self, factors: list[tuple[Query, bool]], *, sign: int | None) -> Query:
        """Return the join of the factors; a weighted one brings its weight into the product."""
        names = [f"input_{position + 1}" for position in range(len(factors))]
        sources = [derived(query, name) for (query, _), name in zip(factors, names, strict=True)]
        outputs: list[Expr] = self.references()
        if sign is not None:
            weight: Expr = number(sign)
            for (_, weighted), name in zip(factors, names, strict=True):
                if weighted:
                    weight = binary(exp.Mul, weight, col(WEIGHT, name))
            outputs.append(named(weight, WEIGHT))
        return where(select(outputs, *sources), *self.conditions)

    @override
    def label(self) -> str:
        kind = "InnerJoin" if self.conditions else "CrossJoin"
        return f"{kind} {' AND '.join(to_sql(condition) for condition in self.conditions)}".rstrip()
