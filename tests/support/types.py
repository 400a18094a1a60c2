"""Stream tables held against their queries, whatever the types of their columns."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.support.lab import Lab

_DIFFERENCE = """
WITH wanted AS (SELECT {images} FROM ({query}) AS q ({names})),
     stored AS (SELECT {images} FROM {name} AS q ({names}))
SELECT 'missing ' || left(d::text, 200) FROM (TABLE wanted EXCEPT ALL TABLE stored) AS d
UNION ALL
SELECT 'extra ' || left(d::text, 200) FROM (TABLE stored EXCEPT ALL TABLE wanted) AS d
"""


def differences(lab: Lab, name: str, query: str, *, by_value: bool = False) -> list[str]:
    """Return the rows that only the query or only the stream table has, compared as they print or by their equality."""
    described = lab.connection.execute(f"SELECT * FROM {name} LIMIT 0".encode()).description or ()
    names = [f"c{place}" for place, _ in enumerate(described)]
    images = names if by_value else [f"{each}::text AS {each}" for each in names]
    text = _DIFFERENCE.format(
        images=", ".join(images), names=", ".join(names), query=query, name=name
    )
    return [row for (row,) in lab.rows(text)]
