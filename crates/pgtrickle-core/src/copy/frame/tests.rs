use proptest::prelude::*;

use super::*;
use crate::copy::testing::{header, stream, tuple};

/// The tuples that come out when the stream is cut at these places.
fn tuples(bytes: &[u8], columns: usize, cuts: &[usize]) -> Result<Vec<Vec<u8>>, CopyError> {
    let mut frames = Frames::new(columns);
    let mut found = Vec::new();
    let mut rest = bytes;
    for cut in cuts {
        let (chunk, after) = split(rest, *cut);
        frames.feed(chunk, |_, tuple| {
            found.push(tuple.to_vec());
            Ok(())
        })?;
        rest = after;
    }
    frames.feed(rest, |_, tuple| {
        found.push(tuple.to_vec());
        Ok(())
    })?;
    frames.finish()?;
    Ok(found)
}

fn fault(bytes: &[u8], columns: usize) -> Fault {
    tuples(bytes, columns, &[]).unwrap_err().fault
}

#[test]
fn one_byte_at_a_time_is_enough() {
    let rows = vec![tuple(&[Some(b"a"), None]), tuple(&[Some(b""), Some(b"bc")])];
    let bytes = stream(&rows);
    assert_eq!(tuples(&bytes, 2, &vec![1; bytes.len()]), Ok(rows));
}

#[test]
fn every_shorter_stream_is_truncated() {
    let bytes = stream(&[tuple(&[Some(b"a"), None])]);
    for length in 0..bytes.len() {
        assert_eq!(fault(&bytes[..length], 2), Fault::Truncated);
    }
}

#[test]
fn the_header_is_checked_and_its_extension_skipped() {
    let mut bytes = header();
    bytes[18] = 3;
    bytes.extend(b"ext");
    bytes.extend((-1_i16).to_be_bytes());
    assert_eq!(tuples(&bytes, 2, &[20]), Ok(vec![]));
    bytes[12] = 1;
    assert_eq!(fault(&bytes, 2), Fault::Flags(0x0001_0000));
    assert_eq!(fault(b"id,name\n1,one\n2,two\n", 2), Fault::Signature);
}

#[test]
fn a_wrong_number_of_fields_is_told() {
    let bytes = stream(&[tuple(&[Some(b"a")])]);
    assert_eq!(fault(&bytes, 2), Fault::FieldCount { found: 1, expected: 2 });
}

#[test]
fn a_field_longer_than_the_server_allows_is_refused_before_its_bytes_come() {
    let mut bytes = header();
    bytes.extend(1_i16.to_be_bytes());
    bytes.extend(i32::MAX.to_be_bytes());
    assert_eq!(fault(&bytes, 1), Fault::FieldLength(i32::MAX));
}

#[test]
fn nothing_may_follow_the_trailer() {
    let mut bytes = stream(&[]);
    bytes.push(0);
    assert_eq!(fault(&bytes, 1), Fault::Trailing);
    let length = bytes.len();
    assert_eq!(tuples(&bytes, 1, &[length - 1]).unwrap_err().fault, Fault::Trailing);
}

proptest! {
    #[test]
    fn the_split_of_a_stream_does_not_matter(
        rows in prop::collection::vec(
            prop::collection::vec(prop::option::of(prop::collection::vec(any::<u8>(), 0..20)), 3),
            0..10,
        ),
        cuts in prop::collection::vec(0_usize..30, 0..30),
    ) {
        let rows: Vec<_> = rows
            .iter()
            .map(|row| tuple(&row.iter().map(Option::as_deref).collect::<Vec<_>>()))
            .collect();
        prop_assert_eq!(tuples(&stream(&rows), 3, &cuts), Ok(rows));
    }

    #[test]
    fn any_bytes_are_tuples_or_an_error(bytes: Vec<u8>, cut in 0_usize..40) {
        let bytes = [header(), bytes].concat();
        let whole = tuples(&bytes, 1, &[]);
        prop_assert_eq!(tuples(&bytes, 1, &[cut, 1]), whole);
    }
}
