"""Fixtures of the law: a world on the default server, and one on each server of the matrix."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.law.world import World, world_on
from tests.support.servers import VERSIONS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pgtrickle.embedded import Server


@pytest.fixture(scope="session")
def world15(server15: Server) -> Iterator[World]:
    with world_on(server15) as found:
        yield found


@pytest.fixture(scope="session")
def world16(server16: Server) -> Iterator[World]:
    with world_on(server16) as found:
        yield found


@pytest.fixture(scope="session")
def world18(server18: Server) -> Iterator[World]:
    with world_on(server18) as found:
        yield found


@pytest.fixture(scope="session")
def world(world18: World) -> World:
    return world18


@pytest.fixture(params=VERSIONS, ids=lambda version: f"pg{version}")
def any_world(request: pytest.FixtureRequest) -> World:
    found: World = request.getfixturevalue(f"world{request.param}")
    return found
