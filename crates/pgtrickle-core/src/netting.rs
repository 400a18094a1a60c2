//! Netting: what remains when rows that came and went cancel.
//!
//! Law: an I weighs +1 and a D -1; weights are summed per whole row image, and what sums to zero
//! is dropped. Of a sum above zero that many I rows remain, of one below that many D rows. Position
//! decides nothing: a deferrable key and one MERGE give the I before the D. Where a key is part of
//! the image and held before and after, at most one D and one I remain for it.

use std::hash::{BuildHasher, Hasher};

use hashbrown::{DefaultHashBuilder, HashTable};

/// A row image that came or went.
pub trait Image {
    /// Whether the row came; else it went.
    fn is_inserted(&self) -> bool;

    /// Whether every value of it is known; one that is not whole cancels nothing and stays.
    fn is_whole(&self) -> bool;

    /// Adds to `state` what equal images have in common.
    fn hash(&self, state: &mut impl Hasher);

    /// Whether the values are the same, whichever of the two came or went.
    fn equals(&self, other: &Self) -> bool;
}

/// An image as bytes, and the group within which it may cancel.
#[derive(Debug, Clone, Copy)]
pub struct PackedImage<'a> {
    /// Whether the row came.
    pub inserted: bool,
    /// Rows of different groups do not cancel: some reader stands between them.
    pub group: u64,
    /// The whole row, such as its binary COPY form; equal rows have equal bytes.
    pub bytes: &'a [u8],
}

impl Image for PackedImage<'_> {
    fn is_inserted(&self) -> bool {
        self.inserted
    }

    fn is_whole(&self) -> bool {
        true
    }

    fn hash(&self, state: &mut impl Hasher) {
        state.write_u64(self.group);
        state.write(self.bytes);
    }

    fn equals(&self, other: &Self) -> bool {
        self.group == other.group && self.bytes == other.bytes
    }
}

/// One distinct image: a row that shows it, and the weight that is left to hand out.
struct Sum {
    example: usize,
    weight: i64,
}

/// Returns the positions of the rows that remain, in ascending order.
///
/// Of equal rows the first ones remain. Memory is a few words for each row.
#[must_use]
pub fn net<I: Image>(images: &[I]) -> Vec<usize> {
    let mut sums: Vec<Sum> = Vec::new();
    let sum_of_row = add_up(images, &mut sums);
    let mut kept = Vec::new();
    for (row, (image, sum)) in images.iter().zip(sum_of_row).enumerate() {
        let Some(sum) = sum.and_then(|sum| sums.get_mut(sum)) else {
            kept.push(row);
            continue;
        };
        let weight = weight(image);
        if sum.weight.signum() == weight {
            sum.weight -= weight;
            kept.push(row);
        }
    }
    kept
}

/// Returns for each row which of `sums` it went into; None for one that is not whole.
fn add_up<I: Image>(images: &[I], sums: &mut Vec<Sum>) -> Vec<Option<usize>> {
    let hasher = DefaultHashBuilder::default();
    // Keeps the hash beside the number, so that growing looks at no image again.
    let mut known: HashTable<(u64, usize)> = HashTable::with_capacity(images.len());
    let mut sum_of = |row: usize, image: &I| {
        let mut state = hasher.build_hasher();
        image.hash(&mut state);
        let key = state.finish();
        let found = known.find(key, |&(other, sum)| {
            let example = sums.get(sum).and_then(|sum: &Sum| images.get(sum.example));
            other == key && example.is_some_and(|example| example.equals(image))
        });
        let sum = found.map_or(sums.len(), |&(_, sum)| sum);
        if let Some(sum) = sums.get_mut(sum) {
            sum.weight += weight(image);
        } else {
            sums.push(Sum { example: row, weight: weight(image) });
            known.insert_unique(key, (key, sum), |&(key, _)| key);
        }
        sum
    };
    let rows = images.iter().enumerate();
    rows.map(|(row, image)| image.is_whole().then(|| sum_of(row, image))).collect()
}

