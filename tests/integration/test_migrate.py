"""The catalog comes, is upgraded, and goes without a trace."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

import psycopg
import pytest

from pgtrickle.catalog import migrate
from pgtrickle.config import Settings
from pgtrickle.errors import DependantsError, LockTimeoutError, NotInstalledError
from pgtrickle.pg.connection import connect
from tests.support.lab import Lab, Task

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.servers import Roles

pytestmark = pytest.mark.pg

CENSUS = """
SELECT 'class', oid::bigint, relname::text FROM pg_class WHERE relnamespace <> 'pg_toast'::regnamespace
UNION ALL SELECT 'proc', oid::bigint, proname FROM pg_proc
UNION ALL SELECT 'namespace', oid::bigint, nspname FROM pg_namespace WHERE nspname !~ '^pg_(toast_)?temp'
UNION ALL SELECT 'trigger', oid::bigint, tgname FROM pg_trigger
UNION ALL SELECT 'type', oid::bigint, typname FROM pg_type
ORDER BY 1, 2
"""


@pytest.fixture
def bare(any_dsn: str) -> Iterator[Lab]:
    """A database without the catalog."""
    lab = Lab(any_dsn, connect(any_dsn))
    yield lab
    lab.close()


def _stream_table(lab: Lab, name: str) -> None:
    """Make what creation makes: capture, registration, storage and view."""
    source = lab.capture("t")
    lab.consumer(name, (source, ["id"]))
    lab.run(
        f'CREATE TABLE pgtrickle_state."public.{name}" (id int, __pgt_hash bigint);'
        f' CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON pgtrickle_state."public.{name}"'
        " FOR EACH STATEMENT EXECUTE FUNCTION pgtrickle.refuse_direct_dml();"
        f' CREATE VIEW public.{name} AS SELECT id FROM pgtrickle_state."public.{name}"'
    )


def test_installing_twice_is_installing_once(bare: Lab) -> None:
    first = migrate.install(bare.connection)
    census = bare.rows(CENSUS)
    assert migrate.install(bare.connection) == first
    assert bare.rows(CENSUS) == census


def test_two_installers_at_once(bare: Lab) -> None:
    tasks = [Task(partial(migrate.install, bare.another())) for _ in range(3)]
    assert len({task.result() for task in tasks}) == 1


def test_uninstalling_leaves_nothing(bare: Lab) -> None:
    bare.run("CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE child () INHERITS (t)")
    before = bare.rows(CENSUS)
    migrate.install(bare.connection)
    _stream_table(bare, "first")
    _stream_table(bare, "second")
    bare.run("INSERT INTO t VALUES (1); TRUNCATE child")
    migrate.uninstall(bare.connection)
    assert bare.rows(CENSUS) == before
    migrate.uninstall(bare.connection)


def test_installing_again_after_uninstalling(bare: Lab) -> None:
    migrate.install(bare.connection)
    migrate.uninstall(bare.connection)
    migrate.install(bare.connection)
    migrate.require_installed(bare.connection)


@pytest.mark.parametrize(
    "dependant",
    [
        "CREATE VIEW report AS SELECT count(*) FROM first",
        "CREATE MATERIALIZED VIEW report AS SELECT name FROM pgtrickle.pgt_status",
    ],
)
def test_what_users_built_on_us_stops_it(bare: Lab, dependant: str) -> None:
    bare.run("CREATE TABLE t (id int PRIMARY KEY)")
    migrate.install(bare.connection)
    _stream_table(bare, "first")
    bare.run(dependant)
    census = bare.rows(CENSUS)
    with pytest.raises(DependantsError) as raised:
        migrate.uninstall(bare.connection)
    assert "report" in (raised.value.detail or "")
    assert bare.rows(CENSUS) == census
    migrate.uninstall(bare.connection, cascade=True)
    assert bare.rows("SELECT to_regclass('report'), to_regnamespace('pgtrickle')") == [(None, None)]


def test_a_busy_source_stops_it_with_a_hint(bare: Lab) -> None:
    bare.run("CREATE TABLE t (id int PRIMARY KEY)")
    migrate.install(bare.connection)
    bare.capture("t")
    writer = bare.another()
    writer.execute("BEGIN")
    writer.execute("INSERT INTO t VALUES (1)")
    impatient = Settings(ddl_lock_timeout_ms=30, ddl_lock_attempts=2)
    with pytest.raises(LockTimeoutError, match="uninstall"):
        migrate.uninstall(bare.connection, settings=impatient)
    writer.execute("COMMIT")
    migrate.uninstall(bare.connection)


def test_a_missing_catalog_is_an_error_with_a_hint(bare: Lab) -> None:
    with pytest.raises(NotInstalledError) as raised:
        migrate.require_installed(bare.connection)
    assert "install" in (raised.value.hint or "")


def test_a_newer_catalog_is_an_error(bare: Lab) -> None:
    migrate.install(bare.connection)
    bare.run("INSERT INTO pgtrickle.migrations (version, name) VALUES (9999, 'future')")
    for door in (migrate.require_installed, migrate.install):
        with pytest.raises(NotInstalledError, match="9999"):
            door(bare.connection)


def test_a_plain_role_installs_captures_and_uninstalls(plain_role_dsn: Roles) -> None:
    lab = Lab(plain_role_dsn.plain, connect(plain_role_dsn.plain))
    before = lab.rows(CENSUS)
    migrate.install(lab.connection)
    lab.run("CREATE SCHEMA mine; CREATE TABLE mine.t (id int PRIMARY KEY)")
    source = lab.capture("mine.t")
    lab.run("INSERT INTO mine.t VALUES (1)")
    assert lab.changes(source) == [("I", 1)]
    assert lab.rows("SELECT * FROM pgtrickle.pgt_status") == []
    migrate.uninstall(lab.connection)
    lab.run("DROP SCHEMA mine CASCADE")
    assert lab.rows(CENSUS) == before
    lab.close()


def test_prepared_schemas_need_no_create_on_the_database(plain_role_dsn: Roles) -> None:
    admin = Lab(plain_role_dsn.admin, connect(plain_role_dsn.admin))
    role = plain_role_dsn.plain_role
    database = admin.value("SELECT current_database()")
    admin.run(f"REVOKE CREATE ON DATABASE {database} FROM {role}")
    for schema in migrate.SCHEMAS:
        admin.run(f"CREATE SCHEMA {schema} AUTHORIZATION {role}")
    lab = Lab(plain_role_dsn.plain, connect(plain_role_dsn.plain))
    migrate.install(lab.connection)
    migrate.require_installed(lab.connection)
    lab.close()
    admin.close()


def test_storage_refuses_everyone_but_the_refresh(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY)")
    _stream_table(any_lab, "first")
    storage = 'pgtrickle_state."public.first"'
    for statement in (
        f"INSERT INTO {storage} VALUES (1)",
        f"UPDATE {storage} SET id = 2",
        f"DELETE FROM {storage}",
        f"TRUNCATE {storage}",
        "INSERT INTO first VALUES (1)",
    ):
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState) as raised:
            any_lab.run(statement)
        assert raised.value.diag.message_hint
    any_lab.run(
        "BEGIN; SELECT set_config('pgtrickle.refreshing', 'on', true);"
        f" INSERT INTO {storage} VALUES (1); COMMIT"
    )
    with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
        any_lab.run(f"DELETE FROM {storage}")
    assert any_lab.rows("SELECT * FROM first") == [(1,)]
