"""Write OVER w as the window that the WINDOW clause names, so that each function carries its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

if TYPE_CHECKING:
    from pgtrickle.dvm.schema import Schema
    from pgtrickle.dvm.sqlast import Query


def inline_windows(query: Query, _schema: Schema) -> Query:
    """Return `query` without WINDOW clauses."""
    for select in query.find_all(exp.Select):
        clause = select.args.get("windows")
        if not clause:
            continue
        known: dict[str, exp.Window] = {}
        for definition in clause:
            _inherit(definition, known)
            known[definition.name] = definition
        select.set("windows", None)
        for node in list(select.find_all(exp.Window)):
            if node.find_ancestor(exp.Select) is select:
                _inherit(node, known)
    return query


def _inherit(node: exp.Window, known: dict[str, exp.Window]) -> None:
    """Take over what the named window says, where this one says nothing."""
    named = node.args.get("alias")
    base = known.get(named.name) if named is not None else None
    if base is None:
        return
    for clause in ("partition_by", "order", "spec"):
        value = base.args.get(clause)
        if value and not node.args.get(clause):
            copied = [each.copy() for each in value] if isinstance(value, list) else value.copy()
            node.set(clause, copied)
    node.set("alias", None)