fn weight(image: &impl Image) -> i64 {
    if image.is_inserted() { 1 } else { -1 }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use proptest::prelude::*;

    fn rows<'a>(told: &[(char, u64, &'a str)]) -> Vec<PackedImage<'a>> {
        let image = |&(action, group, bytes): &(char, u64, &'a str)| PackedImage {
            inserted: action == 'I',
            group,
            bytes: bytes.as_bytes(),
        };
        told.iter().map(image).collect()
    }

    #[test]
    fn a_row_that_came_and_went_leaves_nothing_in_either_order() {
        assert!(net(&rows(&[('I', 0, "a"), ('D', 0, "a")])).is_empty());
        assert!(net(&rows(&[('D', 0, "a"), ('I', 0, "a")])).is_empty());
    }

    #[test]
    fn many_updates_of_a_row_leave_its_first_and_last_image() {
        let told = [('D', 0, "1a"), ('I', 0, "1b"), ('D', 0, "1b"), ('I', 0, "1c")];
        assert_eq!(net(&rows(&told)), [0, 3]);
    }

    #[test]
    fn equal_rows_remain_as_often_as_they_count() {
        let told = [('I', 0, "a"), ('I', 0, "a"), ('D', 0, "a"), ('I', 0, "a")];
        assert_eq!(net(&rows(&told)), [0, 1]);
    }

    #[test]
    fn groups_do_not_cancel_each_other() {
        assert_eq!(net(&rows(&[('I', 1, "a"), ('D', 2, "a")])), [0, 1]);
    }

    type Told = (bool, u64, u8);

    fn weights<'a>(told: impl Iterator<Item = &'a Told>) -> BTreeMap<(u64, u8), i64> {
        let mut sums = BTreeMap::new();
        for &(inserted, group, value) in told {
            *sums.entry((group, value)).or_insert(0) += if inserted { 1 } else { -1 };
        }
        sums.retain(|_, sum| *sum != 0);
        sums
    }

    proptest! {
        #[test]
        fn what_remains_has_the_same_weights_and_no_pair_that_cancels(
            told in prop::collection::vec((any::<bool>(), 0_u64..2, 0_u8..6), 0..60),
        ) {
            let bytes: Vec<[u8; 1]> = told.iter().map(|&(_, _, value)| [value]).collect();
            let images: Vec<PackedImage<'_>> = told.iter().zip(&bytes).map(
                |(&(inserted, group, _), bytes)| PackedImage { inserted, group, bytes },
            ).collect();
            let kept = net(&images);
            prop_assert!(kept.is_sorted());
            let sums = weights(told.iter());
            prop_assert_eq!(&weights(kept.iter().map(|&row| &told[row])), &sums);
            prop_assert_eq!(kept.len() as u64, sums.values().map(|sum| sum.unsigned_abs()).sum::<u64>());
        }

        /// A table with a key, changed in order and told in any order.
        #[test]
        fn each_key_keeps_at_most_one_row_of_each_kind(
            writes in prop::collection::vec((0_usize..3, prop::option::of(0_u8..4)), 0..40),
            order in any::<u64>(),
        ) {
            let mut table: [Option<u8>; 3] = [Some(0), None, Some(1)];
            let mut told: Vec<(bool, [u8; 2])> = Vec::new();
            for (key, value) in writes {
                let name = u8::try_from(key).unwrap();
                told.extend(table[key].map(|old| (false, [name, old])));
                told.extend(value.map(|new| (true, [name, new])));
                table[key] = value;
            }
            let length = told.len().max(1);
            told.rotate_left(usize::try_from(order % length as u64).unwrap());
            let images: Vec<PackedImage<'_>> = told.iter().map(
                |(inserted, bytes)| PackedImage { inserted: *inserted, group: 0, bytes },
            ).collect();
            let kept = net(&images);
            for key in 0..3 {
                for inserted in [true, false] {
                    let count = kept.iter().filter(|&&row| told[row].0 == inserted && told[row].1[0] == key);
                    prop_assert!(count.count() <= 1);
                }
            }
        }
    }
}
