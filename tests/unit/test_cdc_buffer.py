"""Names and shape of the change buffer."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pgtrickle.catalog.model import CapturedColumn
from pgtrickle.cdc.buffer import OWN_COLUMNS, alter_buffer, buffer_column, create_buffer
from pgtrickle.dvm.schema import QualifiedName

BUFFER = QualifiedName("pgtrickle_changes", "changes_1")


def column(name: str, type_: str = "integer", collation: str | None = None) -> CapturedColumn:
    return CapturedColumn(
        name=name, buffer_column=buffer_column(name), type=type_, collation=collation
    )


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("id", "id"),
        ("xid", "xid_"),
        ("xid_", "xid__"),
        ("xids", "xids"),
        ("XID", "XID"),
        ("captured_at", "captured_at_"),
        ("__pgt_x", "__pgt_x"),
    ],
)
def test_only_our_own_names_are_moved_aside(name: str, expected: str) -> None:
    assert buffer_column(name) == expected


names = st.one_of(
    st.text(min_size=1, max_size=63),
    st.builds(lambda own, n: own + "_" * n, st.sampled_from(OWN_COLUMNS), st.integers(0, 60)),
).filter(lambda name: len(name.encode()) <= 63)


@given(st.sets(names, max_size=20))
def test_columns_never_meet_in_the_buffer(source: set[str]) -> None:
    moved = [buffer_column(name) for name in source]
    assert len(set(moved)) == len(moved)
    assert not set(moved) & set(OWN_COLUMNS)
    assert all(len(name.encode()) <= 63 for name in moved)


def test_the_longest_name_that_collides_still_fits() -> None:
    longest = "xid" + "_" * 60
    assert len(buffer_column(longest)) <= 63
    assert buffer_column(longest) != longest


def test_creation_spells_types_and_collations() -> None:
    text = create_buffer(BUFFER, [column("a"), column("t", "text", 'pg_catalog."C"')]).as_string()
    assert text.startswith('CREATE TABLE "pgtrickle_changes"."changes_1" (change_id bigint')
    assert ', "a" integer, "t" text COLLATE pg_catalog."C"); ' in text
    assert text.endswith("ALTER COLUMN xid SET STATISTICS 0")


def test_alteration_drops_before_it_adds() -> None:
    change = alter_buffer(BUFFER, add=[column("a", "text")], drop=[column("a")])
    assert change is not None
    assert change.as_string().endswith('DROP COLUMN IF EXISTS "a", ADD COLUMN "a" text')


def test_no_alteration_is_no_statement() -> None:
    assert alter_buffer(BUFFER, add=[], drop=[]) is None
