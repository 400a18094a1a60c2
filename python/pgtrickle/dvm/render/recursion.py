"""The statement that applies a window to a recursion: by its new rows where rows were only added, else as a whole."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.operators.recursion import NEW_ROWS, OWN_ROWS, Recursion
from pgtrickle.dvm.plan.model import Keyed
from pgtrickle.dvm.render.identity import StoredTypes, of_table
from pgtrickle.dvm.render.rows import apply_rows
from pgtrickle.dvm.render.storage import columns, contents
from pgtrickle.dvm.sqlast import (
    WEIGHT,
    Expr,
    Query,
    any_of,
    binary,
    call,
    cast,
    col,
    derived,
    named,
    number,
    select,
    table,
    union_all,
    where,
    with_tables,
)

if TYPE_CHECKING:
    from pgtrickle.dvm.differentiate.sources import BufferLeaves
    from pgtrickle.dvm.plan.model import MaintenancePlan
    from pgtrickle.dvm.schema import Relation

# Types that are what their name says: both sides of a recursion must have the very same.
_CAST = frozenset(
    {
        "boolean", "smallint", "integer", "bigint", "numeric", "real", "double precision", "text", "character varying",
        "uuid", "date", "timestamp without time zone", "timestamp with time zone", "interval", "bytea", "jsonb",
    }
)  # fmt: skip
_STEP, _SEED, _ADDED, _OWN = "step", "seed", "only_added", "own"


def recursion_of(plan: MaintenancePlan, storage: Relation) -> Recursion | None:
    """Return the recursion whose rows `plan` keeps, if they can be kept by their changes."""
    child = plan.root.children[0] if plan.root.children else None
    types = {column.name: column.type for column in storage.columns}
    known = all(
        types[name].comparable and types[name].name.removesuffix("[]") in _CAST
        for name in columns(plan)
    )
    return child if isinstance(child, Recursion) and known else None


def apply_recursion(
    plan: MaintenancePlan, recursion: Recursion, storage: Relation, leaves: BufferLeaves
) -> Expr:
    """Return the statement for a window in which what the recursion reads has changed."""
    names = columns(plan)
    types = StoredTypes.of(storage)
    deltas = [side.delta(leaves) for side in (recursion.base, recursion.step)]
    sides = [
        select(
            [
                *(named(col(column.name), name) for column, name in zip(side.columns, names, strict=False)),
                col(WEIGHT),
            ],
            derived(delta, "side"),
        )
        for side, delta in zip((recursion.base, recursion.step), deltas, strict=True)
        if delta is not None
    ]  # fmt: skip
    own = select(map(col, names), table(storage.name))
    new = _new_rows(plan, recursion, storage, union_all(sides))
    tables = [
        (OWN_ROWS, own),
        *leaves.delta_tables(),
        (_ADDED, select([named(exp.Not(this=_removed(recursion, leaves)), _ADDED)])),
        (NEW_ROWS, new),
    ]
    shown = zip(recursion.shown, names, strict=True)
    gone = exp.Not(this=_only_added())
    changes = union_all(
        [
            select(
                [*(named(col(old), name) for old, name in shown), named(number(1), WEIGHT)],
                table(NEW_ROWS),
            ),
            where(
                select(
                    [*map(col, names), named(number(1), WEIGHT)], derived(contents(plan), "wanted")
                ),
                gone.copy(),
            ),
            where(
                select([*map(col, names), named(number(-1), WEIGHT)], table(storage.name)),
                gone.copy(),
            ),
        ]
    )
    # Inside the changes, because MERGE has no WITH RECURSIVE of its own.
    with_tables(changes, tables)
    changes.set("with_", exp.With(expressions=changes.args["with_"].expressions, recursive=True))
    return apply_rows(storage.name, names, plan.identity, types, ([], changes))


def _only_added() -> Expr:
    return exp.Subquery(this=select([col(_ADDED)], table(_ADDED)))


def _removed(recursion: Recursion, leaves: BufferLeaves) -> Expr:
    """Return whether some source has lost a row, over the whole window and in the columns that are read."""
    lost: list[Expr] = []
    for name in leaves.changed:
        image = cast(call("ROW", *map(col, recursion.columns_of(name))), "text")
        net = select([number(1)], table(leaves.delta_name(name)))
        net.set("group", exp.Group(expressions=[image]))
        net.set("having", exp.Having(this=binary(exp.LT, call("sum", col(WEIGHT)), number(0))))
        lost.append(exp.Exists(this=net))
    return exp.Paren(this=any_of(lost))


def _new_rows(
    plan: MaintenancePlan, recursion: Recursion, storage: Relation, seeds: Query
) -> Query:
    """Return the rows that are added: the seeds, then what the step makes of new rows."""
    names = columns(plan)
    kinds = {column.name: column.type.name for column in storage.columns}
    shown = dict(zip(names, recursion.shown, strict=True))

    def typed(alias: str) -> list[Expr]:
        return [named(cast(col(name, alias), kinds[name]), shown[name]) for name in names]

    net = select(
        [*map(col, names), named(call("sum", col(WEIGHT)), WEIGHT)], derived(seeds, "seeds")
    )
    net.set("group", exp.Group(expressions=[col(name) for name in names]))
    net.set("having", exp.Having(this=binary(exp.GT, call("sum", col(WEIGHT)), number(0))))
    first = select(typed(_SEED), derived(net, _SEED))
    if not recursion.distinct:
        # An array, because PostgreSQL expects a thousand rows of generate_series, and ten of this.
        count = exp.Array(expressions=[cast(col(WEIGHT, _SEED), "integer")])
        copies = call("unnest", call("array_fill", number(1), count))
        first = select(
            typed(_SEED), derived(net, _SEED),
            exp.Lateral(this=copies, alias=exp.TableAlias(this=exp.to_identifier("copy"))),
        )  # fmt: skip
    step = exp.Subquery(
        this=recursion.again.copy(),
        alias=exp.TableAlias(
            this=exp.to_identifier(_STEP, quoted=True),
            columns=[exp.to_identifier(name, quoted=True) for name in names],
        ),
    )
    then = select(typed(_STEP), step)
    conditions = [_only_added()]
    if recursion.distinct:
        conditions.append(_unknown(plan, storage, _SEED))
        then = where(then, _unknown(plan, storage, _STEP))
    first = where(first, *conditions)
    return exp.Union(this=first, expression=then, distinct=recursion.distinct)


def _unknown(plan: MaintenancePlan, storage: Relation, alias: str) -> Expr:
    """Return whether a row is not among those that are stored."""
    names = columns(plan)
    key = plan.identity if isinstance(plan.identity, Keyed) else Keyed(names, frozenset(names))
    same = StoredTypes.of(storage).same_key(key, of_table(names, _OWN), of_table(names, alias))
    found = where(select([number(1)], table(storage.name, alias=_OWN)), same)
    return exp.Not(this=exp.Exists(this=found))
