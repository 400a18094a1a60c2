//! Costs of the dependency graph: build, waves and the search for a cycle over 10,000 nodes.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use pgtrickle_core::dag::Graph;

const NODES: i64 = 10_000;

fn dag(criterion: &mut Criterion) {
    let edges: Vec<(i64, i64)> = (1..NODES).map(|node| (node / 2, node)).collect();
    let graph = Graph::new(&edges, &[]);
    criterion.bench_function("dag/build", |bench| {
        bench.iter(|| Graph::new(black_box(&edges), &[]));
    });
    criterion.bench_function("dag/waves", |bench| bench.iter(|| black_box(&graph).waves()));
    criterion.bench_function("dag/cycle", |bench| bench.iter(|| black_box(&graph).cycle()));
}

criterion_group!(benches, dag);
criterion_main!(benches);
