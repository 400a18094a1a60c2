//! The parts of pgtrickle that know neither Python nor a connection.
//!
//! Every function takes values and returns values or an [`Error`]; no input makes one panic.

#![forbid(unsafe_code)]

pub mod copy;
pub mod dag;
pub mod error;
pub mod hash;
pub mod netting;
pub mod pgoutput;
pub mod template;

pub use error::Error;
