//! Hashes of rows, and fingerprints of whole relations.
//!
//! # The encoding
//!
//! A row is hashed over the tuple that COPY BINARY sends for it: the number of columns as int16,
//! then per column the length as int32, -1 for NULL, and the image that the type's send function
//! makes. So NULL differs from empty, and ('a', 'bc') from ('ab', 'c'). The types are tagged: the
//! hash is xxh3 with a seed, which is the xxh3 of the columns' type OIDs; the text types whose
//! image is their text (text, varchar, bpchar, name, json, xml) count as text. A tuple that comes
//! from COPY is hashed where it lies, without a copy.
//!
//! Rows of Arrow batches are brought into the same image, so both sources give the same hash for
//! the types that have one Arrow form of their own; not for jsonb, uuid, oid, "char" and numerics
//! without declared digits, which [`crate::copy`] turns into text or a wider integer.
//!
//! # Equal is what prints the same
//!
//! Two values are the same if `PostgreSQL` prints the same for them (with full float digits):
//!
//! - numeric: by value and display scale; 1.0 and 1.00 differ, as they do when printed. Within a
//!   declared `numeric(p, s)` the scale is always the same.
//! - float: -0 and 0 differ; every NaN is one NaN, whatever its sign and payload (x86 makes a
//!   negative one for infinity - infinity).
//! - json and xml: by text, so spaces count; jsonb: by its canonical text.
//! - interval: by months, days and time; '1 day' and '24 hours' differ.
//! - arrays: by dimensions, lower bounds and elements. The flag for NULLs in the image is ignored:
//!   the server leaves it set after the last NULL was replaced.
//! - everything else, also composite types and ranges: by image. So NaNs inside composite types and
//!   ranges of floats are told apart by payload, and arrays inside them by the flag for NULLs.
//!
//! xxh3 is not made against enemies: a fingerprint finds defects, not forgeries.

mod arrow;
mod multiset;
mod row;

pub use arrow::row_hashes;
pub use multiset::{Fingerprint, Multiset};
pub use row::{RowHasher, tuple_hashes};
