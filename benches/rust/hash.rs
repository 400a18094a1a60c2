//! Costs of row hashes: a narrow row, a row of 4 KiB, a row that must be made canonical first.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pgtrickle_core::hash::RowHasher;

/// The tuple with these fields.
fn tuple(fields: &[&[u8]]) -> Vec<u8> {
    let mut out = u16::try_from(fields.len()).unwrap_or(0).to_be_bytes().to_vec();
    for field in fields {
        out.extend(u32::try_from(field.len()).unwrap_or(0).to_be_bytes());
        out.extend(*field);
    }
    out
}

fn hash(criterion: &mut Criterion) {
    let narrow = tuple(&[&[1; 8], &[2; 4], b"name 4711"]);
    let wide = tuple(&[&[b'x'; 4096]]);
    let float = tuple(&[&[1; 8], &[2; 8], b"name 4711"]);
    let mut group = criterion.benchmark_group("hash");
    for (name, types, row) in [
        ("narrow", vec![20, 23, 25], &narrow),
        ("float", vec![20, 701, 25], &float),
        ("4 KiB", vec![25], &wide),
    ] {
        let mut hasher = RowHasher::new(&types);
        group.throughput(Throughput::Bytes(row.len() as u64));
        group.bench_function(format!("{name}/64"), |bench| {
            bench.iter(|| hasher.hash64(black_box(row)));
        });
        group.bench_function(format!("{name}/128"), |bench| {
            bench.iter(|| hasher.hash128(black_box(row)));
        });
    }
    group.finish();
}

criterion_group!(benches, hash);
criterion_main!(benches);
