//! `pgtrickle._core`: the only crate that knows Python. A wrapper per core module, one door.

use pyo3::prelude::*;

mod arrow;
mod copy;
mod dag;
mod door;
mod hash;
mod netting;
mod pgoutput;
mod template;

#[pymodule]
mod _core {
    #[pymodule_export]
    use crate::arrow::{PyHashes, PyRecordBatch};
    #[pymodule_export]
    use crate::copy::PyCopyDecoder;
    #[pymodule_export]
    use crate::dag::PyGraph;
    #[pymodule_export]
    use crate::door::{CopyError, CycleError, ImageError, PgoutputError};
    #[pymodule_export]
    use crate::hash::{PyMultisetHasher, row_hashes, tuple_hashes};
    #[pymodule_export]
    use crate::netting::net;
    #[pymodule_export]
    use crate::pgoutput::{PyBatch, PyColumn, PyColumnValues, PyDecoder, PyEvent, PyTableChanges};
    #[pymodule_export]
    use crate::template::{PyCacheStats, PyPlanCache};

    #[pymodule_export]
    #[allow(non_upper_case_globals)]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
