"""A decoder in pure Python: the tests compare with it, and the benchmark takes it as the alternative.

Written from PostgreSQL's chapter "Logical Replication Message Formats", not from the Rust one. It reads only what is well formed.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable

Cell = tuple[str, bytes | None]

NULL: Cell = ("n", None)
UNKNOWN: Cell = ("u", None)

_I16 = Struct(">H")
_I32 = Struct(">I")
_TYPE = Struct(">Ii")
_BEGIN = Struct(">QqI")
_COMMIT = Struct(">BQQq")
_STREAM_COMMIT = Struct(">IBQQq")
_ABORT = Struct(">II")
_ABORT_INFO = Struct(">Qq")
_PREPARED = Struct(">QQqI")
_ROLLBACK = Struct(">QQqqI")


class Row(NamedTuple):
    """One row image."""

    message: int
    oid: int
    action: str
    xid: int
    subxid: int
    cells: tuple[Cell, ...]


class Told(NamedTuple):
    """An event: its kind and what all kinds share; what it does not tell is None."""

    message: int
    kind: str
    xid: int | None = None
    subxid: int | None = None
    lsn: int | None = None
    end_lsn: int | None = None
    time: int | None = None
    name: str | None = None
    relations: tuple[int, ...] | None = None
    content: bytes | None = None


@dataclass(frozen=True, slots=True)
class Shape:
    """A relation: its identity, and the names and key flags of its columns."""

    identity: str
    names: tuple[str, ...]
    keys: tuple[bool, ...]


@dataclass(slots=True)
class ReferenceDecoder:
    """Reads messages one by one and collects rows and events."""

    rows: list[Row] = field(default_factory=list)
    events: list[Told] = field(default_factory=list)
    shapes: dict[int, Shape] = field(default_factory=dict)
    xid: int | None = None
    streaming: bool = False

    def decode(self, messages: Iterable[bytes]) -> None:
        """Read the messages."""
        for number, message in enumerate(messages):
            tag = chr(message[0])
            if tag in "IUD":
                self._row(number, tag, message)
            elif tag == "R":
                self._relation(message)
            else:
                self._event(number, tag, message)

    def _top(self) -> int:
        assert self.xid is not None
        return self.xid

    def _row(self, number: int, tag: str, message: bytes) -> None:
        at, xid = 1, self._top()
        subxid = xid
        if self.streaming:
            (subxid,) = _I32.unpack_from(message, at)
            at += 4
        (oid,) = _I32.unpack_from(message, at)
        at += 4
        shape = self.shapes[oid]
        old: tuple[Cell, ...] | None = None
        kind = chr(message[at])
        if kind in "KO":
            old, at = _tuple(message, at + 1)
            if kind == "K":
                old = tuple(
                    cell if key else UNKNOWN for cell, key in zip(old, shape.keys, strict=True)
                )
        if tag != "D":
            new, at = _tuple(message, at + 1)
            if old is not None:
                new = tuple(
                    before if cell == UNKNOWN else cell
                    for cell, before in zip(new, old, strict=True)
                )
            elif tag == "U":
                old = tuple(
                    cell if key else UNKNOWN for cell, key in zip(new, shape.keys, strict=True)
                )
        if tag != "I":
            assert old is not None
            self.rows.append(Row(number, oid, "D", xid, subxid, old))
        if tag != "D":
            self.rows.append(Row(number, oid, "I", xid, subxid, new))
        assert at == len(message)

    def _relation(self, message: bytes) -> None:
        at = 5 if self.streaming else 1
        (oid,) = _I32.unpack_from(message, at)
        _schema, at = _text(message, at + 4)
        _name, at = _text(message, at)
        identity = chr(message[at])
        (count,) = _I16.unpack_from(message, at + 1)
        at += 3
        names: list[str] = []
        keys: list[bool] = []
        for _ in range(count):
            keys.append(message[at] & 1 == 1)
            name, at = _text(message, at + 1)
            names.append(name)
            at += _TYPE.size
        assert at == len(message)
        self.shapes[oid] = Shape(identity, tuple(names), tuple(keys))

    def _event(self, number: int, tag: str, message: bytes) -> None:
        match tag:
            case "B":
                lsn, time, self.xid = _BEGIN.unpack_from(message, 1)
                told = Told(number, "Begin", self.xid, lsn=lsn, time=time)
            case "C":
                _flags, lsn, end_lsn, time = _COMMIT.unpack_from(message, 1)
                told = Told(number, "Commit", self.xid, lsn=lsn, end_lsn=end_lsn, time=time)
                self.xid = None
            case "O":
                lsn = int.from_bytes(message[1:9], "big")
                told = Told(number, "Origin", lsn=lsn, name=_text(message, 9)[0])
            case "Y":
                _schema, at = _text(message, 9 if self.streaming else 5)
                told = Told(number, "Type", name=_text(message, at)[0])
            case "T":
                told = self._truncate(number, message)
            case "M":
                told = self._message(number, message)
            case "S" | "E" | "c" | "A":
                told = self._stream(number, tag, message)
            case _:
                told = self._prepared(number, tag, message)
        self.events.append(told)

    def _truncate(self, number: int, message: bytes) -> Told:
        at = 5 if self.streaming else 1
        subxid = _I32.unpack_from(message, 1)[0] if self.streaming else self.xid
        (count,) = _I32.unpack_from(message, at)
        oids = tuple(oid for (oid,) in _I32.iter_unpack(message[at + 5 :]))
        assert len(oids) == count
        return Told(number, "Truncate", self.xid, subxid, relations=oids)

    def _message(self, number: int, message: bytes) -> Told:
        at = 5 if self.streaming else 1
        lsn = int.from_bytes(message[at + 1 : at + 9], "big")
        prefix, end = _text(message, at + 9)
        xid = self.xid if message[at] & 1 else None
        return Told(number, "Message", xid, lsn=lsn, name=prefix, content=message[end + 4 :])

    def _stream(self, number: int, tag: str, message: bytes) -> Told:
        match tag:
            case "S":
                (self.xid,) = _I32.unpack_from(message, 1)
                self.streaming = True
                return Told(number, "Stream Start", self.xid)
            case "E":
                told = Told(number, "Stream Stop", self.xid)
                self.xid, self.streaming = None, False
                return told
            case "c":
                xid, _flags, lsn, end_lsn, time = _STREAM_COMMIT.unpack_from(message, 1)
                return Told(number, "Stream Commit", xid, lsn=lsn, end_lsn=end_lsn, time=time)
        xid, subxid = _ABORT.unpack_from(message, 1)
        if len(message) == 1 + _ABORT.size:
            return Told(number, "Stream Abort", xid, subxid)
        lsn, time = _ABORT_INFO.unpack_from(message, 1 + _ABORT.size)
        return Told(number, "Stream Abort", xid, subxid, lsn=lsn, time=time)

    def _prepared(self, number: int, tag: str, message: bytes) -> Told:
        kinds = {
            "b": "Begin Prepare",
            "P": "Prepare",
            "K": "Commit Prepared",
            "r": "Rollback Prepared",
            "p": "Stream Prepare",
        }
        at = 1 if tag == "b" else 2
        if tag == "r":
            lsn, end_lsn, _prepared, time, xid = _ROLLBACK.unpack_from(message, at)
            at += _ROLLBACK.size
        else:
            lsn, end_lsn, time, xid = _PREPARED.unpack_from(message, at)
            at += _PREPARED.size
        if tag in "bP":
            self.xid = xid if tag == "b" else None
        name = _text(message, at)[0]
        return Told(number, kinds[tag], xid, lsn=lsn, end_lsn=end_lsn, time=time, name=name)


def _text(message: bytes, at: int) -> tuple[str, int]:
    end = message.index(0, at)
    return message[at:end].decode(), end + 1


def _tuple(message: bytes, at: int) -> tuple[tuple[Cell, ...], int]:
    (count,) = _I16.unpack_from(message, at)
    at += 2
    cells: list[Cell] = []
    for _ in range(count):
        kind = message[at]
        at += 1
        if kind == 110:  # n
            cells.append(NULL)
        elif kind == 117:  # u
            cells.append(UNKNOWN)
        else:
            (length,) = _I32.unpack_from(message, at)
            at += 4
            cells.append((chr(kind), message[at : at + length]))
            at += length
    return tuple(cells), at
