"""The Rust decoder on bytes that a server once sent; the tests on servers ask for new ones."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from pgtrickle._core import Decoder, PgoutputError
from pgtrickle.cdc.wal.changes import buffer_input, decode
from pgtrickle.errors import ReplicationError, SourceError
from tests.support.pgoutput import core
from tests.support.pgoutput.capture import CORPUS, unframed
from tests.support.pgoutput.reference import ReferenceDecoder

if TYPE_CHECKING:
    from pathlib import Path

FILES = sorted(CORPUS.glob("v*"))
KINDS = set("BCORYIUDTMSEcAbPKrp")


def messages(file: Path) -> list[bytes]:
    return list(unframed(file.read_bytes()))


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.name)
def test_both_decoders_tell_the_same(file: Path) -> None:
    reference = ReferenceDecoder()
    reference.decode(messages(file))
    batch = Decoder().decode(messages(file))
    assert core.rows(batch) == reference.rows
    assert core.events(batch) == reference.events


def test_the_stored_bytes_have_every_kind_of_message() -> None:
    assert {chr(message[0]) for file in FILES for message in messages(file)} == KINDS


def test_a_broken_message_is_named_and_leaves_the_decoder_as_it_was() -> None:
    told = messages(CORPUS / "v1_text")
    broken = [*told[:5], told[5][:-1]]
    decoder = Decoder()
    with pytest.raises(PgoutputError, match="message 5 of the batch") as raised:
        decoder.decode(broken)
    assert raised.value.message == 5
    assert core.rows(decoder.decode(told)) == core.rows(Decoder().decode(told))


def test_errors_say_which_slot_and_which_table() -> None:
    with pytest.raises(ReplicationError, match='slot "s"') as unreadable:
        decode(Decoder(), [b"?"], slot="s")
    assert isinstance(unreadable.value.__cause__, PgoutputError)
    batch = Decoder().decode(messages(CORPUS / "v1_text"))
    by_key = next(changes for changes in batch.tables() if changes.name == "by_key")
    for columns, binary, detail in (
        (["name"], False, "does not tell"),
        (["id"], True, "did not come in binary"),
        (["missing"], False, "has no column"),
    ):
        with pytest.raises(SourceError, match=r'"public.by_key"') as raised:
            buffer_input(by_key, columns, next_xid=1 << 33, binary=binary)
        assert detail in (raised.value.detail or "")


def test_a_transaction_of_the_future_is_refused() -> None:
    batch = Decoder().decode(messages(CORPUS / "v1_text"))
    with pytest.raises(SourceError) as raised:
        buffer_input(batch.tables()[0], ["id"], next_xid=1, binary=False)
    assert "not older than the next" in (raised.value.detail or "")
