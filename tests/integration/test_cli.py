"""Every command once, as a person or a script would call it."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any

import psycopg
import pytest
from typer.testing import CliRunner

from pgtrickle.cli.main import app

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

    from typer.testing import Result

pytestmark = pytest.mark.pg

SHOP = """
    CREATE TABLE orders (id int PRIMARY KEY, region text NOT NULL, amount numeric(10, 2) NOT NULL);
    INSERT INTO orders SELECT n, 'r' || n % 3, n FROM generate_series(1, 9) AS n
"""
REVENUE = "SELECT region, sum(amount) AS total FROM orders GROUP BY region"
UNHANDLED = "SELECT region, now() AS at FROM orders"


@pytest.fixture
def run(dsn: str) -> Callable[..., Result]:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(SHOP)

    def call(*arguments: str, given: str | None = None) -> Result:
        return CliRunner().invoke(
            app, arguments, input=given, env={"PGTRICKLE_DSN": dsn, "COLUMNS": "200"}
        )

    return call


@pytest.fixture
def installed(run: Callable[..., Result]) -> Callable[..., Result]:
    assert run("install").exit_code == 0
    return run


def change(dsn: str, statement: str) -> None:
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute(statement.encode())


def read(result: Result) -> Any:  # noqa: ANN401 - JSON
    assert result.exit_code == 0, result.output
    return json.loads(result.stdout)


def test_a_stream_table_from_the_cradle_to_the_grave(
    dsn: str, installed: Callable[..., Result]
) -> None:
    created = installed("create", "revenue", REVENUE)
    assert created.exit_code == 0, created.output
    assert "public.revenue is ready, refresh mode DIFFERENTIAL" in created.stdout
    change(dsn, "UPDATE orders SET amount = amount + 1 WHERE id <= 3")
    refreshed = read(installed("refresh", "revenue", "--json"))
    assert (refreshed["action"], refreshed["updated"]) == ("DIFFERENTIAL", 3)
    assert read(installed("refresh", "--all", "--json"))[0]["action"] == "NO_DATA"
    assert read(installed("verify", "revenue", "--json"))["matches"] is True
    assert len(read(installed("history", "--json"))) == 1
    assert read(installed("status", "--json"))[0]["status"] == "ACTIVE"
    assert installed("drop", "revenue").exit_code == 0
    assert read(installed("status", "--json")) == []
    assert installed("uninstall").exit_code == 0
    assert "PGT012" in installed("status").stderr


def test_a_stream_table_is_altered_and_suspended(
    dsn: str, installed: Callable[..., Result]
) -> None:
    assert installed("create", "revenue", REVENUE).exit_code == 0
    altered = installed("alter", "revenue", f"{REVENUE} , id % 2", "--schedule", "5s")
    assert altered.exit_code == 0, altered.output
    assert "public.revenue is active, refresh mode DIFFERENTIAL" in altered.stdout
    assert installed("alter", "revenue", "--status", "suspended").exit_code == 0
    change(dsn, "UPDATE orders SET amount = amount + 1 WHERE id <= 3")
    refused = installed("refresh", "revenue")
    assert refused.exit_code == 1
    assert "PGT401" in refused.stderr
    left_out = installed("refresh", "--all", "--json")
    assert read(left_out) == []
    assert "suspended" in left_out.stderr
    assert read(installed("refresh", "revenue", "--include-suspended", "--json"))["updated"] == 3
    assert installed("alter", "revenue", "--status", "ACTIVE").exit_code == 0
    assert read(installed("verify", "revenue", "--json"))["matches"] is True
    assert installed("alter", "revenue").exit_code == 2
    assert "PGT001" in installed("alter", "revenue", "--status", "ERROR").stderr


def test_tables_for_people_name_what_they_show(installed: Callable[..., Result]) -> None:
    installed("create", "revenue", REVENUE)
    assert "verified" in installed("verify", "--all").stdout
    assert "NO_DATA" in installed("refresh", "revenue").stdout
    assert "FULL" in installed("refresh", "revenue", "--full").stdout
    assert "requested" in installed("history", "revenue", "--limit", "1").stdout
    assert "DIFFERENTIAL" in installed("status").stdout
    assert "cleared" in installed("clear-caches").stdout


def test_nothing_to_show_is_said_on_stderr(installed: Callable[..., Result]) -> None:
    for command in (["status"], ["history"], ["refresh", "--all"], ["verify", "--all"]):
        result = installed(*command)
        assert (result.exit_code, result.stdout) == (0, ""), command
        assert result.stderr


def test_explain_shows_the_plan_and_on_request_the_sql(installed: Callable[..., Result]) -> None:
    installed("create", "revenue", REVENUE)
    explained = installed("explain", "revenue").stdout
    assert "Aggregate by" in explained
    assert "MERGE" not in explained
    assert "MERGE" in installed("explain", "revenue", "--sql").stdout
    found = read(installed("explain", "revenue", "--json"))
    assert found["mode"] == "DIFFERENTIAL"
    assert list(found["deltas"]) == ["public.orders"]
    assert [cost["complexity"] for cost in found["costs"]] == ["O(change)"]
    assert found["suggested_indexes"] == []


def test_explain_shows_costs_and_missing_indexes(installed: Callable[..., Result]) -> None:
    installed(
        "create", "pairs", "SELECT a.id, b.id AS other FROM orders a JOIN orders b USING (region)"
    )
    explained = installed("explain", "pairs").stdout
    assert "reads all of a table" in explained
    assert 'CREATE INDEX ON "public"."orders"("region")' in explained
    (advice,) = read(installed("explain", "pairs", "--json"))["suggested_indexes"]
    assert (advice["columns"], advice["sources"]) == (["region"], ["public.orders"])


def test_validate_creates_nothing(installed: Callable[..., Result]) -> None:
    assert "DIFFERENTIAL" in installed("validate", REVENUE).stdout
    found = read(installed("validate", "-", "--json", given=UNHANDLED))
    assert found["mode"] == "FULL"
    assert "PGT220" in found["reasons"][0]
    assert read(installed("status", "--json")) == []


def test_a_query_may_come_from_a_file_or_stdin(
    installed: Callable[..., Result], tmp_path: Path
) -> None:
    file = tmp_path / "query.sql"
    file.write_text(REVENUE, encoding="utf-8")
    assert installed("create", "one", "--file", str(file)).exit_code == 0
    assert installed("create", "two", "-", given=REVENUE).exit_code == 0
    assert len(read(installed("status", "--json"))) == 2


def test_a_fallback_is_a_warning_on_stderr_and_strict_refuses_it(
    installed: Callable[..., Result],
) -> None:
    created = installed("create", "regions", UNHANDLED)
    assert created.exit_code == 0
    assert "warning:" in created.stderr
    assert "PGT220" in created.stderr
    assert "PGT220" not in created.stdout
    refused = installed("create", "regions_too", UNHANDLED, "--strict")
    assert refused.exit_code == 1
    assert "[PGT220]" in refused.stderr


@pytest.mark.parametrize(
    ("arguments", "status", "told"),
    [
        (["refresh", "nothing"], 1, "PGT102"),
        (["verify", "nothing", "--json"], 1, "PGT102"),
        (["explain", "nothing"], 1, "PGT102"),
        (["drop", "nothing"], 1, "PGT102"),
        (["create", "bad", "SELECT nothing FROM orders"], 1, "PGT100"),
        (["create", "bad", "SELECT random() AS x FROM orders"], 1, "PGT110"),
        (["create", "orders", REVENUE], 1, "PGT101"),
        (["status", "--dsn", "host=/nowhere"], 1, "PGT010"),
        (["create", "none"], 2, "give one query"),
        (["refresh"], 2, "--all"),
        (["refresh", "x", "--all"], 2, "--all"),
        (["refresh", "--all", "--full"], 2, "--full"),
        (["create", "bad", REVENUE, "--refresh-mode", "SOMETIMES"], 2, "SOMETIMES"),
        (["create", "bad", "--file", "/nowhere/query.sql"], 2, "query.sql"),
        (["frobnicate"], 2, "frobnicate"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_errors_have_an_exit_status_and_leave_stdout_alone(
    installed: Callable[..., Result], arguments: Sequence[str], status: int, told: str
) -> None:
    result = installed(*arguments)
    assert result.exit_code == status, result.output
    assert told in result.stderr
    assert result.stdout == ""
    assert "Traceback" not in result.output


def test_a_stream_table_that_differs_gives_status_3(
    dsn: str, installed: Callable[..., Result]
) -> None:
    installed("create", "revenue", REVENUE)
    change(
        dsn,
        "SET pgtrickle.refreshing = on;"
        " DELETE FROM pgtrickle_state.\"public.revenue\" WHERE region = 'r0'",
    )
    result = installed("verify", "revenue", "--json")
    assert result.exit_code == 3
    found = json.loads(result.stdout)
    assert found["missing"] == 1
    assert [(each["kind"], each["row"]["region"]) for each in found["differences"]] == [
        ("missing", "r0")
    ]
    shown = installed("verify", "--all")
    assert shown.exit_code == 3
    assert re.search(r"^difference +region +total$", shown.stdout, re.MULTILINE)
    assert re.search(r"^missing +r0 +\d", shown.stdout, re.MULTILINE)


def test_one_failing_table_does_not_stop_the_others_and_gives_status_1(
    dsn: str, installed: Callable[..., Result]
) -> None:
    change(dsn, "CREATE TABLE doomed AS SELECT 1 AS x")
    installed("create", "first", "SELECT x FROM doomed")
    installed("create", "second", REVENUE)
    change(dsn, "ALTER TABLE doomed RENAME TO risen")
    result = installed("refresh", "--all", "--json")
    assert result.exit_code == 1
    assert [report["stream_table"] for report in json.loads(result.stdout)] == ["public.second"]
    assert "warning:" in result.stderr
    verified = installed("verify", "--all", "--json")
    assert verified.exit_code == 1
    assert len(json.loads(verified.stdout)) == 1


def test_uninstall_asks_before_it_drops_stream_tables(installed: Callable[..., Result]) -> None:
    installed("create", "revenue", REVENUE)
    refused = installed("uninstall")
    assert refused.exit_code == 2
    assert "--yes" in refused.stderr
    assert installed("uninstall", "--yes").exit_code == 0


def test_help_and_version_need_no_server() -> None:
    runner = CliRunner()
    assert runner.invoke(app, ["--version"]).stdout.startswith("pgtrickle ")
    helped = runner.invoke(app, ["--help"]).stdout
    for command in ("demo", "install", "create", "refresh", "verify", "explain", "history"):
        assert command in helped
