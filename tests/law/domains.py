"""Column types with small pools of values, chosen so that rows collide, join and tie.

Each pool holds what a maintainer may confuse: 1.0 and 1.00, '{"a":1}' and '{"a":1.0}', 0 and -0,
one day and 24 hours are equal and print differently. Sums of the float pool are exact in any order.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from decimal import Decimal


@dataclass(frozen=True, slots=True, kw_only=True)
class Domain:
    """A type as declared, and the literals that columns of it are filled with."""

    type: str
    values: tuple[str, ...]
    equality: bool = True  # has a default equality: may be a key
    canonical: bool = True  # equal values print alike
    extremes: bool = False  # has min and max on every supported server
    additive: bool = False  # has sum and avg that do not depend on the order of rows

    def literals(self) -> tuple[str, ...]:
        """Return the pool as SQL, each with its type."""
        return tuple(f"'{value}'::{self.type}" for value in self.values)

    def identity(self, literal: str) -> Decimal | str:
        """Return what tells a literal of the pool from another as a key."""
        value = literal.removeprefix("'").partition("'")[0]
        return Decimal(value) if self.type == "numeric" else literal

    @property
    def null(self) -> str:
        """Return the typed NULL."""
        return f"NULL::{self.type}"


INT = Domain(type="int", values=("1", "2", "3", "-1"), extremes=True, additive=True)
KEY = Domain(type="int", values=("1", "2", "3", "4", "5", "6", "7"), extremes=True, additive=True)
NODE = Domain(type="int", values=("1", "2", "3", "4", "5"), extremes=True, additive=True)
BIGINT = Domain(
    type="bigint", values=("1", "2", "0", "9000000000", "-9000000001"), extremes=True, additive=True
)
MONEY = Domain(
    type="numeric(12,2)",
    values=("1.00", "2.50", "0.00", "-3.75", "1000000.01"),
    extremes=True,
    additive=True,
)
NUMERIC = Domain(
    type="numeric",
    values=("1.0", "1.00", "2.5", "0", "0.000", "-3", "1"),
    canonical=False,
    extremes=True,
    additive=True,
)
NUMERIC_SPECIAL = Domain(
    type="numeric",
    values=("1.0", "NaN", "1.00", "Infinity", "-Infinity"),
    canonical=False,
    extremes=True,
    additive=True,
)
FLOAT = Domain(
    type="float8",
    values=("1", "0.5", "0", "-0", "-2.25", "1024"),
    canonical=False,
    extremes=True,
    additive=True,
)
FLOAT_SPECIAL = Domain(
    type="float8",
    values=("1", "NaN", "Infinity", "-Infinity", "0.5"),
    canonical=False,
    extremes=True,
    additive=True,
)
FLOAT_ROUNDED = Domain(  # an average: sums of it depend on the order
    type="float8", values=("1", "0.5", "2"), canonical=False, extremes=True
)
TEXT = Domain(type="text", values=("a", "b", "", "A", "ä z", "x''y"), extremes=True)
BOOL = Domain(type="bool", values=("true", "false"))
DATE = Domain(
    type="date", values=("2024-01-01", "2024-02-29", "1999-12-31", "infinity"), extremes=True
)
STAMP = Domain(
    type="timestamptz",
    values=(
        "2024-01-01 00:00:00+00",
        "2024-01-01 01:00:00+01",
        "2024-06-30 12:00:00.123456+00",
        "-infinity",
    ),
    extremes=True,
)
PLAIN_STAMP = Domain(type="timestamp", values=("2024-01-01 00:00:00",), extremes=True)
UUID = Domain(
    type="uuid",
    values=(
        "00000000-0000-0000-0000-000000000001",
        "00000000-0000-0000-0000-000000000002",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ),
)
JSONB = Domain(
    type="jsonb",
    values=('{"a": 1}', '{"a": 1.0}', "[]", '{"a": null, "b": "x"}', "null", '"s"'),
    canonical=False,
)
JSON = Domain(
    type="json",
    values=('{"a": 1}', '{"a":1}', '{"b": 2, "a": 1}', "null"),
    equality=False,
    canonical=False,
)
INTERVAL = Domain(
    type="interval",
    values=("1 day", "24:00:00", "1 mon", "30 days"),
    canonical=False,
    extremes=True,
)
POINT = Domain(type="point", values=("(1,2)", "(1,2.5)"), equality=False, canonical=False)
BITS = Domain(type="bit(3)", values=("101", "000", "111"))
ARRAY = Domain(type="int[]", values=("{1,2}", "{}", "{NULL,1}"))
FIXED = Domain(type="char(3)", values=("a", "b", "abc"))
CURRENCY = Domain(type="money", values=("1.00", "2.50", "-3.75"), extremes=True)
BYTES = Domain(type="bytea", values=("\\x00", "\\x", "\\xff00"))
NETWORK = Domain(type="inet", values=("10.0.0.1", "10.0.0.1/8", "::1"), extremes=True)
RANGE = Domain(type="numrange", values=("[1.0,2]", "[1.00,2]", "empty", "(,1]"), canonical=False)
PERIODS = Domain(type="interval[]", values=("{1 day}", "{24:00:00}", "{}"), canonical=False)

# Links have few values, so that joins find partners and groups have several rows.
LINKS: tuple[tuple[int, Domain], ...] = (
    (70, replace(INT, values=("1", "2", "3"))),
    (12, replace(TEXT, values=("a", "b", ""))),
    (6, replace(BIGINT, values=("1", "2", "9000000000"))),
    (6, replace(DATE, values=("2024-01-01", "infinity"))),
    (6, UUID),
)
KEYS: tuple[tuple[int, Domain], ...] = ((76, KEY), (10, TEXT), (7, NUMERIC), (7, UUID))
PAYLOADS: tuple[tuple[int, Domain], ...] = (
    (12, INT),
    (8, BIGINT),
    (10, MONEY),
    (11, NUMERIC),
    (4, NUMERIC_SPECIAL),
    (7, FLOAT),
    (2, FLOAT_SPECIAL),
    (11, TEXT),
    (5, BOOL),
    (6, DATE),
    (6, STAMP),
    (3, UUID),
    (4, JSONB),
    (4, JSON),
    (2, INTERVAL),
    (1, POINT),
    (1, BITS),
    (1, ARRAY),
    (1, FIXED),
    (1, CURRENCY),
    (1, BYTES),
    (1, NETWORK),
    (1, RANGE),
    (1, PERIODS),
)
