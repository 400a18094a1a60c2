//! Diamonds: where paths from one source meet again, what lies between must be fresh together.
//!
//! Law: when two paths from a node to another share only their ends, the nodes between and the
//! last one are in one group; groups that overlap are one. The source itself is not in the group:
//! whichever moment it shows, both paths start from it. A path of one edge counts, since a table
//! that reads a source both directly and through another must not see two moments of it.
//!
//! Found from lineages. Where a later input shares ancestors with those before it, the nearest
//! shared ones are sources of paths that part there for good, and all nodes between such a source
//! and the meeting node belong together: a third path leaves one of the two and comes back to
//! one, and so makes a diamond that overlaps. So an edge binds its two ends when some source of a
//! node at or below its lower end lies above its upper end; groups are what bound edges connect.

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
        if self.facts.is_none() {
            return Err(Error::Cycle { path: self.cycle().unwrap_or_default() });
        }
        let mut sets = Sets::new(self.slots());
        self.bind(&mut sets);
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
    pub(super) fn add_nearest(&self, mut shared: FixedBitSet, sources: &mut FixedBitSet) {
        let mut nearest = FixedBitSet::with_capacity(shared.len());
        // Later places are mostly further down, so most members fall with the first ones.
        while let Some(place) = shared.maximum() {
            shared.remove(place);
            let facts = Slot::try_from(place).ok().and_then(|slot| self.facts(slot));
            if let Some(facts) = facts {
                shared.difference_with(&facts.lineage);
                nearest.difference_with(&facts.lineage);
                nearest.insert(place);
            }
        }
        sources.union_with(&nearest);
    }

    /// Unites the ends of each edge that binds.
    fn bind(&self, sets: &mut Sets) {
        let mut by_level: Vec<(usize, Slot)> =
            self.in_order().map(|slot| (self.facts(slot).map_or(0, |it| it.level), slot)).collect();
        by_level.sort_unstable();
        // For each node the sources of the nodes at or below it; below comes first.
        let mut sources_below = vec![FixedBitSet::new(); self.slots()];
        for &(_, slot) in by_level.iter().rev() {
            let Some(below) = sources_below.get_mut(slot as usize) else { continue };
            let mut below = std::mem::take(below);
            if let Some(sources) = self.sources(slot) {
                below.union_with(sources);
            }
            if below.is_clear() {
                continue;
            }
            for &upstream in self.upstream(slot) {
                if self.follows(upstream, &below) {
                    sets.unite(slot, upstream);
                }
                if let Some(above) = sources_below.get_mut(upstream as usize) {
                    above.union_with(&below);
                }
            }
        }
    }

    /// Returns whether `slot` has an ancestor among `sources`, other than itself.
    fn follows(&self, slot: Slot, sources: &FixedBitSet) -> bool {
        self.facts(slot).is_some_and(|facts| {
            if sources.contains(slot as usize) {
                return facts.lineage.intersection_count(sources) > 1;
            }
            !facts.lineage.is_disjoint(sources)
        })
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

    fn unite(&mut self, one: Slot, other: Slot) {
        self.grouped.insert(one as usize);
        self.grouped.insert(other as usize);
        let (one, other) = (self.root(one), self.root(other));
        // The smaller place becomes the root, so that paths stay short without ranks.
        if let Some(parent) = self.parents.get_mut(one.max(other) as usize) {
            *parent = one.min(other);
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
