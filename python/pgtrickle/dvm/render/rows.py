"""Apply a weighted change of whole rows: upsert by key, or exact multiplicities in a bag."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.plan.model import ROW_HASH, Bag, Identity, Keyed
from pgtrickle.dvm.render.identity import StoredTypes, of_table
from pgtrickle.dvm.render.netting import netted, one_per_key
from pgtrickle.dvm.render.statements import (
    SOURCE,
    TARGET,
    insert_into,
    merge,
    when_delete,
    when_insert,
    when_keep,
    when_update,
)
from pgtrickle.dvm.schema import HIDDEN_PREFIX
from pgtrickle.dvm.sqlast import (
    WEIGHT,
    Expr,
    Query,
    all_of,
    binary,
    call,
    col,
    derived,
    named,
    number,
    select,
    table,
    where,
    with_tables,
)

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle.dvm.schema import QualifiedName

Tables = list[tuple[str, Query]]
_COPY = HIDDEN_PREFIX + "copy"
_CHANGE = HIDDEN_PREFIX + "change"
_VICTIM = HIDDEN_PREFIX + "victim"


def apply_rows(
    target: QualifiedName,
    columns: Sequence[str],
    identity: Identity,
    types: StoredTypes,
    changes: tuple[Tables, Query],
) -> Expr:
    """Return the statement that applies weighted rows of `columns` to `target`.

    `changes` is the weighted query with the named queries that it refers to.
    """
    tables, rows = changes
    net = netted(rows, columns, types)
    match identity:
        case Keyed():
            return _upsert(target, columns, identity, types, (tables, net))
        case Bag():
            return _multiplicities(target, columns, types, (tables, net))


def _upsert(
    target: QualifiedName,
    columns: Sequence[str],
    key: Keyed,
    types: StoredTypes,
    net: tuple[Tables, Query],
) -> Expr:
    tables, rows = net
    latest = one_per_key(rows, columns, key.columns)
    on = types.same_key(key, of_table(key.columns, TARGET), of_table(key.columns, SOURCE))
    gone = binary(exp.LT, col(WEIGHT, SOURCE), number(0))
    came = binary(exp.GT, col(WEIGHT, SOURCE), number(0))
    written = [name for name in columns if name not in key.columns or not types.types[name].exact]
    updated = of_table(written, SOURCE)
    whens = [
        when_delete(gone),
        when_update(updated) if updated else when_keep(),
        when_insert(of_table(columns, SOURCE), came),
    ]
    return with_tables(merge(target, derived(latest, SOURCE), on, whens), tables)


def _multiplicities(
    target: QualifiedName, columns: Sequence[str], types: StoredTypes, net: tuple[Tables, Query]
) -> Expr:
    tables, rows = net
    numbered = exp.Window(this=exp.RowNumber(), over="OVER")
    hashed = types.image_hash({name: col(name) for name in columns})
    outputs = [*map(col, columns), col(WEIGHT), named(hashed, ROW_HASH), named(numbered, _CHANGE)]
    change_rows = select(outputs, derived(rows, "net"))
    removed = exp.Delete(
        this=table(target, alias=TARGET),
        where=exp.Where(this=_is_victim(target, columns, types)),
    )
    copies = call("generate_series", number(1), col(WEIGHT, SOURCE))
    inserted = where(
        select(
            [*(col(name, SOURCE) for name in columns), col(ROW_HASH, SOURCE)],
            table("changes", alias=SOURCE),
            exp.Table(this=copies, alias=exp.TableAlias(this=exp.to_identifier(_COPY))),
        ),
        binary(exp.GT, col(WEIGHT, SOURCE), number(0)),
    )
    named_queries: list[tuple[str, Expr]] = [
        *tables,
        ("changes", change_rows),
        ("removed", removed),
    ]
    return with_tables(insert_into(target, [*columns, ROW_HASH], inserted), named_queries)


def _is_victim(target: QualifiedName, columns: Sequence[str], types: StoredTypes) -> Expr:
    """Return the condition that holds for as many stored copies of a row as went."""
    copy = exp.Window(this=exp.RowNumber(), partition_by=[col(_CHANGE, SOURCE)], over="OVER")
    same: list[Expr] = [binary(exp.EQ, col(ROW_HASH, TARGET), col(ROW_HASH, SOURCE))]
    same.extend(types.same_image(name, col(name, TARGET), col(name, SOURCE)) for name in columns)
    candidates = where(
        select(
            [named(col("ctid", TARGET), _VICTIM), named(copy, _COPY), col(WEIGHT, SOURCE)],
            table("changes", alias=SOURCE),
            table(target, alias=TARGET),
        ),
        all_of(same),
        binary(exp.LT, col(WEIGHT, SOURCE), number(0)),
    )
    enough = binary(exp.LTE, col(_COPY), exp.Neg(this=col(WEIGHT)))
    victims = where(select([col(_VICTIM)], derived(candidates, "candidates")), enough)
    return exp.EQ(
        this=col("ctid", TARGET),
        expression=exp.Any(this=exp.Paren(this=exp.Array(expressions=[victims]))),
    )
