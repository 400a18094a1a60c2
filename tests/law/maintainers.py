"""Who keeps the stream tables: the product through its client, or a model (see `model.py`)."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Protocol

from pgtrickle.errors import PgtrickleWarning, UnsupportedQueryError

if TYPE_CHECKING:
    from pgtrickle.api import Client

_CODE = re.compile(r"PGT\d+")


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


@dataclass(frozen=True, slots=True)
class Created:
    """The mode that a stream table got, and why it is not the differential one if it is not."""

    mode: str
    reasons: tuple[str, ...] = ()

    def codes(self) -> tuple[str, ...]:
        """Return the codes of the reasons."""
        return tuple(code for reason in self.reasons for code in _CODE.findall(reason)[:1])


class NotCreatedError(Exception):
    """A stream table could not be created; the cause says why."""


class NotDifferentialError(NotCreatedError):
    """A query that must be differential is not."""


class Maintainer(Protocol):
    """The verbs of a stream table's life."""

    def create(self, name: str, query: str, *, differential: bool) -> Created: ...
    def refresh(self, name: str) -> Report: ...
    def audit(self, name: str, *, images: bool) -> str: ...
    def drop(self, name: str) -> None: ...


@dataclass(slots=True)
class Product:
    """pgtrickle itself; `created` are the stream tables of the case under way."""

    client: Client
    created: dict[str, Created] = field(default_factory=dict)

    def create(self, name: str, query: str, *, differential: bool) -> Created:
        """Create a stream table that must be differential, or may fall back where it says why."""
        mode = "DIFFERENTIAL" if differential else "AUTO"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error" if differential else "ignore", PgtrickleWarning)
                table = self.client.create_stream_table(name, query, refresh_mode=mode)
        except UnsupportedQueryError as error:
            kind = NotDifferentialError if differential else NotCreatedError
            raise kind(f"{name} was not created: {error}") from error
        except Exception as error:
            raise NotCreatedError(f"{name} was not created: {error}") from error
        self.created[name] = Created(table.effective_mode, table.reasons)
        return self.created[name]

    def refresh(self, name: str) -> Report:
        """Refresh it once."""
        return self.client.refresh_stream_table(name)

    def audit(self, name: str, *, images: bool) -> str:
        """Return what its own audit finds, nothing if it agrees; rows must also print alike where `images` says so."""
        found = self.client.verify(name)
        if found.matches and not (images and found.unlike):
            return ""
        return f"{found.missing} rows missing, {found.extra} extra, {found.unlike} unlike"

    def drop(self, name: str) -> None:
        """Drop it; what still depends on it is an error."""
        self.client.drop_stream_table(name)
