//! Changes: each gives a new graph, made from the old one and what is downstream of the change.

use std::sync::Arc;

use fixedbitset::FixedBitSet;

use super::Graph;
use super::facts::Facts;
use super::graph::{Node, Slot};

impl Graph {
    /// Returns the graph in which `id` is a node that reads exactly `upstreams`.
    ///
    /// Nodes that are not there yet come into being; one that is no longer read stays.
    #[must_use]
    pub fn with_node(&self, id: i64, upstreams: &[i64]) -> Self {
        let mut graph = self.clone();
        let slot = graph.place_for(id);
        let mut wanted: Vec<(i64, Slot)> =
            upstreams.iter().map(|&upstream| (upstream, graph.place_for(upstream))).collect();
        wanted.sort_unstable();
        wanted.dedup();
        let wanted: Vec<Slot> = wanted.into_iter().map(|(_, upstream)| upstream).collect();
        graph.detach(slot);
        for &upstream in &wanted {
            graph.add_reader(upstream, slot);
        }
        graph.edit(slot, |node| node.upstream = wanted);
        graph.refresh(slot);
        graph
    }

    /// Returns the graph without the node `id` and its edges; the same graph when it has none.
    #[must_use]
    pub fn without_node(&self, id: i64) -> Self {
        let mut graph = self.clone();
        let Some(slot) = graph.place(id) else { return graph };
        let readers = graph.downstream(slot).to_vec();
        for &reader in &readers {
            graph.edit(reader, |node| node.upstream.retain(|&upstream| upstream != slot));
        }
        graph.detach(slot);
        graph.edit(slot, |node| *node = Node::default());
        Arc::make_mut(&mut graph.places).retain(|&(other, _)| other != id);
        graph.free.push(slot);
        graph.set_facts(slot, Facts::default());
        if graph.facts.is_some() {
            let stale = graph.downstream_of(&readers);
            graph.find_facts(&stale);
        } else {
            graph.find_all_facts();
        }
        graph
    }

    /// Returns the place of `id`, which is made a node when it is none.
    fn place_for(&mut self, id: i64) -> Slot {
        let index = match self.places.binary_search_by_key(&id, |&(id, _)| id) {
            Ok(index) => return self.places.get(index).map_or(0, |&(_, slot)| slot),
            Err(index) => index,
        };
        let node = Arc::new(Node { id, ..Node::default() });
        let slot = if let Some(slot) = self.free.pop() {
            self.nodes.set(slot as usize, node);
            slot
        } else {
            self.nodes.push(node);
            if let Some(facts) = &mut self.facts {
                facts.push(Arc::new(Facts::default()));
            }
            Slot::try_from(self.nodes.len() - 1).unwrap_or(Slot::MAX)
        };
        Arc::make_mut(&mut self.places).insert(index, (id, slot));
        self.set_facts(slot, Facts::of_root(slot));
        slot
    }

    fn set_facts(&mut self, slot: Slot, found: Facts) {
        if let Some(facts) = &mut self.facts {
            facts.set(slot as usize, Arc::new(found));
        }
    }

    fn edit(&mut self, slot: Slot, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.get_mut(slot as usize) {
            change(Arc::make_mut(node));
        }
    }

    /// Takes `slot` off the readers of all that it reads.
    fn detach(&mut self, slot: Slot) {
        for upstream in self.upstream(slot).to_vec() {
            self.edit(upstream, |node| node.downstream.retain(|&reader| reader != slot));
        }
    }

    fn add_reader(&mut self, upstream: Slot, reader: Slot) {
        let id = self.id(reader);
        let readers = self.downstream(upstream);
        let index = readers.partition_point(|&other| self.id(other) < id);
        self.edit(upstream, |node| node.downstream.insert(index, reader));
    }

    /// Finds anew what follows from the edges of `slot`.
    fn refresh(&mut self, slot: Slot) {
        if self.facts.is_some() {
            let stale = self.downstream_of(&[slot]);
            self.find_facts(&stale);
        } else {
            // The cycle may be broken now, and a graph with one has no facts to go on from.
            self.find_all_facts();
        }
    }

