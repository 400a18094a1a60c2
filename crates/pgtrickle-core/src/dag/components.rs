//! Strongly connected components: what reads itself in a circle and can only be settled together.

use fixedbitset::FixedBitSet;

use super::Graph;
use super::graph::Slot;

impl Graph {
    /// Returns the components, upstream first, each in ascending order of ids.
    ///
    /// Without a cycle every node is a component of its own.
    #[must_use]
    pub fn components(&self) -> Vec<Vec<i64>> {
        // Kosaraju: in the reverse order of leaving, a walk against the edges stays in its component.
        let left = self.in_order_of_leaving();
        let mut seen = FixedBitSet::with_capacity(self.slots());
        let mut components = Vec::new();
        for &start in left.iter().rev() {
            if seen.put(start as usize) {
                continue;
            }
            let mut found = vec![start];
            let mut done = 0;
            while let Some(&slot) = found.get(done) {
                done += 1;
                found.extend(self.upstream(slot).iter().filter(|&&it| !seen.put(it as usize)));
            }
            let mut ids = self.ids(&found);
            ids.sort_unstable();
            components.push(ids);
        }
        components
    }

    /// Returns the nodes in the order in which a depth-first walk leaves them.
    fn in_order_of_leaving(&self) -> Vec<Slot> {
        let mut entered = FixedBitSet::with_capacity(self.slots());
        let mut left = Vec::with_capacity(self.len());
        let mut path: Vec<(Slot, usize)> = Vec::new();
        // From the last id to the first, so that the reverse order has small ids first.
        for start in self.in_order().rev() {
            if entered.put(start as usize) {
                continue;
            }
            path.push((start, 0));
            while let Some((slot, tried)) = path.last_mut() {
                let slot = *slot;
                let reader = self.downstream(slot).iter().rev().nth(*tried).copied();
                *tried += 1;
                match reader {
                    Some(reader) if entered.put(reader as usize) => {}
                    Some(reader) => path.push((reader, 0)),
                    None => {
                        left.push(slot);
                        path.pop();
                    }
                }
            }
        }
        left
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_circle_is_one_component_between_those_before_and_after() {
        let graph = Graph::new(&[(9, 2), (2, 3), (3, 2), (3, 1)], &[5]);
        assert_eq!(graph.components(), [vec![5], vec![9], vec![2, 3], vec![1]]);
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let edges: Vec<_> = (0..10_000).map(|node| (node, node + 1)).collect();
        assert_eq!(Graph::new(&edges, &[]).components().len(), 10_001);
    }

    fn reachable(edges: &[(i64, i64)], from: i64) -> BTreeSet<i64> {
        let mut found = BTreeSet::from([from]);
        loop {
            let next = edges.iter().filter(|(up, _)| found.contains(up)).map(|&(_, down)| down);
            let next: Vec<i64> = next.filter(|down| !found.contains(down)).collect();
            if next.is_empty() {
                return found;
            }
            found.extend(next);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn two_nodes_share_a_component_when_each_reaches_the_other(
            edges in prop::collection::vec((0_i64..8, 0_i64..8), 0..20),
        ) {
            let components = Graph::new(&edges, &[]).components();
            let of = |node: i64| components.iter().position(|ids| ids.contains(&node)).unwrap();
            for &(up, down) in &edges {
                prop_assert!(of(up) <= of(down));
                for &(other, _) in &edges {
                    let both = reachable(&edges, up).contains(&other)
                        && reachable(&edges, other).contains(&up);
                    prop_assert_eq!(of(up) == of(other), both);
                }
            }
        }
    }
}
