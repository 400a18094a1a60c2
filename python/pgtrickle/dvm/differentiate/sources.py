"""Where rows come from: the tables as they are now, and what changed in the window.

Operators ask `Leaves` for both and never know whether changes come from a buffer, a transition table or a Spark view.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from sqlglot import exp

from pgtrickle.dvm.schema import QualifiedName, Relation, RelationKind
from pgtrickle.dvm.sqlast import (
    WEIGHT,
    Expr,
    Query,
    all_of,
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
)

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from pgtrickle.dvm.operators.base import Operator

# Settings of the transaction, in which the refresh publishes what its consumer has applied.
FRONTIER = "pgtrickle.frontier"
APPLIED_XID = "pgtrickle.applied_xid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Buffer:
    """A change buffer: its table, and the buffer column of each captured source column."""

    table: QualifiedName
    columns: Mapping[str, str]


class Leaves(Protocol):
    """What an operator tree stands on."""

    def rows(self, relation: Relation, columns: Mapping[str, str]) -> Query:
        """Return the rows of `relation` now; `columns` maps its columns to output names."""
        ...

    def changes(self, relation: Relation, columns: Mapping[str, str]) -> Query | None:
        """Return the weighted changes of `relation`; None when it has not changed."""
        ...

    @property
    def reads_stages(self) -> bool:
        """Whether a stage is read from its storage; else its query is evaluated from the sources."""
        ...

    def delta(self, operator: Operator) -> Query | None:
        """Return the operator's delta, computed once for the whole statement however often it is asked for."""
        ...

    def share(self, name: str, query: Query) -> str:
        """Give `query` a name in the statement, computed once, and return it."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class BufferLeaves:
    """Base tables for the rows, change buffers for the changes of the relations in `changed`.

    `shared` collects the named queries of one statement, in the order in which they may refer to each other.
    """

    buffers: Mapping[QualifiedName, Buffer] = field(default_factory=dict)
    changed: Sequence[QualifiedName] = ()
    reads_stages: bool = True
    shared: list[tuple[str, Query]] = field(default_factory=list)
    deltas: dict[int, tuple[Operator, Query | None]] = field(default_factory=dict)

    def delta(self, operator: Operator) -> Query | None:
        """Return the operator's delta, computed once for the whole statement however often it is asked for."""
        if id(operator) not in self.deltas:
            query = operator.delta(self)
            if query is not None and operator.children:
                outputs = [*operator.references(), col(WEIGHT)]
                query = select(outputs, table(self.share("changes", query)))
            self.deltas[id(operator)] = (operator, query)
        return self.deltas[id(operator)][1]

    def share(self, name: str, query: Query) -> str:
        """Give `query` a name in the statement, computed once, and return it."""
        numbered = f"{name}_{len(self.shared) + 1}"
        self.shared.append((numbered, query))
        return numbered

    def rows(self, relation: Relation, columns: Mapping[str, str]) -> Query:
        """Return the rows of `relation` now; `columns` maps its columns to output names."""
        outputs = [named(col(source), output) for source, output in columns.items()]
        members = [select(outputs, member) for member in stored_tables(relation)]
        return union_all(members)

    def changes(self, relation: Relation, columns: Mapping[str, str]) -> Query | None:
        """Return the weighted changes of `relation`; None when it has not changed."""
        if relation.name not in self.changed:
            return None
        outputs = [named(col(source), output) for source, output in columns.items()]
        return select([*outputs, col(WEIGHT)], table(self.delta_name(relation.name)))

    def delta_tables(self) -> list[tuple[str, Query]]:
        """Return the named queries of the statement: the changes of each changed relation, then what was shared.

        PostgreSQL inlines one that is used once and computes one that is used more often only once.
        """
        pending = [
            (self.delta_name(name), self._pending(self.buffers[name])) for name in self.changed
        ]
        return [*pending, *self.shared]

    def delta_name(self, relation: QualifiedName) -> str:
        """Return the name of the query for the changes of `relation`."""
        return f"delta_{list(self.changed).index(relation) + 1}"

    def _pending(self, buffer: Buffer) -> Query:
        inserted = binary(exp.EQ, col("action"), exp.Literal.string("I"))
        weight = exp.Case(ifs=[exp.If(this=inserted, true=number(1))], default=number(-1))
        outputs = [named(col(held), source) for source, held in buffer.columns.items()]
        return where(select([*outputs, named(weight, WEIGHT)], table(buffer.table)), pending())


def pending() -> Expr:
    """Return the predicate that holds for buffer rows the consumer has not applied.

    Visibility, not position: a transaction that commits late keeps a low change_id,
    so "greater than the last one" would skip its rows for ever.
    """
    snapshot = cast(setting(FRONTIER), "pg_snapshot")
    return all_of(
        [
            binary(exp.GTE, col("xid"), once(call("pg_snapshot_xmin", snapshot))),
            exp.Not(this=call("pg_visible_in_snapshot", col("xid"), once(snapshot))),
            binary(exp.NEQ, col("xid"), once(cast(setting(APPLIED_XID), "xid8"))),
        ]
    )


def setting(name: str) -> Expr:
    """Return what the refresh published for this transaction under `name`."""
    return call("current_setting", exp.Literal.string(name))


def once(value: Expr) -> Expr:
    """Return `value` as a query of its own, which PostgreSQL evaluates once and not for each row."""
    return exp.Subquery(this=exp.select(value))


def stored_tables(relation: Relation) -> list[exp.Table]:
    """Return the tables that hold the rows of `relation`, each to be read alone.

    ONLY keeps a child out that was attached after the snapshot was taken: planning sees the live catalog, and
    such a child would bring rows that the change buffer knows nothing of. A partitioned table must be read whole;
    its tree is compared with the live one after the delta ran.
    """
    if relation.kind is RelationKind.PARTITIONED or relation.kind is RelationKind.FOREIGN:
        return [table(relation.stored_as)]
    members = relation.members or (relation.stored_as,)
    return [table(member, only=relation.kind is not RelationKind.MATVIEW) for member in members]


def readable(relation: Relation, alias: str) -> Expr:
    """Return `relation` as a FROM item called `alias`, for queries kept as they were written."""
    tables = stored_tables(relation)
    if len(tables) == 1:
        tables[0].set("alias", exp.TableAlias(this=exp.Identifier(this=alias, quoted=True)))
        return tables[0]
    outputs = [col(column.name) for column in relation.columns]
    return derived(union_all([select(outputs, member) for member in tables]), alias)
