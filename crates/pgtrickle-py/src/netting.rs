//! `pgtrickle_core::netting` for Python.

use pgtrickle_core::netting::{self, PackedImage};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;

use crate::door::enter;

/// Return the numbers of the rows that remain when I and D of equal images cancel.
///
/// `actions` holds a letter for each image. Rows of different groups do not cancel.
#[pyfunction]
#[pyo3(signature = (actions, images, groups = None))]
pub(crate) fn net(
    py: Python<'_>,
    actions: PyBackedBytes,
    images: Vec<PyBackedBytes>,
    groups: Option<Vec<u64>>,
) -> PyResult<Vec<usize>> {
    let grouped = groups.as_ref().is_none_or(|groups| groups.len() == images.len());
    if actions.len() != images.len() || !grouped {
        return Err(PyValueError::new_err("actions, images and groups must be of one length"));
    }
    if actions.iter().any(|action| !matches!(action, b'I' | b'D')) {
        return Err(PyValueError::new_err("an action is I or D"));
    }
    let kept = enter(py, || {
        let group = |row: usize| groups.as_ref().and_then(|groups| groups.get(row).copied());
        let rows = actions.iter().zip(&images).enumerate();
        let packed = rows.map(|(row, (&action, bytes))| PackedImage {
            inserted: action == b'I',
            group: group(row).unwrap_or_default(),
            bytes,
        });
        Ok(netting::net(&packed.collect::<Vec<_>>()))
    })?;
    // Here and not above: Python's objects are let go of with the GIL held.
    drop((actions, images, groups));
    Ok(kept)
}
