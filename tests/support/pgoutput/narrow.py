"""Many changes of a narrow table, as a server sends them: what the benchmarks decode."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import psycopg

SCHEMA = """
CREATE TABLE narrow (id int PRIMARY KEY, account int, amount int, paid boolean);
ALTER TABLE narrow REPLICA IDENTITY FULL;
CREATE PUBLICATION narrow FOR TABLE narrow;
"""


def capture(connection: psycopg.Connection, rows: int, *, binary: bool) -> list[bytes]:
    """Return the messages of `rows` inserts, as many updates and half as many deletes."""
    connection.execute(SCHEMA)
    connection.execute("SELECT pg_create_logical_replication_slot('narrow', 'pgoutput')")
    connection.execute(
        "INSERT INTO narrow SELECT g, g %% 1000, g * 7 %% 10000, g %% 3 = 0 FROM generate_series(1, %s) g",
        [rows],
    )
    connection.execute("UPDATE narrow SET amount = amount + 1")
    connection.execute("DELETE FROM narrow WHERE id %% 2 = 0", [])
    found = connection.execute(
        "SELECT data FROM pg_logical_slot_get_binary_changes('narrow', NULL, NULL, 'proto_version', '1',"
        " 'publication_names', 'narrow', 'binary', %s)",
        [str(binary)],
    ).fetchall()
    connection.execute("SELECT pg_drop_replication_slot('narrow')")
    connection.execute("DROP PUBLICATION narrow")
    connection.execute("DROP TABLE narrow")
    return [bytes(data) for (data,) in found]
