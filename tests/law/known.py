"""Failures of today's code that a random run meets again and again; each goes when its cause is fixed.

A soak run counts them apart. What is listed here must be loud in the product: never a wrong result.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import re

KNOWN: tuple[tuple[re.Pattern[str], str], ...] = ()


def known(message: str) -> str:
    """Return why a message is expected today, nothing for one that is new."""
    return next((reason for pattern, reason in KNOWN if pattern.search(message)), "")
