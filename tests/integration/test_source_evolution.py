"""Sources change their shape: each change is absorbed, leads to a rebuild, or to a clear error; never to a wrong table."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

import pgtrickle
from tests.support.evolution import CHANGE, QUERIES, assert_clear_error, create_all, settle
from tests.support.shop import NAMED

if TYPE_CHECKING:
    from typing import LiteralString

    from tests.support.shop import Shop

pytestmark = pytest.mark.pg


@pytest.mark.parametrize(
    "ddl",
    [
        "ALTER TABLE shop.orders ADD COLUMN extra integer DEFAULT 7",
        "ALTER TABLE shop.orders ADD COLUMN stamp timestamptz DEFAULT clock_timestamp()",
        "ALTER TABLE shop.orders DROP COLUMN note",
        "ALTER TABLE shop.orders RENAME COLUMN note TO remark",
        "ALTER TABLE shop.orders ALTER COLUMN note TYPE varchar(99)",
        "ALTER TABLE shop.orders ALTER COLUMN note SET DEFAULT 'none'",
        "ALTER TABLE shop.orders ADD CHECK (id > 0)",
    ],
)
def test_changes_of_columns_that_no_query_reads_are_absorbed(
    any_shop: Shop, ddl: LiteralString
) -> None:
    create_all(any_shop)
    any_shop.sql(ddl)
    any_shop.sql(CHANGE)
    any_shop.sql("UPDATE shop.orders SET amount = amount + 60 WHERE id % 4 = 0")
    # These write the table anew, without a trigger: its file is another one.
    rewritten = "stamp" in ddl or "TYPE" in ddl
    settle(any_shop, "FULL" if rewritten else "DIFFERENTIAL")


@pytest.mark.parametrize(
    "ddl",
    [
        "ALTER TABLE shop.orders DROP CONSTRAINT orders_pkey",
        "ALTER TABLE shop.orders ALTER COLUMN id TYPE bigint",
        "ALTER TABLE shop.orders ALTER COLUMN amount TYPE numeric(14,4)",
        "ALTER TABLE shop.orders ALTER COLUMN amount TYPE numeric",
        "ALTER TABLE shop.orders ALTER COLUMN amount TYPE float8",
        "ALTER TABLE shop.orders ALTER COLUMN amount TYPE integer USING amount::integer + 90",
        "ALTER TABLE shop.orders ALTER COLUMN amount SET NOT NULL",
        "ALTER TABLE shop.orders SET UNLOGGED; ALTER TABLE shop.orders SET LOGGED",
        "CREATE TABLE shop.copy AS TABLE shop.orders; DROP TABLE shop.orders; ALTER TABLE shop.copy RENAME TO orders",
        "ALTER TABLE shop.orders RENAME TO past; CREATE TABLE shop.orders (LIKE shop.past);"
        " INSERT INTO shop.orders SELECT id, customer_id, amount + 0.5 FROM shop.past",
        "CREATE TABLE shop.archive () INHERITS (shop.orders); INSERT INTO shop.archive VALUES (9000, 1, 900)",
        "TRUNCATE shop.orders; INSERT INTO shop.orders VALUES (900, 1, 900), (902, 2, 901), (951, 3, 902)",
        "ALTER TABLE shop.orders DISABLE TRIGGER USER; UPDATE shop.orders SET amount = amount + 1;"
        " ALTER TABLE shop.orders ENABLE TRIGGER USER",
        "ALTER TABLE shop.orders ENABLE ROW LEVEL SECURITY",
        "ALTER TABLE shop.orders DROP COLUMN amount; ALTER TABLE shop.orders ADD COLUMN amount numeric(10,2) DEFAULT 123",
        "ALTER TABLE shop.orders RENAME COLUMN amount TO x; ALTER TABLE shop.orders RENAME COLUMN note TO amount;"
        " ALTER TABLE shop.orders ALTER COLUMN amount TYPE numeric(10,2) USING 101",
    ],
)
def test_changes_that_concern_a_query_lead_to_a_rebuild(any_shop: Shop, ddl: LiteralString) -> None:
    shop = any_shop
    create_all(shop)
    for step in ddl.split(";"):
        shop.connection.execute(step.encode())
    for name, query in QUERIES.items():
        report = shop.client.refresh_stream_table(f"shop.{name}")
        assert report.action == "FULL", report
        shop.assert_exact("shop." + name, query)
    shop.sql("UPDATE shop.orders SET amount = amount + 25 WHERE id % 5 = 0")
    shop.sql(CHANGE)
    shop.sql("DELETE FROM shop.orders WHERE id % 50 = 1")
    shop.sql(
        "INSERT INTO shop.orders (id, customer_id, amount) VALUES (7000, 3, 777), (7001, 4, 3)"
    )
    for name, query in QUERIES.items():
        assert shop.client.refresh_stream_table(f"shop.{name}").action == "DIFFERENTIAL"
        shop.assert_exact("shop." + name, query)
        assert shop.client.verify(f"shop.{name}").matches
        shop.client.drop_stream_table(f"shop.{name}")
    assert shop.leftovers() == []


@pytest.mark.parametrize(
    ("ddl", "said", "undo"),
    [
        (
            "ALTER TABLE shop.orders RENAME COLUMN amount TO price",
            "amount",
            "ALTER TABLE shop.orders RENAME COLUMN price TO amount",
        ),
        (
            "ALTER TABLE shop.orders DROP COLUMN amount",
            "amount",
            "ALTER TABLE shop.orders ADD COLUMN amount numeric(10,2) DEFAULT 101",
        ),
        (
            "ALTER TABLE shop.orders RENAME TO purchases",
            "orders",
            "ALTER TABLE shop.purchases RENAME TO orders",
        ),
        (
            "ALTER TABLE shop.orders SET SCHEMA public",
            "orders",
            "ALTER TABLE public.orders SET SCHEMA shop",
        ),
        (
            "DROP TABLE shop.orders",
            "orders",
            "CREATE TABLE shop.orders (id integer PRIMARY KEY, customer_id integer, amount numeric(10,2))",
        ),
    ],
)
def test_what_a_query_cannot_do_without_is_a_clear_error_until_it_is_back(
    any_shop: Shop, ddl: LiteralString, said: str, undo: LiteralString
) -> None:
    shop = any_shop
    create_all(shop)
    shop.client.create_stream_table("shop.people", "SELECT id, name FROM shop.customers")
    shop.sql(ddl)
    for name in QUERIES:
        assert_clear_error(shop, "shop." + name, said)
    shop.sql("UPDATE shop.customers SET name = upper(name)")
    assert shop.client.refresh_stream_table("shop.people").updated == 20
    shop.sql(undo)
    for name, query in QUERIES.items():
        assert shop.client.verify(f"shop.{name}").matches
        shop.assert_exact("shop." + name, query)
    shop.sql("INSERT INTO shop.orders (id, customer_id, amount) VALUES (7000, 3, 777)")
    for name, query in QUERIES.items():
        assert shop.client.refresh_stream_table(f"shop.{name}").action == "DIFFERENTIAL"
        shop.assert_exact("shop." + name, query)
    assert {each.status for each in shop.client.status()} == {"ACTIVE"}


def test_a_type_that_the_query_cannot_take_is_a_clear_error_for_it_alone(any_shop: Shop) -> None:
    shop = any_shop
    create_all(shop)
    shop.sql("ALTER TABLE shop.orders ALTER COLUMN amount TYPE text")
    assert_clear_error(shop, "shop.large", "operator does not exist")
    assert_clear_error(shop, "shop.totals", "sum(text) does not exist")
    assert shop.client.refresh_stream_table("shop.named").action == "FULL"
    shop.assert_exact("shop.named", NAMED)
    shop.sql("ALTER TABLE shop.orders ALTER COLUMN amount TYPE numeric(10,2) USING amount::numeric")
    for name, query in QUERIES.items():
        assert shop.client.refresh_stream_table(f"shop.{name}").action == "FULL"
        shop.assert_exact("shop." + name, query)
        assert shop.client.verify(f"shop.{name}").matches


def test_partitions_come_and_go_and_are_written_directly(any_shop: Shop) -> None:
    shop = any_shop
    shop.sql("CREATE TABLE shop.events (id int NOT NULL, kind text) PARTITION BY RANGE (id)")
    shop.sql("CREATE TABLE shop.e0 PARTITION OF shop.events FOR VALUES FROM (0) TO (100)")
    query: LiteralString = (
        "SELECT kind, count(*) AS n, min(id) AS least FROM shop.events GROUP BY kind"
    )
    rows: LiteralString = "SELECT id, kind FROM shop.events WHERE id % 2 = 0"
    shop.client.create_stream_table("shop.kinds", query)
    shop.client.create_stream_table("shop.even", rows)
    steps: tuple[tuple[str, str], ...] = (
        ("INSERT INTO shop.e0 SELECT i, 'direct' FROM generate_series(0, 9) AS i", "DIFFERENTIAL"),
        ("CREATE TABLE shop.e1 PARTITION OF shop.events FOR VALUES FROM (100) TO (200)", "FULL"),
        ("INSERT INTO shop.events VALUES (150, 'routed'), (50, 'routed')", "DIFFERENTIAL"),
        ("UPDATE shop.events SET id = id + 100 WHERE id = 50", "DIFFERENTIAL"),
        ("CREATE TABLE shop.e2 (kind text, id int NOT NULL)", "NO_DATA"),
        ("INSERT INTO shop.e2 SELECT 'old', i FROM generate_series(200, 220) AS i", "NO_DATA"),
        ("ALTER TABLE shop.events ATTACH PARTITION shop.e2 FOR VALUES FROM (200) TO (300)", "FULL"),
        ("DELETE FROM shop.e2 WHERE id < 205", "DIFFERENTIAL"),
        ("UPDATE shop.e2 SET kind = 'new' WHERE id < 210", "DIFFERENTIAL"),
        ("TRUNCATE shop.e1", "FULL"),
        ("ALTER TABLE shop.events DETACH PARTITION shop.e2", "FULL"),
        ("DELETE FROM shop.e2", "NO_DATA"),
        ("DROP TABLE shop.e0", "FULL"),
        ("CREATE TABLE shop.e0 PARTITION OF shop.events DEFAULT PARTITION BY LIST (kind)", "FULL"),
        ("CREATE TABLE shop.e01 PARTITION OF shop.e0 DEFAULT", "FULL"),
        ("INSERT INTO shop.e01 VALUES (7, 'deep'), (8, 'deep')", "DIFFERENTIAL"),
        ("ALTER TABLE shop.events ADD PRIMARY KEY (id, kind)", "FULL"),
        ("UPDATE shop.e01 SET kind = 'deeper' WHERE id = 8", "DIFFERENTIAL"),
    )
    for step, expected in steps:
        if "PRIMARY KEY" in step:
            shop.sql("DELETE FROM shop.events WHERE kind IS NULL")
        shop.connection.execute(step.encode())
        for name in ("shop.kinds", "shop.even"):
            report = shop.client.refresh_stream_table(name)
            quiet = expected == "DIFFERENTIAL" and report.action == "NO_DATA"
            assert report.action == expected or quiet, (step, report)
        shop.assert_exact("shop.kinds", query)
        shop.assert_exact("shop.even", rows)
    assert shop.client.verify("shop.kinds").matches
    assert shop.client.verify("shop.even").matches


def test_inheritance_children_come_and_go(any_shop: Shop) -> None:
    shop = any_shop
    create_all(shop)
    steps: tuple[tuple[str, str], ...] = (
        ("CREATE TABLE shop.child (extra text) INHERITS (shop.orders)", "FULL"),
        ("INSERT INTO shop.child VALUES (1, 1, 900), (1, 1, 900), (9001, 2, 901)", "DIFFERENTIAL"),
        ("CREATE TABLE shop.grandchild () INHERITS (shop.child)", "FULL"),
        ("INSERT INTO shop.grandchild VALUES (1, 1, 900), (9002, 3, NULL)", "DIFFERENTIAL"),
        ("UPDATE shop.orders SET amount = 500 WHERE id = 1", "DIFFERENTIAL"),
        ("DELETE FROM ONLY shop.child WHERE id = 1", "DIFFERENTIAL"),
        ("ALTER TABLE shop.grandchild NO INHERIT shop.child", "FULL"),
        ("INSERT INTO shop.grandchild VALUES (9003, 3, 903)", "NO_DATA"),
        ("TRUNCATE shop.child", "FULL"),
        ("DROP TABLE shop.child", "FULL"),
        ("DELETE FROM shop.orders WHERE id = 3", "DIFFERENTIAL"),
        ("CREATE TABLE shop.parent (id int NOT NULL)", "NO_DATA"),
        ("ALTER TABLE shop.orders INHERIT shop.parent", "FULL"),
        ("DELETE FROM shop.parent WHERE id = 4", "DIFFERENTIAL"),
        ("ALTER TABLE shop.orders NO INHERIT shop.parent", "FULL"),
        ("DELETE FROM shop.orders WHERE id = 199", "DIFFERENTIAL"),
    )
    for step, expected in steps:
        shop.connection.execute(step.encode())
        for name, query in QUERIES.items():
            report = shop.client.refresh_stream_table(f"shop.{name}")
            quiet = expected == "DIFFERENTIAL" and report.action == "NO_DATA"
            assert report.action == expected or quiet, (step, report)
            shop.assert_exact("shop." + name, query)
    for name in QUERIES:
        assert shop.client.verify(f"shop.{name}").matches


def test_keys_come_and_go_while_tables_are_stacked(any_shop: Shop) -> None:
    shop = any_shop
    create_all(shop)
    above: LiteralString = (
        "SELECT region, count(*) AS n FROM shop.named WHERE amount > 30 GROUP BY region"
    )
    shop.client.create_stream_table("shop.above", above)
    steps = (
        "ALTER TABLE shop.orders DROP CONSTRAINT orders_pkey",
        "INSERT INTO shop.orders VALUES (5, 5, 500), (5, 5, 500)",
        "ALTER TABLE shop.orders ALTER COLUMN id DROP NOT NULL",
        "INSERT INTO shop.orders VALUES (NULL, 5, 500), (NULL, 5, 500)",
        "DELETE FROM shop.orders WHERE id = 5 OR id IS NULL",
        "ALTER TABLE shop.orders ADD PRIMARY KEY (id)",
        "ALTER TABLE shop.customers DROP CONSTRAINT customers_pkey",
        "INSERT INTO shop.customers SELECT * FROM shop.customers WHERE id < 5",
        "DELETE FROM shop.customers WHERE ctid = (SELECT max(ctid) FROM shop.customers)",
    )
    for step in steps:
        shop.connection.execute(step.encode())
        reports = {report.stream_table: report.action for report in shop.client.refresh_all()}
        assert len(reports) == 4
        for name, query in QUERIES.items():
            shop.assert_exact("shop." + name, query)
        shop.assert_exact("shop.above", above)
    for name in (*QUERIES, "above"):
        assert shop.client.verify(f"shop.{name}").matches


def test_verify_and_other_processes_cope_with_rows_that_are_stored_anew(shop: Shop) -> None:
    create_all(shop)
    with pgtrickle.connect(shop.dsn) as other:
        for name in QUERIES:
            other.refresh_stream_table(f"shop.{name}")
        shop.sql("ALTER TABLE shop.orders DROP CONSTRAINT orders_pkey")
        shop.sql("ALTER TABLE shop.orders ALTER COLUMN amount TYPE numeric(12,4)")
        shop.sql("UPDATE shop.orders SET amount = amount + 0.0001")
        for name, query in QUERIES.items():
            assert shop.client.verify(f"shop.{name}").matches
            shop.assert_exact("shop." + name, query)
            assert other.refresh_stream_table(f"shop.{name}").action == "NO_DATA"
            assert other.explain_stream_table(f"shop.{name}").operators
