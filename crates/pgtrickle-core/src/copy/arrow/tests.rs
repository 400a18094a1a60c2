use arrow_array::cast::AsArray;
use arrow_array::types::{Decimal128Type, Int32Type};
use arrow_array::{Array, ArrayRef};
use arrow_schema::DataType;
use proptest::prelude::*;

use super::*;
use crate::copy::Scalar;
use crate::copy::testing::{array, stream, tuple};

fn columns(oids: &[(u32, i32)]) -> Vec<(String, ColumnType)> {
    let named = oids.iter().enumerate();
    named.map(|(at, (oid, modifier))| (format!("c{at}"), kind(*oid, *modifier))).collect()
}

fn kind(oid: u32, modifier: i32) -> ColumnType {
    ColumnType::of(oid, modifier).unwrap()
}

/// All batches of the stream, which comes in chunks of `chunk` bytes.
fn decode(
    bytes: &[u8],
    oids: &[(u32, i32)],
    batch_rows: usize,
    chunk: usize,
) -> Result<Vec<RecordBatch>, CopyError> {
    let mut decoder = Decoder::new(columns(oids), batch_rows)?;
    let mut batches = Vec::new();
    for piece in bytes.chunks(chunk) {
        batches.extend(decoder.feed(piece)?);
    }
    batches.extend(decoder.finish()?);
    Ok(batches)
}

/// The only column of a stream of these images.
fn column(oid: u32, modifier: i32, images: &[Option<&[u8]>]) -> Result<ArrayRef, CopyError> {
    let rows: Vec<_> = images.iter().map(|image| tuple(&[*image])).collect();
    let batches = decode(&stream(&rows), &[(oid, modifier)], 1000, 7)?;
    Ok(Arc::clone(batches[0].column(0)))
}

#[test]
fn nulls_and_values_keep_their_places() {
    let one = 1_i32.to_be_bytes();
    let found = column(23, -1, &[Some(&one), None, Some(&one)]).unwrap();
    let found: Vec<_> = found.as_primitive::<Int32Type>().iter().collect();
    assert_eq!(found, [Some(1), None, Some(1)]);
}

#[test]
fn a_declared_numeric_is_a_decimal() {
    let image = [0, 2, 0, 0, 0x40, 0, 0, 2, 0, 1, 0x13, 0x88]; // -1.50
    let found = column(1700, ((10 << 16) | 2) + 4, &[Some(&image), None]).unwrap();
    assert_eq!(found.data_type(), &DataType::Decimal128(10, 2));
    assert_eq!(found.as_primitive::<Decimal128Type>().value(0), -150);
    let text = column(1700, -1, &[Some(&image)]).unwrap();
    assert_eq!(text.as_string::<i32>().value(0), "-1.50");
}

#[test]
fn lists_hold_their_elements_and_nulls() {
    let image = array(25, &[Some(b"a"), None, Some(b"")]);
    let empty: Vec<u8> = [0, 0, 25].iter().flat_map(|word: &i32| word.to_be_bytes()).collect();
    let found = column(1009, -1, &[Some(&image), None, Some(&empty)]).unwrap();
    let lists = found.as_list::<i32>();
    let first = lists.value(0);
    let items: Vec<_> = first.as_string::<i32>().iter().collect();
    assert_eq!(items, [Some("a"), None, Some("")]);
    assert!(lists.is_null(1));
    assert_eq!(lists.value(2).len(), 0);
}

#[test]
fn an_array_of_two_dimensions_has_no_form() {
    let mut image = array(23, &[]);
    image[3] = 2;
    let error = column(1007, -1, &[None, Some(&image)]).unwrap_err();
    let text = "row 2, column \"c0\": an array of several dimensions has no form in Arrow";
    assert_eq!(error.to_string(), text);
}

#[test]
fn text_that_is_not_utf8_is_found_with_its_row() {
    let error = column(25, -1, &[Some(b"good"), None, Some(b"\xff")]).unwrap_err();
    assert_eq!((error.row, error.fault), (Some(3), Fault::Utf8));
    let cut = column(25, -1, &[Some(b"\xc3"), Some(b"\xa4")]).unwrap_err();
    assert_eq!((cut.row, cut.fault), (Some(1), Fault::Utf8));
}

