"""The catalog's rows and values, and who counts as abandoned."""

from __future__ import annotations

from typing import TYPE_CHECKING
from unittest.mock import Mock

import pytest

from pgtrickle.catalog import store
from pgtrickle.catalog.model import Action, RefreshMode, Scope, Status
from pgtrickle.cdc.trigger.install import remove_capture
from pgtrickle.errors import DuplicateNameError, SourceChangedError, UnknownStreamTableError
from pgtrickle.frontier import Snapshot
from tests.support.lab import named, until

if TYPE_CHECKING:
    from tests.support.lab import Lab

pytestmark = pytest.mark.pg


def test_what_is_registered_is_loaded(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int PRIMARY KEY, v int)")
    source = any_lab.capture("t")
    before = Snapshot.parse(any_lab.snapshot())
    id_ = any_lab.consumer("c", (source, ["v"]), relations=["t"])
    table = store.load(any_lab.connection, named("c"))
    assert (table.id, table.name, table.status) == (id_, named("c"), Status.POPULATING)
    assert table.refresh_mode is RefreshMode.AUTO
    assert table.relations == (named("t"),)
    assert [(d.source, d.columns) for d in table.dependencies] == [(source, ("v",))]
    assert table.frontier is not None
    assert table.frontier.snapshot.covers(before)
    assert table.frontier.applied_xid is None
    assert store.load_all(any_lab.connection) == [table]


def test_activation_stores_the_frontier_and_its_own_transaction(any_lab: Lab) -> None:
    id_ = any_lab.consumer("c")
    any_lab.connection.execute("BEGIN")
    own = any_lab.value("SELECT pg_current_xact_id()::text::bigint")
    store.activate(any_lab.connection, id_, fingerprint="f", snapshot="5:9:7")
    any_lab.connection.execute("COMMIT")
    table = store.load(any_lab.connection, named("c"))
    assert (table.status, table.fingerprint) == (Status.ACTIVE, "f")
    assert table.frontier is not None
    assert str(table.frontier.snapshot) == "5:9:7"
    assert table.frontier.applied_xid == own
    assert table.refreshed_at is not None


def test_a_name_is_taken_once(any_lab: Lab) -> None:
    any_lab.consumer("c")
    with pytest.raises(DuplicateNameError):
        any_lab.consumer("c")


def test_a_source_that_lost_its_capture_meanwhile_is_a_retry(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    remove_capture(any_lab.connection, source.id)
    with pytest.raises(SourceChangedError) as raised:
        any_lab.consumer("c", (source, ["id"]))
    assert raised.value.retryable
    assert store.load_all(any_lab.connection) == []


def test_an_unknown_name_is_an_error(any_lab: Lab) -> None:
    with pytest.raises(UnknownStreamTableError, match="nope"):
        store.load(any_lab.connection, named("nope"))


def test_errors_are_marked_and_cleared(any_lab: Lab) -> None:
    id_ = any_lab.consumer("c")
    store.mark_error(any_lab.connection, id_, "broken")
    table = store.load(any_lab.connection, named("c"))
    assert (table.status, table.error) == (Status.ERROR, "broken")
    store.clear_error(any_lab.connection, id_)
    table = store.load(any_lab.connection, named("c"))
    assert (table.status, table.error) == (Status.ACTIVE, None)


def test_clearing_an_error_does_not_activate_what_is_populating(any_lab: Lab) -> None:
    id_ = any_lab.consumer("c")
    store.clear_error(any_lab.connection, id_)
    assert store.load(any_lab.connection, named("c")).status is Status.POPULATING


def test_removal_takes_dependencies_frontier_and_history_along(any_lab: Lab) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    id_ = any_lab.consumer("c", (any_lab.capture("t"), ["id"]))
    any_lab.run(
        "INSERT INTO pgtrickle.refresh_history (stream_table_id, action, scope, started_at, snapshot)"
        f" VALUES ({id_}, 'FULL', 'all', now(), '1:1:')"
    )
    record = store.history(any_lab.connection, id_)[0]
    assert (record.action, record.scope, record.stream_table) == (
        Action.FULL,
        Scope.ALL,
        "public.c",
    )
    assert store.history(any_lab.connection, None, 10) == [record]
    store.remove(any_lab.connection, id_)
    for table in ("stream_tables", "frontiers", "dependencies", "refresh_history"):
        assert any_lab.value(f"SELECT count(*) FROM pgtrickle.{table}") == 0


def test_dependants_are_found_through_relations(any_lab: Lab) -> None:
    base = any_lab.consumer("base")
    any_lab.consumer("reader", relations=["v", "base"])
    any_lab.consumer("bystander", relations=["v"])
    assert store.dependants(any_lab.connection, base) == [named("reader")]


def test_a_creator_that_is_alive_has_abandoned_nothing(any_lab: Lab) -> None:
    any_lab.consumer("c")
    assert store.abandoned(any_lab.another()) == []


def test_a_creator_that_died_has_abandoned_its_table(any_lab: Lab) -> None:
    creator = type(any_lab)(any_lab.dsn, any_lab.another())
    creator.consumer("c")
    creator.connection.close()
    observer = any_lab.another()
    until(lambda: store.abandoned(observer) == [named("c")])


def test_an_active_table_is_not_abandoned_by_a_creator_that_left(any_lab: Lab) -> None:
    creator = type(any_lab)(any_lab.dsn, any_lab.another())
    id_ = creator.consumer("c")
    creator.stand_at(id_, any_lab.snapshot())
    store.release(creator.connection, id_)
    creator.connection.close()
    assert store.abandoned(any_lab.connection) == []


def test_a_registration_that_is_not_committed_yet_is_not_abandoned(any_lab: Lab) -> None:
    creator = type(any_lab)(any_lab.dsn, any_lab.another())
    creator.connection.execute("BEGIN")
    creator.consumer("c")
    assert store.abandoned(any_lab.connection) == []
    creator.connection.execute("COMMIT")
    assert store.abandoned(any_lab.connection) == []


def test_loading_everything_takes_one_statement(
    any_lab: Lab, monkeypatch: pytest.MonkeyPatch
) -> None:
    any_lab.run("CREATE TABLE t (id int)")
    source = any_lab.capture("t")
    for number in range(5):
        any_lab.consumer(f"c{number}", (source, ["id"]))
    execute = Mock(wraps=any_lab.connection.execute)
    monkeypatch.setattr(any_lab.connection, "execute", execute)
    assert len(store.load_all(any_lab.connection)) == 5
    assert execute.call_count == 1
