"""Creating and dropping stream tables: what is refused, and that nothing of it stays behind."""

from __future__ import annotations

from typing import TYPE_CHECKING

import psycopg
import pytest

import pgtrickle
from pgtrickle import errors
from pgtrickle.catalog import store
from pgtrickle.dvm.schema import QualifiedName
from tests.support.shop import LARGE, NAMED, TOTALS

if TYPE_CHECKING:
    from pgtrickle.catalog.model import NewStreamTable, StreamTableId
    from pgtrickle.pg.connection import Connection
    from tests.support.servers import Roles
    from tests.support.shop import Shop

pytestmark = pytest.mark.pg


@pytest.mark.parametrize("query", [LARGE, NAMED, TOTALS], ids=["filter", "join", "aggregate"])
def test_a_new_stream_table_is_filled_and_exact_on_every_version(
    any_shop: Shop, query: str
) -> None:
    table = any_shop.client.create_stream_table("shop.result", query)
    assert table.effective_mode == "DIFFERENTIAL"
    assert table.status == "ACTIVE"
    report = any_shop.client.verify("shop.result")
    assert report.matches
    assert report.rows > 0


@pytest.mark.parametrize(
    ("query", "error"),
    [
        ("SELEC 1", errors.RejectedQueryError),
        ("SELECT FROM WHERE", errors.QueryError),
        ("SELECT * FROM shop.missing", errors.QueryError),
        ("SELECT nothing FROM shop.orders", errors.QueryError),
        ("SELECT id FROM shop.orders; SELECT 1", errors.RejectedQueryError),
        ("DELETE FROM shop.orders RETURNING id", errors.RejectedQueryError),
        ("SELECT id, random() AS r FROM shop.orders", errors.RejectedQueryError),
        ("SELECT id FROM shop.orders TABLESAMPLE SYSTEM (10)", errors.RejectedQueryError),
        ("SELECT id FROM shop.orders FOR UPDATE", errors.RejectedQueryError),
        ('SELECT id AS "__pgt_id" FROM shop.orders', errors.RejectedQueryError),
    ],
)
def test_a_query_that_cannot_be_kept_is_refused_and_leaves_nothing(
    shop: Shop, query: str, error: type[errors.PgtrickleError]
) -> None:
    with pytest.raises(error) as caught:
        shop.client.create_stream_table("shop.result", query)
    assert caught.value.code.startswith("PGT")
    assert shop.leftovers() == []


def test_a_query_that_fails_while_it_is_populated_leaves_nothing(shop: Shop) -> None:
    shop.sql("INSERT INTO shop.orders VALUES (0, 1, 0)")
    with pytest.raises(errors.PgtrickleError) as caught:
        shop.client.create_stream_table(
            "shop.result", "SELECT id, 1 / amount AS x FROM shop.orders"
        )
    assert "division_by_zero" in str(caught.value)
    assert shop.leftovers() == []
    assert shop.sql("SELECT to_regclass('shop.result')") == [(None,)]


def test_a_name_that_is_taken_is_refused(shop: Shop) -> None:
    with pytest.raises(errors.DuplicateNameError):
        shop.client.create_stream_table("shop.orders", LARGE)
    assert shop.leftovers() == []


def test_if_not_exists_keeps_the_stream_table_that_is_there(shop: Shop) -> None:
    first = shop.client.create_stream_table("shop.result", LARGE)
    again = shop.client.create_stream_table("shop.result", TOTALS, if_not_exists=True)
    assert again.id == first.id
    with pytest.raises(errors.DuplicateNameError):
        shop.client.create_stream_table("shop.result", TOTALS)


def test_a_fallback_is_warned_about_stored_and_shown(shop: Shop) -> None:
    query = "SELECT region, now() AS at FROM shop.customers"
    with pytest.warns(pgtrickle.PgtrickleWarning, match="PGT220"):
        table = shop.client.create_stream_table("shop.regions", query)
    assert table.effective_mode == "FULL"
    assert table.reasons[0].startswith("PGT220")
    assert shop.client.status()[0].reasons == table.reasons
    assert shop.client.explain_stream_table("shop.regions").reasons == table.reasons


@pytest.mark.parametrize("options", [{"refresh_mode": "DIFFERENTIAL"}, {"strict": True}])
def test_differential_and_strict_refuse_a_fallback(shop: Shop, options: dict[str, object]) -> None:
    query = "SELECT region, now() AS at FROM shop.customers"
    with pytest.raises(errors.UnsupportedQueryError) as caught:
        shop.client.create_stream_table("shop.regions", query, **options)  # type: ignore[arg-type]
    assert caught.value.code == "PGT220"
    assert shop.leftovers() == []


def test_unknown_modes_are_refused_with_the_known_ones(shop: Shop) -> None:
    with pytest.raises(errors.ConfigurationError, match="AUTO, DIFFERENTIAL, FULL"):
        shop.client.create_stream_table("shop.result", LARGE, refresh_mode="SOMETIMES")


def test_a_missing_privilege_is_named_and_leaves_nothing(plain_role_dsn: Roles) -> None:
    with psycopg.connect(plain_role_dsn.admin, autocommit=True) as admin:
        admin.execute("CREATE TABLE public.secret (id integer PRIMARY KEY)")
        with pgtrickle.connect(plain_role_dsn.plain) as client:
            client.install()
            with psycopg.connect(plain_role_dsn.plain, autocommit=True) as plain:
                plain.execute("CREATE SCHEMA mine")
            with pytest.raises(errors.PrivilegeError) as caught:
                client.create_stream_table("mine.copy", "SELECT id FROM public.secret")
            assert "secret" in str(caught.value)
            assert client.stream_tables() == []
            assert client.change_buffer_sizes() == []


