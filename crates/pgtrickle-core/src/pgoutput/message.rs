//! One message: its kind and its fields. What a row message holds is read where the row is built.

use super::Xid;
use super::cursor::Cursor;
use super::error::DecodeError;
use super::event::{Event, Prepared};
use super::relation::Relation;

/// Where in the stream a message stands; streamed messages carry a transaction id more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) enum Scope {
    /// Between transactions.
    #[default]
    Outside,
    /// After Begin or Begin Prepare.
    Transaction(Xid),
    /// Inside a block of a transaction in progress.
    Stream(Xid),
}

impl Scope {
    /// Returns the top-level transaction that is open.
    pub(super) fn xid(self) -> Result<Xid, DecodeError> {
        match self {
            Self::Transaction(xid) | Self::Stream(xid) => Ok(xid),
            Self::Outside => Err(DecodeError::Misplaced { reason: "no transaction is open" }),
        }
    }

    fn transaction(self) -> Result<Xid, DecodeError> {
        match self {
            Self::Transaction(xid) => Ok(xid),
            _ => Err(DecodeError::Misplaced { reason: "no transaction has begun" }),
        }
    }

    fn outside(self) -> Result<(), DecodeError> {
        match self {
            Self::Outside => Ok(()),
            _ => Err(DecodeError::Misplaced { reason: "another transaction is open" }),
        }
    }

    /// Returns the id that a streamed message carries, which may be that of a subtransaction.
    #[inline]
    fn subxid(self, cursor: &mut Cursor<'_>) -> Result<Option<Xid>, DecodeError> {
        match self {
            Self::Stream(_) => cursor.u32().map(Some),
            _ => Ok(None),
        }
    }
}

/// Which rows a row message holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RowKind {
    Insert,
    Update,
    Delete,
}

/// A message up to the point where a row begins.
pub(super) enum Message<'a> {
    Event(Event),
    Relation(Relation),
    Row { kind: RowKind, xid: Xid, subxid: Xid, relation: u32, body: Cursor<'a> },
}

impl<'a> Message<'a> {
    /// Reads a whole message, except that the tuples of a row are left in its `body`.
    #[inline]
    pub(super) fn read(bytes: &'a [u8], scope: Scope) -> Result<Self, DecodeError> {
        let mut cursor = Cursor::new(bytes);
        let tag = cursor.u8()?;
        let kind = match tag {
            b'I' => RowKind::Insert,
            b'U' => RowKind::Update,
            b'D' => RowKind::Delete,
            _ => return Self::read_other(tag, cursor, scope),
        };
        let xid = scope.xid()?;
        let subxid = scope.subxid(&mut cursor)?.unwrap_or(xid);
        let relation = cursor.u32()?;
        Ok(Self::Row { kind, xid, subxid, relation, body: cursor })
    }

    fn read_other(tag: u8, mut cursor: Cursor<'a>, scope: Scope) -> Result<Self, DecodeError> {
        let message = if tag == b'R' {
            scope.subxid(&mut cursor)?;
            Self::Relation(Relation::read(&mut cursor)?)
        } else {
            Self::Event(read_event(tag, &mut cursor, scope)?)
        };
        cursor.finish()?;
        Ok(message)
    }
}

fn read_event(tag: u8, cursor: &mut Cursor<'_>, scope: Scope) -> Result<Event, DecodeError> {
    match tag {
        b'B' => {
            scope.outside()?;
            Ok(Event::Begin { lsn: cursor.u64()?, time: cursor.i64()?, xid: cursor.u32()? })
        }
        b'C' => {
            let (xid, _flags) = (scope.transaction()?, cursor.u8()?);
            let (lsn, end_lsn, time) = (cursor.u64()?, cursor.u64()?, cursor.i64()?);
            Ok(Event::Commit { xid, lsn, end_lsn, time })
        }
        b'O' => Ok(Event::Origin { lsn: cursor.u64()?, name: cursor.text()?.to_owned() }),
        b'Y' => {
            scope.subxid(cursor)?;
            let (oid, schema, name) = (cursor.u32()?, cursor.text()?, cursor.text()?);
            Ok(Event::Type { oid, schema: schema.to_owned(), name: name.to_owned() })
        }
        b'T' => read_truncate(cursor, scope),
        b'M' => read_message(cursor, scope),
        b'S' | b'E' | b'c' | b'A' => read_stream(tag, cursor, scope),
        b'b' | b'P' | b'K' | b'r' | b'p' => read_prepared(tag, cursor, scope),
        tag => Err(DecodeError::UnknownMessage { tag }),
    }
}

