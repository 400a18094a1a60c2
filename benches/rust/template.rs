//! Costs of the plan cache: a lookup that hits, and a store that evicts.

use std::hint::black_box;
use std::sync::Arc;

use criterion::{Criterion, criterion_group, criterion_main};
use pgtrickle_core::template::{PlanCache, PlanKey};

fn template(criterion: &mut Criterion) {
    let text: Arc<str> = "SELECT 1".repeat(500).into();
    let Ok(plans) = PlanCache::new(1_000) else { return };
    for table in 0..1_000 {
        plans.put(PlanKey::new(table, 1, vec![1, 2, 3]), Arc::clone(&text));
    }
    let hit = PlanKey::new(500, 1, vec![1, 2, 3]);
    criterion.bench_function("template/hit", |bench| bench.iter(|| plans.get(black_box(&hit))));
    let mut table = 1_000;
    criterion.bench_function("template/evict", |bench| {
        bench.iter(|| {
            table += 1;
            plans.put(PlanKey::new(table, 1, vec![1, 2, 3]), Arc::clone(&text));
        });
    });
}

criterion_group!(benches, template);
criterion_main!(benches);
