"""Apply a change to stored groups: add to accumulators, and read again only the groups that need it.

The named queries of the statement, in order: `changed` (input rows, netted; only where a function needs it), `groups` (what
moved, per group), `stale` (groups to be read again), `fresh` (their state now). One MERGE then adds, replaces,
inserts and removes groups. Without GROUP BY there is one group, which is there even when it has no rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.operators.aggregates.base import Accumulator, Additive, Strategy
from pgtrickle.dvm.operators.aggregates.extremum import ExtremeValue
from pgtrickle.dvm.operators.partitioned import restricted
from pgtrickle.dvm.plan.model import ROW_COUNT, GroupsPlan
from pgtrickle.dvm.render.statements import (
    SOURCE,
    TARGET,
    merge,
    when_delete,
    when_insert,
    when_update,
)
from pgtrickle.dvm.schema import HIDDEN_PREFIX, QualifiedName
from pgtrickle.dvm.sqlast import (
    WEIGHT,
    Expr,
    Query,
    any_of,
    binary,
    case,
    cast,
    col,
    derived,
    group_by,
    is_null,
    named,
    number,
    select,
    substituted,
    table,
    total,
    where,
    with_tables,
)
from pgtrickle.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pgtrickle.dvm.differentiate.sources import BufferLeaves
    from pgtrickle.dvm.render.identity import StoredTypes

CAME, WENT = "came", "went"
FRESH = HIDDEN_PREFIX + "fresh"


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupsStatement:
    """The parts of one apply statement for `plan`, stored in `target`."""

    plan: GroupsPlan
    target: QualifiedName
    types: StoredTypes
    leaves: BufferLeaves

    def build(self) -> Expr:
        """Return the statement."""
        moved = self._moved()
        tables = [*self.leaves.delta_tables(), *moved]
        source: Expr = table("groups", alias=SOURCE)
        if self._rereads:
            tables.extend([("stale", self._stale()), ("fresh", self._fresh())])
            source = derived(self._with_fresh(), SOURCE)
        on = self._same_group(TARGET, SOURCE)
        whens = [when_update(self._stored(matched=True))]
        if self._keys:
            there = binary(exp.NEQ, col(ROW_COUNT, SOURCE), number(0))
            whens.insert(0, when_delete(binary(exp.EQ, self._added(ROW_COUNT), number(0))))
            whens.append(when_insert(self._stored(matched=False), there))
        return with_tables(merge(self.target, source, on, whens), tables)

    @property
    def _rereads(self) -> bool:
        return self.plan.groups.strategy is not Strategy.ALGEBRAIC

    @property
    def _nets(self) -> bool:
        """Whether values that came and went again must be told from those that stay: for extremes.

        A group that is always read again needs it not, and must stay even when its rows cancel: 1.0 and 1.00 are equal, their
        sums look different.
        """
        return self.plan.groups.strategy is Strategy.EXTREMUM

    @property
    def _keys(self) -> list[str]:
        return [key.name for key in self.plan.groups.keys]

    def _moved(self) -> list[tuple[str, Query]]:
        """Return the named queries up to `groups`."""
        groups = self.plan.groups
        changes = self.leaves.delta(groups.child)
        if changes is None:
            raise InternalError("a delta was asked for although no source has changed")
        inputs = groups.inputs(changes, weighted=True)
        tables: list[tuple[str, Query]] = []
        if self._nets:
            tables.append(("changed", self._netted_inputs(inputs)))
            inputs = select(self._input_columns(), table("changed"))
        keys = [col(name) for name in self._keys]
        moved = group_by(select([*keys, *self._changes()], derived(inputs, "inputs")), keys)
        moved.set("having", self._stirred())
        return [*tables, ("groups", moved)]

    def _stirred(self) -> exp.Having | None:
        """Return the condition that holds for groups with a change: without keys the group is there with no rows too."""
        if not self._rereads:
            moved = (binary(exp.NEQ, kept.change(), number(0)) for kept in self._additive())
            return exp.Having(this=any_of(moved))
        if self._keys:
            return None
        return exp.Having(this=binary(exp.GT, exp.Count(this=exp.Star()), number(0)))

    def _input_names(self) -> list[str]:
        return [*self._keys, *(argument.name for argument in self.plan.groups.arguments), WEIGHT]

    def _input_columns(self) -> list[Expr]:
        return [col(name) for name in self._input_names()]

    def _netted_inputs(self, inputs: Query) -> Query:
        """Return the input rows with their net weights."""
        *columns, _ = self._input_columns()
        weight = named(cast(total(col(WEIGHT)), "integer"), WEIGHT)
        query = group_by(select([*columns, weight], derived(inputs, "inputs")), columns)
        query.set("having", exp.Having(this=binary(exp.NEQ, total(col(WEIGHT)), number(0))))
        return query

    def _additive(self) -> list[Additive]:
        return [kept for kept in self.plan.accumulators if isinstance(kept, Additive)]

    def _extrema(self) -> list[ExtremeValue]:
        return [kept for kept in self.plan.accumulators if isinstance(kept, ExtremeValue)]

    def _changes(self) -> list[Expr]:
        """Return what is known of each group's change."""
        outputs: list[Expr] = []
        for kept, name in self.plan.accumulators.items():
            if isinstance(kept, Additive):
                outputs.append(named(kept.change(), name))
            elif isinstance(kept, ExtremeValue):
                outputs.append(named(kept.came(), name + CAME))
                outputs.append(named(kept.went(), name + WENT))
        return outputs

    def _stale(self) -> Query:
        """Return the keys of the groups whose state cannot follow from the change.

        A function that is always read again needs its new groups too, hence the outer join.
        """
        always = self.plan.groups.strategy is Strategy.RESCAN
        query = select([col(name, SOURCE) for name in self._keys], table("groups", alias=SOURCE))
        stored = table(self.target, alias=TARGET)
        side = "LEFT" if always else None
        query.append("joins", exp.Join(this=stored, side=side, on=self._same_group(TARGET, SOURCE)))
        counted = exp.Coalesce(this=col(ROW_COUNT, TARGET), expressions=[number(0)])
        remains: Expr = exp.true()
        if self._keys:
            remains = binary(exp.NEQ, binary(exp.Add, counted, col(ROW_COUNT, SOURCE)), number(0))
        if always:
            return where(query, remains)
        left = [
            kept.may_have_left(
                col(name, TARGET), col(name + CAME, SOURCE), col(name + WENT, SOURCE)
            )
            for kept, name in self.plan.accumulators.items()
            if isinstance(kept, ExtremeValue)
        ]
        return where(query, remains, any_of(left))

    def _fresh(self) -> Query:
        """Return the accumulators of the stale groups, from the sources as they are now, looked up by plain equality."""
        groups = self.plan.groups
        *columns, _ = self._input_names()
        values = {name: col(name) for name in self._keys}
        nullable = bool(self.plan.identity.nullable)
        rows = groups.inputs(groups.child.full(self.leaves))
        wanted = restricted(rows, columns, values, "stale", nullable=nullable)
        kept = [named(kept.initial(), name) for kept, name in self.plan.accumulators.items()]
        keys = [col(name) for name in self._keys]
        query = select([*keys, *kept], derived(wanted, "inputs"))
        if not keys:
            some = select([number(1)], table("stale"))
            query.set("having", exp.Having(this=exp.Exists(this=some)))
        return group_by(query, keys)

    def _with_fresh(self) -> Query:
        columns: list[Expr] = [exp.Column(this=exp.Star(), table=exp.to_identifier("groups"))]
        columns.extend(
            named(col(name, "fresh"), name + FRESH) for name in self.plan.accumulators.values()
        )
        query = select(columns, table("groups"))
        on = self._same_group("groups", "fresh", stored=False)
        query.append("joins", exp.Join(this=table("fresh"), side="LEFT", on=on))
        return query

    def _same_group(self, left: str, right: str, *, stored: bool = True) -> Expr:
        """Return the match of two groups; the left one is a stored row when `stored`."""
        keys = self.plan.stored_keys
        lefts = {kept: col(kept if stored else key, left) for key, kept in keys.items()}
        rights = {kept: col(key, right) for key, kept in keys.items()}
        return self.types.same_key(self.plan.identity, lefts, rights)

    def _stored(self, *, matched: bool) -> dict[str, Expr]:
        """Return the value of each stored column that this branch writes."""
        kept = {
            kept: self._value(kept, name, matched=matched)
            for kept, name in self.plan.accumulators.items()
        }
        values: dict[str, Expr] = {}
        results = {call.name: call.final(kept) for call in self.plan.groups.calls}
        known: Mapping[str, Expr] = {name: col(name, SOURCE) for name in self._keys}
        for output in self.plan.root.outputs:
            reads = {column.name for column in output.expression.find_all(exp.Column)}
            if not matched or reads & results.keys():
                values[output.name] = substituted(output.expression, {**known, **results})
        if not matched:
            values.update({stored: known[key] for key, stored in self.plan.stored_keys.items()})
        values.update(
            {name: kept[accumulator] for accumulator, name in self.plan.accumulators.items()}
        )
        return values

    def _value(self, kept: Accumulator, name: str, *, matched: bool) -> Expr:
        """Return the accumulator's new value in a stored (`matched`) or a new group."""
        if isinstance(kept, Additive):
            moved = self._added(name) if matched else col(name, SOURCE)
        elif isinstance(kept, ExtremeValue):
            came = col(name + CAME, SOURCE)
            moved = kept.moved(col(name, TARGET), came) if matched else came
        else:
            return col(name + FRESH, SOURCE)
        if not self._rereads:
            return moved
        known = exp.Not(this=is_null(col(ROW_COUNT + FRESH, SOURCE)))
        return case((known, col(name + FRESH, SOURCE)), default=moved)

    def _added(self, name: str) -> Expr:
        return binary(exp.Add, col(name, TARGET), col(name, SOURCE))
