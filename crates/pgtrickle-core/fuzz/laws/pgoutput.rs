//! Any bytes, cut into messages: the decoder refuses or decodes, and what it decodes can be written.
//!
//! Each message stands after its length in two bytes.

use pgtrickle_core::pgoutput::Decoder;

fn messages(mut bytes: &[u8]) -> Vec<&[u8]> {
    let mut found = Vec::new();
    while let Some((length, rest)) = bytes.split_first_chunk() {
        let length = usize::from(u16::from_be_bytes(*length)).min(rest.len());
        let (message, rest) = rest.split_at(length);
        found.push(message);
        bytes = rest;
    }
    found
}

/// Panics where the law does not hold for `data`.
pub(crate) fn check(data: &[u8]) {
    let mut decoder = Decoder::new();
    let messages = messages(data);
    // Two batches, so that what outlives a batch is read again; the second also after a failure.
    for batch in messages.chunks(messages.len().div_ceil(2).max(1)) {
        let Ok(batch) = decoder.decode(batch) else { continue };
        for changes in &batch.tables {
            let columns: Vec<&str> =
                changes.relation().columns.iter().map(|column| column.name.as_str()).collect();
            let cells = changes.rows().len() * columns.len();
            assert!(cells <= 2 * data.len(), "{cells} cells from {} bytes", data.len());
            let _ = changes.copy_binary(&columns, 1 << 33);
            let _ = changes.copy_text(&columns, 1 << 33);
            let netted = changes.net(&columns, true).expect("the columns are those of the table");
            assert!(netted.rows().len() <= changes.rows().len());
            if !columns.is_empty() {
                assert_eq!(changes.column(0).kinds.len(), changes.rows().len());
            }
        }
    }
}
