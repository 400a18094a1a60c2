//! Streams for tests.

/// The header of a stream.
pub(crate) fn header() -> Vec<u8> {
    [b"PGCOPY\n\xff\r\n\0".as_slice(), &[0; 8]].concat()
}

/// The image of a tuple with these fields.
pub(crate) fn tuple(fields: &[Option<&[u8]>]) -> Vec<u8> {
    let mut out = i16::try_from(fields.len()).unwrap().to_be_bytes().to_vec();
    for field in fields {
        match field {
            None => out.extend((-1_i32).to_be_bytes()),
            Some(value) => {
                out.extend(i32::try_from(value.len()).unwrap().to_be_bytes());
                out.extend(*value);
            }
        }
    }
    out
}

/// A stream of these tuples, with header and trailer.
pub(crate) fn stream(tuples: &[Vec<u8>]) -> Vec<u8> {
    [header(), tuples.concat(), (-1_i16).to_be_bytes().to_vec()].concat()
}

/// The image of a one-dimensional array.
pub(crate) fn array(element: u32, items: &[Option<&[u8]>]) -> Vec<u8> {
    let mut out = 1_i32.to_be_bytes().to_vec();
    out.extend(i32::from(items.iter().any(Option::is_none)).to_be_bytes());
    out.extend(element.to_be_bytes());
    out.extend(i32::try_from(items.len()).unwrap().to_be_bytes());
    out.extend(1_i32.to_be_bytes());
    out.extend_from_slice(&tuple(items)[2..]);
    out
}
