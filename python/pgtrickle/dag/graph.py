"""Stream tables as a graph: which must be refreshed before which."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from pgtrickle._core import CycleError, Graph
from pgtrickle.errors import InternalError

if TYPE_CHECKING:
    from collections.abc import Hashable, Iterable, Sequence

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
    numbers = {node.name: number for number, node in enumerate(known)}
    edges = [
        (numbers[upstream], numbers[node.name])
        for node in known
        for upstream in node.relations
        if upstream in numbers
    ]
    try:
        found = Graph(edges, list(numbers.values())).waves()
    except CycleError as error:
        path = " → ".join(str(known[number].name) for number in error.path)
        raise InternalError(f"stream tables depend on each other in a circle: {path}") from error
    return [[known[number].name for number in wave] for wave in found]
