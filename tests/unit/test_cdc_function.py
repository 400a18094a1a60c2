"""The text of capture functions and triggers."""

from __future__ import annotations

from dataclasses import replace

from pgtrickle.catalog.model import CapturedColumn, CaptureFailure
from pgtrickle.cdc.trigger.function import (
    Capture,
    PairingColumn,
    always_enabled,
    create_function,
    create_triggers,
    function_body,
    function_name,
)
from pgtrickle.dvm.schema import QualifiedName

CAPTURE = Capture(
    source_id=3,
    version=2,
    buffer=QualifiedName("pgtrickle_changes", "changes_3"),
    columns=(
        CapturedColumn(name="id", buffer_column="id", type="integer"),
        CapturedColumn(name="xid", buffer_column="xid_", type="xid8"),
    ),
    capture_failure=CaptureFailure.REBUILD,
)
TABLE = QualifiedName("public", "t")


def body(capture: Capture) -> str:
    return function_body(capture).as_string()


def test_each_table_and_version_has_a_function_of_its_own() -> None:
    assert function_name(CAPTURE, 17).name == "capture_3_17_v2"
    assert function_name(replace(CAPTURE, version=3), 17).name == "capture_3_17_v3"


def test_an_update_is_one_statement_with_both_halves() -> None:
    text = body(CAPTURE)
    assert 'SELECT \'D\'::"char", o."id", o."xid" FROM old_rows AS o' in text
    assert "UNION ALL" in text
    assert '(action, "id", "xid_")' in text


def test_the_guard_raises_conflicts_again_and_records_the_rest() -> None:
    text = body(CAPTURE)
    assert "WHEN serialization_failure OR deadlock_detected OR query_canceled THEN" in text
    assert "VALUES (3, 'gap', SQLSTATE)" in text
    assert "EXCEPTION" not in body(replace(CAPTURE, capture_failure=CaptureFailure.FAIL))


def test_the_body_is_a_literal_that_no_name_can_end() -> None:
    odd = CapturedColumn(name="$$ x '", buffer_column="$$ x '", type="integer")
    text = create_function(replace(CAPTURE, columns=(odd,)), 17).as_string()
    assert """o."$$ x ''\"""" in text
    assert "SECURITY DEFINER SET search_path = pg_catalog, pg_temp" in text
    assert text.endswith(
        'REVOKE ALL ON FUNCTION "pgtrickle_changes"."capture_3_17_v2"() FROM PUBLIC'
    )


def test_statement_triggers_have_transition_tables_and_row_triggers_none() -> None:
    text = create_triggers(CAPTURE, TABLE, 17).as_string()
    assert "REFERENCING OLD TABLE AS old_rows NEW TABLE AS new_rows FOR EACH STATEMENT" in text
    rows = create_triggers(replace(CAPTURE, per_row=True), TABLE, 17).as_string()
    assert "REFERENCING" not in rows
    assert rows.count("FOR EACH ROW") == 3
    assert rows.count("FOR EACH STATEMENT") == 1


def test_all_triggers_are_enabled_in_one_statement() -> None:
    text = always_enabled(CAPTURE, TABLE).as_string()
    assert text.count("ENABLE ALWAYS TRIGGER") == 4
    assert text.count("ALTER TABLE") == 1


def test_plain_keys_pair_by_equality_and_nullable_ones_by_hash_and_recheck() -> None:
    plain = body(replace(CAPTURE, pairing=(PairingColumn("id", not_null=True),)))
    assert 'ON o."id" = n."id"' in plain
    nullable = body(
        replace(CAPTURE, pairing=(PairingColumn("id"), PairingColumn("b", hashable=False)))
    )
    assert 'hash_record_extended(ROW(o."id", o."b"::text), 0)' in nullable
    assert 'o."id" IS NOT DISTINCT FROM n."id" AND o."b" IS NOT DISTINCT FROM n."b"' in nullable
