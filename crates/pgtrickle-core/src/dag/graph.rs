//! Adjacency: nodes in ascending order, and for each the nodes that read from it.

/// A directed graph over table ids; an edge goes from what is read to what reads it.
///
/// Inside, a node is its position in the ascending list of ids, so every walk in position order is
/// a walk in id order and results are the same for the same edges, however they were listed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Graph {
    ids: Vec<i64>,
    downstream: Vec<Vec<usize>>,
}

impl Graph {
    /// Returns the graph of the (upstream, downstream) `edges`, with `nodes` even if isolated.
    #[must_use]
    pub fn new(edges: &[(i64, i64)], nodes: &[i64]) -> Self {
        let ends = edges.iter().flat_map(|&(upstream, downstream)| [upstream, downstream]);
        let mut ids: Vec<i64> = nodes.iter().copied().chain(ends).collect();
        ids.sort_unstable();
        ids.dedup();
        let mut downstream = vec![Vec::new(); ids.len()];
        for (from, to) in edges {
            let ends = ids.binary_search(from).ok().zip(ids.binary_search(to).ok());
            if let Some((readers, to)) =
                ends.and_then(|(from, to)| Some((downstream.get_mut(from)?, to)))
            {
                readers.push(to);
            }
        }
        for readers in &mut downstream {
            readers.sort_unstable();
            readers.dedup();
        }
        Self { ids, downstream }
    }

    /// Returns how many nodes there are.
    pub(super) fn len(&self) -> usize {
        self.ids.len()
    }

    /// Returns the positions that read from `node`, in ascending order.
    pub(super) fn downstream(&self, node: usize) -> &[usize] {
        self.downstream.get(node).map_or(&[], Vec::as_slice)
    }

    /// Returns the ids at these positions.
    pub(super) fn ids(&self, positions: &[usize]) -> Vec<i64> {
        positions.iter().filter_map(|&node| self.ids.get(node).copied()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_and_repetition_of_edges_do_not_matter() {
        let tidy = Graph::new(&[(1, 2), (1, 3)], &[9]);
        let untidy = Graph::new(&[(1, 3), (1, 2), (1, 3)], &[9, 1]);
        assert_eq!(tidy, untidy);
        assert_eq!(tidy.ids(tidy.downstream(0)), [2, 3]);
        assert_eq!(tidy.len(), 4);
    }
}
