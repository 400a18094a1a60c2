"""PostgreSQL as sqlglot reads and prints it, with what we need otherwise.

sqlglot turns some spellings into others that mean the same; here a query must print as PostgreSQL printed it, so that
reading it back proves that nothing was lost.
"""

from __future__ import annotations

from typing import ClassVar

from sqlglot.dialects.postgres import Postgres
from sqlglot.parsers.postgres import PostgresParser


class FaithfulPostgres(Postgres):
    """PostgreSQL without rewrites of function names."""

    class Parser(PostgresParser):
        """Reads now() as a call of now(), not as CURRENT_TIMESTAMP."""

        FUNCTIONS: ClassVar = {
            name: builder for name, builder in PostgresParser.FUNCTIONS.items() if name != "NOW"
        }
