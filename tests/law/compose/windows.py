"""Window functions: ranks, neighbours, running aggregates over frames, alone and inside expressions.

What depends on the place of a row gets a complete order; ranks and frames of peers do not need one.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from tests.law import domains as d
from tests.law.aggregates import aggregate
from tests.law.compose.orders import clause as order_clause
from tests.law.compose.orders import complete, image, some_terms
from tests.law.expressions import Value, predicate, value
from tests.law.features import FIRST_OPERATORS, Feature

if TYPE_CHECKING:
    from collections.abc import Sequence

    from tests.law.compose.composer import Composer
    from tests.law.relations import Field

_RANGED = {"int", "bigint", "numeric(12,2)", "numeric"}
_BOUNDS = (
    "UNBOUNDED PRECEDING",
    "{n} PRECEDING",
    "CURRENT ROW",
    "{n} FOLLOWING",
    "UNBOUNDED FOLLOWING",
)
_EXCLUSIONS = (
    "",
    "",
    "",
    " EXCLUDE CURRENT ROW",
    " EXCLUDE TIES",
    " EXCLUDE GROUP",
    " EXCLUDE NO OTHERS",
)
_BARE = replace(FIRST_OPERATORS, aggregate_expressions=False)


@dataclass(frozen=True, slots=True)
class Rows:
    """What a window sees: fields, and references that no two rows share if they are known."""

    fields: Sequence[Field]
    key: tuple[str, ...] | None
    grouped: bool = False  # fields are aggregates, which FILTER may not hold


def window(composer: Composer, rows: Rows) -> Value:
    """Return a window call, in one of four cases inside an expression."""
    composer.use(Feature.WINDOW)
    dice = composer.dice
    makers = [(30, _placed), (25, _ranked), (30, _neighbour), (30, _summed)]
    found = dice.weighted(makers)(composer, rows)
    if found.settled and dice.chance(25):
        return _inside(composer, found, rows)
    return found


def _partition(composer: Composer, rows: Rows) -> str:
    usable = [field for field in rows.fields if field.domain.equality]
    chosen = composer.dice.some(usable, 0 if composer.dice.chance(30) else 1, 2)
    return f"PARTITION BY {', '.join(field.ref for field in chosen)}" if chosen else ""


def _over(composer: Composer, rows: Rows, order: str, frame: str = "") -> str:
    parts = [_partition(composer, rows), order.strip(), frame]
    return f"OVER ({' '.join(part for part in parts if part)})"


def _complete(composer: Composer, rows: Rows) -> str:
    return order_clause(complete(composer, rows.fields, rows.key))


def _placing(composer: Composer, rows: Rows, frame: str = "") -> str:
    """Return the window of a function that tells equal rows apart.

    Where rows may be equal, each such function numbers them as it likes, so all of them get one and the same window.
    """
    if rows.key is not None or composer.leaves_open():
        return _over(composer, rows, _complete(composer, rows), frame)
    parts = [order_clause([image(field) for field in rows.fields]).strip(), frame]
    return f"OVER ({' '.join(part for part in parts if part)})"


def _placed(composer: Composer, rows: Rows) -> Value:
    over = _placing(composer, rows)
    name, domain = composer.dice.pick(
        (("row_number()", d.BIGINT), ("ntile(2)", d.INT), ("ntile(3)", d.INT))
    )
    return Value(f"{name} {over}", domain)


def _ranked(composer: Composer, rows: Rows) -> Value:
    """Ranks are the same for peers, so any order determines them."""
    order = order_clause(some_terms(composer, rows.fields, 1, 2))
    name, domain = composer.dice.pick(
        (
            ("rank()", d.BIGINT),
            ("dense_rank()", d.BIGINT),
            ("percent_rank()", d.FLOAT_ROUNDED),
            ("cume_dist()", d.FLOAT_ROUNDED),
        )
    )
    return Value(f"{name} {_over(composer, rows, order)}", domain)


def _neighbour(composer: Composer, rows: Rows) -> Value:
    dice = composer.dice
    operand = value(dice, rows.fields, plain=80)
    default = dice.pick(operand.domain.literals())
    name, more = dice.pick(
        (
            ("lag", ""),
            ("lead", ""),
            ("lag", ", 2"),
            ("lead", f", 1, {default}"),
            ("first_value", ""),
            ("last_value", ""),
            ("nth_value", ", 2"),
        )
    )
    placed = name.endswith("value")
    frame = _rows_frame(composer) if placed and composer.wants(Feature.WINDOW_FRAME, 50) else ""
    over = _placing(composer, rows, frame)
    return Value(f"{name}({operand.sql}{more}) {over}", operand.domain, operand.settled)


def _summed(composer: Composer, rows: Rows) -> Value:
    dice = composer.dice
    found, _ = aggregate(dice, rows.fields, replace(_BARE, aggregate_filters=not rows.grouped))
    if composer.wants(Feature.WINDOW_FRAME, 60):
        order, frame = _framed(composer, rows)
        if frame.startswith("ROWS"):
            return Value(
                f"{found.sql} {_placing(composer, rows, frame)}", found.domain, found.settled
            )
    else:
        order, frame = order_clause(some_terms(composer, rows.fields, 0, 2)), ""
    return Value(f"{found.sql} {_over(composer, rows, order, frame)}", found.domain, found.settled)


def _framed(composer: Composer, rows: Rows) -> tuple[str, str]:
    """Return an order and a frame that fits it."""
    dice = composer.dice
    kind = dice.pick(("ROWS", "RANGE", "GROUPS"))
    if kind == "ROWS":
        return "", _rows_frame(composer)
    exclusion = dice.pick(_EXCLUSIONS)
    if kind == "GROUPS":
        order = order_clause(some_terms(composer, rows.fields, 1, 2))
        frame = _bounds(composer) if order else "UNBOUNDED PRECEDING AND CURRENT ROW"
        return (order, f"GROUPS BETWEEN {frame}{exclusion}") if order else ("", "")
    usable = [field for field in rows.fields if field.domain.type in _RANGED]
    if usable:
        order = f"ORDER BY {dice.pick(usable).ref}{dice.pick(('', ' DESC'))}"
        return order, f"RANGE BETWEEN {_bounds(composer)}{exclusion}"
    order = order_clause(some_terms(composer, rows.fields, 1, 1))
    return order, f"RANGE BETWEEN CURRENT ROW AND UNBOUNDED FOLLOWING{exclusion}"


def _rows_frame(composer: Composer) -> str:
    if composer.dice.chance(15):
        return f"ROWS {composer.dice.between(0, 2)} PRECEDING"
    return f"ROWS BETWEEN {_bounds(composer)}{composer.dice.pick(_EXCLUSIONS)}"


def _bounds(composer: Composer) -> str:
    """Return two bounds, the first not after the second."""
    dice = composer.dice
    first = dice.between(0, 3)
    last = dice.between(max(first, 1), 4)
    near, far = sorted((dice.between(0, 2), dice.between(0, 2)))
    start, end = (far, near) if last == 1 else (near, far)
    return f"{_BOUNDS[first].format(n=start)} AND {_BOUNDS[last].format(n=end)}"


def _inside(composer: Composer, found: Value, rows: Rows) -> Value:
    """Return an expression around the call, sometimes around two with different partitions."""
    dice = composer.dice
    if found.domain.type in {"bigint", "int"}:
        other = _placed(composer, rows) if dice.chance(30) else None
        if other is not None:
            return Value(f"{found.sql} - {other.sql}", d.BIGINT)
        return dice.pick(
            (
                Value(f"coalesce({found.sql}, 0) * 10", found.domain),
                Value(f"{found.sql} = 1", d.BOOL),
                Value(
                    f"CASE WHEN {predicate(dice, rows.fields)} THEN {found.sql} END", found.domain
                ),
            )
        )
    return Value(f"({found.sql}) IS NULL", d.BOOL)


def named(composer: Composer, chosen: Sequence[Value]) -> tuple[list[Value], str]:
    """Return the values with one of their windows moved to a WINDOW clause, now and then."""
    for place, item in enumerate(chosen):
        start = item.sql.find("OVER (")
        alone = item.sql.count("OVER (") == 1 and "SELECT" not in item.sql
        if not alone or not item.sql.endswith(")"):
            continue
        if composer.dice.chance(15):
            definition = item.sql[start + len("OVER ") :]
            moved = Value(f"{item.sql[:start]}OVER w1", item.domain, item.settled)
            rest = [*chosen[:place], moved, *chosen[place + 1 :]]
            return rest, f" WINDOW w1 AS {definition}"
    return list(chosen), ""
