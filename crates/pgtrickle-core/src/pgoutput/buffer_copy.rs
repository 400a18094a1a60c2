//! Changes as COPY input for a change buffer: transaction id, action, then the captured columns.
//!
//! Binary input takes binary cells and text input text cells, as the session's `binary` option
//! made them; a value is copied, never converted. A value that is not told is an error, since
//! a buffer holds whole images.

use super::Xid;
use super::changes::{Row, TableChanges};
use super::error::ImageError;
use super::image::CellKind;

/// Signature, no flags, no extension.
const HEADER: &[u8] = b"PGCOPY\n\xff\r\n\0\0\0\0\0\0\0\0\0";
const TRAILER: [u8; 2] = (-1_i16).to_be_bytes();
const NULL_LENGTH: [u8; 4] = (-1_i32).to_be_bytes();
const OWN_FIELDS: usize = 2;
/// Number of fields, and the two own fields with their lengths.
const ROW_START: usize = 2 + 4 + 8 + 4 + 1;
/// The digits of a transaction id, the action, and what separates them.
const LINE_START: usize = 24;

/// Returns the id with its epoch, given the id that the server would hand out next.
///
/// # Errors
///
/// [`ImageError::FutureXid`] when no id of that epoch or the one before is older than `next`.
pub fn widen(xid: Xid, next: u64) -> Result<u64, ImageError> {
    let in_epoch = (next & !u64::from(u32::MAX)) | u64::from(xid);
    if in_epoch < next {
        return Ok(in_epoch);
    }
    let before = in_epoch.checked_sub(1 << Xid::BITS);
    before.ok_or(ImageError::FutureXid { xid, next })
}

impl TableChanges {
    /// Returns the rows for `COPY buffer (xid, action, columns) FROM STDIN (FORMAT binary)`.
    ///
    /// `next_xid` is the server's next transaction id, such as `pg_snapshot_xmax` of a snapshot
    /// taken after the messages were read.
    ///
    /// # Errors
    ///
    /// [`ImageError`] when a column is not there, a value not told or not binary, or an id too new.
    pub fn copy_binary<S: AsRef<str>>(
        &self,
        columns: &[S],
        next_xid: u64,
    ) -> Result<Vec<u8>, ImageError> {
        let columns = self.positions(columns)?;
        let too_many = |_| ImageError::TooManyColumns {
            table: self.relation().qualified_name(),
            count: columns.len(),
        };
        let fields = i16::try_from(columns.len() + OWN_FIELDS).map_err(too_many)?.to_be_bytes();
        let row_start = ROW_START + columns.len() * NULL_LENGTH.len();
        let size = HEADER.len() + TRAILER.len() + self.size(&columns, row_start);
        let mut copy = Vec::with_capacity(size);
        copy.extend_from_slice(HEADER);
        for row in self.rows() {
            copy.extend_from_slice(&fields);
            copy.extend_from_slice(&8_i32.to_be_bytes());
            copy.extend_from_slice(&widen(row.xid, next_xid)?.to_be_bytes());
            copy.extend_from_slice(&1_i32.to_be_bytes());
            copy.push(row.action as u8);
            for &column in &columns {
                match self.known(row, column, CellKind::Binary)? {
                    None => copy.extend_from_slice(&NULL_LENGTH),
                    Some(value) => {
                        let length = u32::try_from(value.len()).unwrap_or(u32::MAX);
                        copy.extend_from_slice(&length.to_be_bytes());
                        copy.extend_from_slice(value);
                    }
                }
            }
        }
        copy.extend_from_slice(&TRAILER);
        Ok(copy)
    }

    /// Returns the rows for `COPY buffer (xid, action, columns) FROM STDIN`, in text format.
    ///
    /// # Errors
    ///
    /// [`ImageError`] when a column is not there, a value not told or not text, or an id too new.
    pub fn copy_text<S: AsRef<str>>(
        &self,
        columns: &[S],
        next_xid: u64,
    ) -> Result<Vec<u8>, ImageError> {
        let columns = self.positions(columns)?;
        let mut copy = Vec::with_capacity(self.size(&columns, LINE_START + columns.len() * 2));
        for row in self.rows() {
            copy.extend_from_slice(widen(row.xid, next_xid)?.to_string().as_bytes());
            copy.extend_from_slice(&[b'\t', row.action as u8]);
            for &column in &columns {
                copy.push(b'\t');
                match self.known(row, column, CellKind::Text)? {
                    None => copy.extend_from_slice(b"\\N"),
                    Some(value) => escape(value, &mut copy),
                }
            }
            copy.push(b'\n');
        }
        Ok(copy)
    }

    /// Returns the bytes of all values of these columns, and `row_start` more for each row.
    fn size(&self, columns: &[usize], row_start: usize) -> usize {
        let values = self
            .rows()
            .iter()
            .flat_map(|row| columns.iter().map(|&column| self.raw(row, column).length as usize));
        values.sum::<usize>() + self.rows().len() * row_start
    }

    /// Returns the value, or None for NULL.
    #[inline]
    fn known(
        &self,
        row: &Row,
        column: usize,
        wanted: CellKind,
    ) -> Result<Option<&[u8]>, ImageError> {
        let cell = self.raw(row, column);
        if cell.kind == wanted {
            return Ok(Some(self.value(cell)));
        }
        if cell.kind == CellKind::Null {
            return Ok(None);
        }
        let table = self.relation().qualified_name();
        let name = self.relation().columns.get(column).map(|column| column.name.clone());
        let column = name.unwrap_or_default();
        if cell.kind == CellKind::Unknown {
            return Err(ImageError::UnknownValue { table, column });
        }
        let wanted = if wanted == CellKind::Text { "text" } else { "binary" };
        Err(ImageError::Format { table, column, wanted })
    }
}

/// Writes `value` so that COPY reads it back as one field.
fn escape(value: &[u8], copy: &mut Vec<u8>) {
    for &byte in value {
        let letter = match byte {
            b'\\' => b'\\',
            b'\n' => b'n',
            b'\r' => b'r',
            b'\t' => b't',
            _ => {
                copy.push(byte);
                continue;
            }
        };
        copy.extend_from_slice(&[b'\\', letter]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_gets_the_epoch_in_which_it_is_the_past() {
        assert_eq!(widen(7, 8), Ok(7));
        assert_eq!(widen(7, (3 << 32) + 8), Ok((3 << 32) + 7));
        assert_eq!(widen(u32::MAX, (3 << 32) + 8), Ok((3 << 32) - 1));
        assert_eq!(widen(8, 8), Err(ImageError::FutureXid { xid: 8, next: 8 }));
    }

    #[test]
    fn text_is_one_field_whatever_it_holds() {
        let mut copy = Vec::new();
        escape(b"a\tb\nc\rd\\N", &mut copy);
        assert_eq!(copy, b"a\\tb\\nc\\rd\\\\N");
    }
}
