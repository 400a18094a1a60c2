"""A dump restored elsewhere: stored positions mean nothing there, and nobody may believe them."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import psycopg
import pytest

import pgtrickle
from tests.support import servers
from tests.support.shop import TOTALS

if TYPE_CHECKING:
    from pathlib import Path

    from pgtrickle.embedded import Server
    from tests.support.shop import Shop

pytestmark = pytest.mark.pg


def _restore(server: Server, dump: Path, dsn: str) -> None:
    psql = server.binaries.path / "psql"
    command = [str(psql), "--quiet", "--no-psqlrc", "-v", "ON_ERROR_STOP=1", "-f", str(dump), dsn]
    subprocess.run(command, check=True, capture_output=True)  # noqa: S603 - our own binaries


def test_a_restored_stream_table_is_rebuilt_before_it_goes_on(
    shop: Shop, server: Server, tmp_path: Path
) -> None:
    shop.client.create_stream_table("shop.totals", TOTALS)
    shop.client.create_stream_table(
        "shop.regions", "SELECT region FROM shop.totals WHERE orders > 10"
    )
    shop.sql("DELETE FROM shop.orders WHERE id < 20")
    dump = tmp_path / "shop.sql"
    tool = server.binaries.path / "pg_dump"
    with dump.open("wb") as out:
        subprocess.run([str(tool), "--no-owner", shop.dsn], check=True, stdout=out)  # noqa: S603 - our own binaries
    with servers.fresh_database(server) as elsewhere:
        _restore(server, dump, elsewhere)
        with (
            pgtrickle.connect(elsewhere) as client,
            psycopg.connect(elsewhere, autocommit=True) as writer,
        ):
            writer.execute("UPDATE shop.orders SET amount = amount + 1 WHERE id > 190")
            first = client.refresh_stream_table("shop.totals")
            assert first.action == "FULL"
            assert "restored" in first.reason
            assert client.verify("shop.totals").matches
            assert client.refresh_stream_table("shop.regions").action == "FULL"
            assert client.verify("shop.regions").matches
            writer.execute("DELETE FROM shop.orders WHERE id > 195")
            assert [report.action for report in client.refresh_all()] == ["DIFFERENTIAL"] * 2
            assert client.verify("shop.totals").matches


def test_a_frontier_in_the_future_is_not_believed(shop: Shop) -> None:
    shop.client.create_stream_table("shop.totals", TOTALS)
    shop.sql("UPDATE pgtrickle.frontiers SET snapshot = '999999999:999999999:'")
    shop.sql("DELETE FROM shop.orders WHERE id < 20")
    assert shop.client.refresh_stream_table("shop.totals").action == "FULL"
    shop.assert_exact("shop.totals", TOTALS)
