"""Give every column its table.

PostgreSQL prints columns without a table where a query has a single FROM item; from here on each has one.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from sqlglot import exp

from pgtrickle.dvm.normalise.scope import output_names, scope_items
from pgtrickle.dvm.sqlast import Query, ident

if TYPE_CHECKING:
    from pgtrickle.dvm.schema import Schema


def qualify(query: Query, schema: Schema) -> Query:
    """Return `query` with each unqualified column bound to the item that offers it."""
    for select in query.find_all(exp.Select):
        offered = [
            (item.alias_or_name, set(output_names(item, schema))) for item in scope_items(select)
        ]
        for column in select.find_all(exp.Column):
            if column.table or column.find_ancestor(exp.Select) is not select:
                continue
            owners = [alias for alias, names in offered if column.name in names]
            if not owners and len(offered) == 1:
                # A WITH query or a function: what it offers is not known here, but nothing else can be meant.
                owners = [offered[0][0]]
            if len(owners) == 1:
                column.set("table", ident(owners[0]))
    return query
