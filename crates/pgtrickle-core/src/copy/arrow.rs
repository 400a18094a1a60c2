//! Rows of a stream, gathered into Arrow record batches.

use std::sync::Arc;

use arrow_array::{RecordBatch, RecordBatchOptions};
use arrow_schema::{Field, Schema, SchemaRef};

use crate::copy::error::{CopyError, Fault};
use crate::copy::frame::{Fields, Frames};
use crate::copy::types::ColumnType;
use crate::copy::values::Column;

/// A batch is closed when its values take this much, however few its rows are.
const BATCH_BYTES: usize = 64 << 20;

/// Decodes one stream. After an error it stays refused: the rows behind it are not known.
#[derive(Debug)]
pub struct Decoder {
    frames: Frames,
    open: Open,
    failed: Option<CopyError>,
}

impl Decoder {
    /// Starts a stream of rows with these columns, for batches of at most `batch_rows` rows.
    ///
    /// # Errors
    ///
    /// [`Fault::ZeroRows`] if a batch could hold no row.
    pub fn new(
        columns: impl IntoIterator<Item = (String, ColumnType)>,
        batch_rows: usize,
    ) -> Result<Self, CopyError> {
        if batch_rows == 0 {
            return Err(Fault::ZeroRows.into());
        }
        let open = Open::new(columns, batch_rows);
        Ok(Self { frames: Frames::new(open.columns.len()), open, failed: None })
    }

    /// The schema of every batch.
    #[must_use]
    pub fn schema(&self) -> SchemaRef {
        Arc::clone(&self.open.schema)
    }

    /// Decodes the next bytes of the stream and returns the batches that they fill.
    ///
    /// # Errors
    ///
    /// [`CopyError`] with the place of the first fault.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<Vec<RecordBatch>, CopyError> {
        self.unless_failed(|decoder| {
            let mut full = Vec::new();
            decoder.frames.feed(chunk, |row, tuple| {
                decoder.open.append(row, tuple)?;
                if decoder.open.is_full() {
                    full.push(decoder.open.close(row)?);
                }
                Ok(())
            })?;
            Ok(full)
        })
    }

    /// Ends the stream and returns its last rows, if there are some.
    ///
    /// # Errors
    ///
    /// [`Fault::Truncated`] if the trailer is missing; [`Fault::Finished`] the second time.
    pub fn finish(&mut self) -> Result<Option<RecordBatch>, CopyError> {
        let last = self.unless_failed(|decoder| {
            decoder.frames.finish()?;
            if decoder.open.rows == 0 {
                return Ok(None);
            }
            decoder.open.close(decoder.frames.rows()).map(Some)
        })?;
        self.failed = Some(Fault::Finished.into());
        Ok(last)
    }

    fn unless_failed<T>(
        &mut self,
        work: impl FnOnce(&mut Self) -> Result<T, CopyError>,
    ) -> Result<T, CopyError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        work(self).inspect_err(|error| self.failed = Some(error.clone()))
    }
}

/// The batch being built.
#[derive(Debug)]
struct Open {
    schema: SchemaRef,
    names: Vec<Arc<str>>,
    columns: Vec<Column>,
    batch_rows: usize,
    rows: usize,
    bytes: usize,
}

impl Open {
    fn new(columns: impl IntoIterator<Item = (String, ColumnType)>, batch_rows: usize) -> Self {
        let (mut fields, mut names, mut builders) = (Vec::new(), Vec::new(), Vec::new());
        for (name, kind) in columns {
            names.push(Arc::from(name.as_str()));
            builders.push(Column::new(kind));
            fields.push(Field::new(name, kind.arrow(), true));
        }
        let schema = Arc::new(Schema::new(fields));
        Self { schema, names, columns: builders, batch_rows, rows: 0, bytes: 0 }
    }

    fn append(&mut self, row: u64, tuple: &[u8]) -> Result<(), CopyError> {
        let fields = Fields::of(tuple);
        for ((column, image), name) in self.columns.iter_mut().zip(fields).zip(&self.names) {
            self.bytes += column.append(image).map_err(|fault| fault.at(row, Some(name)))?;
        }
        self.rows += 1;
        Ok(())
    }

    fn is_full(&self) -> bool {
        self.rows >= self.batch_rows || self.bytes >= BATCH_BYTES
    }

    /// Makes a batch of the rows so far, the last of which is `row`.
    fn close(&mut self, row: u64) -> Result<RecordBatch, CopyError> {
        let first = row - self.rows as u64 + 1;
        let mut arrays = Vec::with_capacity(self.columns.len());
        for (column, name) in self.columns.iter_mut().zip(&self.names) {
            let array = column.finish().map_err(|(fault, place)| match place {
                Some(place) => fault.at(first + place as u64, Some(name)),
                None => fault.of(name),
            })?;
            arrays.push(array);
        }
        let options = RecordBatchOptions::new().with_row_count(Some(self.rows));
        (self.rows, self.bytes) = (0, 0);
        RecordBatch::try_new_with_options(self.schema(), arrays, &options)
            .map_err(|error| Fault::Batch(error.to_string()).into())
    }

    fn schema(&self) -> SchemaRef {
        Arc::clone(&self.schema)
    }
}

#[cfg(test)]
mod tests;
