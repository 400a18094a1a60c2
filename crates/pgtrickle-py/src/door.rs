//! The one door between Python and the core: release the GIL, do the work, convert the error.

use pgtrickle_core::Error;
use pyo3::create_exception;
use pyo3::exceptions::{PyException, PyValueError};
use pyo3::prelude::*;

create_exception!(
    pgtrickle._core,
    CycleError,
    PyException,
    "The dependencies form a cycle; the attribute `path` lists it, its first id again at the end."
);

create_exception!(
    pgtrickle._core,
    CopyError,
    PyException,
    "A COPY BINARY stream or an Arrow column cannot be read; `row` and `column` tell where, or None."
);

/// Runs `work` without the GIL and returns its result, or its error as a Python exception.
pub(crate) fn enter<T: Send>(
    py: Python<'_>,
    work: impl FnOnce() -> Result<T, Error> + Send,
) -> PyResult<T> {
    py.detach(work).map_err(|error| exception(py, error))
}

fn exception(py: Python<'_>, error: Error) -> PyErr {
    let message = error.to_string();
    match error {
        Error::Copy(refused) => {
            let raised = CopyError::new_err(message);
            let value = raised.value(py);
            let told = value.setattr("row", refused.row);
            told.and_then(|()| value.setattr("column", refused.column.as_deref()))
                .err()
                .unwrap_or(raised)
        }
        Error::Cycle { path } => {
            let raised = CycleError::new_err(message);
            match raised.value(py).setattr("path", path) {
                Ok(()) => raised,
                Err(failed) => failed,
            }
        }
        Error::ZeroCapacity => PyValueError::new_err(message),
    }
}
