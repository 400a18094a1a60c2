//! The decoder as a whole: on built messages, and on what a server sent.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::Error;

const OID: u32 = 16_400;

fn text(value: &str) -> Vec<u8> {
    [b"t".as_slice(), &u32::try_from(value.len()).unwrap().to_be_bytes(), value.as_bytes()].concat()
}

fn tuple(letter: u8, cells: &[&[u8]]) -> Vec<u8> {
    let count = u16::try_from(cells.len()).unwrap().to_be_bytes();
    [&[letter], count.as_slice(), &cells.concat()].concat()
}

fn row(tag: u8, tuples: &[Vec<u8>]) -> Vec<u8> {
    [&[tag], OID.to_be_bytes().as_slice(), &tuples.concat()].concat()
}

fn relation(identity: u8, columns: &[(&str, bool)]) -> Vec<u8> {
    let column = |&(name, key): &(&str, bool)| {
        [&[u8::from(key)], name.as_bytes(), b"\0", &25_u32.to_be_bytes(), &[255; 4]].concat()
    };
    let count = u16::try_from(columns.len()).unwrap().to_be_bytes();
    let columns = columns.iter().map(column).collect::<Vec<_>>().concat();
    [b"R", OID.to_be_bytes().as_slice(), b"public\0t\0", &[identity], &count, &columns].concat()
}

fn begin(xid: u32) -> Vec<u8> {
    [b"B".as_slice(), &[0; 16], &xid.to_be_bytes()].concat()
}

fn commit() -> Vec<u8> {
    [b"C".as_slice(), &[0; 25]].concat()
}

/// Returns each row as its action and its cells, a value as text or the letter of its kind.
fn told(changes: &TableChanges) -> Vec<String> {
    let cell = |row: &Row, column| match changes.cell(row, column) {
        (CellKind::Text | CellKind::Binary, value) => String::from_utf8_lossy(value).into_owned(),
        (kind, _) => format!("<{}>", char::from(kind as u8)),
    };
    let columns = changes.relation().columns.len();
    let line = |row: &Row| {
        let cells: Vec<String> = (0..columns).map(|column| cell(row, column)).collect();
        format!("{} {}", char::from(row.action as u8), cells.join(","))
    };
    changes.rows().iter().map(line).collect()
}

fn decoded(identity: u8, columns: &[(&str, bool)], rows: Vec<Vec<u8>>) -> Result<Batch, Error> {
    let mut messages = vec![begin(7), relation(identity, columns)];
    messages.extend(rows);
    messages.push(commit());
    Decoder::new().decode(&messages)
}

const KEYED: [(&str, bool); 2] = [("id", true), ("body", false)];
const WHOLE: [(&str, bool); 2] = [("id", true), ("body", true)];

#[test]
fn an_update_tells_of_the_old_row_what_the_identity_does() {
    let (one, two, new) = (text("1"), text("2"), text("new"));
    let plain = row(b'U', &[tuple(b'N', &[&one, &new])]);
    let moved = row(b'U', &[tuple(b'K', &[&one, b"n"]), tuple(b'N', &[&two, b"u"])]);
    let whole = row(b'U', &[tuple(b'O', &[&one, &text("old")]), tuple(b'N', &[&one, b"u"])]);
    for (identity, columns, message, expected) in [
        (b'd', KEYED, &plain, ["D 1,<u>", "I 1,new"]),
        (b'i', KEYED, &moved, ["D 1,<u>", "I 2,<u>"]),
        (b'f', WHOLE, &whole, ["D 1,old", "I 1,old"]),
        (b'n', [("id", false), ("body", false)], &plain, ["D <u>,<u>", "I 1,new"]),
    ] {
        let batch = decoded(identity, &columns, vec![message.clone()]).unwrap();
        assert_eq!(told(&batch.tables[0]), expected);
    }
}

#[test]
fn a_deleted_row_is_told_by_key_or_whole() {
    let key = row(b'D', &[tuple(b'K', &[&text("1"), b"n"])]);
    let whole = row(b'D', &[tuple(b'O', &[&text("1"), b"n"])]);
    assert_eq!(told(&decoded(b'd', &KEYED, vec![key]).unwrap().tables[0]), ["D 1,<u>"]);
    assert_eq!(told(&decoded(b'f', &WHOLE, vec![whole]).unwrap().tables[0]), ["D 1,<n>"]);
}

