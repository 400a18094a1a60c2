"""The schema that golden queries are written against."""

from __future__ import annotations

from dataclasses import replace

from pgtrickle.dvm.compile import Compiled, compile_query
from pgtrickle.dvm.differentiate.sources import Buffer
from pgtrickle.dvm.plan.builder import StageUnknownError
from pgtrickle.dvm.plan.model import ROW_HASH, MaintenancePlan
from pgtrickle.dvm.render.storage import columns
from pgtrickle.dvm.schema import (
    Column,
    QualifiedName,
    Relation,
    RelationKind,
    Schema,
    StageFacts,
    TypeFacts,
)

INTEGER = TypeFacts(name="integer")
TEXT = TypeFacts(name="text")
MONEY = TypeFacts(name="numeric(12,2)", scale=2)
NUMERIC = TypeFacts(name="numeric", exact=False)
FLOAT = TypeFacts(name="double precision", exact=False)
JSON = TypeFacts(name="json", hashable=False, comparable=False, exact=False)


def _table(name: str, *described: Column, keys: tuple[tuple[str, ...], ...] = ()) -> Relation:
    full = QualifiedName("shop", name)
    return Relation(
        name=full,
        kind=RelationKind.TABLE,
        columns=described,
        stored_as=full,
        members=(full,),
        keys=keys,
    )


ORDERS = _table(
    "orders",
    Column(name="id", type=INTEGER, not_null=True),
    Column(name="customer_id", type=INTEGER, not_null=True),
    Column(name="region", type=TEXT),
    Column(name="amount", type=MONEY),
    Column(name="weight", type=FLOAT),
    Column(name="doubled", type=MONEY, generated="(amount * (2)::numeric)"),
    keys=(("id",),),
)
CUSTOMERS = _table(
    "customers",
    Column(name="id", type=INTEGER, not_null=True),
    Column(name="name", type=TEXT, not_null=True),
    keys=(("id",),),
)
EVENTS = _table("events", Column(name="kind", type=TEXT), Column(name="doc", type=JSON))
BIG_ORDERS = Relation(
    name=QualifiedName("shop", "big_orders"),
    kind=RelationKind.VIEW,
    columns=ORDERS.columns[:4],
    stored_as=QualifiedName("shop", "big_orders"),
    definition="SELECT id, customer_id, region, amount FROM shop.orders WHERE (amount > (100)::numeric)",
)
SCHEMA = Schema(
    relations={relation.name: relation for relation in (ORDERS, CUSTOMERS, EVENTS, BIG_ORDERS)}
)
BUFFERS = {
    relation.name: Buffer(
        table=QualifiedName("pgtrickle_changes", f"changes_{number}"),
        columns={column.name: column.name for column in relation.columns if not column.generated},
    )
    for number, relation in enumerate((ORDERS, CUSTOMERS, EVENTS), start=1)
}


def storage(plan: MaintenancePlan) -> Relation:
    """Return storage for `plan`, with types by the columns' names."""
    known = {
        column.name: column.type for relation in (ORDERS, EVENTS) for column in relation.columns
    }
    name = QualifiedName("pgtrickle_state", "shop.result")
    stored = [*columns(plan), ROW_HASH]
    return Relation(
        name=name,
        kind=RelationKind.TABLE,
        columns=tuple(Column(name=each, type=known.get(each, INTEGER)) for each in stored),
        stored_as=name,
    )


def staged(query: str) -> Compiled:
    """Compile with the types that the plan itself knows of its stages, bigint where it knows none."""
    schema = SCHEMA
    while True:
        try:
            return compile_query(query, schema)
        except StageUnknownError as unknown:
            visible = unknown.plan.root.columns[: len(unknown.plan.visible)]
            types = tuple(column.type or TypeFacts(name="bigint") for column in visible)
            name = QualifiedName("pgtrickle_state", f"stage_1_{len(schema.stages) + 1}")
            facts = StageFacts(storage=name, types=types)
            schema = replace(schema, stages=(*schema.stages, facts))
