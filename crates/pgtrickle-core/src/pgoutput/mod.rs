//! Bytes of the logical replication plugin `pgoutput`, protocol versions 1 to 4, to changes.
//!
//! A [`Decoder`] reads whole batches of messages and keeps what outlives one: the shapes of the
//! relations, and the transaction that is open. A [`Batch`] holds one [`TableChanges`] for each
//! table and shape, and the [`Event`]s between the rows. The versions differ only in the
//! messages they add, so a decoder needs not be told which one was agreed on.
//!
//! # An UPDATE is a D and an I
//!
//! The row that went is known as far as the table's replica identity tells it; a cell that is not
//! told is [`CellKind::Unknown`].
//!
//! | identity | what the server sends | D row | I row |
//! |---|---|---|---|
//! | FULL | the old row | whole | whole: unchanged TOAST values are taken from the old row |
//! | DEFAULT, INDEX; key changed | the old key | the key | unchanged TOAST values are unknown |
//! | DEFAULT, INDEX; key as before | nothing | the key, from the new row | the same |
//! | NOTHING | nothing | nothing known | the same |
//!
//! A DELETE is the D row of the same line. Whether the rows of a streamed or prepared transaction
//! count is told by a later event; until then they are provisional, and a row carries the ids of
//! its transaction and subtransaction so that they can be taken back.
//!
//! # Bounds
//!
//! Memory is at most a constant times the bytes of the batch, whatever they say about themselves:
//! a count is believed only as far as bytes follow it.

mod buffer_copy;
mod changes;
mod cursor;
mod decode;
mod error;
mod event;
mod image;
mod message;
mod relation;
#[cfg(test)]
mod tests;

pub use buffer_copy::widen;
pub use changes::{Action, ColumnValues, Row, TableChanges};
pub use decode::{Batch, Decoder, LocatedEvent};
pub use error::{DecodeError, ImageError};
pub use event::{Event, Prepared};
pub use image::CellKind;
pub use relation::{Column, Relation, ReplicaIdentity};

/// A transaction id as the wire has it, without the epoch.
pub type Xid = u32;
