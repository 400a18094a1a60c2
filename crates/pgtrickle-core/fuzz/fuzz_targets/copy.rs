//! Looks for bytes that break the law in `laws/copy.rs`, led by coverage; see `make fuzz`.
#![no_main]

#[path = "../laws/copy.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|data: &[u8]| law::check(data));
