"""One writer of the bank, run as a process of its own: python -m tests.support.bank_writer.

Its transactions have savepoints, partial and full rollbacks, pauses while open (so that commits come
out of order), and two-phase commits. At the end it prints its ledger and how often it did what.
"""

from __future__ import annotations

import json
import random
import sys
import time
from collections import Counter
from typing import TYPE_CHECKING, Any

import psycopg

from tests.support.bank import REGIONS, Ledger

if TYPE_CHECKING:
    from collections.abc import Callable

    Action = Callable[[], Ledger]


class Writer:
    """Changes rows until its time is over. It deletes and renumbers only accounts of its own."""

    def __init__(self, connection: psycopg.Connection[Any], number: int, seed: int) -> None:
        self._run = connection.execute
        self._number = number
        self._random = random.Random(seed * 100 + number)  # noqa: S311 # repeatable, not secret
        self._next_id = number * 1_000_000
        self.ledger = Ledger()
        self.counts: Counter[str] = Counter()

    def work(self, until: float) -> None:
        """Run transactions until the clock says so."""
        while time.monotonic() < until:
            try:
                self._transaction()
            except (
                psycopg.errors.DeadlockDetected,
                psycopg.errors.LockNotAvailable,
                psycopg.errors.SerializationFailure,
            ):
                self._run("ROLLBACK")
                self.counts["aborted"] += 1

    def _transaction(self) -> None:
        level = "REPEATABLE READ" if self._chance(0.1) else "READ COMMITTED"
        self._run(f"BEGIN ISOLATION LEVEL {level}")
        changes = Ledger()
        for _ in range(self._random.randint(1, 3)):
            changes.add(self._step())
            self._pause()
        self._finish(changes)

    def _step(self) -> Ledger:
        if not self._chance(0.35):
            return self._action()
        self._run("SAVEPOINT s")
        changes = self._action()
        if self._chance(0.5):
            self._run("ROLLBACK TO s")
            self.counts["partial rollback"] += 1
            return self._action()
        self._run("RELEASE s")
        return changes

    def _pause(self) -> None:
        if self._chance(0.08):
            self.counts["pause"] += 1
            time.sleep(self._random.choice((0.02, 0.1, 0.4)))

    def _finish(self, changes: Ledger) -> None:
        roll = self._random.random()
        if roll < 0.1:
            self._run("ROLLBACK")
            self.counts["rollback"] += 1
        elif roll < 0.22:
            self._two_phases(changes)
        else:
            self._run("COMMIT")
            self._committed(changes)

    def _two_phases(self, changes: Ledger) -> None:
        name = f"w{self._number}_{self.counts['prepared']}"
        self._run(f"PREPARE TRANSACTION '{name}'")
        self.counts["prepared"] += 1
        time.sleep(self._random.choice((0, 0.01, 0.15)))
        if self._chance(0.3):
            self._run(f"ROLLBACK PREPARED '{name}'")
            self.counts["rollback prepared"] += 1
        else:
            self._run(f"COMMIT PREPARED '{name}'")
            self._committed(changes)

    def _committed(self, changes: Ledger) -> None:
        self.ledger.add(changes)
        self.counts["commit"] += 1

    def _chance(self, share: float) -> bool:
        return self._random.random() < share

    def _action(self) -> Ledger:
        actions: tuple[Action, ...] = (
            self._transfer,
            self._transfer,
            self._open,
            self._close,
            self._renumber,
            self._move,
            self._record,
            self._forget,
            self._revise,
        )
        return self._random.choice(actions)()

    def _transfer(self) -> Ledger:
        """Move money between two accounts, or nothing when one of them is gone."""
        found = self._run("SELECT id FROM accounts ORDER BY random() LIMIT 2").fetchall()
        if len(found) == 2:
            source, target = sorted(identity for (identity,) in found)
            amount = self._random.randint(1, 40)
            locked = self._run(
                "SELECT id FROM accounts WHERE id IN (%s, %s) ORDER BY id FOR UPDATE",
                (source, target),
            ).fetchall()
            if len(locked) == 2:
                update = "UPDATE accounts SET balance = balance + %s WHERE id = %s"
                self._run(update, (-amount, source))
                self._run(update, (amount, target))
        return Ledger()

    def _open(self) -> Ledger:
        self._next_id += 1
        owner, region = self._random.randint(0, 9), self._random.choice(REGIONS)
        balance = self._random.randint(0, 300)
        row = (self._next_id, owner, region, balance)
        self._run("INSERT INTO accounts VALUES (%s, %s, %s, %s)", row)
        return Ledger(accounts=1, balance=Ledger().balance + balance)

    def _own(self) -> int | None:
        """Return the identity of an account that only this process deletes or renumbers."""
        found = self._run(
            "SELECT id FROM accounts WHERE id BETWEEN %s AND %s ORDER BY random() LIMIT 1",
            (self._number * 1_000_000, self._next_id),
        ).fetchone()
        return int(found[0]) if found else None

    def _close(self) -> Ledger:
        gone = self._run(
            "DELETE FROM accounts WHERE id = %s RETURNING balance", (self._own(),)
        ).fetchone()
        return Ledger(accounts=-1, balance=-gone[0]) if gone else Ledger()

    def _renumber(self) -> Ledger:
        self._next_id += 1
        self._run("UPDATE accounts SET id = %s WHERE id = %s", (self._next_id, self._own()))
        return Ledger()

    def _move(self) -> Ledger:
        owner, region = self._random.randint(0, 9), self._random.choice(REGIONS)
        found = self._run("SELECT id FROM accounts ORDER BY random() LIMIT 1").fetchone()
        identity = found[0] if found else None
        update = "UPDATE accounts SET owner = %s, region = %s WHERE id = %s"
        self._run(update, (owner, region, identity))
        return Ledger()

    def _record(self) -> Ledger:
        """Insert some equal rows."""
        owner, amount, copies = (self._random.randint(1, most) for most in (9, 3, 3))
        for _ in range(copies):
            self._run("INSERT INTO events VALUES (%s, %s, %s)", (owner, self._kind(), amount))
        return Ledger(events=copies, amount=amount * copies)

    def _forget(self) -> Ledger:
        """Delete a few of the rows this process wrote, not all duplicates of them."""
        gone = self._run(
            "DELETE FROM events WHERE ctid = ANY (ARRAY("
            "SELECT ctid FROM events WHERE kind = %s ORDER BY random() LIMIT 4)) RETURNING amount",
            (self._kind(),),
        ).fetchall()
        return Ledger(events=-len(gone), amount=-sum(amount for (amount,) in gone))

    def _revise(self) -> Ledger:
        """Give rows of this process another owner, which joins them elsewhere."""
        owners = (self._random.randint(0, 9), self._random.randint(0, 9))
        self._run(
            "UPDATE events SET owner = %s WHERE owner = %s AND kind = %s", (*owners, self._kind())
        )
        return Ledger()

    def _kind(self) -> str:
        return f"w{self._number}"


def main(dsn: str, number: int, seconds: float, seed: int) -> None:
    """Write for so many seconds, then print what was done as JSON."""
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("SET lock_timeout = '2s'")
        writer = Writer(connection, number, seed)
        writer.work(time.monotonic() + seconds)
    ledger = writer.ledger
    done = {
        "accounts": ledger.accounts,
        "balance": str(ledger.balance),
        "events": ledger.events,
        "amount": ledger.amount,
        "counts": dict(writer.counts),
    }
    sys.stdout.write(json.dumps(done))


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]), float(sys.argv[3]), int(sys.argv[4]))
