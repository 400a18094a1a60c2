//! What happened between the rows: transactions, truncations, messages, origins, types.
//!
//! An LSN is the 64-bit position; a time counts microseconds since 2000-01-01 UTC.

use super::Xid;

/// What the messages about a prepared transaction have in common.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Prepared {
    /// The transaction.
    pub xid: Xid,
    /// The position of the record: PREPARE, or COMMIT PREPARED.
    pub lsn: u64,
    /// The end of that record.
    pub end_lsn: u64,
    /// When it was written.
    pub time: i64,
    /// The name that the user gave the transaction.
    pub gid: String,
}

/// One message that is neither a row nor the shape of a relation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// A committed transaction begins.
    Begin {
        /// The transaction.
        xid: Xid,
        /// The position of its commit.
        lsn: u64,
        /// When it committed.
        time: i64,
    },
    /// The open transaction ends.
    Commit {
        /// The transaction, from its Begin.
        xid: Xid,
        /// The position of the commit.
        lsn: u64,
        /// The end of the commit record.
        end_lsn: u64,
        /// When it committed.
        time: i64,
    },
    /// The open transaction came from another server.
    Origin {
        /// The position of its commit there.
        lsn: u64,
        /// The name of the origin.
        name: String,
    },
    /// A type that is not built in.
    Type {
        /// Its OID.
        oid: u32,
        /// Its schema; empty for `pg_catalog`.
        schema: String,
        /// Its name.
        name: String,
    },
    /// Tables were emptied by one statement.
    Truncate {
        /// The top-level transaction.
        xid: Xid,
        /// The subtransaction, where it is told; else `xid`.
        subxid: Xid,
        /// The OIDs of the tables.
        relations: Vec<u32>,
        /// CASCADE was said.
        cascade: bool,
        /// RESTART IDENTITY was said.
        restart_identity: bool,
    },
    /// `pg_logical_emit_message` was called.
    Message {
        /// The top-level transaction, when the message belongs to one.
        xid: Option<Xid>,
        /// Where it was written.
        lsn: u64,
        /// The caller's prefix.
        prefix: String,
        /// The caller's content.
        content: Vec<u8>,
    },
    /// A block of a transaction in progress begins.
    StreamStart {
        /// The top-level transaction.
        xid: Xid,
        /// This is the first block of it.
        first: bool,
    },
    /// The block ends.
    StreamStop {
        /// The transaction, from the block's start.
        xid: Xid,
    },
    /// A streamed transaction has committed.
    StreamCommit {
        /// The transaction.
        xid: Xid,
        /// The position of the commit.
        lsn: u64,
        /// The end of the commit record.
        end_lsn: u64,
        /// When it committed.
        time: i64,
    },
    /// A streamed transaction, or a subtransaction of it, has rolled back.
    StreamAbort {
        /// The top-level transaction.
        xid: Xid,
        /// What rolled back; `xid` when all of it did.
        subxid: Xid,
        /// The position of the abort; told by version 4 with `streaming=parallel`.
        lsn: Option<u64>,
        /// When it rolled back; told as the position is.
        time: Option<i64>,
    },
    /// A prepared transaction begins.
    BeginPrepare(Prepared),
    /// It is prepared; its fate is open.
    Prepare(Prepared),
    /// A prepared transaction has committed.
    CommitPrepared(Prepared),
    /// A prepared transaction has rolled back.
    RollbackPrepared {
        /// The transaction; its position and time are those of the rollback.
        prepared: Prepared,
        /// When it had been prepared.
        prepare_time: i64,
    },
    /// A streamed transaction is prepared.
    StreamPrepare(Prepared),
}

impl Event {
    /// Returns the name of the message, as the documentation of `PostgreSQL` has it.
    #[must_use]
    pub fn kind(&self) -> &'static str {
        match self {
            Self::Begin { .. } => "Begin",
            Self::Commit { .. } => "Commit",
            Self::Origin { .. } => "Origin",
            Self::Type { .. } => "Type",
            Self::Truncate { .. } => "Truncate",
            Self::Message { .. } => "Message",
            Self::StreamStart { .. } => "Stream Start",
            Self::StreamStop { .. } => "Stream Stop",
            Self::StreamCommit { .. } => "Stream Commit",
            Self::StreamAbort { .. } => "Stream Abort",
            Self::BeginPrepare(_) => "Begin Prepare",
            Self::Prepare(_) => "Prepare",
            Self::CommitPrepared(_) => "Commit Prepared",
            Self::RollbackPrepared { .. } => "Rollback Prepared",
            Self::StreamPrepare(_) => "Stream Prepare",
        }
    }

    /// Returns the top-level transaction that it is about, if any.
    #[must_use]
    pub fn xid(&self) -> Option<Xid> {
        match self {
            Self::Begin { xid, .. }
            | Self::Commit { xid, .. }
            | Self::Truncate { xid, .. }
            | Self::StreamStart { xid, .. }
            | Self::StreamStop { xid }
            | Self::StreamCommit { xid, .. }
            | Self::StreamAbort { xid, .. } => Some(*xid),
            Self::Message { xid, .. } => *xid,
            Self::Origin { .. } | Self::Type { .. } => None,
            _ => self.prepared().map(|prepared| prepared.xid),
        }
    }

    /// Returns the subtransaction, where one may be told.
    #[must_use]
    pub fn subxid(&self) -> Option<Xid> {
        match self {
            Self::Truncate { subxid, .. } | Self::StreamAbort { subxid, .. } => Some(*subxid),
            _ => None,
        }
    }

    /// Returns the position that it tells first.
    #[must_use]
    pub fn lsn(&self) -> Option<u64> {
        match self {
            Self::Begin { lsn, .. }
            | Self::Commit { lsn, .. }
            | Self::Origin { lsn, .. }
            | Self::Message { lsn, .. }
            | Self::StreamCommit { lsn, .. } => Some(*lsn),
            Self::StreamAbort { lsn, .. } => *lsn,
            _ => self.prepared().map(|prepared| prepared.lsn),
        }
    }

    /// Returns the end of the record that ends or prepares a transaction.
    #[must_use]
    pub fn end_lsn(&self) -> Option<u64> {
        match self {
            Self::Commit { end_lsn, .. } | Self::StreamCommit { end_lsn, .. } => Some(*end_lsn),
            _ => self.prepared().map(|prepared| prepared.end_lsn),
        }
    }

    /// Returns when it happened.
    #[must_use]
    pub fn time(&self) -> Option<i64> {
        match self {
            Self::Begin { time, .. }
            | Self::Commit { time, .. }
            | Self::StreamCommit { time, .. } => Some(*time),
            Self::StreamAbort { time, .. } => *time,
            _ => self.prepared().map(|prepared| prepared.time),
        }
    }

    /// Returns the name that it carries: of an origin, a type, a prepared transaction, a prefix.
    #[must_use]
    pub fn name(&self) -> Option<&str> {
        match self {
            Self::Origin { name, .. } | Self::Type { name, .. } => Some(name),
            Self::Message { prefix, .. } => Some(prefix),
            _ => self.prepared().map(|prepared| prepared.gid.as_str()),
        }
    }

    fn prepared(&self) -> Option<&Prepared> {
        match self {
            Self::BeginPrepare(prepared)
            | Self::Prepare(prepared)
            | Self::CommitPrepared(prepared)
            | Self::RollbackPrepared { prepared, .. }
            | Self::StreamPrepare(prepared) => Some(prepared),
            _ => None,
        }
    }
}
