//! What was wrong, and where.

use thiserror::Error;

use crate::copy::CopyError;
use crate::pgoutput::{DecodeError, ImageError};

/// Everything the core can refuse.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum Error {
    /// A COPY BINARY stream cannot be read.
    #[error(transparent)]
    Copy(#[from] CopyError),
    /// The dependencies form a cycle.
    #[error("the dependencies form a cycle: {}", arrows(path))]
    Cycle {
        /// The nodes of one cycle in the direction of the edges; the first is repeated at the end.
        path: Vec<i64>,
    },
    /// A replication message cannot be read.
    #[error("message {message} of the batch cannot be read: {source}")]
    Pgoutput {
        /// The position of the message in its batch.
        message: usize,
        /// What is wrong with it.
        source: DecodeError,
    },
    /// Changes cannot be written as they were asked for.
    #[error(transparent)]
    Image(#[from] ImageError),
    /// A cache that can hold nothing was asked for.
    #[error("the capacity of a plan cache must be at least 1")]
    ZeroCapacity,
}

fn arrows(path: &[i64]) -> String {
    path.iter().map(i64::to_string).collect::<Vec<_>>().join(" -> ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cycle_is_told_as_a_path() {
        let error = Error::Cycle { path: vec![1, 2, 1] };
        assert_eq!(error.to_string(), "the dependencies form a cycle: 1 -> 2 -> 1");
    }
}
