"""The closed family of operators: a query as a tree whose every node knows its own delta.

A delta is a Z-set: rows with an integer weight, +1 for a row that came and -1 for one that went. A node's output columns
have names that are unique in the whole plan, so no reference ever needs a table's name.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from pgtrickle.dvm.schema import QualifiedName, TypeFacts
from pgtrickle.dvm.sqlast import Expr, Query, col, named

if TYPE_CHECKING:
    from collections.abc import Iterator
    from collections.abc import Set as AbstractSet

    from pgtrickle.dvm.differentiate.sources import Leaves


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanColumn:
    """An output column of an operator. `type` is None where the compiler cannot tell."""

    name: str
    type: TypeFacts | None = None
    not_null: bool = False


@dataclass(frozen=True, slots=True)
class Output:
    """A computed column: an expression over the child's columns, and its name."""

    name: str
    expression: Expr

    def aliased(self) -> Expr:
        """Return `expression AS name`."""
        return named(self.expression, self.name)


class Operator(ABC):
    """One node of a plan.

    `staged` nodes follow a change only from what is stored of them: below another operator they get storage of their own.
    """

    __slots__ = ()
    staged: ClassVar[bool] = False

    @property
    @abstractmethod
    def columns(self) -> tuple[PlanColumn, ...]:
        """The output columns, in order."""

    @property
    @abstractmethod
    def children(self) -> tuple[Operator, ...]:
        """The inputs, in order."""

    @abstractmethod
    def full(self, leaves: Leaves) -> Query:
        """Return the query for all rows, as the leaves are now."""

    @abstractmethod
    def delta(self, leaves: Leaves) -> Query | None:
        """Return the query for the weighted change; None when no input has changed."""

    @abstractmethod
    def label(self) -> str:
        """Return the node in one line, for explain."""

    def walk(self) -> Iterator[Operator]:
        """Yield this node and all below it, parents first."""
        yield self
        for child in self.children:
            yield from child.walk()

    def reads(self) -> AbstractSet[QualifiedName]:
        """Return the relations below this node."""
        return frozenset[QualifiedName]().union(*(child.reads() for child in self.children))

    def references(self) -> list[Expr]:
        """Return a reference to each output column."""
        return [col(column.name) for column in self.columns]
