"""Who keeps the stream tables: the product through its client, or a model (see `model.py`)."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from pgtrickle.api import Client


class Report(Protocol):
    """What a refresh says about itself: the part of RefreshReport that the law speaks of."""

    @property
    def action(self) -> str: ...
    @property
    def scope(self) -> str: ...
    @property
    def inserted(self) -> int: ...
    @property
    def updated(self) -> int: ...
    @property
    def deleted(self) -> int: ...


class Maintainer(Protocol):
    """The verbs of a stream table's life."""

    def create(self, name: str, query: str) -> None: ...
    def refresh(self, name: str) -> Report: ...
    def drop(self, name: str) -> None: ...


class Product:
    """pgtrickle itself; it must not fall back to a full refresh."""

    def __init__(self, client: Client) -> None:
        self._client = client

    def create(self, name: str, query: str) -> None:
        """Create a stream table that has no mode but the differential one."""
        self._client.create_stream_table(name, query, refresh_mode="DIFFERENTIAL")

    def refresh(self, name: str) -> Report:
        """Refresh it once."""
        return self._client.refresh_stream_table(name)

    def drop(self, name: str) -> None:
        """Drop it; what still depends on it is an error."""
        self._client.drop_stream_table(name)
