"""A small bank whose rows many processes change at once, and the ledger they keep of it.

The ledger is counted by the writers from what they committed, so it knows nothing of capture.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from decimal import Decimal

REGIONS = ("north", "south", "east", None)

SCHEMA = """
CREATE TABLE accounts (id bigint PRIMARY KEY, owner int NOT NULL, region text, balance numeric(12,2) NOT NULL);
CREATE TABLE events (owner int, kind text, amount int);
INSERT INTO accounts SELECT n, n % 10, (ARRAY['north', 'south', 'east', NULL])[n % 4 + 1], 100 FROM generate_series(1, 80) AS n;
INSERT INTO events SELECT n % 10, 'seed', n % 3 FROM generate_series(1, 40) AS n;
"""

# In order of dependency; the last one reads the one before it.
STREAMS: dict[str, str] = {
    "rich": "SELECT id, owner, balance FROM accounts WHERE balance >= 100",
    "activity": "SELECT a.id, a.region, e.kind, e.amount FROM accounts a JOIN events e ON e.owner = a.owner",
    "totals": "SELECT region, count(*) AS accounts, sum(balance) AS balance, max(balance) AS most "
    "FROM accounts GROUP BY region",
    "sizes": "SELECT accounts % 2 AS odd, count(*) AS regions, sum(balance) AS balance FROM totals "
    "GROUP BY accounts % 2",
}


@dataclass(slots=True)
class Ledger:
    """Differences that committed transactions made."""

    accounts: int = 0
    balance: Decimal = Decimal(0)
    events: int = 0
    amount: int = 0

    def add(self, other: Ledger) -> None:
        """Take over another ledger's differences."""
        for field in fields(self):
            setattr(self, field.name, getattr(self, field.name) + getattr(other, field.name))
