"""Who needs which rights: writers none of ours, and we no more than SELECT and TRIGGER."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pgtrickle.catalog import migrate
from pgtrickle.catalog.introspect import describe_query
from pgtrickle.cdc.trigger.install import remove_capture
from pgtrickle.dvm.schema import QualifiedName
from pgtrickle.errors import PrivilegeError, RowSecurityError
from pgtrickle.pg.connection import connect
from tests.support.lab import Lab

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.support.servers import Roles

pytestmark = pytest.mark.pg


@pytest.fixture
def admin(plain_role_dsn: Roles) -> Iterator[Lab]:
    """The owner of the user's tables; the catalog belongs to the plain role."""
    lab = Lab(plain_role_dsn.admin, connect(plain_role_dsn.admin))
    yield lab
    lab.close()


@pytest.fixture
def plain(plain_role_dsn: Roles, admin: Lab) -> Iterator[Lab]:
    lab = Lab(plain_role_dsn.plain, connect(plain_role_dsn.plain))
    migrate.install(lab.connection)
    admin.run(
        f"CREATE TABLE t (id int PRIMARY KEY, v int); GRANT USAGE ON SCHEMA public TO {plain_role_dsn.plain_role}"
    )
    yield lab
    lab.close()


def _grant(admin: Lab, roles: Roles, rights: str, table: str = "t") -> None:
    admin.run(f"GRANT {rights} ON {table} TO {roles.plain_role}")


def test_select_and_trigger_suffice(admin: Lab, plain: Lab, plain_role_dsn: Roles) -> None:
    _grant(admin, plain_role_dsn, "SELECT, TRIGGER")
    source, warnings = plain.captured("t")
    admin.run("INSERT INTO t VALUES (1, 1); UPDATE t SET v = 2; TRUNCATE t")
    assert plain.changes(source) == [("I", 1, 1), ("D", 1, 1), ("I", 1, 2)]
    assert plain.marks(source) == [("truncate", None)]
    assert len(warnings) == 1
    assert "session_replication_role" in warnings[0]


def test_without_trigger_it_is_refused_with_the_grant_to_ask_for(
    admin: Lab, plain: Lab, plain_role_dsn: Roles
) -> None:
    _grant(admin, plain_role_dsn, "SELECT")
    with pytest.raises(PrivilegeError) as raised:
        plain.capture("t")
    assert "GRANT SELECT, TRIGGER" in (raised.value.hint or "")
    assert plain.rows("SELECT * FROM pgtrickle.sources") == []


def test_capture_is_removed_without_owning_the_table(
    admin: Lab, plain: Lab, plain_role_dsn: Roles
) -> None:
    _grant(admin, plain_role_dsn, "SELECT, TRIGGER")
    source = plain.capture("t")
    assert remove_capture(plain.connection, source.id)
    assert admin.value("SELECT count(*) FROM pg_trigger WHERE tgrelid = 't'::regclass") == 0
    assert plain.rows("SELECT to_regclass(%s)", str(source.buffer)) == [(None,)]
    admin.run("INSERT INTO t VALUES (1, 1)")


def test_capture_stays_while_someone_reads_it(
    admin: Lab, plain: Lab, plain_role_dsn: Roles
) -> None:
    _grant(admin, plain_role_dsn, "SELECT, TRIGGER")
    source = plain.capture("t")
    plain.consumer("s", (source, ["v"]))
    assert not remove_capture(plain.connection, source.id)
    admin.run("INSERT INTO t VALUES (1, 1)")
    assert plain.changes(source) == [("I", 1, 1)]


def test_widening_works_without_owning_the_table(
    admin: Lab, plain: Lab, plain_role_dsn: Roles
) -> None:
    _grant(admin, plain_role_dsn, "SELECT, TRIGGER")
    plain.capture("t", "id")
    source = plain.capture("t", "v")
    admin.run("INSERT INTO t VALUES (1, 1)")
    assert plain.changes(source) == [("I", 1, 1)]