#[test]
fn a_new_shape_begins_new_changes_and_the_same_shape_does_not() {
    let (a, b) = (text("a"), text("b"));
    let batch = decoded(
        b'd',
        &[("id", true)],
        vec![
            row(b'I', &[tuple(b'N', &[&a])]),
            relation(b'd', &[("id", true)]),
            row(b'I', &[tuple(b'N', &[&b])]),
            relation(b'd', &KEYED),
            row(b'I', &[tuple(b'N', &[&a, &b])]),
        ],
    );
    let tables = batch.unwrap().tables;
    assert_eq!(tables.iter().map(told).collect::<Vec<_>>(), [vec!["I a", "I b"], vec!["I a,b"]]);
}

#[test]
fn what_cannot_be_is_refused_with_the_message_that_says_it() {
    let narrow = row(b'I', &[tuple(b'N', &[&text("1")])]);
    let plain = row(b'U', &[tuple(b'N', &[b"n", b"n"])]);
    let cases = [
        (decoded(b'd', &KEYED, vec![narrow]), "relation 16400 has 2 columns, a row of it 1"),
        (decoded(b'f', &WHOLE, vec![plain.clone()]), "FULL, an update of it no old row"),
        (Decoder::new().decode(std::slice::from_ref(&plain)), "no transaction is open"),
        (Decoder::new().decode(&[begin(1), plain]), "relation 16400 was not described"),
        (Decoder::new().decode(&[begin(1), begin(2)]), "another transaction is open"),
        (Decoder::new().decode(&[b"E"]), "no block of a transaction is open"),
        (Decoder::new().decode(&[b"?"]), "there is no message of kind 0x3f"),
        (Decoder::new().decode(&[b""]), "1 bytes are needed at offset 0, 0 are left"),
        (decoded(b'x', &KEYED, vec![]), "byte 0x78 at offset 14 is not a replica identity"),
    ];
    for (result, expected) in cases {
        let told = result.unwrap_err().to_string();
        assert!(told.contains(expected), "{told}");
    }
}

#[test]
fn copy_input_has_the_wide_id_the_action_and_the_columns() {
    let insert = row(b'I', &[tuple(b'N', &[b"n", b"b\0\0\0\x02hi"])]);
    let changes = &decoded(b'd', &KEYED, vec![insert]).unwrap().tables[0];
    let copy = changes.copy_binary(&["body", "id"], (1 << 32) + 8).unwrap();
    let fields =
        b"\0\x04\0\0\0\x08\0\0\0\x01\0\0\0\x07\0\0\0\x01I\0\0\0\x02hi\xff\xff\xff\xff\xff\xff";
    assert_eq!(copy[..11], *b"PGCOPY\n\xff\r\n\0");
    assert_eq!(copy[19..], *fields);
    assert!(matches!(changes.copy_text(&["body"], 8), Err(ImageError::Format { .. })));
    let many = changes.copy_binary(&vec!["id"; 32_766], 8);
    assert!(matches!(many, Err(ImageError::TooManyColumns { count: 32_766, .. })));
    assert_eq!(changes.copy_text(&["id"], 8).unwrap(), b"7\tI\t\\N\n");
}

#[test]
fn netting_cancels_within_a_transaction_and_on_demand_beyond() {
    let insert = row(b'I', &[tuple(b'N', &[&text("1"), &text("x")])]);
    let delete = row(b'D', &[tuple(b'O', &[&text("1"), &text("x")])]);
    let key = row(b'D', &[tuple(b'K', &[&text("1"), b"n"])]);
    let messages =
        [begin(7), relation(b'f', &WHOLE), insert.clone(), delete.clone(), insert, commit()];
    let later = [begin(8), delete, commit()];
    let batch = Decoder::new().decode(&[messages.as_slice(), &later].concat()).unwrap();
    let net = |across| told(&batch.tables[0].net(&["id", "body"], across).unwrap());
    assert_eq!(net(false), ["I 1,x", "D 1,x"]);
    assert!(net(true).is_empty());
    let keys = decoded(b'd', &KEYED, vec![key.clone(), key]).unwrap();
    assert_eq!(keys.tables[0].net(&["id", "body"], true).unwrap().rows().len(), 2);
}

