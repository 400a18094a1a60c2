//! Costs of netting: 100,000 images of which a tenth, or all, are left.

use std::hint::black_box;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use pgtrickle_core::netting::{PackedImage, net};

const ROWS: u32 = 100_000;

fn netting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("netting");
    group.throughput(Throughput::Elements(u64::from(ROWS)));
    for (name, versions) in [("many versions of a row", 10), ("every row once", 1)] {
        let row = |number: u32| {
            (number.is_multiple_of(2), format!("account {:08}, amount {:08}", number / versions, 7))
        };
        let rows: Vec<(bool, String)> = (0..ROWS).map(row).collect();
        let images: Vec<PackedImage<'_>> = rows
            .iter()
            .map(|(inserted, row)| PackedImage {
                inserted: *inserted,
                group: 0,
                bytes: row.as_bytes(),
            })
            .collect();
        group.bench_function(name, |bench| bench.iter(|| net(black_box(&images)).len()));
    }
    group.finish();
}

criterion_group!(benches, netting);
criterion_main!(benches);
