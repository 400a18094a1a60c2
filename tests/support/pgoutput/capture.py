"""Bytes of a real server: a scenario with every kind of message, and the slots that record it.

Run as a program it writes anew the corpus of the Rust tests and the fuzzer, and the bytes of the Rust benchmark:

    python -m tests.support.pgoutput.capture
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
from psycopg import sql

from pgtrickle import embedded
from tests.support import servers
from tests.support.pgoutput import narrow

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[3]
CORPUS = ROOT / "crates/pgtrickle-core/fuzz/corpus/pgoutput"
NARROW = ROOT / "benches/rust/pgoutput_narrow.bin"

# Small memory for decoding makes large transactions stream; what is written must be flushed to be decoded.
SETTINGS = servers.FAST | {
    "synchronous_commit": "on",
    "logical_decoding_work_mem": "64kB",
    "max_replication_slots": "20",
}

SCHEMA = """
CREATE TYPE mood AS ENUM ('sad', 'glad');
CREATE TABLE by_key (id int PRIMARY KEY, name text, feeling mood, body text);
ALTER TABLE by_key ALTER body SET STORAGE EXTERNAL;
CREATE TABLE by_index (a int, code text NOT NULL UNIQUE, body text);
ALTER TABLE by_index ALTER body SET STORAGE EXTERNAL;
ALTER TABLE by_index REPLICA IDENTITY USING INDEX by_index_code_key;
CREATE TABLE by_row (id int, amount numeric, at timestamptz, body text);
ALTER TABLE by_row ALTER body SET STORAGE EXTERNAL;
ALTER TABLE by_row REPLICA IDENTITY FULL;
CREATE TABLE by_nothing (id int, note text);
ALTER TABLE by_nothing REPLICA IDENTITY NOTHING;
CREATE PUBLICATION everything FOR TABLE by_key, by_index, by_row;
CREATE PUBLICATION inserts FOR TABLE by_nothing WITH (publish = 'insert, truncate');
"""

LONG = "repeat('long ', 1000)"

STEPS: tuple[tuple[str, ...], ...] = (
    (
        f"INSERT INTO by_key VALUES (1, 'one', 'sad', {LONG}), (2, NULL, 'glad', ''), (3, 'tab\tand\\', NULL, NULL)",
        "UPDATE by_key SET name = 'uno' WHERE id = 1",
        "UPDATE by_key SET id = 10 WHERE id = 1",
        "DELETE FROM by_key WHERE id = 2",
    ),
    (
        f"INSERT INTO by_index VALUES (1, 'x', {LONG}), (2, 'y', 'short')",
        "UPDATE by_index SET a = 3 WHERE code = 'x'",
        "UPDATE by_index SET code = 'z' WHERE code = 'y'",
        "DELETE FROM by_index WHERE code = 'z'",
    ),
    (
        f"INSERT INTO by_row VALUES (1, 1.50, '2020-01-01 00:00Z', {LONG}), (2, NULL, NULL, NULL), (2, NULL, NULL, NULL)",
        "UPDATE by_row SET amount = amount + 1 WHERE id = 1",
        "UPDATE by_row SET id = 3 WHERE id = 2",
        "DELETE FROM by_row WHERE id = 3",
    ),
    ("INSERT INTO by_nothing VALUES (1, 'only inserted')",),
    (
        "SELECT pg_logical_emit_message(true, 'pgtrickle', 'in a transaction')",
        "INSERT INTO by_row (id) VALUES (7)",
        "SAVEPOINT a",
        "INSERT INTO by_row (id) VALUES (8)",
        "ROLLBACK TO a",
        "INSERT INTO by_row (id) VALUES (9)",
    ),
    ("SELECT pg_logical_emit_message(false, 'pgtrickle', 'outside')",),
    (
        "INSERT INTO by_key (id) VALUES (20)",
        "ALTER TABLE by_key ADD COLUMN added int DEFAULT 5",
        "INSERT INTO by_key (id, added) VALUES (21, 6)",
        "ALTER TABLE by_key DROP COLUMN name",
        "UPDATE by_key SET added = 7 WHERE id = 20",
    ),
    ("TRUNCATE by_index, by_nothing RESTART IDENTITY CASCADE",),
)
LARGE = "INSERT INTO by_row (id, amount) SELECT g, g FROM generate_series(100, 102) g"


@dataclass(frozen=True, slots=True)
class Protocol:
    """How a slot is read."""

    name: str
    version: int
    binary: bool = False
    streaming: str = "off"
    two_phase: bool = False

    @property
    def options(self) -> tuple[str, ...]:
        """What the plugin is told."""
        told = {
            "proto_version": str(self.version),
            "publication_names": "everything,inserts",
            "messages": "true",
            "binary": "true" if self.binary else "false",
        }
        if self.streaming != "off":
            told["streaming"] = self.streaming
        return tuple(part for item in told.items() for part in item)


PROTOCOLS = (
    Protocol("v1_text", 1),
    Protocol("v1_binary", 1, binary=True),
    Protocol("v2_streaming", 2, streaming="on"),
    Protocol("v3_two_phase", 3, two_phase=True),
    Protocol("v3_streaming", 3, binary=True, streaming="on", two_phase=True),
    Protocol("v4_parallel", 4, streaming="parallel", two_phase=True),
)


def protocols(version: int) -> tuple[Protocol, ...]:
    """Return those that a major version of the server speaks."""
    return tuple(each for each in PROTOCOLS if each.version < 4 or version >= 16)


@dataclass(frozen=True, slots=True)
class Recorder:
    """A database with the scenario's tables and a slot for each protocol."""

    connection: psycopg.Connection
    version: int

    def prepare(self) -> None:
        """Make tables, publications, an origin and the slots."""
        self.connection.execute(SCHEMA)
        self.connection.execute("SELECT pg_replication_origin_create('elsewhere')")
        for protocol in protocols(self.version):
            self.connection.execute(
                "SELECT pg_create_logical_replication_slot(%s, 'pgoutput', false, %s)",
                [protocol.name, protocol.two_phase],
            )

    def play(self) -> None:
        """Run the scenario: each step a transaction, then what needs more than one."""
        for step in STEPS:
            with self.connection.transaction():
                for statement in step:
                    self.connection.execute(sql.SQL(statement))
        self._from_elsewhere()
        for fate in ("COMMIT", "ROLLBACK"):
            self._prepared(fate)
        self._rolled_back()

    def _from_elsewhere(self) -> None:
        self.connection.execute("SELECT pg_replication_origin_session_setup('elsewhere')")
        with self.connection.transaction():
            self.connection.execute(
                "SELECT pg_replication_origin_xact_setup('0/12345678', '2020-01-01 00:00Z')"
            )
            self.connection.execute("INSERT INTO by_key (id) VALUES (30)")
        self.connection.execute("SELECT pg_replication_origin_session_reset()")

    def _prepared(self, fate: str) -> None:
        self.connection.execute("BEGIN")
        self.connection.execute(sql.SQL(LARGE))
        self.connection.execute("PREPARE TRANSACTION 'by two phases'")
        self.connection.execute(sql.SQL("{} PREPARED 'by two phases'").format(sql.SQL(fate)))

    def _rolled_back(self) -> None:
        with self.connection.transaction(force_rollback=True):
            self.connection.execute(sql.SQL(LARGE))
        self.connection.execute("SELECT pg_logical_emit_message(true, 'pgtrickle', 'the end')")

    def read(self, protocol: Protocol) -> list[bytes]:
        """Return the messages that the slot holds, which stay in it."""
        if self.version >= 16:
            mode = "immediate" if protocol.streaming != "off" else "buffered"
            self.connection.execute(
                "SELECT set_config('debug_logical_replication_streaming', %s, false)", [mode]
            )
        found = self.connection.execute(
            "SELECT data FROM pg_logical_slot_peek_binary_changes(%s, NULL, NULL, VARIADIC %s::text[])",
            [protocol.name, list(protocol.options)],
        )
        return [bytes(data) for (data,) in found]


def framed(messages: list[bytes]) -> bytes:
    """Return the messages in one piece, each after its length in two bytes."""
    return b"".join(len(message).to_bytes(2, "big") + message for message in messages)


def unframed(data: bytes) -> Iterator[bytes]:
    """Yield the messages again."""
    at = 0
    while at < len(data):
        end = at + 2 + int.from_bytes(data[at : at + 2], "big")
        yield data[at + 2 : end]
        at = end


def main() -> None:
    """Write the corpus anew."""
    CORPUS.mkdir(parents=True, exist_ok=True)
    with (
        embedded.temporary(binaries=servers.binaries(18), settings=SETTINGS) as server,
        psycopg.connect(server.dsn(), autocommit=True) as connection,
    ):
        recorder = Recorder(connection, 18)
        recorder.prepare()
        recorder.play()
        for protocol in protocols(18):
            (CORPUS / protocol.name).write_bytes(framed(recorder.read(protocol)))
        NARROW.write_bytes(framed(narrow.capture(connection, 400, binary=False)))


if __name__ == "__main__":
    main()