#[test]
fn a_column_is_laid_out_as_arrow_has_it() {
    let rows =
        [text("ab"), b"n".to_vec(), text("c")].map(|cell| row(b'I', &[tuple(b'N', &[&cell])]));
    let batch = decoded(b'd', &[("id", true)], rows.to_vec()).unwrap();
    let ColumnValues { kinds, offsets, values } = batch.tables[0].column(0);
    assert_eq!((kinds, offsets, values), (b"tnt".to_vec(), vec![0, 2, 2, 3], b"abc".to_vec()));
}

/// Returns the messages of each file that `tests/support/pgoutput/capture.py` wrote.
fn corpus() -> Vec<Vec<Vec<u8>>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus/pgoutput");
    let files = folder.read_dir().unwrap().map(|entry| entry.unwrap().path());
    let captured =
        files.filter(|file| file.file_name().unwrap().to_str().unwrap().starts_with('v'));
    captured.map(|file| unframed(&std::fs::read(file).unwrap())).collect()
}

fn unframed(mut bytes: &[u8]) -> Vec<Vec<u8>> {
    let mut messages = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let (message, rest) = rest.split_at(usize::from(u16::from_be_bytes(*length)));
        messages.push(message.to_vec());
        bytes = rest;
    }
    messages
}

#[test]
fn batches_of_any_size_tell_the_same() {
    for messages in corpus() {
        let whole = Decoder::new().decode(&messages).unwrap();
        let mut decoder = Decoder::new();
        let (mut rows, mut events) = (Vec::new(), Vec::new());
        for message in &messages {
            let batch = decoder.decode(std::slice::from_ref(message)).unwrap();
            rows.extend(batch.tables.iter().flat_map(told));
            events.extend(batch.events.into_iter().map(|located| located.event));
        }
        let mut expected: Vec<(u32, String)> = Vec::new();
        for changes in &whole.tables {
            expected.extend(changes.rows().iter().map(|row| row.message).zip(told(changes)));
        }
        expected.sort_by_key(|&(message, _)| message);
        assert_eq!(rows, expected.into_iter().map(|(_, row)| row).collect::<Vec<_>>());
        assert!(events.iter().eq(whole.events.iter().map(|located| &located.event)));
    }
}

#[test]
fn a_message_cut_short_is_an_error_and_changes_nothing() {
    for messages in corpus() {
        let mut decoder = Decoder::new();
        for message in &messages {
            // Without its last fields a Stream Abort is one of an older version.
            let cuts = if message[0] == b'A' { 0..9 } else { 0..message.len().min(200) };
            for cut in cuts {
                assert!(decoder.decode(&[&message[..cut]]).is_err(), "{message:?} at {cut}");
            }
            decoder.decode(&[message]).unwrap();
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]
    #[test]
    fn spoilt_bytes_never_panic_nor_grow(
        file in any::<prop::sample::Index>(),
        spoils in prop::collection::vec((any::<prop::sample::Index>(), any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut messages = file.get(&corpus()).clone();
        let count = messages.len();
        for (message, at, byte) in spoils {
            let message = &mut messages[message.index(count)];
            let at = at.index(message.len().min(40));
            message[at] = byte;
        }
        let bytes: usize = messages.iter().map(Vec::len).sum();
        if let Ok(batch) = Decoder::new().decode(&messages) {
            for changes in &batch.tables {
                let columns: Vec<String> =
                    changes.relation().columns.iter().map(|column| column.name.clone()).collect();
                prop_assert!(changes.rows().len() * columns.len() <= 2 * bytes);
                let _ = changes.copy_text(&columns, u64::MAX);
                let _ = changes.net(&columns, true);
            }
        }
    }

    #[test]
    fn any_bytes_at_all_never_panic(
        messages in prop::collection::vec(prop::collection::vec(any::<u8>(), 0..40), 0..8),
    ) {
        let _ = Decoder::new().decode(&messages);
    }
}
