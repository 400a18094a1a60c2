//! The changes of one table: rows that came and went, with their values by column.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use super::Xid;
use super::error::ImageError;
use super::image::{Cell, CellKind, Images};
use super::relation::Relation;
use crate::netting::{self, Image};

/// What happened to a row image.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum Action {
    /// The row went.
    Deleted = b'D',
    /// The row came.
    Inserted = b'I',
}

/// One row image.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub(super) first_cell: u32,
    /// The top-level transaction.
    pub xid: Xid,
    /// The subtransaction, told only for streamed transactions; else `xid`.
    pub subxid: Xid,
    /// The number of the message in its batch.
    pub message: u32,
    /// What happened.
    pub action: Action,
}

/// The values of one column, laid out as Arrow's binary arrays are.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ColumnValues {
    /// For each row the letter of its [`CellKind`].
    pub kinds: Vec<u8>,
    /// Where each row's value begins in `values`, and at the end where the last one ends.
    pub offsets: Vec<i32>,
    /// The values, one after the other.
    pub values: Vec<u8>,
}

/// The rows of one table in one shape, in the order in which they changed.
#[derive(Debug, Clone)]
pub struct TableChanges {
    images: Arc<Images>,
    relation: Arc<Relation>,
    rows: Vec<Row>,
}

impl TableChanges {
    pub(super) fn new(images: Arc<Images>, relation: Arc<Relation>, rows: Vec<Row>) -> Self {
        Self { images, relation, rows }
    }

    /// Returns the shape of the table.
    #[must_use]
    pub fn relation(&self) -> &Relation {
        &self.relation
    }

    /// Returns the rows.
    #[must_use]
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Returns how a cell came, and its bytes, which are empty unless it is text or binary.
    #[must_use]
    pub fn cell(&self, row: &Row, column: usize) -> (CellKind, &[u8]) {
        if column >= self.relation.columns.len() {
            return (CellKind::Unknown, &[]);
        }
        let cell = self.images.cell(row.first_cell, column);
        (cell.kind, self.images.value(cell))
    }

    /// Returns the values of the column at this position.
    #[must_use]
    pub fn column(&self, column: usize) -> ColumnValues {
        let cells = self.rows.iter().map(|row| self.images.cell(row.first_cell, column));
        let size = cells.clone().map(|cell| cell.length as usize).sum();
        let mut found = ColumnValues {
            kinds: Vec::with_capacity(self.rows.len()),
            offsets: Vec::with_capacity(self.rows.len() + 1),
            values: Vec::with_capacity(size),
        };
        found.offsets.push(0);
        for cell in cells {
            found.kinds.push(cell.kind as u8);
            found.values.extend_from_slice(self.images.value(cell));
            found.offsets.push(i32::try_from(found.values.len()).unwrap_or(i32::MAX));
        }
        found
    }

    /// Returns the positions of these columns.
    ///
    /// # Errors
    ///
    /// [`ImageError::UnknownColumn`] for the first name that the table does not have.
    pub fn positions<S: AsRef<str>>(&self, names: &[S]) -> Result<Vec<usize>, ImageError> {
        let position = |name: &str| {
            let found = self.relation.columns.iter().position(|column| column.name == name);
            found.ok_or_else(|| ImageError::UnknownColumn {
                table: self.relation.qualified_name(),
                column: name.to_owned(),
            })
        };
        names.iter().map(|name| position(name.as_ref())).collect()
    }

    /// Returns the changes that remain when I and D of equal images cancel.
    ///
    /// An image is the values of `columns`. Rows cancel within their transaction, and with
    /// `across_transactions` also beyond it: right only where no reader can stand between the
    /// two. A row with a value that is not told is equal to no other, and stays.
    ///
    /// # Errors
    ///
    /// [`ImageError::UnknownColumn`] for the first name that the table does not have.
    pub fn net<S: AsRef<str>>(
        &self,
        columns: &[S],
        across_transactions: bool,
    ) -> Result<Self, ImageError> {
        let columns = self.positions(columns)?;
        let view = |row| ImageOf { changes: self, columns: &columns, row, across_transactions };
        let images: Vec<ImageOf<'_>> = self.rows.iter().map(view).collect();
        let kept = netting::net(&images).into_iter();
        let rows = kept.filter_map(|row| self.rows.get(row).copied()).collect();
        Ok(Self { rows, images: Arc::clone(&self.images), relation: Arc::clone(&self.relation) })
    }

    pub(super) fn raw(&self, row: &Row, column: usize) -> Cell {
        self.images.cell(row.first_cell, column)
    }

    pub(super) fn value(&self, cell: Cell) -> &[u8] {
        self.images.value(cell)
    }
}

/// A row as netting sees it.
struct ImageOf<'a> {
    changes: &'a TableChanges,
    columns: &'a [usize],
    row: &'a Row,
    across_transactions: bool,
}

impl ImageOf<'_> {
    fn cells(&self) -> impl Iterator<Item = (CellKind, &[u8])> {
        let cells = self.columns.iter().map(|&column| self.changes.raw(self.row, column));
        cells.map(|cell| (cell.kind, self.changes.value(cell)))
    }

    fn group(&self) -> Xid {
        if self.across_transactions { 0 } else { self.row.xid }
    }
}

impl Image for ImageOf<'_> {
    fn is_inserted(&self) -> bool {
        self.row.action == Action::Inserted
    }

    fn is_whole(&self) -> bool {
        self.cells().all(|(kind, _)| kind != CellKind::Unknown)
    }

    fn hash(&self, state: &mut impl Hasher) {
        state.write_u32(self.group());
        for cell in self.cells() {
            cell.hash(state);
        }
    }

    fn equals(&self, other: &Self) -> bool {
        self.group() == other.group() && self.cells().eq(other.cells())
    }
}
