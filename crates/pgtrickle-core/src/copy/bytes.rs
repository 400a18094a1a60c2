//! Values of varying length: their bytes, one after the other, and where each ends.

use arrow_buffer::{Buffer, OffsetBuffer, ScalarBuffer};

use crate::copy::error::Fault;

/// Texts or byte strings of a column of the batch being built.
#[derive(Debug)]
pub(crate) struct Bytes {
    ends: Vec<i32>,
    data: Vec<u8>,
}

impl Default for Bytes {
    fn default() -> Self {
        Self { ends: vec![0], data: Vec::new() }
    }
}

impl Bytes {
    /// Appends a value and returns how many bytes it takes.
    pub(crate) fn push(&mut self, value: &[u8]) -> Result<usize, Fault> {
        self.extend(|data| data.extend_from_slice(value))
    }

    /// Appends the value that `print` appends to the bytes.
    pub(crate) fn extend(&mut self, print: impl FnOnce(&mut Vec<u8>)) -> Result<usize, Fault> {
        let start = self.data.len();
        print(&mut self.data);
        let end = i32::try_from(self.data.len()).map_err(|_| Fault::TooLarge)?;
        self.ends.push(end);
        Ok(self.data.len() - start + size_of::<i32>())
    }

    /// Takes everything out.
    pub(crate) fn take(&mut self) -> (OffsetBuffer<i32>, Buffer) {
        let Self { ends, data } = std::mem::take(self);
        (OffsetBuffer::new(ScalarBuffer::from(ends)), Buffer::from_vec(data))
    }
}
