//! Costs of decoding and what follows, on changes of a narrow table as a server sent them.

use std::hint::black_box;
use std::path::Path;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pgtrickle_core::pgoutput::Decoder;

const COLUMNS: [&str; 4] = ["id", "account", "amount", "paid"];
const TIMES: usize = 100;

/// Returns the stored transactions many times over: 100,000 inserts, updates and deletes.
fn messages() -> Vec<Vec<u8>> {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../benches/rust/pgoutput_narrow.bin");
    let bytes = std::fs::read(file).unwrap_or_default();
    let mut rest = bytes.as_slice();
    let mut once = Vec::new();
    while let Some((length, after)) = rest.split_first_chunk() {
        let length = usize::from(u16::from_be_bytes(*length));
        let Some((message, after)) = after.split_at_checked(length) else { break };
        once.push(message.to_vec());
        rest = after;
    }
    std::iter::repeat_n(once, TIMES).flatten().collect()
}

fn pgoutput(criterion: &mut Criterion) {
    let messages = messages();
    let rows =
        messages.iter().filter(|message| matches!(message.first(), Some(b'I' | b'U' | b'D')));
    let mut group = criterion.benchmark_group("pgoutput");
    group.throughput(Throughput::Elements(rows.count() as u64));
    group.sample_size(20);
    group.bench_function("decode", |bench| {
        bench.iter(|| Decoder::new().decode(black_box(&messages)).is_ok());
    });
    let Ok(batch) = Decoder::new().decode(&messages) else { return };
    let Some(changes) = batch.tables.first() else { return };
    group.bench_function("copy text", |bench| {
        bench.iter(|| changes.copy_text(black_box(&COLUMNS), 1 << 40).is_ok());
    });
    group.bench_function("column", |bench| bench.iter(|| changes.column(black_box(2)).kinds.len()));
    group.bench_function("net", |bench| {
        bench.iter(|| changes.net(black_box(&COLUMNS), true).is_ok());
    });
    group.finish();
}

criterion_group!(benches, pgoutput);
criterion_main!(benches);
