//! Costs of COPY BINARY to Arrow: 10,000 rows of narrow columns, of decimals, of text.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pgtrickle_core::copy::{ColumnType, Decoder, Fault};

const ROWS: usize = 10_000;
/// -12345.67 as a numeric: three digits, weight 1, negative, two digits printed after the point.
const NUMERIC: [u8; 14] = [0, 3, 0, 1, 0x40, 0, 0, 2, 0, 1, 0x09, 0x29, 0x1a, 0x2c];

/// A stream of equal rows with these fields.
fn stream(fields: &[&[u8]]) -> Vec<u8> {
    let mut row = u16::try_from(fields.len()).unwrap_or(0).to_be_bytes().to_vec();
    for field in fields {
        row.extend(u32::try_from(field.len()).unwrap_or(0).to_be_bytes());
        row.extend(*field);
    }
    let header = [b"PGCOPY\n\xff\r\n\0".as_slice(), &[0; 8]].concat();
    [header, row.repeat(ROWS), vec![0xff, 0xff]].concat()
}

/// Decodes the whole stream and returns its rows.
fn decode(columns: &[(u32, i32)], bytes: &[u8]) -> Result<usize, Fault> {
    let typed = columns
        .iter()
        .map(|(oid, modifier)| ColumnType::of(*oid, *modifier).map(|kind| (oid.to_string(), kind)));
    let typed: Vec<_> = typed.collect::<Result<_, _>>()?;
    let mut decoder = Decoder::new(typed, 65_536).map_err(|error| error.fault)?;
    decoder.feed(bytes).map_err(|error| error.fault)?;
    let last = decoder.finish().map_err(|error| error.fault)?;
    Ok(last.map_or(0, |batch| batch.num_rows()))
}

fn copy(criterion: &mut Criterion) {
    let narrow = stream(&[&[0; 8], &[0; 4], &[0; 8], b"name 4711", &[0; 8]]);
    let decimals = stream(&[&NUMERIC, &NUMERIC]);
    let text = stream(&[&[b'x'; 100], &[b'y'; 100]]);
    let money = ((12 << 16) + 2) + 4;
    let mut group = criterion.benchmark_group("copy");
    group.sample_size(50);
    for (name, columns, bytes) in [
        ("narrow", vec![(20, -1), (23, -1), (701, -1), (25, -1), (1184, -1)], &narrow),
        ("decimal", vec![(1700, money), (1700, money)], &decimals),
        ("numeric as text", vec![(1700, -1), (1700, -1)], &decimals),
        ("text", vec![(25, -1), (25, -1)], &text),
    ] {
        assert_eq!(decode(&columns, bytes), Ok(ROWS), "{name} must decode");
        group.throughput(Throughput::Elements(ROWS as u64));
        group.bench_function(name, |bench| bench.iter(|| decode(&columns, black_box(bytes))));
    }
    group.finish();
}

criterion_group!(benches, copy);
criterion_main!(benches);
