"""What the grammar may use; it grows with the operators that the compiler knows."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Features:
    """Switches of the grammar."""

    nested_aggregates: bool = False  # GROUP BY in a derived table or view
    aggregate_expressions: bool = False  # sum(x) * 2, max(x) - min(x)
    having: bool = False
    ungrouped: bool = True  # aggregates without GROUP BY
    inputs: int = 4


FIRST_OPERATORS = Features(aggregate_expressions=True)
