"""The migrations that ship with the package."""

from __future__ import annotations

from pgtrickle.catalog.migrate import migrations


def test_versions_count_from_one_without_gaps() -> None:
    versions = [migration.version for migration in migrations()]
    assert versions == list(range(1, len(versions) + 1))


def test_every_migration_has_a_script() -> None:
    assert all(migration.script.strip() for migration in migrations())
