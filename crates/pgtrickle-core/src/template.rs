//! A bounded cache of compiled plans, least recently used out first.
//!
//! A plan is compiled once for each set of sources that changed together, so the key is
//! (table, generation, changed set). A new generation needs no invalidation to be correct: its
//! keys differ. Invalidation only gives the space back sooner.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lru::LruCache;

use crate::Error;

/// Names one compiled plan.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct PlanKey {
    table: i64,
    generation: i64,
    changed: Vec<i64>,
}

impl PlanKey {
    /// Returns the key of a plan; `changed` is a set, so order and repetition do not matter.
    #[must_use]
    pub fn new(table: i64, generation: i64, mut changed: Vec<i64>) -> Self {
        changed.sort_unstable();
        changed.dedup();
        Self { table, generation, changed }
    }
}

/// What a cache has done since it was made, and what it holds now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct CacheStats {
    /// Lookups that found a plan.
    pub hits: u64,
    /// Lookups that found none.
    pub misses: u64,
    /// Plans dropped because the cache was full.
    pub evictions: u64,
    /// Plans held now.
    pub entries: usize,
}

struct Inner {
    plans: LruCache<PlanKey, Arc<str>>,
    counts: CacheStats,
}

/// A bounded cache of plan texts that threads may share.
pub struct PlanCache {
    inner: Mutex<Inner>,
}

impl PlanCache {
    /// Returns an empty cache that holds at most `capacity` plans.
    ///
    /// # Errors
    ///
    /// [`Error::ZeroCapacity`] when `capacity` is 0.
    pub fn new(capacity: usize) -> Result<Self, Error> {
        let capacity = NonZeroUsize::new(capacity).ok_or(Error::ZeroCapacity)?;
        // `new` would allocate the whole capacity now; a large bound must cost nothing until used.
        let mut plans = LruCache::unbounded();
        plans.resize(capacity);
        Ok(Self { inner: Mutex::new(Inner { plans, counts: CacheStats::default() }) })
    }

    /// Returns the plan, marks it as the most recently used, and counts a hit or a miss.
    pub fn get(&self, key: &PlanKey) -> Option<Arc<str>> {
        let mut inner = self.lock();
        let found = inner.plans.get(key).map(Arc::clone);
        if found.is_some() {
            inner.counts.hits += 1;
        } else {
            inner.counts.misses += 1;
        }
        found
    }

    /// Returns the plan and leaves order and counters as they are.
    pub fn peek(&self, key: &PlanKey) -> Option<Arc<str>> {
        self.lock().plans.peek(key).map(Arc::clone)
    }

    /// Stores the plan as the most recently used; when the cache is full, the oldest goes.
    pub fn put(&self, key: PlanKey, text: Arc<str>) {
        let mut inner = self.lock();
        let replaces = inner.plans.contains(&key);
        let displaced = inner.plans.push(key, text).is_some();
        if displaced && !replaces {
            inner.counts.evictions += 1;
        }
    }

    /// Drops every plan of `table`, whatever its generation, and returns how many there were.
    pub fn invalidate(&self, table: i64) -> usize {
        let mut inner = self.lock();
        let of_table = inner.plans.iter().map(|(key, _)| key).filter(|key| key.table == table);
        let stale: Vec<PlanKey> = of_table.cloned().collect();
        for key in &stale {
            inner.plans.pop(key);
        }
        stale.len()
    }

    /// Drops every plan and keeps the counters.
    pub fn clear(&self) {
        self.lock().plans.clear();
    }

    /// Returns the counters and the number of plans held now.
    pub fn stats(&self) -> CacheStats {
        let inner = self.lock();
        CacheStats { entries: inner.plans.len(), ..inner.counts }
    }

    /// A thread that died while it held the lock left a valid cache: at worst one count is off.
    fn lock(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn key(table: i64, generation: i64, changed: &[i64]) -> PlanKey {
        PlanKey::new(table, generation, changed.to_vec())
    }

    fn cache(capacity: usize) -> PlanCache {
        PlanCache::new(capacity).unwrap()
    }

    #[test]
    fn a_capacity_of_zero_is_refused() {
        assert!(matches!(PlanCache::new(0), Err(Error::ZeroCapacity)));
    }

    #[test]
    fn the_changed_set_has_no_order_and_no_repetition() {
        let plans = cache(2);
        plans.put(key(1, 1, &[3, 2, 3]), "plan".into());
        assert_eq!(plans.get(&key(1, 1, &[2, 3])).as_deref(), Some("plan"));
        assert_eq!(plans.get(&key(1, 2, &[2, 3])), None);
        let expected = CacheStats { hits: 1, misses: 1, evictions: 0, entries: 1 };
        assert_eq!(plans.stats(), expected);
    }

    #[test]
    fn get_promotes_and_peek_does_not() {
        for (promote, survivor, gone) in [(true, 1, 2), (false, 2, 1)] {
            let plans = cache(2);
            plans.put(key(1, 1, &[]), "one".into());
            plans.put(key(2, 1, &[]), "two".into());
            let read =
                if promote { plans.get(&key(1, 1, &[])) } else { plans.peek(&key(1, 1, &[])) };
            assert_eq!(read.as_deref(), Some("one"));
            plans.put(key(3, 1, &[]), "three".into());
            assert!(plans.peek(&key(survivor, 1, &[])).is_some());
            assert!(plans.peek(&key(gone, 1, &[])).is_none());
            assert_eq!(plans.stats().evictions, 1);
            assert_eq!(plans.stats().hits, u64::from(promote));
        }
    }

    #[test]
    fn replacing_a_plan_is_no_eviction() {
        let plans = cache(1);
        plans.put(key(1, 1, &[]), "old".into());
        plans.put(key(1, 1, &[]), "new".into());
        assert_eq!(plans.peek(&key(1, 1, &[])).as_deref(), Some("new"));
        assert_eq!(plans.stats().evictions, 0);
    }

    #[test]
    fn invalidate_drops_one_table_and_clear_all() {
        let plans = cache(8);
        for (table, generation) in [(1, 1), (1, 2), (2, 1)] {
            plans.put(key(table, generation, &[7]), "plan".into());
        }
        assert_eq!(plans.invalidate(1), 2);
        assert_eq!(plans.invalidate(1), 0);
        assert_eq!(plans.stats().entries, 1);
        plans.clear();
        assert_eq!(plans.stats().entries, 0);
    }

    #[test]
    fn a_poisoned_lock_still_serves() {
        let plans = Arc::new(cache(1));
        let other = Arc::clone(&plans);
        let died = std::thread::spawn(move || {
            let _guard = other.inner.lock().unwrap();
            panic!("die with the lock held");
        });
        assert!(died.join().is_err());
        plans.put(key(1, 1, &[]), "plan".into());
        assert_eq!(plans.get(&key(1, 1, &[])).as_deref(), Some("plan"));
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_cache_never_exceeds_its_capacity(
            capacity in 1_usize..6,
            puts in prop::collection::vec((0_i64..4, 0_i64..3), 0..40),
        ) {
            let plans = cache(capacity);
            for (table, generation) in puts {
                plans.put(key(table, generation, &[]), "plan".into());
                prop_assert!(plans.peek(&key(table, generation, &[])).is_some());
                prop_assert!(plans.stats().entries <= capacity);
            }
        }
    }
}
