"""Stream tables for PostgreSQL: SELECTs whose stored results are kept fresh incrementally."""

from pgtrickle._core import __version__
from pgtrickle.api import Client, connect
from pgtrickle.catalog.model import (
    Action,
    Difference,
    DifferenceKind,
    RefreshMode,
    RefreshRecord,
    RefreshReport,
    Scope,
    Status,
    StreamTable,
    VerifyReport,
)
from pgtrickle.config import Settings
from pgtrickle.errors import PgtrickleError, PgtrickleWarning

__all__ = [
    "Action",
    "Client",
    "Difference",
    "DifferenceKind",
    "PgtrickleError",
    "PgtrickleWarning",
    "RefreshMode",
    "RefreshRecord",
    "RefreshReport",
    "Scope",
    "Settings",
    "Status",
    "StreamTable",
    "VerifyReport",
    "__version__",
    "connect",
]
