//! The dependencies between tables: which may be refreshed together, and which cannot be at all.

mod cycle;
mod graph;
mod waves;

pub use graph::Graph;
