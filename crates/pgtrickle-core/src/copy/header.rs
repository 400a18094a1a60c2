//! The header of a stream: signature, flags, an extension to skip.

use crate::copy::error::Fault;

const SIGNATURE: &[u8; 11] = b"PGCOPY\n\xff\r\n\0";
const FIXED: usize = SIGNATURE.len() + 8;
const CRITICAL: u32 = 0xffff_0000;

/// Reads the header from chunks of any size; keeps its 19 fixed bytes, never the extension.
#[derive(Debug, Clone)]
pub(crate) struct Header {
    seen: Vec<u8>,
    extension: Option<usize>,
}

impl Header {
    pub(crate) fn new() -> Self {
        Self { seen: Vec::with_capacity(FIXED), extension: None }
    }

    /// Takes what belongs to the header and returns the rest of the chunk.
    pub(crate) fn take<'a>(&mut self, chunk: &'a [u8]) -> Result<&'a [u8], Fault> {
        let (head, mut rest) = split(chunk, FIXED.saturating_sub(self.seen.len()));
        self.seen.extend_from_slice(head);
        if self.seen.len() == FIXED && self.extension.is_none() {
            self.extension = Some(extension(&self.seen)?);
        }
        if let Some(left) = &mut self.extension {
            let (skipped, after) = split(rest, *left);
            *left -= skipped.len();
            rest = after;
        }
        Ok(rest)
    }

    /// Whether rows come next.
    pub(crate) fn is_complete(&self) -> bool {
        self.extension == Some(0)
    }
}

/// Splits at `middle`, or at the end of a shorter slice.
pub(crate) fn split(bytes: &[u8], middle: usize) -> (&[u8], &[u8]) {
    bytes.split_at_checked(middle).unwrap_or((bytes, &[]))
}

/// Checks the fixed part and returns the length of the extension.
fn extension(fixed: &[u8]) -> Result<usize, Fault> {
    let words = fixed.strip_prefix(SIGNATURE).ok_or(Fault::Signature)?;
    let (flags, rest) = words.split_first_chunk::<4>().ok_or(Fault::Signature)?;
    let length = rest.first_chunk::<4>().ok_or(Fault::Signature)?;
    match u32::from_be_bytes(*flags) & CRITICAL {
        0 => {}
        critical => return Err(Fault::Flags(critical)),
    }
    let length = i32::from_be_bytes(*length);
    usize::try_from(length).map_err(|_| Fault::Extension(length))
}
