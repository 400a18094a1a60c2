"""Capture for one consumer: every source of a plan, with what its kind needs."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgtrickle.catalog import store
from pgtrickle.cdc.trigger.install import Captured, ensure_capture
from pgtrickle.dvm.plan.model import GroupsPlan
from pgtrickle.dvm.schema import Relation, RelationKind
from pgtrickle.refresh.prepare import prepare

if TYPE_CHECKING:
    from collections.abc import Sequence

    from pgtrickle.catalog.model import CaptureFailure
    from pgtrickle.config import Settings
    from pgtrickle.pg.connection import Connection


def capture(
    connection: Connection,
    relation: Relation,
    columns: Sequence[str],
    *,
    capture_failure: CaptureFailure,
    settings: Settings,
    relax: bool = False,
) -> Captured:
    """Capture `columns` of `relation`; `relax` lets a failed capture no longer fail the writer if no reader wants that.

    The storage of an aggregate also changes in hidden columns alone; its rows are paired by their key, so that such a
    change is none to whoever reads the stream table.
    """
    return ensure_capture(
        connection,
        relation,
        columns,
        capture_failure=capture_failure,
        settings=settings,
        pairing=_pairing(connection, relation, settings),
        relax=relax,
    )


def _pairing(
    connection: Connection, relation: Relation, settings: Settings
) -> tuple[str, ...] | None:
    if relation.kind is not RelationKind.STREAM_TABLE:
        return None
    upstream = prepare(connection, store.load(connection, relation.name), settings)
    if not isinstance(upstream.plan, GroupsPlan):
        return None
    return upstream.plan.identity.columns or None
