//! `pgtrickle_core::pgoutput` for Python: a call takes or gives a whole batch, table or column.

use std::sync::{Arc, Mutex, PoisonError};

use pgtrickle_core::Error;
use pgtrickle_core::pgoutput::{
    Batch, Column, ColumnValues, Decoder, Event, LocatedEvent, Row, TableChanges,
};
use pyo3::prelude::*;
use pyo3::pybacked::PyBackedBytes;
use pyo3::types::PyBytes;

use crate::door::enter;

/// Reads the messages of one replication session, in order.
#[pyclass(name = "Decoder", module = "pgtrickle._core", frozen)]
pub(crate) struct PyDecoder(Mutex<Decoder>);

#[pymethods]
impl PyDecoder {
    #[new]
    fn new() -> Self {
        Self(Mutex::new(Decoder::new()))
    }

    /// Return what the messages tell; raise `PgoutputError` and change nothing if one is broken.
    fn decode(&self, py: Python<'_>, messages: Vec<PyBackedBytes>) -> PyResult<PyBatch> {
        let batch = enter(py, || {
            // A batch changes the decoder only at its end, so one that died left it valid.
            let mut decoder = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            decoder.decode(&messages)
        })?;
        // Here and not above: Python's objects are let go of with the GIL held.
        drop(messages);
        let Batch { tables, events } = batch;
        let tables = tables.into_iter().map(|changes| PyTableChanges(Arc::new(changes)));
        Ok(PyBatch { tables: tables.collect(), events })
    }
}

/// What a batch of messages told.
#[pyclass(name = "Batch", module = "pgtrickle._core", frozen)]
pub(crate) struct PyBatch {
    tables: Vec<PyTableChanges>,
    events: Vec<LocatedEvent>,
}

#[pymethods]
impl PyBatch {
    /// Return the changes of each table, or of each shape that a table had.
    fn tables(&self) -> Vec<PyTableChanges> {
        self.tables.clone()
    }

    /// Return what happened between the rows.
    fn events(&self) -> Vec<PyEvent> {
        self.events.iter().cloned().map(PyEvent).collect()
    }
}

/// A message that is neither a row nor the shape of a table; what it does not tell is None.
#[pyclass(name = "Event", module = "pgtrickle._core", frozen)]
pub(crate) struct PyEvent(LocatedEvent);

#[pymethods]
impl PyEvent {
    #[getter]
    fn message(&self) -> u32 {
        self.0.message
    }

    #[getter]
    fn kind(&self) -> &'static str {
        self.0.event.kind()
    }

    #[getter]
    fn xid(&self) -> Option<u32> {
        self.0.event.xid()
    }

    #[getter]
    fn subxid(&self) -> Option<u32> {
        self.0.event.subxid()
    }

    #[getter]
    fn lsn(&self) -> Option<u64> {
        self.0.event.lsn()
    }

    #[getter]
    fn end_lsn(&self) -> Option<u64> {
        self.0.event.end_lsn()
    }

    #[getter]
    fn time(&self) -> Option<i64> {
        self.0.event.time()
    }

    #[getter]
    fn name(&self) -> Option<&str> {
        self.0.event.name()
    }

    #[getter]
    fn relations(&self) -> Option<Vec<u32>> {
        match &self.0.event {
            Event::Truncate { relations, .. } => Some(relations.clone()),
            _ => None,
        }
    }

    #[getter]
    fn content<'py>(&self, py: Python<'py>) -> Option<Bound<'py, PyBytes>> {
        match &self.0.event {
            Event::Message { content, .. } => Some(PyBytes::new(py, content)),
            _ => None,
        }
    }
}

/// A published column.
#[pyclass(name = "Column", module = "pgtrickle._core", frozen)]
pub(crate) struct PyColumn(Column);

#[pymethods]
impl PyColumn {
    #[getter]
    fn name(&self) -> &str {
        &self.0.name
    }

    #[getter]
    fn type_oid(&self) -> u32 {
        self.0.type_oid
    }

    #[getter]
    fn type_modifier(&self) -> i32 {
        self.0.type_modifier
    }

