"""What a stream table's sources look like, as one text: what capture cannot see shows here.

Static statements, for callers that prepare them: the parameter is PostgreSQL's own $1, hence psycopg.RawCursor.
A fingerprint changes with the needed columns, the keys over them, our triggers, the inheritance tree, row security,
files, and the rules of views; not with other columns, grants, statistics or other indexes.
"""

from __future__ import annotations

from typing import Final

from pgtrickle.pg.statement import statement

_STATEMENTS = "pgtrickle.catalog.statements"

AT_SNAPSHOT: Final = statement(_STATEMENTS, "fingerprint_at_snapshot.sql")
"""$1: stream table id; one row: fingerprint and tree, as the transaction's snapshot sees them."""

LIVE: Final = statement(_STATEMENTS, "fingerprint_live.sql")
"""$1: stream table id; one row: the tree as it is now, whatever the snapshot. Equal trees: nothing moved."""

EPOCH: Final = statement(_STATEMENTS, "epoch.sql")
"""One row: system identifier, database OID, timeline, next transaction id."""
