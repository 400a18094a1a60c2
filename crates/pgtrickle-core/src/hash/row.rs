//! The hash of one row.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed, xxh3_128_with_seed};

use crate::copy::frame::{Fields, Frames};
use crate::copy::list;
use crate::copy::types::{element, is_text};
use crate::copy::{CopyError, Fault};

/// OIDs that the code names.
pub(crate) const TEXT: u32 = 25;
const FLOAT4: u32 = 700;
const FLOAT8: u32 = 701;
const ANYARRAY: u32 = 2277;

/// Hashes rows of one shape; what it allocates, it allocates once.
#[derive(Debug, Clone)]
pub struct RowHasher {
    seed: u64,
    /// How to make each column's image canonical; None if all are as they come.
    canon: Option<Vec<Canon>>,
    image: Vec<u8>,
}

/// How an image becomes canonical.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Canon {
    AsIs,
    Float4,
    Float8,
    Array(Element),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Element {
    AsIs,
    Float4,
    Float8,
}

impl RowHasher {
    /// Hashes rows with columns of these type OIDs.
    ///
    /// Any OID will do. Give a domain as its base type, and an array of a type that a user made
    /// as anyarray (2277): an array must be known as one.
    #[must_use]
    pub fn new(types: &[u32]) -> Self {
        let canon: Vec<_> = types.iter().map(|oid| Canon::of(*oid)).collect();
        let plain = canon.iter().all(|canon| *canon == Canon::AsIs);
        Self { seed: seed(types), canon: (!plain).then_some(canon), image: Vec::new() }
    }

    /// The 64-bit hash of a COPY BINARY tuple.
    ///
    /// # Errors
    ///
    /// [`Fault::Image`] if a float or an array is not one.
    pub fn hash64(&mut self, tuple: &[u8]) -> Result<u64, Fault> {
        let seed = self.seed;
        self.canonical(tuple).map(|image| xxh3_64_with_seed(image, seed))
    }

    /// The 128-bit hash of a COPY BINARY tuple.
    ///
    /// # Errors
    ///
    /// [`Fault::Image`] if a float or an array is not one.
    pub fn hash128(&mut self, tuple: &[u8]) -> Result<u128, Fault> {
        let seed = self.seed;
        self.canonical(tuple).map(|image| xxh3_128_with_seed(image, seed))
    }

    fn canonical<'a>(&'a mut self, tuple: &'a [u8]) -> Result<&'a [u8], Fault> {
        let Some(canon) = &self.canon else { return Ok(tuple) };
        start(canon.len(), &mut self.image);
        for (canon, field) in canon.iter().zip(Fields::of(tuple)) {
            match field {
                None => null(&mut self.image),
                Some(value) => canon.write(value, &mut self.image)?,
            }
        }
        Ok(&self.image)
    }
}

/// The 64-bit hashes of all rows of a COPY BINARY stream.
///
/// # Errors
///
/// [`CopyError`] if the stream is not one, or not complete.
pub fn tuple_hashes(types: &[u32], stream: &[u8]) -> Result<Vec<u64>, CopyError> {
    let mut row_hasher = RowHasher::new(types);
    let mut frames = Frames::new(types.len());
    let mut hashes = Vec::new();
    frames.feed(stream, |row, tuple| {
        hashes.push(row_hasher.hash64(tuple).map_err(|fault| fault.at(row, None))?);
        Ok(())
    })?;
    frames.finish()?;
    Ok(hashes)
}

/// The seed that tells rows of these types from rows of others.
pub(crate) fn seed(types: &[u32]) -> u64 {
    let tags: Vec<u8> = types.iter().flat_map(|oid| tag(*oid).to_be_bytes()).collect();
    xxh3_64(&tags)
}

fn tag(oid: u32) -> u32 {
    if is_text(oid) { TEXT } else { oid }
}

/// Begins the image of a row; what was there is gone.
pub(crate) fn start(columns: usize, image: &mut Vec<u8>) {
    image.clear();
    image.extend_from_slice(&u16::try_from(columns).unwrap_or(u16::MAX).to_be_bytes());
}

/// Appends NULL.
pub(crate) fn null(image: &mut Vec<u8>) {
    image.extend_from_slice(&(-1_i32).to_be_bytes());
}

