"""Fixtures of the law: a world on the default server, and one on each server of the matrix."""

from __future__ import annotations

from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from tests.law.world import World, world_on

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pgtrickle.embedded import Server


@pytest.fixture(scope="session")
def worlds() -> Iterator[dict[str, World]]:
    with ExitStack() as resources:
        found: dict[str, World] = {}
        yield found
        for world in found.values():
            resources.callback(world.close)


@pytest.fixture(scope="session")
def world(server: Server) -> Iterator[World]:
    with world_on(server) as found:
        yield found


@pytest.fixture
def any_world(any_server: Server, worlds: dict[str, World]) -> World:
    return worlds.setdefault(any_server.dsn(), World(any_server))
