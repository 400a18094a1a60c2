//! Arrow data in and out through the `PyCapsule` interface: buffers change hands, nothing is copied.

use std::ffi::CStr;

use arrow_array::ffi::{FFI_ArrowArray, FFI_ArrowSchema, to_ffi};
use arrow_array::ffi_stream::{FFI_ArrowArrayStream, RecordBatchStreamReader};
use arrow_array::{Array, RecordBatch, StructArray, UInt64Array};
use arrow_schema::{ArrowError, Schema};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyAnyMethods, PyCapsule, PyCapsuleMethods};

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";
const STREAM: &CStr = c"arrow_array_stream";

type Capsule<'py> = Bound<'py, PyCapsule>;

/// Rows in columns, for `pyarrow.record_batch` and every other reader of Arrow.
#[pyclass(name = "RecordBatch", module = "pgtrickle._core", frozen)]
pub(crate) struct PyRecordBatch(pub(crate) RecordBatch);

#[pymethods]
impl PyRecordBatch {
    /// The number of rows.
    #[getter]
    fn num_rows(&self) -> usize {
        self.0.num_rows()
    }

    /// Hand the batch over; a requested schema is not heeded, as the protocol allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Capsule<'py>, Capsule<'py>)> {
        let _ = requested_schema;
        capsules(py, &StructArray::from(self.0.clone()))
    }
}

/// The hashes of rows, for `pyarrow.array` and every other reader of Arrow.
#[pyclass(name = "Hashes", module = "pgtrickle._core", frozen)]
pub(crate) struct PyHashes(pub(crate) UInt64Array);

#[pymethods]
impl PyHashes {
    fn __len__(&self) -> usize {
        self.0.len()
    }

    /// Return the hashes as Python integers.
    fn tolist(&self) -> Vec<u64> {
        self.0.values().to_vec()
    }

    /// Hand the column over; a requested schema is not heeded, as the protocol allows.
    #[pyo3(signature = (requested_schema = None))]
    fn __arrow_c_array__<'py>(
        &self,
        py: Python<'py>,
        requested_schema: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<(Capsule<'py>, Capsule<'py>)> {
        let _ = requested_schema;
        capsules(py, &self.0)
    }
}

/// The schema as a capsule.
pub(crate) fn schema_capsule<'py>(py: Python<'py>, schema: &Schema) -> PyResult<Capsule<'py>> {
    let schema = FFI_ArrowSchema::try_from(schema).map_err(|error| refused(&error))?;
    PyCapsule::new_with_value(py, schema, SCHEMA)
}

/// The array as the two capsules of its type and its buffers.
fn capsules<'py>(py: Python<'py>, array: &dyn Array) -> PyResult<(Capsule<'py>, Capsule<'py>)> {
    let (array, schema): (FFI_ArrowArray, _) =
        to_ffi(&array.to_data()).map_err(|error| refused(&error))?;
    let schema = PyCapsule::new_with_value(py, schema, SCHEMA)?;
    Ok((schema, PyCapsule::new_with_value(py, array, ARRAY)?))
}

/// The batches of anything with `__arrow_c_stream__`: a table, a batch or a reader.
pub(crate) fn batches(data: &Bound<'_, PyAny>) -> PyResult<RecordBatchStreamReader> {
    let capsule = data.call_method0("__arrow_c_stream__").map_err(|error| {
        PyTypeError::new_err(format!("the data has no __arrow_c_stream__: {error}"))
    })?;
    let capsule = capsule.cast_into::<PyCapsule>()?;
    let stream = capsule.pointer_checked(Some(STREAM))?.cast::<FFI_ArrowArrayStream>();
    // SAFETY: a capsule of this name holds a pointer to a stream of the C interface, by the
    // protocol. It is moved out and marked as released, so the capsule does not release it again.
    #[allow(unsafe_code)]
    let reader = unsafe { RecordBatchStreamReader::from_raw(stream.as_ptr()) };
    reader.map_err(|error| refused(&error))
}

/// What Arrow itself refused.
pub(crate) fn refused(error: &ArrowError) -> PyErr {
    PyValueError::new_err(error.to_string())
}
