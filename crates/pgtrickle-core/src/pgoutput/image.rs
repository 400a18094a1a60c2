//! Row images: the values of all rows of a batch in one piece of memory.
//!
//! A cell names a stretch of that memory, so the D row of an update shares the bytes of its I row.

use super::cursor::Cursor;
use super::error::DecodeError;

/// How the value of a cell came.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u8)]
pub enum CellKind {
    /// NULL.
    Null = b'n',
    /// Not told: an unchanged TOAST value, or a column that does not identify the row.
    Unknown = b'u',
    /// The type's text form.
    Text = b't',
    /// The type's binary form.
    Binary = b'b',
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Cell {
    pub(super) kind: CellKind,
    pub(super) start: u32,
    pub(super) length: u32,
}

impl Cell {
    pub(super) const UNKNOWN: Self = Self { kind: CellKind::Unknown, start: 0, length: 0 };
    const NULL: Self = Self { kind: CellKind::Null, start: 0, length: 0 };
}

/// The cells of all rows and the bytes that they name.
#[derive(Debug, Default)]
pub(super) struct Images {
    bytes: Vec<u8>,
    cells: Vec<Cell>,
}

impl Images {
    pub(super) fn with_capacity(cells: usize, bytes: usize) -> Self {
        Self { bytes: Vec::with_capacity(bytes), cells: Vec::with_capacity(cells) }
    }

    /// Returns where the next row will begin.
    #[inline]
    pub(super) fn next_row(&self) -> u32 {
        position(self.cells.len())
    }

    #[inline]
    pub(super) fn push(&mut self, cell: Cell) {
        self.cells.push(cell);
    }

    /// Reads a tuple of as many columns as expected, and returns how many it has.
    pub(super) fn read_tuple(
        &mut self,
        cursor: &mut Cursor<'_>,
        expected: usize,
    ) -> Result<usize, DecodeError> {
        let count = usize::from(cursor.u16()?);
        if count != expected {
            return Ok(count);
        }
        for _ in 0..count {
            let cell = match cursor.u8()? {
                b'n' => Cell::NULL,
                b'u' => Cell::UNKNOWN,
                b't' => self.store(CellKind::Text, cursor.counted()?),
                b'b' => self.store(CellKind::Binary, cursor.counted()?),
                other => return Err(cursor.unexpected(other, "kind of cell")),
            };
            self.cells.push(cell);
        }
        Ok(count)
    }

    #[inline]
    fn store(&mut self, kind: CellKind, value: &[u8]) -> Cell {
        let start = position(self.bytes.len());
        self.bytes.extend_from_slice(value);
        Cell { kind, start, length: position(value.len()) }
    }

    #[inline]
    pub(super) fn cell(&self, row: u32, column: usize) -> Cell {
        self.cells.get(row as usize + column).copied().unwrap_or(Cell::UNKNOWN)
    }

    /// Replaces a cell of a row that was already read.
    pub(super) fn set(&mut self, row: u32, column: usize, cell: Cell) {
        if let Some(slot) = self.cells.get_mut(row as usize + column) {
            *slot = cell;
        }
    }

    #[inline]
    pub(super) fn value(&self, cell: Cell) -> &[u8] {
        let start = cell.start as usize;
        self.bytes.get(start..start + cell.length as usize).unwrap_or_default()
    }
}

/// Returns a position that the limit of a batch keeps below 2^32.
#[inline]
fn position(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}
