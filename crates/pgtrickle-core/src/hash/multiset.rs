//! The fingerprint of a relation: the sum of its rows' hashes, whatever their order.
//!
//! Equal multisets of rows have equal fingerprints. Different ones have different fingerprints but
//! for a chance of about 2^-128: a sum, unlike an exclusive or, also tells how often a row occurs.

use std::fmt;

use crate::copy::frame::Frames;
use crate::copy::{CopyError, Fault};
use crate::hash::RowHasher;

/// What a relation is compared by; shown as 32 hexadecimal digits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint {
    /// The number of rows.
    pub rows: u64,
    /// The sum of the rows' 128-bit hashes, modulo 2^128.
    pub sum: u128,
}

impl fmt::Display for Fingerprint {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{:032x}", self.sum)
    }
}

/// Sums the rows of one COPY BINARY stream, in memory for one row.
#[derive(Debug)]
pub struct Multiset {
    frames: Frames,
    hasher: RowHasher,
    sum: u128,
    failed: Option<CopyError>,
}

impl Multiset {
    /// Starts a stream of rows with columns of these type OIDs; see [`RowHasher::new`].
    #[must_use]
    pub fn new(types: &[u32]) -> Self {
        let frames = Frames::new(types.len());
        Self { frames, hasher: RowHasher::new(types), sum: 0, failed: None }
    }

    /// Adds the rows that the next bytes of the stream complete.
    ///
    /// # Errors
    ///
    /// [`CopyError`] with the place of the first fault; it stays.
    pub fn feed(&mut self, chunk: &[u8]) -> Result<(), CopyError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        let Self { frames, hasher, sum, failed } = self;
        let fed = frames.feed(chunk, |row, tuple| {
            let hash = hasher.hash128(tuple).map_err(|fault| fault.at(row, None))?;
            *sum = sum.wrapping_add(hash);
            Ok(())
        });
        fed.inspect_err(|error| *failed = Some(error.clone()))
    }

    /// Ends the stream.
    ///
    /// # Errors
    ///
    /// [`Fault::Truncated`] if the trailer is missing; [`Fault::Finished`] the second time.
    pub fn finish(&mut self) -> Result<Fingerprint, CopyError> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        self.frames.finish()?;
        self.failed = Some(Fault::Finished.into());
        Ok(Fingerprint { rows: self.frames.rows(), sum: self.sum })
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::copy::testing::{stream, tuple};

    fn fingerprint(rows: &[Vec<u8>], chunk: usize) -> Fingerprint {
        let mut multiset = Multiset::new(&[25, 25]);
        for piece in stream(rows).chunks(chunk) {
            multiset.feed(piece).unwrap();
        }
        multiset.finish().unwrap()
    }

    fn row(left: &[u8], right: Option<&[u8]>) -> Vec<u8> {
        tuple(&[Some(left), right])
    }

    #[test]
    fn a_row_counts_as_often_as_it_occurs() {
        let (a, b) = (row(b"a", None), row(b"b", None));
        let pair = [a.clone(), a.clone(), b.clone(), b.clone()];
        assert_ne!(fingerprint(&[a.clone(), a.clone()], 9).sum, 0);
        assert_ne!(fingerprint(&pair, 9), fingerprint(&[a.clone(), a.clone(), a, b], 9));
    }

    #[test]
    fn a_stream_that_is_cut_short_has_no_fingerprint() {
        let mut multiset = Multiset::new(&[25]);
        multiset.feed(&stream(&[tuple(&[None])])[..22]).unwrap();
        assert_eq!(multiset.finish().unwrap_err().fault, Fault::Truncated);
    }

    #[test]
    fn a_fingerprint_is_taken_once() {
        let mut multiset = Multiset::new(&[25]);
        multiset.feed(&stream(&[])).unwrap();
        let found = multiset.finish().unwrap();
        assert_eq!((found.rows, found.to_string()), (0, "0".repeat(32)));
        assert_eq!(multiset.finish().unwrap_err().fault, Fault::Finished);
    }

    proptest! {
        #[test]
        fn neither_order_nor_split_matters(
            rows in prop::collection::vec(any::<(Vec<u8>, Option<Vec<u8>>)>(), 0..12)
                .prop_map(|rows| {
                    rows.iter().map(|(l, r)| row(l, r.as_deref())).collect::<Vec<_>>()
                }),
            turn: usize,
            chunk in 1_usize..60,
        ) {
            let mut turned = rows.clone();
            turned.rotate_left(turn % rows.len().max(1));
            turned.reverse();
            prop_assert_eq!(fingerprint(&rows, chunk), fingerprint(&turned, 1000));
        }

        #[test]
        fn different_rows_have_different_sums(
            left: (Vec<u8>, Option<Vec<u8>>),
            right: (Vec<u8>, Option<Vec<u8>>),
        ) {
            let sum = |(l, r): &(Vec<u8>, Option<Vec<u8>>)| fingerprint(&[row(l, r.as_deref())], 99);
            prop_assert_eq!(sum(&left) == sum(&right), left == right);
        }
    }
}
