//! Adjacency: for each node what it reads and what reads it.

use std::sync::Arc;

use super::facts::Facts;
use super::pages::Pages;

/// A place of a node; the place of a node that is gone is used again.
pub(super) type Slot = u32;

/// One node: its id, what it reads and what reads it, each in ascending order of ids.
#[derive(Debug, Clone, Default)]
pub(super) struct Node {
    pub(super) id: i64,
    pub(super) upstream: Vec<Slot>,
    pub(super) downstream: Vec<Slot>,
}

/// A directed graph over table ids; an edge goes from what is read to what reads it.
///
/// Every walk goes in the order of ids, so results are the same for the same edges, however they
/// were listed and in whatever order they came.
#[derive(Debug, Clone)]
pub struct Graph {
    /// The place of each id, in ascending order of ids.
    pub(super) places: Arc<Vec<(i64, Slot)>>,
    pub(super) nodes: Pages<Arc<Node>>,
    /// Places that no node has.
    pub(super) free: Vec<Slot>,
    /// What follows from the edges; None when they form a cycle.
    pub(super) facts: Option<Pages<Arc<Facts>>>,
}

impl Graph {
    /// Returns the graph of the (upstream, downstream) `edges`, with `nodes` even if isolated.
    #[must_use]
    pub fn new(edges: &[(i64, i64)], nodes: &[i64]) -> Self {
        let ends = edges.iter().flat_map(|&(upstream, downstream)| [upstream, downstream]);
        let mut ids: Vec<i64> = nodes.iter().copied().chain(ends).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut built: Vec<Node> = ids.iter().map(|&id| Node { id, ..Node::default() }).collect();
        let place = |id| ids.binary_search(id).ok().and_then(|place| Slot::try_from(place).ok());
        for (from, to) in edges {
            let Some((from, to)) = place(from).zip(place(to)) else { continue };
            if let Some(node) = built.get_mut(from as usize) {
                node.downstream.push(to);
            }
            if let Some(node) = built.get_mut(to as usize) {
                node.upstream.push(from);
            }
        }
        for slots in built.iter_mut().flat_map(|node| [&mut node.upstream, &mut node.downstream]) {
            slots.sort_unstable();
            slots.dedup();
        }
        let mut graph = Self {
            places: Arc::new(ids.into_iter().zip(0..).collect()),
            nodes: built.into_iter().map(Arc::new).collect(),
            free: Vec::new(),
            facts: None,
        };
        graph.find_all_facts();
        graph
    }

    /// Returns how many nodes there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.places.len()
    }

    /// Returns whether there is no node.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    /// Returns the edges in ascending order.
    #[must_use]
    pub fn edges(&self) -> Vec<(i64, i64)> {
        let readers = |slot| self.downstream(slot).iter().map(|&reader| self.id(reader));
        let edges =
            self.places.iter().flat_map(|&(id, slot)| readers(slot).map(move |to| (id, to)));
        edges.collect()
    }

    pub(super) fn place(&self, id: i64) -> Option<Slot> {
        let found = self.places.binary_search_by_key(&id, |&(id, _)| id).ok()?;
        self.places.get(found).map(|&(_, slot)| slot)
    }

    /// Returns how many places there are, free ones included.
    pub(super) fn slots(&self) -> usize {
        self.nodes.len()
    }

    /// Returns the places of all nodes in ascending order of ids.
    pub(super) fn in_order(&self) -> impl DoubleEndedIterator<Item = Slot> {
        self.places.iter().map(|&(_, slot)| slot)
    }

    /// Returns what reads from `slot`, in ascending order of ids.
    #[inline]
    pub(super) fn downstream(&self, slot: Slot) -> &[Slot] {
        self.nodes.get(slot as usize).map_or(&[], |node| &node.downstream)
    }

    /// Returns what `slot` reads, in ascending order of ids.
    #[inline]
    pub(super) fn upstream(&self, slot: Slot) -> &[Slot] {
        self.nodes.get(slot as usize).map_or(&[], |node| &node.upstream)
    }

    pub(super) fn id(&self, slot: Slot) -> i64 {
        self.nodes.get(slot as usize).map_or(0, |node| node.id)
    }

    /// Returns the ids at these places, in the same order.
    pub(super) fn ids(&self, slots: &[Slot]) -> Vec<i64> {
        slots.iter().map(|&slot| self.id(slot)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_and_repetition_of_edges_do_not_matter() {
        let tidy = Graph::new(&[(1, 2), (1, 3)], &[9]);
        let untidy = Graph::new(&[(1, 3), (1, 2), (1, 3)], &[9, 1]);
        assert_eq!(tidy.edges(), untidy.edges());
        assert_eq!(tidy.edges(), [(1, 2), (1, 3)]);
        assert_eq!((tidy.len(), untidy.len()), (4, 4));
        assert!(!tidy.is_empty() && Graph::new(&[], &[]).is_empty());
    }
}
