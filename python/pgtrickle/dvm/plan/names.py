"""Names for generated columns: unique in one plan, stable from run to run, never longer than an identifier may be."""

from __future__ import annotations

from itertools import count

MAX_BYTES = 63


class Names:
    """A sequence of column names."""

    def __init__(self) -> None:
        self._numbers = count(1)

    def column(self, base: str) -> str:
        """Return a new name that begins like `base`."""
        suffix = f"_{next(self._numbers)}"
        kept = base.encode()[: MAX_BYTES - len(suffix)].decode(errors="ignore")
        return kept + suffix
