//! One named cycle: what a user must see to know which dependency to break.

use super::Graph;
use super::graph::Slot;

#[derive(Clone, Copy, PartialEq, Eq)]
enum Mark {
    New,
    OnPath,
    Done,
}

/// A depth-first walk with its own stack, since a chain may be deeper than the thread's.
struct Walk<'a> {
    graph: &'a Graph,
    marks: Vec<Mark>,
    /// The path from the start to the current node, each with the number of readers already tried.
    path: Vec<(Slot, usize)>,
}

impl Walk<'_> {
    fn mark(&self, node: Slot) -> Mark {
        self.marks.get(node as usize).copied().unwrap_or(Mark::Done)
    }

    fn set(&mut self, node: Slot, mark: Mark) {
        if let Some(slot) = self.marks.get_mut(node as usize) {
            *slot = mark;
        }
    }

    fn enter(&mut self, node: Slot) {
        self.set(node, Mark::OnPath);
        self.path.push((node, 0));
    }

    /// Returns the first node met again on the path from `start`, if any.
    fn closes_at(&mut self, start: Slot) -> Option<Slot> {
        self.enter(start);
        while let Some((node, tried)) = self.path.last_mut() {
            let node = *node;
            let reader = self.graph.downstream(node).get(*tried).copied();
            *tried += 1;
            match reader.map(|reader| (reader, self.mark(reader))) {
                Some((reader, Mark::OnPath)) => return Some(reader),
                Some((reader, Mark::New)) => self.enter(reader),
                Some((_, Mark::Done)) => {}
                None => {
                    self.set(node, Mark::Done);
                    self.path.pop();
                }
            }
        }
        None
    }
}

impl Graph {
    /// Returns one cycle in the direction of the edges, from its smallest id back to that id.
    #[must_use]
    pub fn cycle(&self) -> Option<Vec<i64>> {
        if self.facts.is_some() {
            return None;
        }
        let mut walk = Walk { graph: self, marks: vec![Mark::New; self.slots()], path: Vec::new() };
        for start in self.in_order() {
            if walk.mark(start) != Mark::New {
                continue;
            }
            if let Some(closing) = walk.closes_at(start) {
                let on_path = walk.path.iter().map(|&(node, _)| node);
                let slots: Vec<Slot> = on_path.skip_while(|&node| node != closing).collect();
                let mut ids = self.ids(&slots);
                close_at_smallest(&mut ids);
                return Some(ids);
            }
        }
        None
    }
}

fn close_at_smallest(ids: &mut Vec<i64>) {
    let smallest = ids.iter().enumerate().min_by_key(|&(_, id)| id);
    if let Some((index, &id)) = smallest {
        ids.rotate_left(index);
        ids.push(id);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_graph_without_a_cycle_names_none() {
        assert_eq!(Graph::new(&[(1, 2), (1, 3), (2, 3)], &[]).cycle(), None);
    }

    #[test]
    fn a_table_that_reads_itself_is_a_cycle() {
        assert_eq!(Graph::new(&[(4, 4)], &[]).cycle(), Some(vec![4, 4]));
    }

    #[test]
    fn the_path_starts_at_the_smallest_id() {
        let graph = Graph::new(&[(0, 3), (3, 1), (1, 2), (2, 3)], &[]);
        assert_eq!(graph.cycle(), Some(vec![1, 2, 3, 1]));
    }

    #[test]
    fn a_long_cycle_needs_no_deep_stack() {
        let edges: Vec<_> = (0..10_000).map(|node| (node, (node + 1) % 10_000)).collect();
        assert_eq!(Graph::new(&edges, &[]).cycle().unwrap().len(), 10_001);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn a_cycle_is_a_closed_walk_over_edges_that_meets_no_node_twice(
            edges in prop::collection::vec((0_i64..8, 0_i64..8), 0..24),
        ) {
            if let Some(path) = Graph::new(&edges, &[]).cycle() {
                prop_assert_eq!(path.first(), path.last());
                prop_assert_eq!(path.first(), path.iter().min());
                for step in path.windows(2) {
                    prop_assert!(edges.contains(&(step[0], step[1])));
                }
                let mut once = path[1..].to_vec();
                once.sort_unstable();
                once.dedup();
                prop_assert_eq!(once.len(), path.len() - 1);
            }
        }
    }
}
