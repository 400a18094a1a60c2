//! Binary images of single values, read into what Arrow stores.

use arrow_array::types::IntervalMonthDayNano;

use crate::copy::error::Fault;

/// Days from 1970-01-01, where Arrow counts from, to 2000-01-01, where `PostgreSQL` does.
pub(crate) const EPOCH_DAYS: i32 = 10_957;
/// The same in microseconds.
pub(crate) const EPOCH_MICROSECONDS: i64 = 86_400_000_000 * EPOCH_DAYS as i64;
const DAY_MICROSECONDS: i64 = 86_400_000_000;

/// An image of exactly `N` bytes.
pub(crate) fn fixed<const N: usize>(image: &[u8], kind: &'static str) -> Result<[u8; N], Fault> {
    <[u8; N]>::try_from(image).map_err(|_| Fault::Image(kind))
}

pub(crate) fn boolean(image: &[u8]) -> Result<bool, Fault> {
    match image {
        [0] => Ok(false),
        [1] => Ok(true),
        _ => Err(Fault::Image("bool")),
    }
}

pub(crate) fn date(image: &[u8]) -> Result<i32, Fault> {
    match i32::from_be_bytes(fixed(image, "date")?) {
        i32::MIN | i32::MAX => Err(Fault::NoForm("an infinite date")),
        days => days.checked_add(EPOCH_DAYS).ok_or(Fault::Image("date")),
    }
}

pub(crate) fn time(image: &[u8]) -> Result<i64, Fault> {
    match i64::from_be_bytes(fixed(image, "time")?) {
        microseconds @ 0..DAY_MICROSECONDS => Ok(microseconds),
        DAY_MICROSECONDS => Err(Fault::NoForm("the time 24:00")),
        _ => Err(Fault::Image("time")),
    }
}

pub(crate) fn timestamp(image: &[u8]) -> Result<i64, Fault> {
    match i64::from_be_bytes(fixed(image, "timestamp")?) {
        i64::MIN | i64::MAX => Err(Fault::NoForm("an infinite timestamp")),
        microseconds => microseconds
            .checked_add(EPOCH_MICROSECONDS)
            .ok_or(Fault::NoForm("a timestamp after the year 294246")),
    }
}

pub(crate) fn interval(image: &[u8]) -> Result<IntervalMonthDayNano, Fault> {
    let image: [u8; 16] = fixed(image, "interval")?;
    let value = u128::from_be_bytes(image);
    let [microseconds, parts] = [value >> 64, value & u128::from(u64::MAX)].map(low_word);
    let [days, months] = [parts >> 32, parts].map(low_half);
    match (microseconds, days, months) {
        (i64::MAX, i32::MAX, i32::MAX) | (i64::MIN, i32::MIN, i32::MIN) => {
            Err(Fault::NoForm("an infinite interval"))
        }
        _ => microseconds
            .checked_mul(1_000)
            .map(|nanoseconds| IntervalMonthDayNano::new(months, days, nanoseconds))
            .ok_or(Fault::NoForm("an interval of more than 292 years of hours")),
    }
}

#[allow(clippy::cast_possible_truncation)] // the low 64 bits are meant
fn low_word(value: u128) -> i64 {
    value as i64
}

#[allow(clippy::cast_possible_truncation)] // the low 32 bits are meant
fn low_half(value: i64) -> i32 {
    value as i32
}

/// The text behind the version of a jsonb.
pub(crate) fn jsonb(image: &[u8]) -> Result<&[u8], Fault> {
    match image {
        [1, text @ ..] => Ok(text),
        _ => Err(Fault::Image("jsonb")),
    }
}

/// The text of a uuid.
pub(crate) fn uuid(image: &[u8]) -> Result<[u8; 36], Fault> {
    let image: [u8; 16] = fixed(image, "uuid")?;
    let mut text = [b'-'; 36];
    let places = (0..36).filter(|place| !matches!(place, 8 | 13 | 18 | 23));
    let nibbles = image.iter().flat_map(|byte| [byte >> 4, byte & 15]);
    for (place, nibble) in places.zip(nibbles) {
        if let Some(slot) = text.get_mut(place) {
            *slot = hex(nibble);
        }
    }
    Ok(text)
}

fn hex(nibble: u8) -> u8 {
    if nibble < 10 { b'0' + nibble } else { b'a' + nibble - 10 }
}

/// Appends the text of a `"char"`: nothing for the zero byte, an octal escape above ASCII.
pub(crate) fn char_text(byte: u8, out: &mut Vec<u8>) {
    match byte {
        0 => {}
        1..128 => out.push(byte),
        _ => {
            let octal = [byte >> 6, (byte >> 3) & 7, byte & 7].map(|digit| b'0' + digit);
            out.push(b'\\');
            out.extend_from_slice(&octal);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_uuid_is_printed_with_its_dashes() {
        let image: Vec<u8> = (0..16).map(|byte| byte * 16 + byte).collect();
        let text = uuid(&image).unwrap();
        assert_eq!(&text, b"00112233-4455-6677-8899-aabbccddeeff");
    }

    #[test]
    fn an_interval_keeps_its_three_parts() {
        let mut image = 1_500_000_i64.to_be_bytes().to_vec();
        image.extend((-3_i32).to_be_bytes());
        image.extend(14_i32.to_be_bytes());
        assert_eq!(interval(&image), Ok(IntervalMonthDayNano::new(14, -3, 1_500_000_000)));
    }

    #[test]
    fn what_arrow_cannot_hold_is_named() {
        assert_eq!(date(&i32::MAX.to_be_bytes()), Err(Fault::NoForm("an infinite date")));
        assert_eq!(time(&DAY_MICROSECONDS.to_be_bytes()), Err(Fault::NoForm("the time 24:00")));
        assert!(matches!(timestamp(&i64::MIN.to_be_bytes()), Err(Fault::NoForm(_))));
        assert!(matches!(timestamp(&(i64::MAX - 1).to_be_bytes()), Err(Fault::NoForm(_))));
    }
}
