from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from pgtrickle.catalog.model import Action, RefreshReport, Scope
from pgtrickle.cli.jsonform import plain_value, show_json
from pgtrickle.dvm.schema import QualifiedName

REPORT = RefreshReport(
    stream_table='"public"."revenue"',
    action=Action.DIFFERENTIAL,
    scope=Scope.DELTA,
    reason="changes in the window",
    inserted=1,
    updated=2,
    deleted=3,
    elapsed_ms=1.5,
    snapshot="1:2:",
)


def test_the_keys_of_a_refresh_are_part_of_the_interface(
    capsys: pytest.CaptureFixture[str],
) -> None:
    show_json([REPORT])
    (shown,) = json.loads(capsys.readouterr().out)
    assert list(shown) == [
        "stream_table",
        "action",
        "scope",
        "reason",
        "inserted",
        "updated",
        "deleted",
        "elapsed_ms",
        "snapshot",
    ]
    assert shown["action"] == "DIFFERENTIAL"


def test_values_become_plain() -> None:
    moment = datetime(2026, 1, 2, 3, 4, 5, tzinfo=UTC)
    value = {"at": moment, "name": QualifiedName("s", "t"), "none": None, "list": (1, True)}
    assert plain_value(value) == {
        "at": "2026-01-02T03:04:05+00:00",
        "name": "s.t",
        "none": None,
        "list": [1, True],
    }


def test_a_value_without_a_json_form_is_a_mistake() -> None:
    with pytest.raises(TypeError, match="no JSON form for object"):
        plain_value(object())
