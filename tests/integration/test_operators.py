"""Every operator, one query each: differential, and after each window what its own text says.

`operators/settled.sql` holds queries with one result; those in `open.sql` leave a choice that the compiler settles, so they
are held against the completed query alone. Those in `full.sql` have no differential form, for the reason whose code stands above.
"""

from __future__ import annotations

from pathlib import Path
from random import Random
from typing import TYPE_CHECKING

import pytest

import pgtrickle
from pgtrickle.catalog.model import Action

if TYPE_CHECKING:
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg
FILES = Path(__file__).parent / "operators"
SETTLED, OPEN = (
    [
        query.strip()
        for query in (FILES / name).read_text(encoding="utf-8").split(";\n")
        if query.strip()
    ]
    for name in ("settled.sql", "open.sql")
)
FULL = [
    (note.removeprefix("-- "), query.strip())
    for note, _, query in (
        entry.strip().partition("\n")
        for entry in (FILES / "full.sql").read_text(encoding="utf-8").split(";\n")
        if entry.strip()
    )
]
TABLES = """
CREATE TABLE a (id int PRIMARY KEY, k int, g text, n numeric(10,2), f float8, b bool, arr int[], j json);
CREATE TABLE b (id int PRIMARY KEY, k int NOT NULL, v int, w int);
CREATE TABLE c (x int, y int);
CREATE TABLE e (src int, dst int);
"""
ROUNDS = 3


def _or_null(dice: Random, value: object) -> str:
    return "NULL" if dice.random() < 0.2 else str(value)


def _row(dice: Random, table: str, number: int) -> str:
    if table == "a":
        values = [
            dice.randrange(6),
            f"'{dice.choice('xyz')}'",
            dice.randrange(100) / 4,
            dice.randrange(8) / 8,
            dice.choice(["true", "false"]),
            f"ARRAY[{dice.randrange(3)},{dice.randrange(3)}]",
            f"""'{{"a":{dice.randrange(3)}}}'""",
        ]
        return ", ".join([str(number), *(_or_null(dice, value) for value in values)])
    if table == "b":
        rest = [_or_null(dice, dice.randrange(5)) for _ in range(2)]
        return ", ".join([str(number), str(dice.randrange(6)), *rest])
    return ", ".join(_or_null(dice, dice.randrange(5)) for _ in range(2))


def _change(lab: Lab, dice: Random, first: int) -> None:
    """Insert, update and delete in every table, in one transaction."""
    statements = ["BEGIN"]
    for table in ("a", "b", "c", "e"):
        statements += [
            f"INSERT INTO {table} VALUES ({_row(dice, table, first + i)})" for i in (0, 1)
        ]
    statements += [
        f"UPDATE a SET k = {dice.randrange(6)}, b = NOT b WHERE id % 7 = {dice.randrange(7)}",
        f"UPDATE a SET n = n + 1, g = NULL WHERE id % 5 = {dice.randrange(5)}",
        f"UPDATE b SET k = {dice.randrange(6)}, v = NULL WHERE id % 7 = {dice.randrange(7)}",
        f"UPDATE c SET x = {dice.randrange(5)} WHERE y = {dice.randrange(5)}",
        f"DELETE FROM a WHERE id % 9 = {dice.randrange(9)}",
        f"DELETE FROM b WHERE id % 9 = {dice.randrange(9)}",
        f"DELETE FROM e WHERE dst = {dice.randrange(5)}",
        "COMMIT",
    ]
    lab.run("; ".join(statements))


def _differences(lab: Lab, name: str, query: str) -> int:
    """Count rows, as they print, that only the query or only the stream table has."""
    wanted = f"SELECT q::text FROM ({query}) AS q"
    stored = f"SELECT q::text FROM {name} AS q"
    text = (
        f"SELECT count(*) FROM (({wanted} EXCEPT ALL {stored})"
        f" UNION ALL ({stored} EXCEPT ALL {wanted})) AS d"
    )
    return int(lab.value(text))


def test_every_operator_is_differential_and_exact(any_lab: Lab) -> None:
    dice = Random(7)  # noqa: S311 - test data
    any_lab.run(TABLES)
    for table in ("a", "b", "c", "e"):
        for number in range(25):
            any_lab.run(f"INSERT INTO {table} VALUES ({_row(dice, table, number)})")
    with pgtrickle.connect(any_lab.dsn) as client:
        names = {f"q{number}": query for number, query in enumerate([*SETTLED, *OPEN])}
        for name, query in names.items():
            client.create_stream_table(name, query, refresh_mode="DIFFERENTIAL")
        for window in range(1, ROUNDS + 1):
            _change(any_lab, dice, 1000 * window)
            for name, query in names.items():
                action = client.refresh_stream_table(name).action
                assert action in (Action.DIFFERENTIAL, Action.NO_DATA), query
                if query in SETTLED:
                    assert _differences(any_lab, name, query) == 0, query
        for name, query in names.items():
            assert client.verify(name).matches, query
            client.drop_stream_table(name)
        assert (
            any_lab.value("SELECT count(*) FROM pg_tables WHERE schemaname = 'pgtrickle_state'")
            == 0
        )


def test_what_has_no_differential_form_says_so_and_is_exact(lab: Lab) -> None:
    dice = Random(11)  # noqa: S311 - test data
    lab.run(TABLES)
    for table in ("a", "b", "c", "e"):
        for number in range(25):
            lab.run(f"INSERT INTO {table} VALUES ({_row(dice, table, number)})")
    with pgtrickle.connect(lab.dsn) as client:
        for number, (code, query) in enumerate(FULL):
            with pytest.warns(pgtrickle.errors.PgtrickleWarning, match=code):
                client.create_stream_table(f"f{number}", query)
        _change(lab, dice, 1000)
        for number, (_, query) in enumerate(FULL):
            assert client.refresh_stream_table(f"f{number}").action is Action.FULL, query
            assert _differences(lab, f"f{number}", query) == 0, query
