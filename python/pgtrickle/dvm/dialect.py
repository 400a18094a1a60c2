"""PostgreSQL as sqlglot reads and prints it, with what we need otherwise.

sqlglot turns some spellings into others that mean the same, or nearly; here a query must print as PostgreSQL printed it,
so that reading it back proves that nothing was lost.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sqlglot import exp
from sqlglot.dialects.postgres import Postgres
from sqlglot.generators.postgres import PostgresGenerator
from sqlglot.parsers.postgres import PostgresParser
from typing_extensions import override

PLAIN_AGGREGATES = (exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max)
_KEPT = (*PLAIN_AGGREGATES, exp.Grouping)


def _rewritten_aggregate(builder: object) -> bool:
    """Return whether sqlglot reads this function as an aggregate that it may print otherwise."""
    built = getattr(builder, "__self__", None)
    return (
        isinstance(built, type) and issubclass(built, exp.AggFunc) and not issubclass(built, _KEPT)
    )


class FaithfulPostgres(Postgres):
    """PostgreSQL without rewrites of what was written."""

    class Parser(PostgresParser):
        """Reads now() and power() as calls, and every aggregate but the plainest as a call of its name."""

        FUNCTIONS: ClassVar = {
            name: builder
            for name, builder in PostgresParser.FUNCTIONS.items()
            if name not in {"NOW", "POW", "POWER", "ARRAY_AGG"}
            and not _rewritten_aggregate(builder)
        }
        FUNCTION_PARSERS: ClassVar = {
            name: parser
            for name, parser in PostgresParser.FUNCTION_PARSERS.items()
            if name not in {"STRING_AGG", "JSON_AGG"}
        }

        @override
        def _parse_query_modifiers(self, this: Any) -> Any:
            """Read the joins after a function in parentheses too."""
            if isinstance(this, exp.Unnest | exp.Lateral):
                for join in self._parse_joins():
                    this.append("joins", join)
                return this
            return super()._parse_query_modifiers(this)

    class Generator(PostgresGenerator):
        """Prints negated operators as such: for a row, IS NOT NULL is not the negation of IS NULL."""

        MULTI_ARG_DISTINCT = True
        NEGATED: ClassVar[dict[type[exp.Expr], str]] = {
            exp.Is: "IS NOT",
            exp.RegexpLike: "!~",
            exp.RegexpILike: "!~*",
        }

        @override
        def not_sql(self, expression: exp.Not) -> str:
            tested = expression.this
            operator = self.NEGATED.get(type(tested))
            if operator is None:
                return super().not_sql(expression)
            return f"{self.sql(tested, 'this')} {operator} {self.sql(tested, 'expression')}"

        @override
        def windowspec_sql(self, expression: exp.WindowSpec) -> str:
            if expression.args.get("end") is not None:
                return super().windowspec_sql(expression)
            start = self.sql(expression, "start")
            side = expression.args.get("start_side") or ""
            exclude = self.sql(expression, "exclude")
            frame = f"{self.sql(expression, 'kind')} {start} {side}".rstrip()
            return f"{frame} EXCLUDE {exclude}" if exclude else frame

        @override
        def table_sql(self, expression: exp.Table, sep: str = " AS ") -> str:
            if not expression.args.get("ordinality"):
                return super().table_sql(expression, sep)
            # sqlglot prints WITH ORDINALITY after the joins.
            alone = expression.copy()
            alone.set("joins", None)
            return super().table_sql(alone, sep) + self._joins(expression)

        @override
        def unnest_sql(self, expression: exp.Unnest) -> str:
            return super().unnest_sql(expression) + self._joins(expression)

        @override
        def lateral_sql(self, expression: exp.Lateral) -> str:
            return super().lateral_sql(expression) + self._joins(expression)

        def _joins(self, expression: exp.Expr) -> str:
            return self.expressions(expression, key="joins", sep="", flat=True)

        def pow_sql(self, expression: exp.Pow) -> str:
            """Print the operator that was written."""
            return self.binary(expression, "^")
