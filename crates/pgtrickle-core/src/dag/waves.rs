//! Waves: each holds the nodes whose upstreams are all in earlier waves, so a wave runs in parallel.

use super::Graph;
use crate::Error;

impl Graph {
    /// Returns the topological waves, each in ascending order of ids.
    ///
    /// # Errors
    ///
    /// [`Error::Cycle`] with the path of one cycle when the graph has any.
    pub fn waves(&self) -> Result<Vec<Vec<i64>>, Error> {
        let Some(facts) = &self.facts else {
            return Err(Error::Cycle { path: self.cycle().unwrap_or_default() });
        };
        let last = facts.iter().map(|facts| facts.level).max();
        let mut waves = vec![Vec::new(); last.map_or(0, |level| level + 1)];
        for &(id, slot) in self.places.iter() {
            let level = self.facts(slot).map_or(0, |facts| facts.level);
            if let Some(wave) = waves.get_mut(level) {
                wave.push(id);
            }
        }
        waves.retain(|wave: &Vec<i64>| !wave.is_empty());
        Ok(waves)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_diamond_has_three_waves() {
        let graph = Graph::new(&[(1, 3), (1, 2), (2, 4), (3, 4)], &[5]);
        assert_eq!(graph.waves().unwrap(), [vec![1, 5], vec![2, 3], vec![4]]);
    }

    #[test]
    fn a_node_waits_for_its_longest_path() {
        let graph = Graph::new(&[(1, 2), (2, 3), (1, 3)], &[]);
        assert_eq!(graph.waves().unwrap(), [[1], [2], [3]]);
    }

    #[test]
    fn no_nodes_make_no_waves() {
        assert!(Graph::new(&[], &[]).waves().unwrap().is_empty());
    }

    #[test]
    fn a_cycle_is_an_error_with_its_path() {
        let graph = Graph::new(&[(0, 1), (1, 2), (2, 1), (2, 3)], &[]);
        assert_eq!(graph.waves(), Err(Error::Cycle { path: vec![1, 2, 1] }));
    }

    #[test]
    fn a_long_chain_needs_no_deep_stack() {
        let edges: Vec<_> = (0..10_000).map(|node| (node, node + 1)).collect();
        assert_eq!(Graph::new(&edges, &[]).waves().unwrap().len(), 10_001);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(128))]
        #[test]
        fn every_edge_goes_to_a_later_wave_or_there_is_a_cycle(
            edges in prop::collection::vec((-8_i64..8, -8_i64..8), 0..24),
            nodes in prop::collection::vec(-8_i64..8, 0..4),
        ) {
            let graph = Graph::new(&edges, &nodes);
            match graph.waves() {
                Ok(waves) => {
                    let wave_of = |id| waves.iter().position(|wave| wave.contains(&id));
                    for (upstream, downstream) in edges {
                        prop_assert!(wave_of(upstream) < wave_of(downstream));
                    }
                    prop_assert_eq!(waves.iter().map(Vec::len).sum::<usize>(), graph.len());
                    prop_assert_eq!(graph.cycle(), None);
                }
                Err(error) => {
                    prop_assert_eq!(error, Error::Cycle { path: graph.cycle().unwrap() });
                }
            }
        }
    }
}
