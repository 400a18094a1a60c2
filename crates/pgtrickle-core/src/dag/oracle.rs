//! Diamonds by brute force: every pair of paths that share only their ends.

use std::collections::{BTreeMap, BTreeSet};

use proptest::prelude::*;

/// Edges of a graph without cycles, under ids whose order is not that of the edges.
pub(super) fn acyclic_edges() -> impl Strategy<Value = Vec<(i64, i64)>> {
    let ids = Just((0_i64..9).collect::<Vec<_>>()).prop_shuffle();
    let pairs = prop::collection::vec((0_usize..9, 0_usize..9), 0..20);
    (ids, pairs).prop_map(|(ids, pairs)| {
        let forward = pairs.into_iter().filter(|(from, to)| from != to);
        forward.map(|(from, to)| (ids[from.min(to)], ids[from.max(to)])).collect()
    })
}

fn paths(readers: &BTreeMap<i64, BTreeSet<i64>>, from: i64) -> Vec<Vec<i64>> {
    let mut found = Vec::new();
    let mut open = vec![vec![from]];
    while let Some(path) = open.pop() {
        for &reader in readers.get(&path[path.len() - 1]).into_iter().flatten() {
            open.push([path.as_slice(), &[reader]].concat());
        }
        if path.len() > 1 {
            found.push(path);
        }
    }
    found
}

pub(super) fn diamonds(edges: &[(i64, i64)]) -> Vec<Vec<i64>> {
    let mut readers: BTreeMap<i64, BTreeSet<i64>> = BTreeMap::new();
    for &(from, to) in edges {
        readers.entry(from).or_default().insert(to);
    }
    let mut groups: Vec<BTreeSet<i64>> = Vec::new();
    for &source in readers.keys() {
        let paths = paths(&readers, source);
        for (number, one) in paths.iter().enumerate() {
            for other in paths.iter().take(number).filter(|other| other.last() == one.last()) {
                let between = |path: &[i64]| path[1..path.len() - 1].to_vec();
                let (left, right) = (between(one), between(other));
                if left.iter().any(|node| right.contains(node)) {
                    continue;
                }
                let mut group: BTreeSet<i64> = left.into_iter().chain(right).collect();
                group.extend(one.last());
                groups = merged(groups, group);
            }
        }
    }
    let mut found: Vec<Vec<i64>> = groups.into_iter().map(Vec::from_iter).collect();
    found.sort();
    found
}

fn merged(groups: Vec<BTreeSet<i64>>, mut group: BTreeSet<i64>) -> Vec<BTreeSet<i64>> {
    let (overlapping, mut apart): (Vec<_>, Vec<_>) =
        groups.into_iter().partition(|other| !other.is_disjoint(&group));
    group.extend(overlapping.into_iter().flatten());
    apart.push(group);
    apart
}
