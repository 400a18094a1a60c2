//! One-dimensional arrays: their elements, one after the other, and where each array ends.

use arrow_buffer::{OffsetBuffer, ScalarBuffer};

use crate::copy::error::Fault;
use crate::copy::frame::Fields;
use crate::copy::values::Column;

const MALFORMED: Fault = Fault::Image("array");

/// The head of an array's image: dimensions, flag for NULLs, element type; then per dimension the
/// number of elements and the lower bound.
pub(crate) struct Head {
    /// Number of dimensions; 0 for an empty array.
    pub(crate) dimensions: i32,
    /// OID of the element type.
    pub(crate) element: [u8; 4],
}

/// Splits an image into its head and the rest.
pub(crate) fn head(image: &[u8]) -> Result<(Head, &[u8]), Fault> {
    let (dimensions, rest) = image.split_first_chunk::<4>().ok_or(MALFORMED)?;
    let (_has_nulls, rest) = rest.split_first_chunk::<4>().ok_or(MALFORMED)?;
    let (element, rest) = rest.split_first_chunk::<4>().ok_or(MALFORMED)?;
    Ok((Head { dimensions: i32::from_be_bytes(*dimensions), element: *element }, rest))
}

/// Appends the elements of the array with this image and returns how many bytes they take.
pub(crate) fn append(
    image: &[u8],
    ends: &mut Vec<i32>,
    items: &mut Column,
) -> Result<usize, Fault> {
    let (head, rest) = head(image)?;
    let mut bytes = 0;
    match head.dimensions {
        0 if rest.is_empty() => {}
        1 => {
            let (count, rest) = rest.split_first_chunk::<4>().ok_or(MALFORMED)?;
            let (_lower_bound, rest) = rest.split_first_chunk::<4>().ok_or(MALFORMED)?;
            let before = items.len();
            let mut elements = Fields::new(rest);
            for element in &mut elements {
                bytes += items.append(element)?;
            }
            let found = i32::try_from(items.len() - before).map_err(|_| Fault::TooLarge)?;
            if found != i32::from_be_bytes(*count) || !elements.rest().is_empty() {
                return Err(MALFORMED);
            }
        }
        2.. => return Err(Fault::NoForm("an array of several dimensions")),
        _ => return Err(MALFORMED),
    }
    Ok(bytes + end(ends, items)?)
}

/// Notes that an array ends here.
pub(crate) fn end(ends: &mut Vec<i32>, items: &Column) -> Result<usize, Fault> {
    ends.push(i32::try_from(items.len()).map_err(|_| Fault::TooLarge)?);
    Ok(size_of::<i32>())
}

/// Takes the ends out.
pub(crate) fn offsets(ends: &mut Vec<i32>) -> OffsetBuffer<i32> {
    OffsetBuffer::new(ScalarBuffer::from(std::mem::replace(ends, vec![0])))
}
