use std::sync::Arc;

use arrow_array::{ArrayRef, Int8Array};
use proptest::prelude::*;

use super::*;
use crate::copy::testing::{array, stream, tuple};
use crate::copy::{ColumnType, Decoder};
use crate::hash::tuple_hashes;

/// The hashes of one stream: its tuples, and the batch that is decoded from it.
fn both(types: &[(u32, i32)], rows: &[Vec<u8>]) -> (Vec<u64>, Vec<u64>) {
    let oids: Vec<_> = types.iter().map(|(oid, _)| *oid).collect();
    let columns = types
        .iter()
        .map(|(oid, modifier)| (format!("c{oid}"), ColumnType::of(*oid, *modifier).unwrap()));
    let bytes = stream(rows);
    let mut decoder = Decoder::new(columns, 1000).unwrap();
    assert!(decoder.feed(&bytes).unwrap().is_empty());
    let batch = decoder.finish().unwrap().unwrap();
    (tuple_hashes(&oids, &bytes).unwrap(), row_hashes(&batch).unwrap())
}

#[test]
fn a_type_without_an_image_is_refused_with_its_column() {
    let column: ArrayRef = Arc::new(Int8Array::from(vec![1]));
    let batch = RecordBatch::try_from_iter([("tiny", column)]).unwrap();
    let error = row_hashes(&batch).unwrap_err();
    assert_eq!(error.to_string(), "column \"tiny\": the Arrow type Int8 has no image to hash");
}

proptest! {
    #[test]
    fn both_sources_of_a_row_give_one_hash(
        rows in prop::collection::vec(
            any::<(Option<bool>, Option<i16>, i32, Option<i64>, f32, f64, Option<String>, Vec<u8>)>(),
            1..8,
        ),
    ) {
        let types = [16, 21, 23, 20, 700, 701, 25, 17].map(|oid| (oid, -1));
        let rows: Vec<_> = rows.iter().map(|row| tuple(&[
            row.0.map(|cell| [u8::from(cell)]).as_ref().map(<[u8; 1]>::as_slice),
            row.1.map(i16::to_be_bytes).as_ref().map(<[u8; 2]>::as_slice),
            Some(&row.2.to_be_bytes()),
            row.3.map(i64::to_be_bytes).as_ref().map(<[u8; 8]>::as_slice),
            Some(&row.4.to_be_bytes()),
            Some(&row.5.to_be_bytes()),
            row.6.as_ref().map(String::as_bytes),
            Some(&row.7),
        ])).collect();
        let (tuples, batch) = both(&types, &rows);
        prop_assert_eq!(tuples, batch);
    }

    #[test]
    fn times_decimals_and_lists_too(
        days in -1_000_000_i32..1_000_000,
        microseconds in 0_i64..86_400_000_000,
        months: i32,
        unscaled in -10_i128.pow(38) + 1..10_i128.pow(38),
        items in prop::collection::vec(any::<Option<i32>>(), 0..5),
    ) {
        let types = [
            (1082, -1), (1083, -1), (1114, -1), (1184, -1), (1186, -1),
            (1700, ((38 << 16) | 7) + 4), (1007, -1),
        ];
        let time = microseconds.to_be_bytes();
        let interval = [&time[..], &days.to_be_bytes(), &months.to_be_bytes()].concat();
        let mut decimal = Vec::new();
        numeric::write(unscaled, 7, &mut decimal);
        let items: Vec<_> = items.iter().map(|item| item.map(i32::to_be_bytes)).collect();
        let items: Vec<_> = items.iter().map(|item| item.as_ref().map(<[u8; 4]>::as_slice)).collect();
        let mut list = array(23, &items);
        if items.is_empty() {
            list.truncate(12);
            list[3] = 0;
        }
        let row = tuple(&[
            Some(&days.to_be_bytes()), Some(&time), Some(&time), Some(&time), Some(&interval),
            Some(&decimal), Some(&list),
        ]);
        let (tuples, batch) = both(&types, &[row]);
        prop_assert_eq!(tuples, batch);
    }
}
