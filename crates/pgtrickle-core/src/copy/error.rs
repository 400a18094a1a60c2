//! What was wrong with a COPY BINARY stream, and where.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

/// A refused stream: the fault and its place.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CopyError {
    /// What was wrong.
    pub fault: Fault,
    /// The row it was found in, counted from 1; none for the header and for declarations.
    pub row: Option<u64>,
    /// The name of the column, where one is to blame.
    pub column: Option<Arc<str>>,
}

/// What can be wrong. No variant holds a value of a row: errors end up in logs.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Fault {
    /// The stream does not begin as COPY BINARY does.
    #[error("the stream does not begin with the signature of COPY BINARY")]
    Signature,
    /// A flag that changes the format, such as row OIDs of servers before version 12.
    #[error("the header has critical flags that are not known: {0:#010x}")]
    Flags(u32),
    /// The header says that it is longer than a stream can be.
    #[error("the header extension has the length {0}")]
    Extension(i32),
    /// A tuple does not have as many fields as there are columns.
    #[error("the row has {found} fields, and {expected} columns are declared")]
    FieldCount {
        /// Fields in the tuple.
        found: i16,
        /// Declared columns.
        expected: usize,
    },
    /// A field is longer than `PostgreSQL` allows, or its length is negative.
    #[error("a field has the length {0}")]
    FieldLength(i32),
    /// The stream ended within a row or without its trailer.
    #[error("the stream ends without its trailer")]
    Truncated,
    /// Bytes after the trailer.
    #[error("the stream goes on after its trailer")]
    Trailing,
    /// The stream was finished before.
    #[error("the stream was finished before")]
    Finished,
    /// The image of a value is not one of its type.
    #[error("the value is not the binary image of the type {0}")]
    Image(&'static str),
    /// Text that is not UTF-8.
    #[error("the text is not UTF-8; the client encoding of the connection must be UTF8")]
    Utf8,
    /// A value that `PostgreSQL` has and Arrow has not.
    #[error("{0} has no form in Arrow")]
    NoForm(&'static str),
    /// A numeric that does not fit its decimal exactly.
    #[error("the numeric does not fit decimal({precision}, {scale}) exactly")]
    Decimal {
        /// Digits of the decimal.
        precision: u8,
        /// Digits after its point.
        scale: i8,
    },
    /// More bytes in one column of one batch than its offsets can count.
    #[error("the value is too large for a column of a batch")]
    TooLarge,
    /// A type without a decoder.
    #[error("the type with OID {0} has no decoder; cast the column to text in the query")]
    Type(u32),
    /// An Arrow type without a counterpart in `PostgreSQL`.
    #[error("the Arrow type {0} has no image to hash")]
    ArrowType(String),
    /// Batches of no rows were asked for.
    #[error("a batch must have at least 1 row")]
    ZeroRows,
    /// Arrow refused a batch: a defect of this decoder.
    #[error("the batch was refused: {0}")]
    Batch(String),
}

impl Fault {
    /// Places the fault in a row, counted from 1.
    pub(crate) fn at(self, row: u64, column: Option<&Arc<str>>) -> CopyError {
        CopyError { fault: self, row: Some(row), column: column.cloned() }
    }

    /// Blames a declared column.
    pub(crate) fn of(self, column: &str) -> CopyError {
        CopyError { fault: self, row: None, column: Some(column.into()) }
    }
}

impl From<Fault> for CopyError {
    fn from(fault: Fault) -> Self {
        Self { fault, row: None, column: None }
    }
}

impl std::error::Error for CopyError {}

impl fmt::Display for CopyError {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match (self.row, &self.column) {
            (Some(row), Some(column)) => write!(out, "row {row}, column \"{column}\": ")?,
            (Some(row), None) => write!(out, "row {row}: ")?,
            (None, Some(column)) => write!(out, "column \"{column}\": ")?,
            (None, None) => {}
        }
        self.fault.fmt(out)
    }
}
