"""PostgreSQL reads the query for us, and nothing that a query says can be done by reading it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pgtrickle.catalog.introspect import SESSION_SETTINGS, describe_query
from pgtrickle.dvm.schema import FunctionKind, QualifiedName, RelationKind, Volatility
from pgtrickle.errors import DuplicateNameError, QueryError, RejectedQueryError
from tests.support.lab import named

if TYPE_CHECKING:
    from pgtrickle.catalog.introspect import QueryFacts
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg


def _describe(lab: Lab, query: str) -> QueryFacts:
    return describe_query(lab.connection, None, query)


def _calls(facts: QueryFacts) -> dict[str, Volatility]:
    return {function.name: function.volatility for function in facts.schema.functions}


@pytest.mark.parametrize(
    "query",
    [
        "SELECT 1); DROP TABLE precious; --",
        "SELECT 1; DROP TABLE precious",
        "SELECT 1; COMMIT; DROP TABLE precious",
        "SELECT 1;;DELETE FROM precious",
        "SELECT 1 AS a; SELECT 2 AS b",
    ],
)
def test_a_second_statement_is_never_run(any_lab: Lab, query: str) -> None:
    any_lab.run("CREATE TABLE precious (id int); INSERT INTO precious VALUES (1)")
    for name in (None, named("x")):
        with pytest.raises((RejectedQueryError, QueryError)):
            describe_query(any_lab.connection, name, query)
    assert any_lab.rows("SELECT * FROM precious") == [(1,)]


def test_two_statements_are_called_two_statements(any_lab: Lab) -> None:
    with pytest.raises(RejectedQueryError, match="more than one statement"):
        _describe(any_lab, "SELECT 1 AS a; SELECT 2 AS b")


@pytest.mark.parametrize(
    "query",
    [
        "INSERT INTO t VALUES (1) RETURNING id",
        "DROP TABLE t",
        "WITH gone AS (DELETE FROM t RETURNING id) SELECT * FROM gone",
        "/* SELECT */ UPDATE t SET id = 2",
        "SELECT id INTO copied FROM t",
        "SELECT id FROM t WITH CHECK OPTION",
        "",
        "SELECT",
        "SELECT 1\0",
        "EXPLAIN SELECT 1",
    ],
)
def test_what_is_not_a_plain_query_is_refused(any_lab: Lab, query: str) -> None:
    any_lab.run("CREATE TABLE t (id int); INSERT INTO t VALUES (1)")
    with pytest.raises(RejectedQueryError):
        _describe(any_lab, query)
    assert any_lab.rows("SELECT * FROM t") == [(1,)]


@pytest.mark.parametrize(
    ("query", "canonical"),
    [
        ("SELECT id FROM t;", "SELECT id\n   FROM public.t"),
        ("SELECT id FROM t -- all of it", "SELECT id\n   FROM public.t"),
        ("  /* c */ -- d\n (VALUES (1))", "VALUES (1)"),
        ("TABLE t", "SELECT id\n   FROM public.t"),
        ("SELECT '100%s' AS a FROM t", "SELECT '100%s'::text AS a\n   FROM public.t"),
    ],
)
def test_the_canonical_text_is_postgresqls(any_lab: Lab, query: str, canonical: str) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    found = _describe(any_lab, query).query
    # PostgreSQL 16 and later leave out a prefix that 15 prints.
    assert found.replace("t.id", "id") == canonical


def test_describing_leaves_nothing_behind(any_lab: Lab) -> None:
    any_lab.run("SET search_path = public, pg_catalog")
    before = any_lab.rows("SELECT oid FROM pg_class ORDER BY oid")
    describe_query(any_lab.connection, named("x"), "SELECT 1 AS a")
    assert any_lab.rows("SELECT oid FROM pg_class ORDER BY oid") == before
    assert any_lab.value("SHOW search_path") == "public, pg_catalog"


def test_a_name_in_use_is_refused(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int); CREATE TYPE kind AS ENUM ('a')")
    for name in ("t", "kind"):
        with pytest.raises(DuplicateNameError):
            describe_query(any_lab.connection, named(name), "SELECT 1 AS a")


def test_a_missing_schema_is_an_error(any_lab: Lab) -> None:
    with pytest.raises(QueryError, match='schema "nope" does not exist'):
        describe_query(any_lab.connection, QualifiedName("nope", "x"), "SELECT 1 AS a")


def test_errors_say_where_in_the_query(any_lab: Lab) -> None:
    with pytest.raises(QueryError) as raised:
        _describe(any_lab, "SELECT 1 AS a,\n       nope")
    assert raised.value.message == 'column "nope" does not exist'
    assert raised.value.detail == "At line 2, column 8 of the query."
    with pytest.raises(QueryError, match='invalid input syntax for type integer: "x"'):
        _describe(any_lab, "SELECT 1 + 'x'")


def test_temporary_tables_are_refused(any_lab: Lab) -> None:
    any_lab.run("CREATE TEMPORARY TABLE t (id int)")
    for name in (None, named("x"), QualifiedName("pg_temp", "x")):
        with pytest.raises(RejectedQueryError):
            describe_query(any_lab.connection, name, "SELECT id FROM t")


def test_names_resolve_with_the_sessions_search_path(any_lab: Lab) -> None:
    any_lab.run("CREATE SCHEMA a; CREATE TABLE a.t (id int); CREATE TABLE public.t (id int)")
    any_lab.run("SET search_path = a, public")
    assert _describe(any_lab, "SELECT id FROM t").relations == (QualifiedName("a", "t"),)


def test_views_are_followed_to_the_tables(any_lab: Lab) -> None:
    any_lab.run(
        "CREATE TABLE t (id int); CREATE VIEW v AS SELECT id FROM t;"
        " CREATE VIEW w AS SELECT id FROM v UNION SELECT (SELECT max(id) FROM t);"
        " CREATE MATERIALIZED VIEW m AS SELECT 1 AS a"
    )
    facts = _describe(any_lab, "SELECT w.id FROM w, m, pg_class")
    assert set(facts.relations) == {
        named("w"),
        named("v"),
        named("t"),
        named("m"),
        QualifiedName("pg_catalog", "pg_class"),
    }
    kinds = {name.name: facts.schema.relations[name].kind for name in facts.relations}
    assert kinds["w"] is RelationKind.VIEW
    assert kinds["t"] is RelationKind.TABLE
    assert kinds["m"] is RelationKind.MATVIEW
    definition = facts.schema.relations[named("v")].definition
    assert definition is not None
    assert "FROM public.t" in definition
    assert not definition.endswith(";")
    assert facts.schema.relations[named("t")].definition is None


def test_a_stream_table_is_not_looked_through(any_lab: Lab) -> None:
    any_lab.run(
        "CREATE TABLE t (id int);"
        ' CREATE TABLE pgtrickle_state."public.s" (id int PRIMARY KEY, v int, __pgt_count bigint NOT NULL);'
        ' CREATE UNIQUE INDEX ON pgtrickle_state."public.s" (__pgt_count);'
        ' CREATE VIEW s AS SELECT v, id FROM pgtrickle_state."public.s"'
    )
    any_lab.consumer("s")
    facts = _describe(any_lab, "SELECT id FROM s")
    relation = facts.schema.relations[named("s")]
    assert facts.relations == (named("s"),)
    assert relation.kind is RelationKind.STREAM_TABLE
    assert relation.stored_as == QualifiedName("pgtrickle_state", "public.s")
    assert [column.name for column in relation.columns] == ["v", "id"]
    assert [column.not_null for column in relation.columns] == [False, True]
    assert relation.keys == (("id",),)
    assert relation.definition is None


def test_functions_are_found_wherever_they_hide(any_lab: Lab) -> None:
    any_lab.run(
        "CREATE TABLE t (id int, s text, d timestamptz);"
        " CREATE FUNCTION mine(int) RETURNS int LANGUAGE sql STABLE AS 'SELECT $1';"
        " CREATE OPERATOR @@@ (LEFTARG = int, RIGHTARG = int, FUNCTION = int4pl);"
        " CREATE VIEW v AS SELECT id @@@ 1 AS x, upper(s) AS s, random() AS r FROM t"
    )
    facts = _describe(
        any_lab,
        "SELECT mine(x), sum(x) OVER (ORDER BY s), row_number() OVER () FROM v"
        " WHERE s ~~ 'a%' AND EXISTS (SELECT FROM generate_series(1, 2)) AND s::date > '2020-01-01'",
    )
    calls = _calls(facts)
    assert calls["mine"] is Volatility.STABLE
    assert calls["random"] is Volatility.VOLATILE
    assert {"int4pl", "upper", "sum", "row_number", "textlike", "date_in"} <= calls.keys()
    by_name = {function.name: function for function in facts.schema.functions}
    assert by_name["generate_series"].returns_set
    assert by_name["sum"].kind is FunctionKind.AGGREGATE
    assert by_name["row_number"].kind is FunctionKind.WINDOW
    assert not by_name["mine"].builtin
    assert by_name["upper"].builtin


def test_aliases_that_look_like_a_rule_tree_are_only_names(any_lab: Lab) -> None:
    any_lab.run('CREATE TABLE t (id int, "x :funcid 1299 :relid 1259 {SQLVALUEFUNCTION :op" int)')
    facts = _describe(
        any_lab, 'SELECT * FROM t AS " :funcid 1299 :relid 1259 {SQLVALUEFUNCTION :op 0"'
    )
    assert facts.schema.functions == ()
    assert facts.relations == (named("t"),)
    assert not facts.schema.reads_clock


@pytest.mark.parametrize(
    ("query", "reads"),
    [
        ("SELECT now() AS a", True),
        ("SELECT CURRENT_DATE AS a", True),
        ("SELECT CURRENT_USER AS a", True),
        ("SELECT clock_timestamp() AS a", True),
        ("SELECT age('2020-01-01'::timestamp) AS a", True),
        ("SELECT age('2020-01-01'::timestamp, '2021-01-01'::timestamp) AS a", False),
        ("SELECT 1 AS a", False),
        ("SELECT a FROM clock", True),
    ],
)
def test_the_clock_is_noticed(any_lab: Lab, query: str, reads: bool) -> None:
    any_lab.run("CREATE VIEW clock AS SELECT LOCALTIMESTAMP AS a")
    assert _describe(any_lab, query).schema.reads_clock is reads


def test_settings_are_the_sessions_and_constants_do_not_depend_on_them(any_lab: Lab) -> None:
    any_lab.run(
        "SET DateStyle = 'German, DMY'; SET extra_float_digits = -5; SET TimeZone = 'Asia/Tokyo'"
    )
    facts = _describe(any_lab, "SELECT '3.2.2020'::date AS d, 0.123456789012345::float8 AS f")
    assert set(facts.settings) == set(SESSION_SETTINGS)
    assert facts.settings["DateStyle"] == "German, DMY"
    assert facts.settings["TimeZone"] == "Asia/Tokyo"
    assert facts.settings["extra_float_digits"] == "-5"
    assert "'2020-02-03'::date" in facts.query
    assert any_lab.value("SHOW DateStyle") == "German, DMY"


def test_outputs_carry_names_and_types(any_lab: Lab) -> None:
    facts = _describe(
        any_lab, "SELECT 1.5::numeric(10,2) AS n, 'x'::varchar(3) AS \"V\", ARRAY[1] AS a"
    )
    shown = [(c.name, c.type.name, c.type.scale) for c in facts.outputs]
    assert shown == [
        ("n", "numeric(10,2)", 2),
        ("V", "character varying(3)", None),
        ("a", "integer[]", None),
    ]
