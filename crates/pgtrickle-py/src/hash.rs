//! `pgtrickle_core::hash` for Python.

use pgtrickle_core::hash::{self, Multiset};
use pyo3::prelude::*;

use crate::arrow::{PyHashes, batches, refused};
use crate::door::enter;

/// Sums the rows of one COPY BINARY stream to a fingerprint that does not depend on their order.
#[pyclass(name = "MultisetHasher", module = "pgtrickle._core")]
pub(crate) struct PyMultisetHasher(Multiset);

#[pymethods]
impl PyMultisetHasher {
    #[new]
    fn new(py: Python<'_>, types: Vec<u32>) -> PyResult<Self> {
        enter(py, move || Ok(Self(Multiset::new(&types))))
    }

    /// Add the rows that the next bytes of the stream complete.
    fn update(&mut self, py: Python<'_>, chunk: &[u8]) -> PyResult<()> {
        enter(py, || Ok(self.0.feed(chunk)?))
    }

    /// End the stream and return the number of rows and the fingerprint, 32 hexadecimal digits.
    fn finish(&mut self, py: Python<'_>) -> PyResult<(u64, String)> {
        let found = enter(py, || Ok(self.0.finish()?))?;
        Ok((found.rows, found.to_string()))
    }
}

/// Return the 64-bit hash of each row of a whole COPY BINARY stream.
#[pyfunction]
pub(crate) fn tuple_hashes(py: Python<'_>, types: Vec<u32>, stream: &[u8]) -> PyResult<PyHashes> {
    let hashes = enter(py, move || Ok(hash::tuple_hashes(&types, stream)?))?;
    Ok(PyHashes(hashes.into()))
}

/// Return the 64-bit hash of each row of Arrow data: a table, a batch or a reader.
#[pyfunction]
pub(crate) fn row_hashes(py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<PyHashes> {
    let mut reader = batches(data)?;
    let mut hashes = Vec::new();
    while let Some(batch) = py.detach(|| reader.next()) {
        let batch = batch.map_err(|error| refused(&error))?;
        hashes.extend(enter(py, || Ok(hash::row_hashes(&batch)?))?);
    }
    Ok(PyHashes(hashes.into()))
}
