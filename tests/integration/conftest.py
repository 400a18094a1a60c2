"""Fixtures of the tests on servers: databases with the catalog installed."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pgtrickle.catalog import migrate
from pgtrickle.pg.connection import connect
from tests.support.lab import Lab
from tests.support.shop import Shop, open_shop

if TYPE_CHECKING:
    from collections.abc import Iterator


def _lab(dsn: str) -> Iterator[Lab]:
    connection = connect(dsn)
    migrate.install(connection)
    lab = Lab(dsn, connection)
    yield lab
    lab.close()


@pytest.fixture
def lab(dsn: str) -> Iterator[Lab]:
    """A database on the default server."""
    yield from _lab(dsn)


@pytest.fixture
def any_lab(any_dsn: str) -> Iterator[Lab]:
    """A database on each server version."""
    yield from _lab(any_dsn)


@pytest.fixture
def shop(dsn: str) -> Iterator[Shop]:
    """A shop with a client on the default server."""
    with open_shop(dsn) as opened:
        yield opened


@pytest.fixture
def any_shop(any_dsn: str) -> Iterator[Shop]:
    """A shop with a client on each server version."""
    with open_shop(any_dsn) as opened:
        yield opened
