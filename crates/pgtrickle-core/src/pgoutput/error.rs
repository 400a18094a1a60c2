//! What a message or an image lacks. No error carries a row's values.

use thiserror::Error;

/// Why a message cannot be read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Error)]
pub enum DecodeError {
    /// The message ends inside a field.
    #[error("{needed} bytes are needed at offset {offset}, {left} are left")]
    Truncated {
        /// Where the field begins.
        offset: usize,
        /// How long it says it is.
        needed: usize,
        /// How many bytes follow.
        left: usize,
    },
    /// A name does not end inside the message.
    #[error("the text at offset {offset} has no end")]
    Unterminated {
        /// Where the text begins.
        offset: usize,
    },
    /// A name is not UTF-8, which the session's `client_encoding` must be.
    #[error("the text at offset {offset} is not UTF-8")]
    NotUtf8 {
        /// Where the text begins.
        offset: usize,
    },
    /// The message goes on after its last field.
    #[error("{left} bytes follow the last field at offset {offset}")]
    Trailing {
        /// Where the message should have ended.
        offset: usize,
        /// How many bytes follow.
        left: usize,
    },
    /// No protocol version has this message.
    #[error("there is no message of kind {tag:#04x}")]
    UnknownMessage {
        /// The first byte.
        tag: u8,
    },
    /// A byte inside the message has none of the values that it may have.
    #[error("byte {found:#04x} at offset {offset} is not a {expected}")]
    Unexpected {
        /// Where the byte is.
        offset: usize,
        /// What it is.
        found: u8,
        /// What it should tell.
        expected: &'static str,
    },
    /// A row belongs to a relation that was not described.
    #[error("relation {oid} was not described before its rows")]
    UnknownRelation {
        /// The relation.
        oid: u32,
    },
    /// A row has another number of columns than its relation.
    #[error("relation {oid} has {expected} columns, a row of it {found}")]
    ColumnCount {
        /// The relation.
        oid: u32,
        /// Columns of the relation.
        expected: usize,
        /// Columns of the row.
        found: usize,
    },
    /// An update of a table with replica identity FULL lacks the row that went.
    #[error("relation {oid} has replica identity FULL, an update of it no old row")]
    MissingOldRow {
        /// The relation.
        oid: u32,
    },
    /// A message stands where no transaction, or another one, is open.
    #[error("the message cannot stand here: {reason}")]
    Misplaced {
        /// What it needs.
        reason: &'static str,
    },
    /// The batch is larger than positions in it can tell.
    #[error("a batch holds at most {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
}

/// Why changes cannot be written as they were asked for.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ImageError {
    /// The table had no such column when the rows changed.
    #[error("table {table} has no column \"{column}\" in these changes")]
    UnknownColumn {
        /// Schema and name of the table.
        table: String,
        /// The column asked for.
        column: String,
    },
    /// A row does not tell the value, because the replica identity does not cover the column.
    #[error("the replica identity of table {table} does not tell column \"{column}\"")]
    UnknownValue {
        /// Schema and name of the table.
        table: String,
        /// The column.
        column: String,
    },
    /// A value came as text and is wanted in binary, or the other way round.
    #[error("column \"{column}\" of table {table} did not come in {wanted} format")]
    Format {
        /// Schema and name of the table.
        table: String,
        /// The column.
        column: String,
        /// The format asked for.
        wanted: &'static str,
    },
    /// COPY cannot hold so many columns.
    #[error("{count} columns of table {table} are more than COPY can hold")]
    TooManyColumns {
        /// Schema and name of the table.
        table: String,
        /// How many were asked for.
        count: usize,
    },
    /// A transaction id is not older than the one said to be next.
    #[error("transaction {xid} is not older than the next transaction id {next}")]
    FutureXid {
        /// The id on the wire.
        xid: u32,
        /// The next id of the server, with its epoch.
        next: u64,
    },
}