    /// Returns these nodes and everything downstream of them, each once.
    fn downstream_of(&self, starts: &[Slot]) -> Vec<Slot> {
        let mut seen = FixedBitSet::with_capacity(self.slots());
        let mut found: Vec<Slot> =
            starts.iter().copied().filter(|&slot| !seen.put(slot as usize)).collect();
        let mut done = 0;
        while let Some(&slot) = found.get(done) {
            done += 1;
            found.extend(self.downstream(slot).iter().filter(|&&it| !seen.put(it as usize)));
        }
        found
    }
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use super::*;
    use proptest::prelude::*;

    #[test]
    fn the_old_graph_stays_as_it_was() {
        let old = Graph::new(&[(1, 2), (1, 3)], &[]);
        let new = old.with_node(4, &[2, 3]);
        assert_eq!(old.waves().unwrap(), [vec![1], vec![2, 3]]);
        assert_eq!(new.waves().unwrap(), [vec![1], vec![2, 3], vec![4]]);
        assert_eq!(new.diamonds().unwrap(), [[2, 3, 4]]);
        assert!(new.without_node(3).diamonds().unwrap().is_empty());
        assert_eq!(new.without_node(7).edges(), new.edges());
    }

    #[test]
    fn a_cycle_comes_and_goes() {
        let graph = Graph::new(&[(1, 2), (2, 3)], &[]);
        let cyclic = graph.with_node(1, &[3]);
        assert_eq!(cyclic.cycle(), Some(vec![1, 2, 3, 1]));
        assert!(cyclic.waves().is_err());
        assert_eq!(cyclic.with_node(1, &[]).waves(), graph.waves());
        assert_eq!(cyclic.without_node(3).waves().unwrap(), [[1], [2]]);
    }

    #[derive(Debug, Clone)]
    enum Change {
        Put(i64, Vec<i64>),
        Remove(i64),
    }

    fn changes() -> impl Strategy<Value = Vec<Change>> {
        let upstreams = prop::collection::vec(0_i64..10, 0..4);
        let change = prop_oneof![
            4 => (0_i64..10, upstreams).prop_map(|(id, reads)| Change::Put(id, reads)),
            1 => (0_i64..10).prop_map(Change::Remove),
        ];
        prop::collection::vec(change, 0..24)
    }

    /// The nodes and what each reads, kept plainly.
    #[derive(Default)]
    struct Model(BTreeMap<i64, BTreeSet<i64>>);

    impl Model {
        fn apply(&mut self, change: &Change) {
            match change {
                Change::Put(id, upstreams) => {
                    for upstream in upstreams {
                        self.0.entry(*upstream).or_default();
                    }
                    self.0.insert(*id, upstreams.iter().copied().collect());
                }
                Change::Remove(id) => {
                    self.0.remove(id);
                    self.0.values_mut().for_each(|reads| {
                        reads.remove(id);
                    });
                }
            }
        }

        fn rebuilt(&self) -> Graph {
            let edges =
                self.0.iter().flat_map(|(&id, reads)| reads.iter().map(move |&up| (up, id)));
            let nodes: Vec<i64> = self.0.keys().copied().collect();
            Graph::new(&edges.collect::<Vec<_>>(), &nodes)
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(256))]
        #[test]
        fn a_changed_graph_tells_what_one_built_anew_tells(changes in changes()) {
            let (mut model, mut graph) = (Model::default(), Graph::new(&[], &[]));
            for change in changes {
                model.apply(&change);
                graph = match change {
                    Change::Put(id, upstreams) => graph.with_node(id, &upstreams),
                    Change::Remove(id) => graph.without_node(id),
                };
                let rebuilt = model.rebuilt();
                prop_assert_eq!(graph.edges(), rebuilt.edges());
                prop_assert_eq!(graph.len(), rebuilt.len());
                prop_assert_eq!(graph.waves(), rebuilt.waves());
                prop_assert_eq!(graph.cycle(), rebuilt.cycle());
                prop_assert_eq!(graph.diamonds(), rebuilt.diamonds());
                prop_assert_eq!(graph.components(), rebuilt.components());
            }
        }
    }
}
