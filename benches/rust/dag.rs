//! Costs of the dependency graph: build, changes and queries.
//!
//! *shop* is what we expect of users: a tenth of the nodes are base tables, each other table reads
//! one to three of the 50 before it. *random* reads three from anywhere before it, which makes
//! almost everything one diamond: the worst that we could think of.

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use pgtrickle_core::dag::Graph;

/// A small generator: the graphs are the same in every run, and no crate is needed for them.
struct Dice(u64);

impl Dice {
    fn below(&mut self, bound: i64) -> i64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        i64::try_from(self.0 >> 33).unwrap_or(0) % bound
    }
}

fn shop(nodes: i64) -> Vec<(i64, i64)> {
    let mut dice = Dice(7);
    let reads = |node| {
        let count = 1 + dice.below(3);
        (0..count).map(|_| (node - 1 - dice.below(50.min(node)), node)).collect::<Vec<_>>()
    };
    (nodes / 10..nodes).flat_map(reads).collect()
}

fn random(nodes: i64) -> Vec<(i64, i64)> {
    let mut dice = Dice(7);
    (1..nodes).flat_map(|node| [0; 3].map(|_| (dice.below(node), node))).collect()
}

fn dag(criterion: &mut Criterion) {
    for (name, nodes, edges) in [
        ("shop/1000", 1_000, shop(1_000)),
        ("shop/10000", 10_000, shop(10_000)),
        ("random/1000", 1_000, random(1_000)),
    ] {
        let graph = Graph::new(&edges, &[]);
        let mut measure = |what: &str, work: &dyn Fn() -> bool| {
            criterion.bench_function(&format!("dag/{name}/{what}"), |bench| bench.iter(work));
        };
        measure("build", &|| Graph::new(black_box(&edges), &[]).is_empty());
        measure("build, waves, diamonds", &|| {
            let graph = Graph::new(black_box(&edges), &[]);
            graph.waves().is_ok() && graph.diamonds().is_ok()
        });
        measure("add a table", &|| graph.with_node(nodes, &[nodes - 1, nodes - 9]).is_empty());
        measure("alter a table in the last tenth", &|| {
            graph.with_node(nodes - nodes / 10, &[nodes / 2, nodes / 3]).is_empty()
        });
        measure("alter a table in the middle", &|| graph.with_node(nodes / 2, &[1, 2]).is_empty());
        measure("drop the last table", &|| graph.without_node(nodes - 1).is_empty());
        measure("waves", &|| black_box(&graph).waves().is_ok());
        measure("diamonds", &|| black_box(&graph).diamonds().is_ok());
        measure("components", &|| black_box(&graph).components().is_empty());
    }
}

criterion_group!(benches, dag);
criterion_main!(benches);
