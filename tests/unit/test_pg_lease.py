"""Keys of advisory locks."""

from __future__ import annotations

from pgtrickle.pg.lease import MIGRATION_KEY, capture_key, creation_key, refresh_key


def test_keys_of_different_purposes_never_meet() -> None:
    keys = {refresh_key(0), creation_key(0), capture_key(0), MIGRATION_KEY}
    assert len(keys) == 4


def test_keys_are_stable() -> None:
    assert refresh_key(7) == (0x70677472, 7)


def test_keys_fit_two_int4s_for_any_id() -> None:
    for number in (0, 2**31 - 1, 2**31, 2**32 - 1, 2**63 - 1):
        for key in (refresh_key(number), capture_key(number)):
            assert all(-(2**31) <= part < 2**31 for part in key)
