"""Replace every view by its definition, to a fixed point, so that later passes see tables only.

A stream table is not a view here: it is a source with rows and changes of its own.
"""

from __future__ import annotations

from sqlglot import exp

from pgtrickle.dvm.parse.read import read
from pgtrickle.dvm.schema import QualifiedName, Relation, RelationKind, Schema
from pgtrickle.dvm.sqlast import Query, ident
from pgtrickle.errors import UnsupportedQueryError

MAX_VIEW_DEPTH = 64


def inline_views(query: Query, schema: Schema) -> Query:
    """Return `query` with views replaced by derived tables."""
    for _ in range(MAX_VIEW_DEPTH):
        found = [
            (node, view) for node in query.find_all(exp.Table) if (view := _view(node, schema))
        ]
        if not found:
            return query
        for node, view in found:
            node.replace(_derived(node, view))
    raise UnsupportedQueryError(
        f"views are nested more than {MAX_VIEW_DEPTH} deep",
        code="PGT210",
        hint="Flatten the views, or make one of them a stream table.",
    )


def _view(node: exp.Table, schema: Schema) -> Relation | None:
    relation = schema.relation(QualifiedName(node.db, node.name)) if node.db else None
    return relation if relation is not None and relation.kind is RelationKind.VIEW else None


def _derived(node: exp.Table, view: Relation) -> exp.Subquery:
    alias = node.args.get("alias") or exp.TableAlias(this=ident(view.name.name))
    body = exp.Subquery(this=read(view.definition or ""), alias=alias.copy())
    if node.args.get("joins"):
        body.set("joins", [join.copy() for join in node.args["joins"]])
    return body