def test_a_plain_role_with_select_and_trigger_does_everything(plain_role_dsn: Roles) -> None:
    with psycopg.connect(plain_role_dsn.admin, autocommit=True) as admin:
        admin.execute("CREATE TABLE public.numbers (id integer PRIMARY KEY, n integer)")
        grant = psycopg.sql.SQL("GRANT SELECT, TRIGGER ON public.numbers TO {}")
        admin.execute(grant.format(psycopg.sql.Identifier(plain_role_dsn.plain_role)))
        with psycopg.connect(plain_role_dsn.plain, autocommit=True) as plain:
            plain.execute("CREATE SCHEMA mine")
        with pgtrickle.connect(plain_role_dsn.plain) as client:
            client.install()
            with pytest.warns(pgtrickle.PgtrickleWarning, match="session_replication_role"):
                client.create_stream_table(
                    "mine.sums",
                    "SELECT n % 2 AS odd, sum(n) AS s FROM public.numbers GROUP BY n % 2",
                )
            admin.execute("INSERT INTO public.numbers SELECT i, i FROM generate_series(1, 9) AS i")
            assert client.refresh_stream_table("mine.sums").action == "DIFFERENTIAL"
            assert client.verify("mine.sums").matches
            client.drop_stream_table("mine.sums")
            client.uninstall()
        triggers = admin.execute(
            "SELECT count(*) FROM pg_trigger WHERE NOT tgisinternal"
        ).fetchone()
        assert triggers == (0,)


def test_names_resolve_as_the_session_would_resolve_them(shop: Shop) -> None:
    dsn = psycopg.conninfo.make_conninfo(shop.dsn, options="-c search_path=shop")
    with pgtrickle.connect(dsn) as client:
        table = client.create_stream_table(
            '"Grand Total"', "SELECT sum(amount) AS s, note FROM orders GROUP BY note"
        )
        assert table.name == QualifiedName("shop", "Grand Total")
        assert client.refresh_stream_table('"Grand Total"').action == "NO_DATA"
    assert shop.client.verify('shop."Grand Total"').matches


def test_select_star_shows_the_users_columns_only(shop: Shop) -> None:
    shop.client.create_stream_table("shop.totals", TOTALS)
    columns = [
        column.name for column in shop.connection.execute("TABLE shop.totals").description or ()
    ]
    assert columns == ["region", "orders", "total", "largest"]
    assert shop.client.explain_stream_table("shop.totals").hidden_columns


def test_storage_refuses_direct_writes(shop: Shop) -> None:
    shop.client.create_stream_table("shop.large", LARGE)
    for statement in (
        'DELETE FROM pgtrickle_state."shop.large"',
        'TRUNCATE pgtrickle_state."shop.large"',
        'UPDATE pgtrickle_state."shop.large" SET amount = 0',
    ):
        with pytest.raises(psycopg.errors.ObjectNotInPrerequisiteState):
            shop.sql(statement)


def test_drop_is_refused_while_others_read_and_cascade_takes_them(shop: Shop) -> None:
    shop.client.create_stream_table("shop.named", NAMED)
    shop.client.create_stream_table(
        "shop.per_name", "SELECT name, count(*) AS n FROM shop.named GROUP BY name"
    )
    with pytest.raises(errors.DependantsError, match="per_name"):
        shop.client.drop_stream_table("shop.named")
    shop.sql("CREATE VIEW shop.on_top AS SELECT count(*) FROM shop.per_name")
    with pytest.raises(errors.DependantsError):
        shop.client.drop_stream_table("shop.per_name")
    shop.client.drop_stream_table("shop.named", cascade=True)
    assert shop.leftovers() == []


def test_dropping_the_last_reader_removes_the_capture_and_no_other(shop: Shop) -> None:
    shop.client.create_stream_table("shop.large", LARGE)
    shop.client.create_stream_table("shop.named", NAMED)
    shop.client.drop_stream_table("shop.named")
    assert [source.source for source in shop.client.change_buffer_sizes()] == ["shop.orders"]
    shop.client.drop_stream_table("shop.large")
    assert shop.leftovers() == []


def test_long_and_ambiguous_names_get_storage_of_their_own(shop: Shop) -> None:
    shop.sql('CREATE SCHEMA "shop.a"')
    long = "x" * 63
    for name in ('shop."a.b"', '"shop.a".b', f"shop.{long}"):
        shop.client.create_stream_table(name, LARGE)
        assert shop.client.verify(name).matches


def test_nothing_is_known_before_install(dsn: str) -> None:
    with pgtrickle.connect(dsn) as client, pytest.raises(errors.NotInstalledError) as caught:
        client.create_stream_table("x", "SELECT 1 AS one")
    assert "install" in (caught.value.hint or "")


def test_a_server_that_cannot_be_reached_is_a_clear_error() -> None:
    with pytest.raises(errors.ConnectionFailedError):
        pgtrickle.connect("host=/nonexistent dbname=x connect_timeout=1")


def test_a_source_that_changes_during_creation_is_noticed(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    register = store.register

    def register_after_ddl(connection: Connection, new: NewStreamTable) -> StreamTableId:
        shop.sql("ALTER TABLE shop.orders DROP CONSTRAINT orders_pkey")
        return register(connection, new)

    monkeypatch.setattr(store, "register", register_after_ddl)
    with pytest.raises(errors.SourceChangedError):
        shop.client.create_stream_table("shop.large", LARGE)
    assert shop.leftovers() == []
    monkeypatch.undo()
    shop.client.create_stream_table("shop.large", LARGE)
    shop.sql("INSERT INTO shop.orders VALUES (200, 1, 900), (200, 1, 900)")
    assert shop.client.refresh_stream_table("shop.large").action == "DIFFERENTIAL"
    shop.assert_exact("shop.large", LARGE)
