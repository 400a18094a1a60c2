//! Diamonds: where paths from one source meet again, what lies between must be fresh together.
//!
//! Law: when two paths from a node to another share only their ends, the nodes between and the
//! last one are in one group; groups that overlap are one. The source itself is not in the group:
//! whichever moment it shows, both paths start from it. A path of one edge counts, since a table
//! that reads a source both directly and through another must not see two moments of it.
//!
//! Found from lineages: where a later input shares ancestors with those before it, the nearest
//! shared ones are sources of paths that part there for good. All nodes between such a source and
//! the meeting node belong to it: a third path leaves one of the two and comes back to one, and so
//! makes a diamond that overlaps.

use fixedbitset::FixedBitSet;

use super::Graph;
use super::graph::Slot;
use crate::Error;

impl Graph {
    /// Returns the groups, each in ascending order of ids, by their smallest id.
    ///
    /// # Errors
    ///
    /// [`Error::Cycle`] with the path of one cycle when the graph has any.
    pub fn diamonds(&self) -> Result<Vec<Vec<i64>>, Error> {
        let Some(facts) = &self.facts else {
            return Err(Error::Cycle { path: self.cycle().unwrap_or_default() });
        };
        let mut sets = Sets::new(self.slots());
        for meeting in facts.iter().map(|facts| &facts.meeting) {
            sets.unite(meeting);
        }
        let mut group_of_root = vec![None; self.slots()];
        let mut groups: Vec<Vec<i64>> = Vec::new();
        for slot in self.in_order() {
            let Some(root) = sets.root_in_group(slot) else { continue };
            let Some(number) = group_of_root.get_mut(root as usize) else { continue };
            let number = *number.get_or_insert_with(|| {
                groups.push(Vec::new());
                groups.len() - 1
            });
            if let Some(group) = groups.get_mut(number) {
                group.push(self.id(slot));
            }
        }
        Ok(groups)
    }

    /// Adds to `sources` the members of `shared` that have no descendant in it.
    pub(super) fn add_nearest(&self, mut shared: FixedBitSet, sources: &mut Vec<Slot>) {
        let before = sources.len();
        // Later places are mostly further down, so most members fall with the first ones.
        while let Some(place) = shared.maximum() {
            shared.remove(place);
            let Some(nearest) = Slot::try_from(place).ok() else { continue };
            let Some(facts) = self.facts(nearest) else { continue };
            shared.difference_with(&facts.lineage);
            let mut kept = before;
            for index in before..sources.len() {
                let Some(&source) = sources.get(index) else { continue };
                if !facts.lineage.contains(source as usize) {
                    sources.swap(kept, index);
                    kept += 1;
                }
            }
            sources.truncate(kept);
            sources.push(nearest);
        }
    }

    /// Returns `last` and the nodes on paths from any of the sources to it, if there is a source.
    pub(super) fn between(&self, sources: &[Slot], last: Slot) -> Vec<Slot> {
        if sources.is_empty() {
            return Vec::new();
        }
        let follows_a_source = |slot: Slot| {
            self.facts(slot).is_some_and(|facts| {
                let contains = |source| facts.lineage.contains(source as usize);
                sources.iter().any(|&source| source != slot && contains(source))
            })
        };
        let mut seen = FixedBitSet::with_capacity(self.slots());
        let mut found = vec![last];
        let mut done = 0;
        while let Some(&slot) = found.get(done) {
            done += 1;
            for &upstream in self.upstream(slot) {
                if !seen.put(upstream as usize) && follows_a_source(upstream) {
                    found.push(upstream);
                }
            }
        }
        found
    }
}

/// Disjoint sets of places; a place that was never united is in no group.
struct Sets {
    parents: Vec<Slot>,
    grouped: FixedBitSet,
}

impl Sets {
    fn new(slots: usize) -> Self {
        Self { parents: (0..).take(slots).collect(), grouped: FixedBitSet::with_capacity(slots) }
    }

    fn parent(&self, slot: Slot) -> Slot {
        self.parents.get(slot as usize).copied().unwrap_or(slot)
    }

    fn root(&mut self, mut slot: Slot) -> Slot {
        while self.parent(slot) != slot {
            let grandparent = self.parent(self.parent(slot));
            if let Some(parent) = self.parents.get_mut(slot as usize) {
                *parent = grandparent;
            }
            slot = grandparent;
        }
        slot
    }

    fn unite(&mut self, members: &[Slot]) {
        let Some(&first) = members.first() else { return };
        let mut root = self.root(first);
        for &member in members {
            self.grouped.insert(member as usize);
            let other = self.root(member);
            // The smaller place becomes the root, so that paths stay short without ranks.
            let (smaller, larger) = (root.min(other), root.max(other));
            if let Some(parent) = self.parents.get_mut(larger as usize) {
                *parent = smaller;
            }
            root = smaller;
        }
    }

    fn root_in_group(&mut self, slot: Slot) -> Option<Slot> {
        self.grouped.contains(slot as usize).then(|| self.root(slot))
    }
}

#[cfg(test)]
mod tests {
    use super::super::oracle;
    use super::*;
    use proptest::prelude::*;

    fn diamonds(edges: &[(i64, i64)]) -> Vec<Vec<i64>> {
        Graph::new(edges, &[]).diamonds().unwrap()
    }

    #[test]
    fn the_branches_and_where_they_meet_are_a_group_and_the_source_is_not() {
        assert_eq!(diamonds(&[(1, 2), (1, 3), (2, 4), (3, 4), (4, 5)]), [[2, 3, 4]]);
    }

    #[test]
    fn what_leads_to_the_source_does_not_count() {
        assert_eq!(diamonds(&[(8, 1), (9, 8), (1, 2), (1, 3), (2, 4), (3, 4)]), [[2, 3, 4]]);
    }

    #[test]
    fn a_source_read_directly_and_through_another_is_a_diamond() {
        assert_eq!(diamonds(&[(1, 2), (1, 3), (2, 3)]), [[2, 3]]);
    }

    #[test]
    fn two_sources_of_two_readers_that_never_meet_are_none() {
        assert!(diamonds(&[(1, 3), (1, 4), (2, 3), (2, 4)]).is_empty());
    }

    #[test]
    fn groups_that_overlap_are_one_and_others_stay_apart() {
        let overlapping = [(1, 2), (1, 3), (2, 4), (3, 4), (1, 5), (4, 6), (5, 6)];
        assert_eq!(diamonds(&overlapping), [[2, 3, 4, 5, 6]]);
        let chained = [(1, 2), (1, 3), (2, 4), (3, 4), (4, 5), (4, 6), (5, 7), (6, 7)];
        assert_eq!(diamonds(&chained), [[2, 3, 4], [5, 6, 7]]);
    }

    #[test]
    fn a_cycle_is_an_error_with_its_path() {
        let graph = Graph::new(&[(1, 2), (2, 1)], &[]);
        assert_eq!(graph.diamonds(), Err(Error::Cycle { path: vec![1, 2, 1] }));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(512))]
        #[test]
        fn groups_are_those_of_all_pairs_of_paths(edges in oracle::acyclic_edges()) {
            prop_assert_eq!(diamonds(&edges), oracle::diamonds(&edges));
        }
    }
}