    #[getter]
    fn is_key(&self) -> bool {
        self.0.is_key
    }
}

/// The values of one column, laid out as Arrow's binary arrays are.
#[pyclass(name = "ColumnValues", module = "pgtrickle._core", frozen)]
pub(crate) struct PyColumnValues(ColumnValues);

#[pymethods]
impl PyColumnValues {
    #[getter]
    fn kinds<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.kinds)
    }

    #[getter]
    fn offsets<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        words(py, self.0.offsets.iter().map(|offset| offset.to_ne_bytes()))
    }

    #[getter]
    fn values<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, &self.0.values)
    }
}

/// The rows of one table in one shape, in the order in which they changed.
#[pyclass(name = "TableChanges", module = "pgtrickle._core", frozen, from_py_object)]
#[derive(Clone)]
pub(crate) struct PyTableChanges(Arc<TableChanges>);

impl PyTableChanges {
    fn of_rows<'py>(
        &self,
        py: Python<'py>,
        word: fn(&Row) -> u32,
    ) -> PyResult<Bound<'py, PyBytes>> {
        words(py, self.0.rows().iter().map(|row| word(row).to_ne_bytes()))
    }
}

#[pymethods]
impl PyTableChanges {
    #[getter]
    fn oid(&self) -> u32 {
        self.0.relation().oid
    }

    #[getter]
    fn schema(&self) -> &str {
        &self.0.relation().schema
    }

    #[getter]
    fn name(&self) -> &str {
        &self.0.relation().name
    }

    #[getter]
    fn replica_identity(&self) -> char {
        self.0.relation().identity.letter()
    }

    #[getter]
    fn columns(&self) -> Vec<PyColumn> {
        self.0.relation().columns.iter().cloned().map(PyColumn).collect()
    }

    #[getter]
    fn actions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        words(py, self.0.rows().iter().map(|row| [row.action as u8]))
    }

    #[getter]
    fn xids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.of_rows(py, |row| row.xid)
    }

    #[getter]
    fn subxids<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.of_rows(py, |row| row.subxid)
    }

    #[getter]
    fn messages<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        self.of_rows(py, |row| row.message)
    }

    fn __len__(&self) -> usize {
        self.0.rows().len()
    }

    /// Return the values of a column.
    fn column(&self, py: Python<'_>, name: &str) -> PyResult<PyColumnValues> {
        enter(py, || {
            let positions = self.0.positions(&[name])?;
            let position = positions.first().copied().unwrap_or_default();
            Ok(PyColumnValues(self.0.column(position)))
        })
    }

    /// Return the changes that remain when I and D of equal images cancel.
    #[pyo3(signature = (columns, *, across_transactions = false))]
    fn net(
        &self,
        py: Python<'_>,
        columns: Vec<String>,
        across_transactions: bool,
    ) -> PyResult<Self> {
        enter(py, move || {
            let netted = self.0.net(&columns, across_transactions)?;
            Ok(Self(Arc::new(netted)))
        })
    }

    /// Return binary COPY input for a change buffer: xid, action and the columns.
    fn copy_binary<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<String>,
        next_xid: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let copy = enter(py, move || self.0.copy_binary(&columns, next_xid).map_err(Error::from))?;
        Ok(PyBytes::new(py, &copy))
    }

    /// Return text COPY input for a change buffer: xid, action and the columns.
    fn copy_text<'py>(
        &self,
        py: Python<'py>,
        columns: Vec<String>,
        next_xid: u64,
    ) -> PyResult<Bound<'py, PyBytes>> {
        let copy = enter(py, move || self.0.copy_text(&columns, next_xid).map_err(Error::from))?;
        Ok(PyBytes::new(py, &copy))
    }
}

/// Returns the words one after the other, in this machine's byte order.
fn words<const N: usize>(
    py: Python<'_>,
    words: impl ExactSizeIterator<Item = [u8; N]>,
) -> PyResult<Bound<'_, PyBytes>> {
    PyBytes::new_with(py, words.len() * N, |bytes| {
        for (place, word) in bytes.chunks_exact_mut(N).zip(words) {
            place.copy_from_slice(&word);
        }
        Ok(())
    })
}
