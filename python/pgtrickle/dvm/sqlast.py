"""The few sqlglot constructions that the compiler builds SQL from.

Every identifier is quoted. A node has one parent in sqlglot, so whatever is used twice is copied here,
not by the caller.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from sqlglot import exp

from pgtrickle.dvm.dialect import FaithfulPostgres
from pgtrickle.dvm.schema import HIDDEN_PREFIX, QualifiedName
from pgtrickle.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence

Expr: TypeAlias = exp.Expr
Query: TypeAlias = exp.Query

DIALECT = FaithfulPostgres
WEIGHT = HIDDEN_PREFIX + "weight"


def ident(name: str) -> exp.Identifier:
    """Return `name` as a quoted identifier."""
    return exp.Identifier(this=name, quoted=True)


def col(name: str, table: str | None = None) -> exp.Column:
    """Return a reference to column `name`, of `table` when given."""
    return exp.Column(this=ident(name), table=ident(table) if table else None)


def table(name: QualifiedName | str, *, alias: str | None = None, only: bool = False) -> exp.Table:
    """Return a table reference; `only` leaves inheritance children out."""
    schema, bare = name if isinstance(name, QualifiedName) else (None, name)
    return exp.Table(
        this=ident(bare),
        db=ident(schema) if schema else None,
        only=only or None,
        alias=exp.TableAlias(this=ident(alias)) if alias else None,
    )


def named(expression: Expr, name: str) -> exp.Alias:
    """Return `expression AS name`."""
    return exp.Alias(this=expression.copy(), alias=ident(name))


def derived(query: Query, alias: str) -> exp.Subquery:
    """Return `query` as a derived table called `alias`.

    A query that stands nowhere yet is used itself: copied at each level, a deep tree would be copied over and over.
    """
    own = query if query.parent is None else query.copy()
    return exp.Subquery(this=own, alias=exp.TableAlias(this=ident(alias)))


def select(outputs: Iterable[Expr], source: Expr | None = None, *more: Expr) -> exp.Select:
    """Return `SELECT outputs FROM source, more…`."""
    built = exp.Select(expressions=[output.copy() for output in outputs])
    if source is not None:
        built.set("from_", exp.From(this=source))
    for further in more:
        built.append("joins", exp.Join(this=further))
    return built


def where(query: exp.Select, *conditions: Expr) -> exp.Select:
    """Return `query` with the conjunction of `conditions` as its WHERE clause."""
    if conditions and query.args.get("where") is not None:
        raise InternalError("a query that has a WHERE clause was given another")
    if conditions:
        query.set("where", exp.Where(this=all_of(conditions)))
    return query


def group_by(query: exp.Select, keys: Sequence[Expr]) -> exp.Select:
    """Return `query` grouped by `keys`; no key means one group for all rows."""
    if keys:
        query.set("group", exp.Group(expressions=[key.copy() for key in keys]))
    return query


def all_of(conditions: Iterable[Expr]) -> Expr:
    """Return the conjunction, TRUE when there is no condition."""
    return _chain(exp.And, conditions, exp.true())


def any_of(conditions: Iterable[Expr]) -> Expr:
    """Return the disjunction, FALSE when there is no condition."""
    return _chain(exp.Or, conditions, exp.false())


def _chain(connector: type[exp.Connector], conditions: Iterable[Expr], empty: Expr) -> Expr:
    chained: Expr | None = None
    for condition in conditions:
        part = wrapped(condition)
        chained = part if chained is None else connector(this=chained, expression=part)
    return empty if chained is None else chained


_SELF_CONTAINED = (
    exp.AggFunc,
    exp.Anonymous,
    exp.Boolean,
    exp.Case,
    exp.Cast,
    exp.Coalesce,
    exp.Column,
    exp.Literal,
    exp.Null,
    exp.Parameter,
    exp.Paren,
)


def wrapped(expression: Expr) -> Expr:
    """Return a copy that keeps its meaning inside any other expression."""
    copy = expression.copy()
    return copy if isinstance(copy, _SELF_CONTAINED) else exp.Paren(this=copy)


def conjuncts(condition: Expr) -> list[Expr]:
    """Return the parts of a conjunction, without their parentheses."""
    bare = condition.unnest()
    if isinstance(bare, exp.And):
        return [*conjuncts(bare.this), *conjuncts(bare.expression)]
    return [bare]


def union_all(queries: Sequence[Query]) -> Query:
    """Return the bag union of `queries`, which must not be empty."""
    union = queries[0]
    for query in queries[1:]:
        union = exp.Union(this=union, expression=query, distinct=False)
    return union


def call(function: str, *arguments: Expr) -> exp.Anonymous:
    """Return a call of a built-in function that sqlglot need not know."""
    return exp.Anonymous(this=function, expressions=[argument.copy() for argument in arguments])


def cast(expression: Expr, type_name: str) -> exp.Cast:
    """Return `expression` cast to the type that PostgreSQL prints as `type_name`."""
    return exp.Cast(
        this=wrapped(expression), to=exp.DataType.build(type_name, dialect=DIALECT, udt=True)
    )


def restored(text: Expr, type_name: str) -> exp.Cast:
    """Return `text` read as the type that PostgreSQL prints as `type_name`, a name that sqlglot need not understand."""
    verbatim = exp.DataType(this=exp.DType.USERDEFINED, kind=type_name)
    return exp.Cast(this=wrapped(text), to=verbatim)


def as_text(value: Expr) -> Expr:
    """Return the value's text, compared byte by byte whatever the column's collation."""
    return exp.Collate(this=cast(value, "text"), expression=exp.Identifier(this="C", quoted=True))


def number(value: int) -> Expr:
    """Return an integer literal; a negative one in parentheses."""
    literal = exp.Literal.number(abs(value))
    return literal if value >= 0 else exp.Paren(this=exp.Neg(this=literal))


def param(position: int) -> exp.Parameter:
    """Return the statement parameter `$position`."""
    return exp.Parameter(this=exp.Literal.number(position))


def is_null(expression: Expr) -> exp.Is:
    """Return `expression IS NULL`."""
    return exp.Is(this=wrapped(expression), expression=exp.Null())


def binary(kind: type[exp.Binary], left: Expr, right: Expr) -> exp.Binary:
    """Return `left op right`, both protected."""
    return kind(this=wrapped(left), expression=wrapped(right))


def case(*branches: tuple[Expr, Expr], default: Expr | None = None) -> exp.Case:
    """Return `CASE WHEN … THEN … ELSE default END`."""
    ifs = [exp.If(this=condition.copy(), true=value.copy()) for condition, value in branches]
    return exp.Case(ifs=ifs, default=default.copy() if default is not None else None)


def total(expression: Expr) -> exp.Sum:
    """Return `SUM(expression)`."""
    return exp.Sum(this=expression.copy())


def rows_where(aggregate: Expr, condition: Expr) -> exp.Filter:
    """Return `aggregate FILTER (WHERE condition)`."""
    return exp.Filter(this=aggregate.copy(), expression=exp.Where(this=condition.copy()))


def substituted(expression: Expr, columns: Mapping[str, Expr]) -> Expr:
    """Return a copy with every unqualified column named in `columns` replaced by its expression."""

    def replace(node: Expr) -> Expr:
        if isinstance(node, exp.Column) and not node.table and node.name in columns:
            return wrapped(columns[node.name])
        return node

    return expression.copy().transform(replace)


def shown_names(query: Query) -> list[str]:
    """Return the names of a query's columns, one for each; PostgreSQL leaves those of subqueries unnamed where it can."""
    return [each.alias_or_name or "?column?" for each in query.selects]