def test_a_writer_needs_no_grants_on_our_schemas(lab: Lab) -> None:
    lab.run(
        "CREATE TABLE t (id int PRIMARY KEY); CREATE ROLE pgt_writer; GRANT INSERT ON t TO pgt_writer"
    )
    source = lab.capture("t")
    try:
        lab.run("SET ROLE pgt_writer; INSERT INTO t VALUES (1); RESET ROLE")
        assert lab.changes(source) == [("I", 1)]
        function = lab.value(
            "SELECT p.oid::regprocedure::text FROM pg_proc AS p"
            " WHERE pronamespace = 'pgtrickle_changes'::regnamespace"
        )
        query = "SELECT has_function_privilege('pgt_writer', %s, 'EXECUTE')"
        assert lab.value(query, function) is False
    finally:
        lab.run("DROP OWNED BY pgt_writer; DROP ROLE pgt_writer")


def test_a_writers_search_path_cannot_lead_capture_astray(any_lab: Lab) -> None:
    any_lab.run(
        "CREATE TABLE t (id int); CREATE SCHEMA evil;"
        " CREATE FUNCTION evil.never(text, text) RETURNS boolean LANGUAGE sql AS 'SELECT false';"
        " CREATE OPERATOR evil.= (LEFTARG = text, RIGHTARG = text, FUNCTION = evil.never)"
    )
    source = any_lab.capture("t")
    any_lab.run("SET search_path = evil, pg_catalog")
    # The operator is really in the way of whoever runs with this path.
    assert any_lab.value("SELECT 'a'::text = 'a'") is False
    any_lab.run("INSERT INTO public.t VALUES (1); RESET search_path")
    assert any_lab.changes(source) == [("I", 1)]
    assert any_lab.marks(source) == []


def test_replica_role_writes_are_captured_where_we_own_the_table(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source, warnings = any_lab.captured("t")
    any_lab.run("SET session_replication_role = replica; INSERT INTO t VALUES (1); TRUNCATE t")
    any_lab.run("RESET session_replication_role")
    assert any_lab.changes(source) == [("I", 1)]
    assert any_lab.marks(source) == [("truncate", None)]
    assert warnings == ()


def test_replica_role_writes_are_captured_after_widening_too(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int, v int)")
    any_lab.capture("t", "id")
    source = any_lab.capture("t", "v")
    any_lab.run("SET session_replication_role = replica; INSERT INTO t VALUES (1, 2)")
    any_lab.run("RESET session_replication_role")
    assert any_lab.changes(source) == [("I", 1, 2)]


def test_row_security_is_refused_for_a_role_that_it_binds(
    admin: Lab, plain: Lab, plain_role_dsn: Roles
) -> None:
    _grant(admin, plain_role_dsn, "SELECT, TRIGGER")
    admin.run("ALTER TABLE t ENABLE ROW LEVEL SECURITY")
    with pytest.raises(RowSecurityError) as raised:
        describe_query(plain.connection, None, "SELECT v FROM public.t")
    assert "BYPASSRLS" in (raised.value.hint or "")
    admin.run(f"ALTER ROLE {plain_role_dsn.plain_role} BYPASSRLS")
    assert describe_query(plain.connection, None, "SELECT v FROM public.t").relations


def test_row_security_of_a_child_table_counts_too(
    admin: Lab, plain: Lab, plain_role_dsn: Roles
) -> None:
    _grant(admin, plain_role_dsn, "SELECT, TRIGGER")
    admin.run("CREATE TABLE c () INHERITS (t); ALTER TABLE c ENABLE ROW LEVEL SECURITY")
    with pytest.raises(RowSecurityError):
        describe_query(plain.connection, None, "SELECT v FROM public.t")


def test_forced_row_security_binds_the_owner(plain: Lab) -> None:
    plain.run(
        "CREATE SCHEMA mine; CREATE TABLE mine.t (id int);"
        " ALTER TABLE mine.t ENABLE ROW LEVEL SECURITY"
    )
    assert describe_query(plain.connection, None, "SELECT id FROM mine.t").relations
    plain.run("ALTER TABLE mine.t FORCE ROW LEVEL SECURITY")
    with pytest.raises(RowSecurityError):
        describe_query(plain.connection, None, "SELECT id FROM mine.t")


def test_a_table_that_we_may_not_read_is_named(plain: Lab) -> None:
    with pytest.raises(PrivilegeError, match=r"may not read relation .*public.*\."):
        describe_query(plain.connection, None, "SELECT v FROM public.t")


def test_a_name_in_a_schema_without_create_is_refused(plain: Lab) -> None:
    with pytest.raises(PrivilegeError, match="permission denied for schema public"):
        describe_query(plain.connection, QualifiedName("public", "x"), "SELECT 1 AS a")
