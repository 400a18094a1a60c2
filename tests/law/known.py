"""Failures of today's code that a random run meets again and again; each goes when its cause is fixed.

A soak run counts them apart. What is listed here must be loud in the product: never a wrong result.
"""

from __future__ import annotations

import re

KNOWN: tuple[tuple[re.Pattern[str], str], ...] = (
    (
        re.compile(r"PGT300.*is of type \S.*\[\] but expression is of type", re.DOTALL),
        "refresh of an array column whose element type needs an image: numeric[], jsonb[]",
    ),
    (
        re.compile(r"PGT900\] no input of the join has the merged column"),
        "USING or NATURAL over a CTE",
    ),
)


def known(message: str) -> str:
    """Return why a message is expected today, nothing for one that is new."""
    return next((reason for pattern, reason in KNOWN if pattern.search(message)), "")
