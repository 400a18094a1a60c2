//! Looks for bytes that break the law in `laws/pgoutput.rs`, led by coverage; see `make fuzz`.
#![no_main]

#[path = "../laws/pgoutput.rs"]
mod law;

libfuzzer_sys::fuzz_target!(|data: &[u8]| law::check(data));
