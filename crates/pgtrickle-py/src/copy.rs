//! `pgtrickle_core::copy` for Python.

use pgtrickle_core::copy::{ColumnType, CopyError, Decoder};
use pyo3::prelude::*;
use pyo3::types::PyCapsule;

use crate::arrow::{PyRecordBatch, schema_capsule};
use crate::door::enter;

/// Decodes one COPY BINARY stream, which may come in chunks of any size, to Arrow.
#[pyclass(name = "CopyDecoder", module = "pgtrickle._core")]
pub(crate) struct PyCopyDecoder(Decoder);

#[pymethods]
impl PyCopyDecoder {
    #[new]
    #[pyo3(signature = (columns, batch_rows = 65_536))]
    fn new(py: Python<'_>, columns: Vec<(String, u32, i32)>, batch_rows: usize) -> PyResult<Self> {
        enter(py, || {
            let typed: Result<Vec<_>, CopyError> = columns.into_iter().map(typed).collect();
            Ok(Self(Decoder::new(typed?, batch_rows)?))
        })
    }

    /// Decode the next bytes of the stream and return the batches that they fill.
    fn feed(&mut self, py: Python<'_>, chunk: &[u8]) -> PyResult<Vec<PyRecordBatch>> {
        let batches = enter(py, || Ok(self.0.feed(chunk)?))?;
        Ok(batches.into_iter().map(PyRecordBatch).collect())
    }

    /// End the stream and return its last rows, if there are some.
    fn finish(&mut self, py: Python<'_>) -> PyResult<Option<PyRecordBatch>> {
        Ok(enter(py, || Ok(self.0.finish()?))?.map(PyRecordBatch))
    }

    /// Hand the schema over, for `pyarrow.schema`.
    fn __arrow_c_schema__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyCapsule>> {
        schema_capsule(py, &self.0.schema())
    }
}

fn typed((name, oid, modifier): (String, u32, i32)) -> Result<(String, ColumnType), CopyError> {
    match ColumnType::of(oid, modifier) {
        Ok(kind) => Ok((name, kind)),
        Err(fault) => Err(CopyError { fault, row: None, column: Some(name.into()) }),
    }
}
