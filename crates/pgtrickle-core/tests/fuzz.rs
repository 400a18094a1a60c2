//! The laws of the fuzz targets, tried on mutated inputs of the corpus for a short time: no nightly
//! toolchain is needed, and every run tries others.
//!
//! `FUZZ_SECONDS` is the time for each law; `FUZZ_SEED` repeats a run. `make fuzz` searches longer, led
//! by coverage.
#![allow(
    clippy::expect_used,
    clippy::indexing_slicing,
    clippy::unwrap_used,
    reason = "a panic is how a test fails"
)]

use std::env;
use std::fs;
use std::panic::catch_unwind;
use std::path::Path;
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

#[path = "../fuzz/laws/copy.rs"]
mod copy;
#[path = "../fuzz/laws/pgoutput.rs"]
mod pgoutput;

const DEFAULT_SECONDS: u64 = 1;
const MOST_MUTATIONS: usize = 6;
const LONGEST_RUN: usize = 32;
/// Bytes that lengths, counts and signs turn at.
const EDGES: [u8; 6] = [0x00, 0x01, 0x7f, 0x80, 0xfe, 0xff];

/// A small generator: a seed is all that is needed to repeat a run.
struct Dice(u64);

impl Dice {
    fn roll(&mut self) -> u64 {
        // SplitMix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ (mixed >> 31)
    }

    /// Returns a number below `bound`, or 0.
    fn below(&mut self, bound: usize) -> usize {
        let rolled = usize::try_from(self.roll() >> 1).unwrap_or(usize::MAX);
        rolled.checked_rem(bound).unwrap_or(0)
    }

    fn byte(&mut self) -> u8 {
        let edge = EDGES.get(self.below(2 * EDGES.len())).copied();
        edge.unwrap_or_else(|| self.roll().to_le_bytes()[0])
    }

    fn pick<'a>(&mut self, corpus: &'a [Vec<u8>]) -> &'a [u8] {
        corpus.get(self.below(corpus.len())).map_or(&[], Vec::as_slice)
    }
}

/// Returns an input of the corpus with a few changes, among them parts of other inputs.
fn mutated(dice: &mut Dice, corpus: &[Vec<u8>]) -> Vec<u8> {
    let mut data = dice.pick(corpus).to_vec();
    for _ in 0..=dice.below(MOST_MUTATIONS) {
        let place = dice.below(data.len() + 1);
        let end = (place + 1 + dice.below(LONGEST_RUN)).min(data.len());
        match dice.below(8) {
            0 => data.truncate(place),
            1 => drop(data.splice(place..end, [])),
            2 => data.insert(place, dice.byte()),
            3 => data.extend_from_within(place..end),
            4 => {
                let other = dice.pick(corpus);
                let from = dice.below(other.len());
                drop(data.splice(place..end, other.iter().skip(from).copied()));
            }
            5 => {
                let bit = 1_u8 << dice.below(8);
                data.iter_mut().skip(place).take(1).for_each(|byte| *byte ^= bit);
            }
            _ => {
                let new = dice.byte();
                data.iter_mut().skip(place).take(1).for_each(|byte| *byte = new);
            }
        }
    }
    data
}

fn number(variable: &str) -> Option<u64> {
    env::var(variable).ok()?.parse().ok()
}

/// Checks `law` on the corpus, then on mutated inputs until the time is over.
fn search(name: &str, law: fn(&[u8])) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("fuzz/corpus").join(name);
    let files = fs::read_dir(folder).expect("the corpus is a folder");
    let mut files: Vec<_> = files.map(|file| file.expect("a file of the corpus").path()).collect();
    files.sort();
    let corpus: Vec<_> = files.iter().map(|file| fs::read(file).expect("a file to read")).collect();
    for data in &corpus {
        law(data);
    }

    let clock = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let fresh = clock.as_secs().wrapping_mul(1_000_000_000) + u64::from(clock.subsec_nanos());
    let seed = number("FUZZ_SEED").unwrap_or(fresh);
    let time = Duration::from_secs(number("FUZZ_SECONDS").unwrap_or(DEFAULT_SECONDS));
    eprintln!("{name}: FUZZ_SEED={seed}");
    let mut dice = Dice(seed);
    let mut tried = 0_u64;
    let start = Instant::now();
    while start.elapsed() < time {
        let data = mutated(&mut dice, &corpus);
        let held = catch_unwind(|| law(&data));
        assert!(held.is_ok(), "{name}: FUZZ_SEED={seed}, input {tried}: {data:02x?}");
        tried += 1;
    }
    eprintln!("{name}: {tried} inputs");
}

#[test]
fn any_copy_stream_is_rows_or_an_error_wherever_it_is_cut() {
    search("copy", copy::check);
}

#[test]
fn any_messages_are_changes_or_an_error() {
    search("pgoutput", pgoutput::check);
}
