"""Stream tables as a graph: which must be refreshed before which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from pgtrickle._core import CycleError, Graph
from pgtrickle.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Callable, Hashable, Iterable, Sequence

Name_co = TypeVar("Name_co", bound="Hashable", covariant=True)


class Node(Protocol[Name_co]):
    """A stream table, as far as its place in the graph goes."""

    @property
    def name(self) -> Name_co:
        """Its name."""
        ...

    @property
    def relations(self) -> Sequence[Name_co]:
        """Every relation that its query reads."""
        ...


def waves(nodes: Iterable[Node[Name_co]]) -> list[list[Name_co]]:
    """Return the stream tables in waves: each reads only base tables and tables of earlier waves."""
    known = list(nodes)
    return _named(known, Graph.waves, _stream_tables(known))


def diamonds(nodes: Iterable[Node[Name_co]]) -> list[list[Name_co]]:
    """Return the groups of stream tables that must show the same moment, because their paths from one source meet.

    Base tables are sources like any other, and in no group.
    """
    known = list(nodes)
    return _named(known, Graph.diamonds, _with_base_tables(known))


def _stream_tables(known: Sequence[Node[Name_co]]) -> Graph:
    """Return the graph of the stream tables alone, each under its number."""
    numbers = {node.name: number for number, node in enumerate(known)}
    edges = [
        (numbers[upstream], numbers[node.name])
        for node in known
        for upstream in node.relations
        if upstream in numbers
    ]
    return Graph(edges, list(numbers.values()))


def _with_base_tables(known: Sequence[Node[Name_co]]) -> Graph:
    """Return the graph of all relations; those that are no stream tables have the numbers after the last."""
    numbers = {node.name: number for number, node in enumerate(known)}
    edges = [
        (numbers.setdefault(upstream, len(numbers)), number)
        for number, node in enumerate(known)
        for upstream in node.relations
    ]
    return Graph(edges, range(len(known)))


def _named(
    known: Sequence[Node[Name_co]],
    groups: Callable[[Graph], list[list[int]]],
    graph: Graph,
) -> list[list[Name_co]]:
    try:
        found = groups(graph)
    except CycleError as error:
        path = " → ".join(str(known[number].name) for number in error.path)
        raise InternalError(f"stream tables depend on each other in a circle: {path}") from error
    return [[known[number].name for number in group] for group in found]
