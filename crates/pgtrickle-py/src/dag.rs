//! `pgtrickle_core::dag` for Python.

use pgtrickle_core::dag::Graph;
use pyo3::prelude::*;

use crate::door::enter;

/// Dependencies between tables; an edge goes from what is read to what reads it.
#[pyclass(name = "Graph", module = "pgtrickle._core", frozen)]
pub(crate) struct PyGraph(Graph);

#[pymethods]
impl PyGraph {
    #[new]
    #[pyo3(signature = (edges, nodes = Vec::new()), text_signature = "(edges, nodes=())")]
    fn new(py: Python<'_>, edges: Vec<(i64, i64)>, nodes: Vec<i64>) -> PyResult<Self> {
        enter(py, move || Ok(Self(Graph::new(&edges, &nodes))))
    }

    /// Return the topological waves, each in ascending order; raise `CycleError` if there are none.
    fn waves(&self, py: Python<'_>) -> PyResult<Vec<Vec<i64>>> {
        enter(py, || self.0.waves())
    }

    /// Return one cycle, from its smallest id back to that id, or None.
    fn cycle(&self, py: Python<'_>) -> PyResult<Option<Vec<i64>>> {
        enter(py, || Ok(self.0.cycle()))
    }

    /// Return the groups of tables to be refreshed together; raise `CycleError` as `waves` does.
    fn diamonds(&self, py: Python<'_>) -> PyResult<Vec<Vec<i64>>> {
        enter(py, || self.0.diamonds())
    }

    /// Return the strongly connected components, upstream first.
    fn components(&self, py: Python<'_>) -> PyResult<Vec<Vec<i64>>> {
        enter(py, || Ok(self.0.components()))
    }

    /// Return the graph in which the node reads exactly the upstreams; this one stays as it is.
    fn with_node(&self, py: Python<'_>, node: i64, upstreams: Vec<i64>) -> PyResult<Self> {
        enter(py, move || Ok(Self(self.0.with_node(node, &upstreams))))
    }

    /// Return the graph without the node and its edges; this one stays as it is.
    fn without_node(&self, py: Python<'_>, node: i64) -> PyResult<Self> {
        enter(py, || Ok(Self(self.0.without_node(node))))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }
}
