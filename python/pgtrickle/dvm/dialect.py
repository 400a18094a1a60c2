"""PostgreSQL as sqlglot reads and prints it, with what we need otherwise.

sqlglot turns some spellings into others that mean the same, or nearly; here a query must print as PostgreSQL printed it,
so that reading it back proves that nothing was lost.
"""

from __future__ import annotations

from typing import ClassVar

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.generators.postgres import PostgresGenerator
from sqlglot.parsers.postgres import PostgresParser
from typing_extensions import override


class FaithfulPostgres(Postgres):
    """PostgreSQL without rewrites of what was written."""

    class Parser(PostgresParser):
        """Reads now() as a call of now(), not as CURRENT_TIMESTAMP."""

        FUNCTIONS: ClassVar = {
            name: builder for name, builder in PostgresParser.FUNCTIONS.items() if name != "NOW"
        }

    class Generator(PostgresGenerator):
        """Prints `x IS NOT y` as such: for a row, IS NOT NULL is not the negation of IS NULL."""

        @override
        def not_sql(self, expression: exp.Not) -> str:
            tested = expression.this
            if isinstance(tested, exp.Is):
                return f"{self.sql(tested, 'this')} IS NOT {self.sql(tested, 'expression')}"
            return super().not_sql(expression)
