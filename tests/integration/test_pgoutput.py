"""The decoder on bytes of running servers: every message kind, and what the changes add up to."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import TYPE_CHECKING

import psycopg
import pytest
from psycopg import sql

from pgtrickle import embedded
from pgtrickle._core import Decoder
from pgtrickle.cdc.wal.changes import buffer_input, decode
from tests.support import servers
from tests.support.pgoutput import core
from tests.support.pgoutput.capture import SETTINGS, Recorder, protocols
from tests.support.pgoutput.reference import ReferenceDecoder

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pgtrickle._core import TableChanges

pytestmark = pytest.mark.pg

KINDS = {1: "BCORYIUDTM", 2: "SEcA", 3: "bPKr", 4: "p"}
IDENTITIES = {
    "FULL": "ALTER TABLE item REPLICA IDENTITY FULL",
    "DEFAULT": "ALTER TABLE item REPLICA IDENTITY DEFAULT",
    "INDEX": "ALTER TABLE item REPLICA IDENTITY USING INDEX item_code",
}
COLUMNS = ["id", "code", "amount", "body"]


@pytest.fixture(scope="module", params=servers.VERSIONS, ids=lambda version: f"pg{version}")
def recorder(request: pytest.FixtureRequest) -> Iterator[Recorder]:
    """A database in which the scenario was played, with a slot for each protocol."""
    found = servers.binaries(request.param)
    with (
        embedded.temporary(binaries=found, settings=SETTINGS) as server,
        psycopg.connect(server.dsn(), autocommit=True) as connection,
    ):
        made = Recorder(connection, request.param)
        made.prepare()
        made.play()
        yield made


def test_both_decoders_tell_the_same_of_every_protocol(recorder: Recorder) -> None:
    kinds: set[str] = set()
    for protocol in protocols(recorder.version):
        messages = recorder.read(protocol)
        kinds |= {chr(message[0]) for message in messages}
        reference = ReferenceDecoder()
        reference.decode(messages)
        batch = decode(Decoder(), messages, slot=protocol.name)
        assert core.rows(batch) == reference.rows, protocol
        assert core.events(batch) == reference.events, protocol
        formats = {cell[0] for row in reference.rows for cell in row.cells} - {"n", "u"}
        assert formats == {"b" if protocol.binary else "t"}
    if recorder.version >= 16:  # before, only large transactions are streamed
        assert kinds == set("".join(KINDS.values()))


class Items:
    """A table under random writes, its slot, and what the slot tells."""

    def __init__(self, connection: psycopg.Connection, identity: str) -> None:
        self.connection = connection
        self.dice = Random(identity)  # noqa: S311 - a test that can be repeated
        connection.execute(
            "CREATE TABLE item (id int PRIMARY KEY, code text NOT NULL, amount numeric, body text)"
        )
        connection.execute("ALTER TABLE item ALTER body SET STORAGE EXTERNAL")
        connection.execute("CREATE UNIQUE INDEX item_code ON item (code)")
        connection.execute(sql.SQL(IDENTITIES[identity]))
        connection.execute("CREATE PUBLICATION items FOR TABLE item")
        self.slot = servers.unique_name("items")
        connection.execute("SELECT pg_create_logical_replication_slot(%s, 'pgoutput')", [self.slot])

    def write(self, transactions: int) -> None:
        """Run random transactions, a part of each rolled back to a savepoint."""
        for _ in range(transactions):
            with self.connection.transaction():
                for _ in range(self.dice.randint(1, 4)):
                    undo = self.dice.random() < 0.2
                    with self.connection.transaction(force_rollback=undo):
                        self._statement()

    def _statement(self) -> None:
        number, other = self.dice.randint(1, 12), self.dice.randint(13, 40)
        chosen = self.dice.choice(
            [
                "INSERT INTO item SELECT %(a)s, 'c' || %(a)s, random(), repeat('body ', 1000)"
                " WHERE NOT EXISTS (SELECT FROM item WHERE id = %(a)s OR code = 'c' || %(a)s)",
                "UPDATE item SET amount = amount + 1 WHERE id <= %(a)s",
                "UPDATE item SET code = 'd' || %(b)s WHERE id = %(a)s"
                " AND NOT EXISTS (SELECT FROM item WHERE code = 'd' || %(b)s)",
                "UPDATE item SET id = %(b)s WHERE id = %(a)s"
                " AND NOT EXISTS (SELECT FROM item WHERE id = %(b)s)",
                "DELETE FROM item WHERE id = %(b)s OR id = %(a)s",
            ]
        )
        self.connection.execute(sql.SQL(chosen), {"a": number, "b": other})

    def changes(self, *, binary: bool = False) -> TableChanges:
        """Return what the slot has told since it was made."""
        found = self.connection.execute(
            "SELECT data FROM pg_logical_slot_peek_binary_changes(%s, NULL, NULL, 'proto_version', '1',"
            " 'publication_names', 'items', 'binary', %s)",
            [self.slot, str(binary)],
        )
        batch = decode(Decoder(), [bytes(data) for (data,) in found], slot=self.slot)
        (changes,) = batch.tables()
        return changes

    def rows(self) -> Counter[tuple[str | None, ...]]:
        """Return the rows of the table as text."""
        found = self.connection.execute("SELECT id::text, code, amount::text, body FROM item")
        return Counter(found.fetchall())

    def next_xid(self) -> int:
        """Return the transaction id that the server hands out next."""
        found = self.connection.execute(
            "SELECT pg_snapshot_xmax(pg_current_snapshot())::text"
        ).fetchone()
        assert found is not None
        return int(found[0])

    def close(self) -> None:
        """Drop the slot, which would keep the database."""
        self.connection.execute("SELECT pg_drop_replication_slot(%s)", [self.slot])
        self.connection.close()


@pytest.fixture
def items(dsn: str, request: pytest.FixtureRequest) -> Iterator[Items]:
    connection = psycopg.connect(dsn, autocommit=True, options="-c synchronous_commit=on")
    made = Items(connection, request.param)
    made.write(60)
    yield made
    made.close()


def weights(changes: TableChanges) -> Counter[tuple[str | None, ...]]:
    sums: Counter[tuple[str | None, ...]] = Counter()
    for row in core.table_rows(changes):
        assert not any(kind == "u" for kind, _ in row.cells)
        image = tuple(None if value is None else value.decode() for _, value in row.cells)
        sums[image] += 1 if row.action == "I" else -1
    return Counter({image: weight for image, weight in sums.items() if weight})


@pytest.mark.parametrize("items", ["FULL"], indirect=True)
def test_whole_images_add_up_to_the_table_before_and_after_netting(items: Items) -> None:
    changes = items.changes()
    assert weights(changes) == items.rows()
    assert weights(changes.net(COLUMNS)) == items.rows()
    netted = changes.net(COLUMNS, across_transactions=True)
    assert weights(netted) == items.rows()
    assert len(netted) == items.rows().total() < len(changes.net(COLUMNS)) < len(changes)


@pytest.mark.parametrize("items", ["DEFAULT", "INDEX"], indirect=True)
def test_keys_and_new_rows_lead_to_the_table(items: Items) -> None:
    changes = items.changes()
    (key,) = [number for number, column in enumerate(changes.columns) if column.is_key]
    table: dict[bytes | None, tuple[bytes | None, ...]] = {}
    gone: tuple[bytes | None, ...] = ()
    for row in core.table_rows(changes):
        values = tuple(value for _, value in row.cells)
        if row.action == "D":
            gone = table.pop(values[key])
            continue
        untold = [kind == "u" for kind, _ in row.cells]
        table[values[key]] = tuple(
            before if unknown else value
            for value, before, unknown in zip(values, gone or values, untold, strict=True)
        )
    found = Counter(
        tuple(None if value is None else value.decode() for value in row) for row in table.values()
    )
    assert found == items.rows()


@pytest.mark.parametrize("binary", [True, False], ids=["binary", "text"])
@pytest.mark.parametrize("items", ["FULL"], indirect=True)
def test_copy_input_fills_a_buffer_with_the_changes(items: Items, binary: bool) -> None:
    connection = items.connection
    connection.execute(
        'CREATE TABLE buffer (change_id bigint GENERATED ALWAYS AS IDENTITY, xid xid8, action "char",'
        " id int, code text, amount numeric, body text)"
    )
    changes = items.changes(binary=binary)
    copied = buffer_input(changes, COLUMNS, next_xid=items.next_xid(), binary=binary)
    target = sql.SQL("COPY buffer (xid, action, id, code, amount, body) FROM STDIN (FORMAT {})")
    format_name = sql.SQL("binary" if binary else "text")
    with connection.cursor() as cursor, cursor.copy(target.format(format_name)) as copy:
        copy.write(copied)
    told = connection.execute(
        "SELECT action, id::text, code, amount::text, body FROM buffer ORDER BY change_id"
    ).fetchall()
    assert b"".join(row[0].encode() for row in told) == changes.actions
    sums: Counter[tuple[str | None, ...]] = Counter()
    for action, *image in told:
        sums[tuple(image)] += 1 if action == "I" else -1
    assert Counter({image: weight for image, weight in sums.items() if weight}) == items.rows()
    xids = connection.execute("SELECT xid::text FROM buffer ORDER BY change_id").fetchall()
    assert [int(xid) & 0xFFFFFFFF for (xid,) in xids] == core.words(changes.xids)
    seen = connection.execute(
        "SELECT bool_and(pg_visible_in_snapshot(xid, pg_current_snapshot())) FROM buffer"
    )
    assert seen.fetchone() == (True,)
