"""Fixtures: one server for each version and test process, one fresh database for each test.

A session fixture lives once in each xdist worker, so parallel workers share no server.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.law.seed import pytest_report_header
from tests.support import servers

__all__ = ["pytest_report_header"]

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pgtrickle.embedded import Server


@pytest.fixture(scope="session")
def server18() -> Iterator[Server]:
    with servers.running(18) as server:
        yield server


@pytest.fixture(scope="session")
def server16() -> Iterator[Server]:
    with servers.running(16) as server:
        yield server


@pytest.fixture(scope="session")
def server15() -> Iterator[Server]:
    with servers.running(15) as server:
        yield server


@pytest.fixture(scope="session")
def server(server18: Server) -> Server:
    return server18


@pytest.fixture(params=servers.VERSIONS, ids=lambda version: f"pg{version}")
def any_server(request: pytest.FixtureRequest) -> Server:
    found: Server = request.getfixturevalue(f"server{request.param}")
    return found


@pytest.fixture
def dsn(server: Server) -> Iterator[str]:
    with servers.fresh_database(server) as conninfo:
        yield conninfo


@pytest.fixture
def any_dsn(any_server: Server) -> Iterator[str]:
    with servers.fresh_database(any_server) as conninfo:
        yield conninfo


@pytest.fixture
def plain_role_dsn(server: Server) -> Iterator[servers.Roles]:
    with servers.plain_role(server) as roles:
        yield roles
