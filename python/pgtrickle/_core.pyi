"""The typed face of the Rust module; `mypy.stubtest` proves it against the build."""

from collections.abc import Sequence
from typing import Self, final

__all__ = ["CacheStats", "CycleError", "Graph", "PlanCache", "__version__"]

__version__: str

class CycleError(Exception):
    """The dependencies form a cycle.

    `path` is an attribute of the error (it is not in `args`): the ids of one cycle in the
    direction of the edges, from the smallest back to the smallest, as in `[1, 2, 3, 1]`.
    """

    path: list[int]

@final
class CacheStats:
    """What a plan cache has done since it was made, and what it holds now."""

    @property
    def hits(self) -> int: ...
    @property
    def misses(self) -> int: ...
    @property
    def evictions(self) -> int: ...
    @property
    def entries(self) -> int: ...

@final
class PlanCache:
    """A bounded cache of compiled plan texts, shared by threads.

    The changed set is a set: its order and repetitions do not matter.
    A capacity of 0 is a `ValueError`, a negative one an `OverflowError`.
    """

    def __new__(cls, capacity: int) -> Self: ...
    def get(self, table: int, generation: int, changed: Sequence[int]) -> str | None: ...
    def peek(self, table: int, generation: int, changed: Sequence[int]) -> str | None: ...
    def put(self, table: int, generation: int, changed: Sequence[int], text: str) -> None: ...
    def invalidate(self, table: int) -> int: ...
    def clear(self) -> None: ...
    def stats(self) -> CacheStats: ...

@final
class Graph:
    """Dependencies between tables; an edge goes from what is read to what reads it."""

    def __new__(cls, edges: Sequence[tuple[int, int]], nodes: Sequence[int] = ()) -> Self: ...
    def waves(self) -> list[list[int]]: ...
    def cycle(self) -> list[int] | None: ...
