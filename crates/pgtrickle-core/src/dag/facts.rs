//! What follows from the edges for each node: its level, its ancestors, and where its inputs part.
//!
//! All of it depends on ancestors only, so a change concerns the changed node and what is
//! downstream of it.

use std::sync::{Arc, OnceLock};

use fixedbitset::FixedBitSet;

use super::Graph;
use super::graph::Slot;

/// What is known of one node in a graph without cycles.
#[derive(Debug, Clone, Default)]
pub(super) struct Facts {
    /// The length of the longest path to it.
    pub(super) level: usize,
    /// The node and all its ancestors.
    pub(super) lineage: FixedBitSet,
    /// For a node where paths meet: the nodes where they parted; found when it is first asked for.
    sources: OnceLock<FixedBitSet>,
}

impl Facts {
    /// Returns the facts of a node that reads nothing.
    pub(super) fn of_root(slot: Slot) -> Self {
        let mut lineage = FixedBitSet::with_capacity(slot as usize + 1);
        lineage.insert(slot as usize);
        Self { lineage, ..Self::default() }
    }
}

impl Graph {
    #[inline]
    pub(super) fn facts(&self, slot: Slot) -> Option<&Facts> {
        self.facts.as_ref()?.get(slot as usize).map(Arc::as_ref)
    }

    /// Finds the facts of every node; there are none when the edges form a cycle.
    pub(super) fn find_all_facts(&mut self) {
        let blank = Arc::new(Facts::default());
        self.facts = Some((0..self.slots()).map(|_| Arc::clone(&blank)).collect());
        let everything: Vec<Slot> = self.in_order().collect();
        self.find_facts(&everything);
    }

    /// Finds the facts of these nodes, among which is everything downstream of any of them.
    pub(super) fn find_facts(&mut self, stale: &[Slot]) {
        let Some(order) = self.topological(stale) else {
            self.facts = None;
            return;
        };
        for slot in order {
            let found = Arc::new(self.facts_from_upstream(slot));
            if let Some(facts) = &mut self.facts {
                facts.set(slot as usize, found);
            }
        }
    }

    fn facts_from_upstream(&self, slot: Slot) -> Facts {
        let mut found = Facts::of_root(slot);
        for facts in self.upstream(slot).iter().filter_map(|&upstream| self.facts(upstream)) {
            found.level = found.level.max(facts.level + 1);
            found.lineage.union_with(&facts.lineage);
        }
        found
    }

    /// Returns where the paths parted that meet in `slot`; it stays for as long as its facts do.
    pub(super) fn sources(&self, slot: Slot) -> Option<&FixedBitSet> {
        Some(self.facts(slot)?.sources.get_or_init(|| self.sources_from_upstream(slot)))
    }

    fn sources_from_upstream(&self, slot: Slot) -> FixedBitSet {
        let mut sources = FixedBitSet::new();
        let [first, others @ ..] = self.upstream(slot) else { return sources };
        let mut lineage = self.facts(*first).map_or_else(FixedBitSet::new, |it| it.lineage.clone());
        for facts in others.iter().filter_map(|&upstream| self.facts(upstream)) {
            // Most inputs share nothing, and then nothing needs to be intersected.
            if !lineage.is_disjoint(&facts.lineage) {
                let mut shared = lineage.clone();
                shared.intersect_with(&facts.lineage);
                self.add_nearest(shared, &mut sources);
            }
            lineage.union_with(&facts.lineage);
        }
        sources
    }

    /// Returns the nodes in an order in which each follows what it reads; None when there is none.
    fn topological(&self, nodes: &[Slot]) -> Option<Vec<Slot>> {
        const OUTSIDE: u32 = u32::MAX;
        let mut waiting_for = vec![OUTSIDE; self.slots()];
        for &node in nodes {
            *waiting_for.get_mut(node as usize)? = 0;
        }
        for &reader in nodes.iter().flat_map(|&node| self.downstream(node)) {
            *waiting_for.get_mut(reader as usize)? += 1;
        }
        let ready = |&&node: &&Slot| waiting_for.get(node as usize) == Some(&0);
        let mut order: Vec<Slot> = nodes.iter().filter(ready).copied().collect();
        let mut done = 0;
        while let Some(&node) = order.get(done) {
            done += 1;
            for &reader in self.downstream(node) {
                let waits = waiting_for.get_mut(reader as usize)?;
                *waits -= 1;
                if *waits == 0 {
                    order.push(reader);
                }
            }
        }
        (order.len() == nodes.len()).then_some(order)
    }
}
