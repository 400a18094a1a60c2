//! A vector in shared pages: a copy costs a pointer for each page, a write copies one page.

use std::sync::Arc;

const PAGE: usize = 64;

#[derive(Debug, Clone)]
pub(super) struct Pages<T> {
    pages: Vec<Arc<[T]>>,
    length: usize,
}

impl<T: Clone> Pages<T> {
    pub(super) fn len(&self) -> usize {
        self.length
    }

    #[inline]
    pub(super) fn get(&self, index: usize) -> Option<&T> {
        self.pages.get(index / PAGE)?.get(index % PAGE)
    }

    /// Returns the item for writing, in a page that no other copy shares.
    pub(super) fn get_mut(&mut self, index: usize) -> Option<&mut T> {
        Arc::make_mut(self.pages.get_mut(index / PAGE)?).get_mut(index % PAGE)
    }

    pub(super) fn set(&mut self, index: usize, item: T) {
        if let Some(slot) = self.get_mut(index) {
            *slot = item;
        }
    }

    pub(super) fn push(&mut self, item: T) {
        match self.pages.last_mut() {
            Some(last) if last.len() < PAGE => *last = last.iter().cloned().chain([item]).collect(),
            _ => self.pages.push(Arc::new([item])),
        }
        self.length += 1;
    }

    pub(super) fn iter(&self) -> impl Iterator<Item = &T> {
        self.pages.iter().flat_map(|page| page.iter())
    }
}

impl<T: Clone> FromIterator<T> for Pages<T> {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        let items: Vec<T> = items.into_iter().collect();
        Self { length: items.len(), pages: items.chunks(PAGE).map(Arc::from).collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_write_leaves_the_copy_as_it_was_and_shares_the_other_pages() {
        let old: Pages<usize> = (0..200).collect();
        let mut new = old.clone();
        new.set(130, 7);
        new.push(200);
        assert_eq!((old.get(130), new.get(130)), (Some(&130), Some(&7)));
        assert_eq!((old.len(), new.len(), new.iter().count()), (200, 201, 201));
        assert_eq!((old.get(200), new.get(200), new.get(201)), (None, Some(&200), None));
        let shared = old.pages.iter().zip(&new.pages).filter(|(a, b)| Arc::ptr_eq(a, b)).count();
        assert_eq!(shared, 2);
    }
}
