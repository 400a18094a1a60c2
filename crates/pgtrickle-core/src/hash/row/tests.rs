use proptest::prelude::*;

use super::*;
use crate::copy::testing::{array, stream, tuple};

const NAN: [u8; 8] = [0x7f, 0xf8, 0, 0, 0, 0, 0, 0];
const NEGATIVE_NAN: [u8; 8] = [0xff, 0xf8, 0, 0, 0, 0, 0, 1];

fn hash(types: &[u32], fields: &[Option<&[u8]>]) -> u128 {
    RowHasher::new(types).hash128(&tuple(fields)).unwrap()
}

#[test]
fn null_differs_from_empty() {
    assert_ne!(hash(&[25], &[None]), hash(&[25], &[Some(b"")]));
    assert_ne!(hash(&[25, 25], &[None, Some(b"")]), hash(&[25, 25], &[Some(b""), None]));
}

#[test]
fn values_keep_their_bounds() {
    let text = [25, 25];
    assert_ne!(hash(&text, &[Some(b"a"), Some(b"bc")]), hash(&text, &[Some(b"ab"), Some(b"c")]));
}

#[test]
fn types_are_told_apart_and_text_types_are_one() {
    let zero = [0; 4];
    assert_ne!(hash(&[23], &[Some(&zero)]), hash(&[26], &[Some(&zero)]));
    assert_eq!(hash(&[25], &[Some(b"a")]), hash(&[1043], &[Some(b"a")]));
}

#[test]
fn there_is_one_nan_and_two_zeros() {
    let one = |image: [u8; 8]| hash(&[701], &[Some(&image)]);
    assert_eq!(one(NAN), one(NEGATIVE_NAN));
    assert_ne!(one(0_f64.to_be_bytes()), one((-0_f64).to_be_bytes()));
    let list = |image: [u8; 8]| hash(&[1022], &[Some(&array(701, &[None, Some(&image)]))]);
    assert_eq!(list(NAN), list(NEGATIVE_NAN));
    let single = |bits: u32| hash(&[700], &[Some(&bits.to_be_bytes())]);
    assert_eq!(single(0x7fc0_0000), single(0xffc0_0001));
}

#[test]
fn the_flag_for_nulls_of_an_array_does_not_matter() {
    let image = array(23, &[Some(&[0; 4])]);
    let mut flagged = image.clone();
    flagged[7] = 1;
    for oid in [1007, ANYARRAY] {
        assert_eq!(hash(&[oid], &[Some(&image)]), hash(&[oid], &[Some(&flagged)]));
    }
    let mut moved = image.clone();
    moved[19] = 5;
    assert_ne!(hash(&[1007], &[Some(&image)]), hash(&[1007], &[Some(&moved)]));
}

#[test]
fn a_malformed_float_or_array_is_refused() {
    let mut hasher = RowHasher::new(&[701]);
    assert_eq!(hasher.hash64(&tuple(&[Some(b"abc")])), Err(Fault::Image("float8")));
    let mut hasher = RowHasher::new(&[1007]);
    let good = array(23, &[Some(&[0; 4])]);
    for length in 0..good.len() {
        if length != 20 {
            assert!(hasher.hash64(&tuple(&[Some(&good[..length])])).is_err());
        }
    }
}

#[test]
fn the_hashes_of_a_stream_are_those_of_its_rows() {
    let rows = [tuple(&[Some(b"a")]), tuple(&[None])];
    let mut hasher = RowHasher::new(&[25]);
    let expected: Vec<_> = rows.iter().map(|row| hasher.hash64(row).unwrap()).collect();
    assert_eq!(tuple_hashes(&[25], &stream(&rows)), Ok(expected));
}

#[test]
fn hashes_are_the_same_for_ever() {
    // From the reference implementation, through Python's xxhash, over bytes packed by hand.
    // Stored fingerprints outlive versions: a change of these values is a change of the format.
    let mut hasher = RowHasher::new(&[23, 25, 701]);
    let row = tuple(&[Some(&7_i32.to_be_bytes()), Some(b"seven"), Some(&NAN)]);
    assert_eq!(hasher.hash64(&row), Ok(0x3d30_4e58_ebee_e8d1));
    assert_eq!(hasher.hash128(&row), Ok(0x768d_9f39_8593_f9bb_dad3_5512_e4a9_44d7));
}

proptest! {
    #[test]
    fn any_bytes_are_hashed_or_refused(bytes: Vec<u8>, oid in prop::sample::select(vec![
        16, 25, 700, 701, 1007, 1021, 1022, 2277, 4_000_000_000,
    ])) {
        let mut hasher = RowHasher::new(&[oid]);
        let _ = hasher.hash64(&tuple(&[Some(&bytes)]));
        let _ = hasher.hash128(&bytes);
        let _ = tuple_hashes(&[oid], &bytes);
    }

    #[test]
    fn different_rows_have_different_hashes(
        left in prop::collection::vec(any::<Option<Vec<u8>>>(), 3),
        right in prop::collection::vec(any::<Option<Vec<u8>>>(), 3),
    ) {
        let one = |row: &[Option<Vec<u8>>]| {
            hash(&[17, 17, 17], &row.iter().map(Option::as_deref).collect::<Vec<_>>())
        };
        prop_assert_eq!(one(&left) == one(&right), left == right);
    }
}