fn read_truncate(cursor: &mut Cursor<'_>, scope: Scope) -> Result<Event, DecodeError> {
    let xid = scope.xid()?;
    let subxid = scope.subxid(cursor)?.unwrap_or(xid);
    let count = cursor.u32()? as usize;
    let options = cursor.u8()?;
    let mut relations = Vec::with_capacity(count.min(cursor.left() / size_of::<u32>()));
    for _ in 0..count {
        relations.push(cursor.u32()?);
    }
    let (cascade, restart_identity) = (options & 1 != 0, options & 2 != 0);
    Ok(Event::Truncate { xid, subxid, relations, cascade, restart_identity })
}

fn read_message(cursor: &mut Cursor<'_>, scope: Scope) -> Result<Event, DecodeError> {
    scope.subxid(cursor)?;
    let transactional = cursor.u8()? & 1 == 1;
    let (lsn, prefix) = (cursor.u64()?, cursor.text()?.to_owned());
    let content = cursor.counted()?.to_owned();
    let xid = if transactional { Some(scope.xid()?) } else { None };
    Ok(Event::Message { xid, lsn, prefix, content })
}

fn read_stream(tag: u8, cursor: &mut Cursor<'_>, scope: Scope) -> Result<Event, DecodeError> {
    if tag == b'E' {
        return match scope {
            Scope::Stream(xid) => Ok(Event::StreamStop { xid }),
            _ => Err(DecodeError::Misplaced { reason: "no block of a transaction is open" }),
        };
    }
    scope.outside()?;
    let xid = cursor.u32()?;
    match tag {
        b'S' => Ok(Event::StreamStart { xid, first: cursor.u8()? == 1 }),
        b'c' => {
            let _flags = cursor.u8()?;
            let (lsn, end_lsn, time) = (cursor.u64()?, cursor.u64()?, cursor.i64()?);
            Ok(Event::StreamCommit { xid, lsn, end_lsn, time })
        }
        _ => {
            let subxid = cursor.u32()?;
            let told = cursor.left() > 0;
            let lsn = if told { Some(cursor.u64()?) } else { None };
            let time = if told { Some(cursor.i64()?) } else { None };
            Ok(Event::StreamAbort { xid, subxid, lsn, time })
        }
    }
}

fn read_prepared(tag: u8, cursor: &mut Cursor<'_>, scope: Scope) -> Result<Event, DecodeError> {
    if tag == b'P' {
        scope.transaction()?;
    } else {
        scope.outside()?;
    }
    if tag != b'b' {
        let _flags = cursor.u8()?;
    }
    let (lsn, end_lsn, time) = (cursor.u64()?, cursor.u64()?, cursor.i64()?);
    if tag == b'r' {
        let (prepare_time, time) = (time, cursor.i64()?);
        // The first position is where the prepared transaction ended, the second where the rollback did.
        let prepared =
            Prepared { lsn, end_lsn, time, xid: cursor.u32()?, gid: cursor.text()?.to_owned() };
        return Ok(Event::RollbackPrepared { prepared, prepare_time });
    }
    let (xid, gid) = (cursor.u32()?, cursor.text()?.to_owned());
    let prepared = Prepared { xid, lsn, end_lsn, time, gid };
    Ok(match tag {
        b'b' => Event::BeginPrepare(prepared),
        b'P' => Event::Prepare(prepared),
        b'K' => Event::CommitPrepared(prepared),
        _ => Event::StreamPrepare(prepared),
    })
}