/// Appends a value.
pub(crate) fn value(bytes: &[u8], image: &mut Vec<u8>) {
    // A field is shorter than 2 GiB, so its length has 32 bits.
    image.extend_from_slice(&u32::try_from(bytes.len()).unwrap_or(u32::MAX).to_be_bytes());
    image.extend_from_slice(bytes);
}

/// Begins the image of an array with `count` elements and the lower bound 1.
pub(crate) fn array_head(element: u32, count: i32, image: &mut Vec<u8>) {
    image.extend_from_slice(&i32::from(count > 0).to_be_bytes());
    image.extend_from_slice(&[0; 4]);
    image.extend_from_slice(&tag(element).to_be_bytes());
    if count > 0 {
        image.extend_from_slice(&count.to_be_bytes());
        image.extend_from_slice(&1_i32.to_be_bytes());
    }
}

/// Appends a value that `write` appends.
pub(crate) fn sized<E>(
    image: &mut Vec<u8>,
    write: impl FnOnce(&mut Vec<u8>) -> Result<(), E>,
) -> Result<(), E> {
    let start = image.len();
    image.extend_from_slice(&[0; 4]);
    write(image)?;
    let length = u32::try_from(image.len() - start - 4).unwrap_or(u32::MAX);
    if let Some(slot) = image.get_mut(start..).and_then(<[u8]>::first_chunk_mut::<4>) {
        *slot = length.to_be_bytes();
    }
    Ok(())
}

/// The image of a float4, with one NaN.
pub(crate) fn float4(value: f32) -> [u8; 4] {
    if value.is_nan() { 0x7fc0_0000_u32.to_be_bytes() } else { value.to_be_bytes() }
}

/// The image of a float8, with one NaN.
pub(crate) fn float8(value: f64) -> [u8; 8] {
    if value.is_nan() { 0x7ff8_0000_0000_0000_u64.to_be_bytes() } else { value.to_be_bytes() }
}

impl Canon {
    fn of(oid: u32) -> Self {
        match (oid, element(oid)) {
            (FLOAT4, _) => Self::Float4,
            (FLOAT8, _) => Self::Float8,
            (_, Some(FLOAT4)) => Self::Array(Element::Float4),
            (_, Some(FLOAT8)) => Self::Array(Element::Float8),
            (ANYARRAY, _) | (_, Some(_)) => Self::Array(Element::AsIs),
            _ => Self::AsIs,
        }
    }

    fn write(self, bytes: &[u8], image: &mut Vec<u8>) -> Result<(), Fault> {
        match self {
            Self::AsIs => value(bytes, image),
            Self::Float4 => Element::Float4.write(bytes, image)?,
            Self::Float8 => Element::Float8.write(bytes, image)?,
            Self::Array(element) => sized(image, |image| element.write_array(bytes, image))?,
        }
        Ok(())
    }
}

impl Element {
    fn write(self, bytes: &[u8], image: &mut Vec<u8>) -> Result<(), Fault> {
        match self {
            Self::AsIs => value(bytes, image),
            Self::Float4 => {
                let bytes = bytes.try_into().map_err(|_| Fault::Image("float4"))?;
                value(&float4(f32::from_be_bytes(bytes)), image);
            }
            Self::Float8 => {
                let bytes = bytes.try_into().map_err(|_| Fault::Image("float8"))?;
                value(&float8(f64::from_be_bytes(bytes)), image);
            }
        }
        Ok(())
    }

    /// Appends an array without its flag for NULLs.
    fn write_array(self, bytes: &[u8], image: &mut Vec<u8>) -> Result<(), Fault> {
        const MALFORMED: Fault = Fault::Image("array");
        let (head, rest) = list::head(bytes)?;
        let sizes = usize::try_from(head.dimensions).ok().and_then(|count| count.checked_mul(8));
        let (sizes, elements) =
            sizes.and_then(|sizes| rest.split_at_checked(sizes)).ok_or(MALFORMED)?;
        image.extend_from_slice(&head.dimensions.to_be_bytes());
        image.extend_from_slice(&[0; 4]);
        image.extend_from_slice(&tag(u32::from_be_bytes(head.element)).to_be_bytes());
        image.extend_from_slice(sizes);
        let mut elements = Fields::new(elements);
        for element in &mut elements {
            match element {
                None => null(image),
                Some(bytes) => self.write(bytes, image)?,
            }
        }
        if elements.rest().is_empty() { Ok(()) } else { Err(MALFORMED) }
    }
}

#[cfg(test)]
mod tests;
