"""Stream tables for PostgreSQL: SELECTs whose stored results are kept fresh incrementally."""

from pgtrickle._core import __version__

__all__ = ["__version__"]