def rewritten(expression: Expr, visit: Callable[[Expr], Expr | None]) -> Expr:
    """Return a copy in which `visit` replaced nodes outside of subqueries, the outer ones first; None leaves a node."""
    holder = exp.Paren(this=expression.copy())
    pending = [holder.this]
    while pending:
        node = pending.pop()
        replacement = visit(node)
        if replacement is not None:
            node.replace(replacement)
        elif not isinstance(node, exp.Query):
            pending.extend(node.iter_expressions())
    result: Expr = holder.this
    return result.pop()


def columns_in(expression: Expr) -> set[str]:
    """Return the names of the plan's columns that `expression` reads: those without a table."""
    return {column.name for column in expression.find_all(exp.Column) if not column.table}


def in_parentheses(item: Expr) -> bool:
    """Return whether a FROM item is a join in parentheses, and no query."""
    queries = exp.Select | exp.SetOperation | exp.Values
    return isinstance(item, exp.Subquery) and not isinstance(item.this, queries)


def reads_tables(node: Expr) -> bool:
    """Return whether a subquery below `node` reads a table or a WITH query."""
    return any(isinstance(table.this, exp.Identifier) for table in node.find_all(exp.Table))


def with_tables(query: Expr, tables: Sequence[tuple[str, Expr]]) -> Expr:
    """Return the statement with `tables` as its WITH clause, in order."""
    if tables:
        ctes = [exp.CTE(this=body, alias=exp.TableAlias(this=ident(name))) for name, body in tables]
        query.set("with_", exp.With(expressions=ctes))
    return query


def to_sql(node: Expr, *, pretty: bool = False, last_use: bool = False) -> str:
    """Return the SQL text for PostgreSQL; printing may change a node in its `last_use`, which saves a copy."""
    return node.sql(dialect=DIALECT, pretty=pretty, copy=not last_use)
