//! Cuts a stream that comes in chunks of any size into tuples.
//!
//! A tuple that lies within a chunk is handed on in place; only one that a chunk's end cuts is
//! copied, so what is held never exceeds one tuple, and grows with bytes received, not declared.

use crate::copy::error::{CopyError, Fault};
use crate::copy::header::{Header, split};

/// `PostgreSQL` cannot hold a field longer than this.
const FIELD_LIMIT: i32 = 0x3fff_ffff;

/// The state between two chunks.
#[derive(Debug, Clone)]
pub(crate) struct Frames {
    columns: usize,
    header: Header,
    scan: Scan,
    cut: Vec<u8>,
    rows: u64,
    ended: bool,
}

impl Frames {
    /// Starts before the header of a stream of tuples with `columns` fields each.
    pub(crate) fn new(columns: usize) -> Self {
        Self {
            columns,
            header: Header::new(),
            scan: Scan::default(),
            cut: Vec::new(),
            rows: 0,
            ended: false,
        }
    }

    /// Tuples handed on so far.
    pub(crate) fn rows(&self) -> u64 {
        self.rows
    }

    /// Hands each tuple that this chunk completes to `take`: its image with the field count.
    pub(crate) fn feed(
        &mut self,
        chunk: &[u8],
        mut take: impl FnMut(u64, &[u8]) -> Result<(), CopyError>,
    ) -> Result<(), CopyError> {
        let mut rest = chunk;
        if !self.header.is_complete() {
            rest = self.header.take(rest)?;
            if !self.header.is_complete() {
                return Ok(());
            }
        }
        if !self.cut.is_empty() {
            rest = self.mend(rest, &mut take)?;
            if !self.cut.is_empty() {
                return Ok(());
            }
        }
        while !rest.is_empty() && !self.ended {
            match self.scan(rest)? {
                Step::Tuple(length) => {
                    let (tuple, after) = split(rest, length);
                    self.rows += 1;
                    take(self.rows, tuple)?;
                    rest = after;
                }
                Step::Needs(_) => {
                    self.cut.extend_from_slice(rest);
                    return Ok(());
                }
                Step::End => rest = self.end(rest),
            }
        }
        if rest.is_empty() { Ok(()) } else { Err(Fault::Trailing.into()) }
    }

    /// Checks that the stream is complete.
    pub(crate) fn finish(&self) -> Result<(), CopyError> {
        if self.ended { Ok(()) } else { Err(Fault::Truncated.into()) }
    }

    /// Completes the tuple that the last chunk cut and returns what follows it.
    fn mend<'a>(
        &mut self,
        chunk: &'a [u8],
        take: &mut impl FnMut(u64, &[u8]) -> Result<(), CopyError>,
    ) -> Result<&'a [u8], CopyError> {
        let mut cut = std::mem::take(&mut self.cut);
        let mut rest = chunk;
        loop {
            match self.scan(&cut)? {
                Step::Tuple(_) => {
                    self.rows += 1;
                    take(self.rows, &cut)?;
                    break;
                }
                Step::Needs(length) => {
                    let (piece, after) = split(rest, length.saturating_sub(cut.len()));
                    cut.extend_from_slice(piece);
                    rest = after;
                    if cut.len() < length {
                        self.cut = cut;
                        return Ok(rest);
                    }
                }
                Step::End => {
                    self.ended = true;
                    break;
                }
            }
        }
        cut.clear();
        self.cut = cut;
        Ok(rest)
    }

    fn end<'a>(&mut self, rest: &'a [u8]) -> &'a [u8] {
        self.ended = true;
        split(rest, 2).1
    }

    fn scan(&mut self, bytes: &[u8]) -> Result<Step, CopyError> {
        self.scan.advance(bytes, self.columns).map_err(|fault| fault.at(self.rows + 1, None))
    }
}

/// How far the first tuple is known to reach.
#[derive(Debug, Clone, Default)]
struct Scan {
    offset: usize,
    fields: Option<u16>,
}

enum Step {
    /// The first so many bytes are a tuple.
    Tuple(usize),
    /// Nothing can be said before so many bytes are there.
    Needs(usize),
    /// The trailer.
    End,
}

impl Scan {
    /// Goes on over `bytes`, which begin as they did in the last call.
    fn advance(&mut self, bytes: &[u8], columns: usize) -> Result<Step, Fault> {
        let mut left = match self.fields {
            Some(left) => left,
            None => match bytes.first_chunk::<2>().map(|count| i16::from_be_bytes(*count)) {
                None => return Ok(Step::Needs(2)),
                Some(-1) => return Ok(Step::End),
                Some(found) => expected_count(found, columns)?,
            },
        };
        let mut offset = self.offset.max(2);
        while left > 0 {
            let end = match bytes.get(offset..).and_then(<[u8]>::first_chunk::<4>) {
                None => offset + 4,
                Some(length) => offset + 4 + width(i32::from_be_bytes(*length))?,
            };
            if end > bytes.len() {
                *self = Self { offset, fields: Some(left) };
                return Ok(Step::Needs(end));
            }
            offset = end;
            left -= 1;
        }
        *self = Self::default();
        Ok(Step::Tuple(offset))
    }
}

fn expected_count(found: i16, columns: usize) -> Result<u16, Fault> {
    let count = u16::try_from(found).ok().filter(|count| usize::from(*count) == columns);
    count.ok_or(Fault::FieldCount { found, expected: columns })
}

/// The bytes of a field with this length word; NULL has none.
fn width(length: i32) -> Result<usize, Fault> {
    match length {
        -1 => Ok(0),
        FIELD_LIMIT.. => Err(Fault::FieldLength(length)),
        _ => usize::try_from(length).map_err(|_| Fault::FieldLength(length)),
    }
}

/// The fields of a tuple or the elements of an array: each None for NULL, or the image.
///
/// Stops at the first byte that does not belong to a whole field; `rest` tells.
#[derive(Debug, Clone)]
pub(crate) struct Fields<'a> {
    rest: &'a [u8],
}

impl<'a> Fields<'a> {
    /// The fields of a tuple, which begins with their count.
    pub(crate) fn of(tuple: &'a [u8]) -> Self {
        Self { rest: split(tuple, 2).1 }
    }

    /// The fields that `bytes` hold.
    pub(crate) fn new(bytes: &'a [u8]) -> Self {
        Self { rest: bytes }
    }

    /// What was not read.
    pub(crate) fn rest(&self) -> &'a [u8] {
        self.rest
    }
}

impl<'a> Iterator for Fields<'a> {
    type Item = Option<&'a [u8]>;

    fn next(&mut self) -> Option<Self::Item> {
        let (length, rest) = self.rest.split_first_chunk::<4>()?;
        let length = i32::from_be_bytes(*length);
        if length == -1 {
            self.rest = rest;
            return Some(None);
        }
        let (value, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        self.rest = rest;
        Some(Some(value))
    }
}

#[cfg(test)]
mod tests;