#[test]
fn batches_end_where_they_should() {
    let rows: Vec<_> = (0_i32..10).map(|row| tuple(&[Some(&row.to_be_bytes())])).collect();
    let batches = decode(&stream(&rows), &[(23, -1)], 4, 1000).unwrap();
    let sizes: Vec<_> = batches.iter().map(RecordBatch::num_rows).collect();
    assert_eq!(sizes, [4, 4, 2]);
}

#[test]
fn large_values_close_a_batch_early() {
    let value = vec![b'x'; BATCH_BYTES / 2];
    let rows: Vec<_> = (0..3).map(|_| tuple(&[Some(&value)])).collect();
    let batches = decode(&stream(&rows), &[(25, -1)], 1000, 1 << 20).unwrap();
    let sizes: Vec<_> = batches.iter().map(RecordBatch::num_rows).collect();
    assert_eq!(sizes, [2, 1]);
}

#[test]
fn rows_without_columns_are_counted() {
    let batches = decode(&stream(&[tuple(&[]), tuple(&[])]), &[], 10, 1).unwrap();
    assert_eq!(batches[0].num_rows(), 2);
}

#[test]
fn an_error_stays() {
    let mut decoder = Decoder::new(columns(&[(23, -1)]), 10).unwrap();
    let bytes = stream(&[tuple(&[Some(b"abc")])]);
    let first = decoder.feed(&bytes).unwrap_err();
    assert_eq!(
        first.to_string(),
        "row 1, column \"c0\": the value is not the binary image of the type int4"
    );
    assert_eq!(decoder.feed(b""), Err(first.clone()));
    assert_eq!(decoder.finish(), Err(first));
}

#[test]
fn a_stream_ends_once() {
    let mut decoder = Decoder::new(columns(&[]), 10).unwrap();
    decoder.feed(&stream(&[])).unwrap();
    assert_eq!(decoder.finish(), Ok(None));
    assert_eq!(decoder.finish().unwrap_err().fault, Fault::Finished);
    assert_eq!(Decoder::new(columns(&[]), 0).unwrap_err().fault, Fault::ZeroRows);
}

/// Every type that has a decoder, and its array.
const OIDS: [u32; 23] = [
    16, 17, 18, 19, 20, 21, 23, 25, 26, 114, 142, 700, 701, 1042, 1043, 1082, 1083, 1114, 1184,
    1186, 1700, 2950, 3802,
];

proptest! {
    #[test]
    fn any_image_is_a_value_or_an_error(
        oid in prop::sample::select(&OIDS),
        modifier in prop::sample::select(vec![-1, (38 << 16) + 4, (60 << 16) + 24]),
        image in prop::collection::vec(any::<u8>(), 0..24),
    ) {
        if let Ok(found) = column(oid, modifier, &[Some(&image), None]) {
            prop_assert_eq!(found.len(), 2);
        }
        for (list, element) in [(1007, 23), (1231, 1700), (1009, 25)] {
            let _ = column(list, modifier, &[Some(&image)]);
            let _ = column(list, modifier, &[Some(&array(element, &[Some(&image), None]))]);
        }
    }

    #[test]
    fn chunks_and_batches_do_not_change_the_rows(
        values in prop::collection::vec(prop::option::of("[a-zä]{0,9}"), 0..20),
        chunk in 1_usize..50,
        batch_rows in 1_usize..8,
    ) {
        let rows: Vec<_> =
            values.iter().map(|value| tuple(&[value.as_ref().map(String::as_bytes)])).collect();
        let batches = decode(&stream(&rows), &[(25, -1)], batch_rows, chunk).unwrap();
        let found: Vec<_> = batches
            .iter()
            .flat_map(|batch| batch.column(0).as_string::<i32>().iter())
            .map(|value| value.map(str::to_owned))
            .collect();
        prop_assert_eq!(found, values);
    }
}

#[test]
fn scalars_tell_their_arrow_types() {
    assert_eq!(kind(2950, -1), ColumnType::Scalar(Scalar::Uuid));
    assert_eq!(kind(2950, -1).arrow(), DataType::Utf8);
    assert_eq!(kind(26, -1).arrow(), DataType::Int64);
}
