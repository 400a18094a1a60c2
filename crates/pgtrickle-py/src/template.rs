//! `pgtrickle_core::template` for Python.

use pgtrickle_core::template::{CacheStats, PlanCache, PlanKey};
use pyo3::prelude::*;
use pyo3::types::PyString;

use crate::door::enter;

/// What a plan cache has done since it was made, and what it holds now.
#[pyclass(name = "CacheStats", module = "pgtrickle._core", frozen)]
pub(crate) struct PyCacheStats(CacheStats);

#[pymethods]
impl PyCacheStats {
    /// Lookups that found a plan.
    #[getter]
    fn hits(&self) -> u64 {
        self.0.hits
    }

    /// Lookups that found none.
    #[getter]
    fn misses(&self) -> u64 {
        self.0.misses
    }

    /// Plans dropped because the cache was full.
    #[getter]
    fn evictions(&self) -> u64 {
        self.0.evictions
    }

    /// Plans held now.
    #[getter]
    fn entries(&self) -> usize {
        self.0.entries
    }
}

/// A bounded cache of compiled plan texts, shared by threads.
#[pyclass(name = "PlanCache", module = "pgtrickle._core", frozen)]
pub(crate) struct PyPlanCache(PlanCache);

#[pymethods]
impl PyPlanCache {
    #[new]
    fn new(py: Python<'_>, capacity: usize) -> PyResult<Self> {
        enter(py, || PlanCache::new(capacity).map(Self))
    }

    /// Return the plan, promote it, and count a hit or a miss.
    fn get<'py>(
        &self,
        py: Python<'py>,
        table: i64,
        generation: i64,
        changed: Vec<i64>,
    ) -> Option<Bound<'py, PyString>> {
        let found = self.0.get(&PlanKey::new(table, generation, changed));
        found.map(|text| PyString::new(py, &text))
    }

    /// Return the plan; order and counters stay as they are.
    fn peek<'py>(
        &self,
        py: Python<'py>,
        table: i64,
        generation: i64,
        changed: Vec<i64>,
    ) -> Option<Bound<'py, PyString>> {
        let found = self.0.peek(&PlanKey::new(table, generation, changed));
        found.map(|text| PyString::new(py, &text))
    }

    /// Store the plan; when the cache is full, the least recently used one goes.
    fn put(&self, table: i64, generation: i64, changed: Vec<i64>, text: &str) {
        self.0.put(PlanKey::new(table, generation, changed), text.into());
    }

    /// Drop every plan of the table and return how many there were.
    fn invalidate(&self, table: i64) -> usize {
        self.0.invalidate(table)
    }

    /// Drop every plan and keep the counters.
    fn clear(&self) {
        self.0.clear();
    }

    /// Return the counters and the number of plans held now.
    fn stats(&self) -> PyCacheStats {
        PyCacheStats(self.0.stats())
    }
}
