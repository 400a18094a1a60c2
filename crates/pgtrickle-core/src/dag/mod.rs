//! The dependencies between tables: which may be refreshed together, and which cannot be at all.
//!
//! A [`Graph`] is a value. A change makes a new one that shares with the old one all that did not
//! change, so whoever reads the old one is neither blocked nor disturbed; publishing the new one
//! is the exchange of one pointer. What readers ask for (levels, ancestors) is kept for each node
//! and found anew only downstream of a change; where paths parted, only when diamonds are asked for.

mod change;
mod components;
mod cycle;
mod diamond;
mod facts;
mod graph;
#[cfg(test)]
mod oracle;
mod pages;
mod waves;

pub use graph::Graph;
