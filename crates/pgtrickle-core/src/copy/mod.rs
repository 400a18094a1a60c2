//! COPY BINARY to Arrow record batches.
//!
//! A stream may come in chunks of any size, and what is held is bounded by one batch and one row.
//! The stream carries no types: the caller gives the OID and modifier of each column. A domain is
//! given as its base type, an enum and other types whose image is their text (citext) as text.
//!
//! | `PostgreSQL` | Arrow |
//! |---|---|
//! | bool, int2, int4, int8, float4, float8 | Boolean, Int16, Int32, Int64, Float32, Float64 |
//! | numeric(p, s), at most 76 digits | Decimal128 or Decimal256, with 0 <= s <= p |
//! | numeric without digits, or with more | Utf8, as printed |
//! | text, varchar, bpchar, name, json, xml, enum | Utf8 |
//! | jsonb, uuid, "char" | Utf8, as printed: readers such as Spark have no uuid |
//! | bytea | Binary |
//! | date, time | Date32, Time64 in microseconds |
//! | timestamp, timestamptz | Timestamp in microseconds, the latter in UTC |
//! | interval | Interval of months, days and nanoseconds |
//! | oid | Int64: readers such as Spark have no unsigned integers |
//! | arrays of these, one-dimensional | List; the lower bound is dropped |
//!
//! A value that Arrow cannot hold is an error with row and column, never another value: NaN and
//! infinity in a numeric with digits, infinite dates, timestamps and intervals, timestamps after
//! the year 294246, the time 24:00, intervals with more than 292 years of hours, arrays of several
//! dimensions.

mod arrow;
mod bytes;
mod error;
pub(crate) mod frame;
mod header;
pub(crate) mod image;
pub(crate) mod list;
pub(crate) mod numeric;
pub(crate) mod types;
mod values;

pub use arrow::Decoder;
pub use error::{CopyError, Fault};
pub use types::{ColumnType, Scalar};

#[cfg(test)]
pub(crate) mod testing;
