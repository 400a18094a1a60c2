//! Any bytes, cut anywhere, are rows or an error: decoded to Arrow and hashed, they never panic, and
//! the place of the cut does not change what is found.
//!
//! The first byte chooses the columns, the second the size of the chunks; the rest is the stream.

use pgtrickle_core::copy::{ColumnType, CopyError, Decoder};
use pgtrickle_core::hash::{Fingerprint, Multiset, row_hashes, tuple_hashes};

/// Type OIDs and modifiers of the streams that are tried: each type alone, its array, a mixture.
const SHAPES: &[&[(u32, i32)]] = &[
    &[],
    &[(16, -1)],
    &[(17, -1)],
    &[(18, -1)],
    &[(20, -1)],
    &[(21, -1)],
    &[(23, -1)],
    &[(25, -1)],
    &[(26, -1)],
    &[(700, -1)],
    &[(701, -1)],
    &[(1082, -1)],
    &[(1083, -1)],
    &[(1114, -1)],
    &[(1184, -1)],
    &[(1186, -1)],
    &[(1700, -1)],
    &[(1700, (10 << 16) + 2 + 4)],
    &[(1700, (60 << 16) + 20 + 4)],
    &[(2950, -1)],
    &[(3802, -1)],
    &[(1007, -1)],
    &[(1009, -1)],
    &[(1022, -1)],
    &[(1231, -1)],
    &[(1231, (38 << 16) + 10 + 4)],
    &[(23, -1), (25, -1), (701, -1), (1184, -1), (1009, -1)],
];

/// What is found: the hashes of the rows as Arrow has them, by batch.
fn decode(shape: &[(u32, i32)], chunks: &[&[u8]]) -> Result<Vec<u64>, CopyError> {
    let columns: Vec<_> = shape
        .iter()
        .map(|(oid, modifier)| (oid.to_string(), ColumnType::of(*oid, *modifier).unwrap()))
        .collect();
    let mut decoder = Decoder::new(columns, 3)?;
    let mut hashes = Vec::new();
    for chunk in chunks {
        for batch in decoder.feed(chunk)? {
            hashes.extend(row_hashes(&batch)?);
        }
    }
    if let Some(batch) = decoder.finish()? {
        hashes.extend(row_hashes(&batch)?);
    }
    Ok(hashes)
}

fn fingerprint(types: &[u32], chunks: &[&[u8]]) -> Result<Fingerprint, CopyError> {
    let mut multiset = Multiset::new(types);
    for chunk in chunks {
        multiset.feed(chunk)?;
    }
    multiset.finish()
}

/// Panics where the law does not hold for `data`.
pub(crate) fn check(data: &[u8]) {
    let [shape, size, stream @ ..] = data else { return };
    let shape = SHAPES[usize::from(*shape) % SHAPES.len()];
    let types: Vec<_> = shape.iter().map(|(oid, _)| *oid).collect();
    let pieces: Vec<_> = stream.chunks(usize::from(*size).max(1)).collect();
    assert_eq!(decode(shape, &[stream]), decode(shape, &pieces));
    let whole = fingerprint(&types, &[stream]);
    assert_eq!(whole, fingerprint(&types, &pieces));
    assert_eq!(whole.map(|found| found.rows), tuple_hashes(&types, stream).map(|h| h.len() as u64));
}
