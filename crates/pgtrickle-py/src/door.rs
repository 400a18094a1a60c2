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
    PgoutputError,
    PyException,
    "A replication message cannot be read; the attribute `message` is its number in the batch."
);

create_exception!(
    pgtrickle._core,
    ImageError,
    PyException,
    "Changes cannot be written as asked for: a column is missing, or a value not told or in the other format."
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
    let told = error.to_string();
    match error {
        Error::Copy(refused) => {
            let raised = CopyError::new_err(told);
            let value = raised.value(py);
            let set = value.setattr("row", refused.row);
            set.and_then(|()| value.setattr("column", refused.column.as_deref()))
                .err()
                .unwrap_or(raised)
        }
        Error::Cycle { path } => with_attribute(py, CycleError::new_err(told), "path", path),
        Error::Pgoutput { message, .. } => {
            with_attribute(py, PgoutputError::new_err(told), "message", message)
        }
        Error::Image(_) => ImageError::new_err(told),
        Error::ZeroCapacity => PyValueError::new_err(told),
    }
}

fn with_attribute<'py>(
    py: Python<'py>,
    raised: PyErr,
    name: &str,
    value: impl IntoPyObject<'py>,
) -> PyErr {
    match raised.value(py).setattr(name, value) {
        Ok(()) => raised,
        Err(failed) => failed,
    }
}
