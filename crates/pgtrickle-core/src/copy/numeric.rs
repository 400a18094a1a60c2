//! The binary image of a numeric: read as a decimal or as text, written from a decimal.
//!
//! The image is five words and the digits in base 10,000: count, weight of the first digit
//! (its power of 10,000), sign, display scale, digits. A zero has no digits.

use arrow_buffer::i256;

use crate::copy::error::Fault;

const POSITIVE: u16 = 0x0000;
const NEGATIVE: u16 = 0x4000;
const NAN: u16 = 0xc000;
const INFINITY: u16 = 0xd000;
const MINUS_INFINITY: u16 = 0xf000;
const SCALE_LIMIT: u16 = 0x3fff;
const BASE: u16 = 10_000;

/// A numeric as its image tells it.
pub(crate) struct Numeric<'a> {
    digits: &'a [[u8; 2]],
    weight: i16,
    sign: u16,
    scale: u16,
}

impl<'a> Numeric<'a> {
    /// Reads an image.
    pub(crate) fn read(image: &'a [u8]) -> Result<Self, Fault> {
        const MALFORMED: Fault = Fault::Image("numeric");
        let (words, odd) = image.as_chunks::<2>();
        let (&[count, weight, sign, scale], digits) =
            words.split_first_chunk::<4>().ok_or(MALFORMED)?;
        let sign = u16::from_be_bytes(sign);
        let scale = u16::from_be_bytes(scale);
        let known = matches!(sign, POSITIVE | NEGATIVE | NAN | INFINITY | MINUS_INFINITY);
        let whole = odd.is_empty() && usize::from(u16::from_be_bytes(count)) == digits.len();
        let small = digits.iter().all(|digit| u16::from_be_bytes(*digit) < BASE);
        if known && whole && small && scale <= SCALE_LIMIT {
            Ok(Self { digits, weight: i16::from_be_bytes(weight), sign, scale })
        } else {
            Err(MALFORMED)
        }
    }

    /// Appends the text that `PostgreSQL` prints.
    pub(crate) fn print(&self, out: &mut Vec<u8>) {
        match self.sign {
            NAN => return out.extend_from_slice(b"NaN"),
            INFINITY => return out.extend_from_slice(b"Infinity"),
            MINUS_INFINITY => return out.extend_from_slice(b"-Infinity"),
            NEGATIVE => out.push(b'-'),
            _ => {}
        }
        let start = out.len();
        for power in (0..=self.weight).rev() {
            out.extend_from_slice(&four(self.digit(power)));
        }
        strip_zeros(out, start);
        if self.scale > 0 {
            out.push(b'.');
            let end = out.len() + usize::from(self.scale);
            let groups = i16::try_from(self.scale.div_ceil(4)).unwrap_or(i16::MAX);
            for power in 1..=groups {
                out.extend_from_slice(&four(self.digit(-power)));
            }
            out.truncate(end);
        }
    }

    /// The digit of this power of 10,000.
    fn digit(&self, power: i16) -> u16 {
        let place = usize::try_from(i32::from(self.weight) - i32::from(power)).ok();
        place.and_then(|place| self.digits.get(place)).map_or(0, |digit| u16::from_be_bytes(*digit))
    }

    /// The value times 10 to the `scale`, if that is a whole number of at most `precision` digits.
    pub(crate) fn unscaled<D: Decimal>(&self, precision: u8, scale: i8) -> Result<D, Fault> {
        match self.sign {
            NAN => return Err(Fault::NoForm("NaN in a numeric with declared digits")),
            INFINITY | MINUS_INFINITY => {
                return Err(Fault::NoForm("infinity in a numeric with declared digits"));
            }
            _ => {}
        }
        let value = self.magnitude::<D>(scale).filter(|value| value.fits(precision));
        let value = value.ok_or(Fault::Decimal { precision, scale })?;
        Ok(if self.sign == NEGATIVE { value.negated() } else { value })
    }

    fn magnitude<D: Decimal>(&self, scale: i8) -> Option<D> {
        let mut value = D::ZERO;
        // The power of ten that the last digit read must still be multiplied with.
        let mut shift = 4 * (i32::from(self.weight) + 1) + i32::from(scale);
        for digit in self.digits {
            let digit = u16::from_be_bytes(*digit);
            shift -= 4;
            if shift >= 0 {
                value = value.shifted(4)?.plus(digit)?;
            } else {
                let dropped = u32::try_from(-shift).ok()?.min(4);
                let unit = 10_u16.pow(dropped);
                if digit % unit != 0 {
                    return None;
                }
                value = value.shifted(4 - dropped)?.plus(digit / unit)?;
            }
        }
        value.shifted(u32::try_from(shift.max(0)).ok()?)
    }
}

fn four(digit: u16) -> [u8; 4] {
    let ascii = |value: u16| b'0' + u8::try_from(value % 10).unwrap_or(0);
    [ascii(digit / 1000), ascii(digit / 100), ascii(digit / 10), ascii(digit)]
}

/// Removes the leading zeros of the text from `start`, but leaves one digit.
fn strip_zeros(out: &mut Vec<u8>, start: usize) {
    let zeros = out.iter().skip(start).take_while(|byte| **byte == b'0').count();
    out.drain(start..start + zeros);
    if out.len() == start {
        out.push(b'0');
    }
}

/// Appends the image of `unscaled` divided by 10 to the `scale`, as a declared numeric has it.
pub(crate) fn write<D: Decimal>(unscaled: D, scale: i8, out: &mut Vec<u8>) {
    let scale = scale.unsigned_abs();
    let mut digits = [0_u16; 24];
    let mut count = 0;
    let mut rest = unscaled;
    // The last digit holds what is left of the scale after whole groups of four.
    let mut odd = u32::from(scale % 4);
    let mut power = -i16::from(scale.div_ceil(4));
    for slot in &mut digits {
        if rest.is_zero() {
            break;
        }
        let width = if odd == 0 { 4 } else { odd };
        let (quotient, digit) = rest.split(10_u16.pow(width));
        (*slot, rest, odd) = (digit * 10_u16.pow(4 - width), quotient, 0);
        count += 1;
        power += 1;
    }
    let digits = digits.get(..count).unwrap_or(&[]);
    let zeros = digits.iter().take_while(|digit| **digit == 0).count();
    let digits = digits.get(zeros..).unwrap_or(&[]);
    let weight = if digits.is_empty() { 0 } else { power - 1 };
    let sign = if unscaled.is_negative() { NEGATIVE } else { POSITIVE };
    out.extend_from_slice(&u16::try_from(digits.len()).unwrap_or(0).to_be_bytes());
    out.extend_from_slice(&weight.to_be_bytes());
    out.extend_from_slice(&sign.to_be_bytes());
    out.extend_from_slice(&u16::from(scale).to_be_bytes());
    for digit in digits.iter().rev() {
        out.extend_from_slice(&digit.to_be_bytes());
    }
}

/// What a decimal's integer must do; both sizes do it without overflow.
pub(crate) trait Decimal: Copy {
    /// Nought.
    const ZERO: Self;
    /// Times ten to the `power`.
    fn shifted(self, power: u32) -> Option<Self>;
    /// Plus a small number.
    fn plus(self, digit: u16) -> Option<Self>;
    /// Whether it has at most so many digits.
    fn fits(&self, precision: u8) -> bool;
    /// The negative.
    fn negated(self) -> Self;
    /// Whether it is nought.
    fn is_zero(&self) -> bool;
    /// Whether it is below nought.
    fn is_negative(&self) -> bool;
    /// The quotient, towards nought, and the remainder's magnitude.
    fn split(self, divisor: u16) -> (Self, u16);
}

impl Decimal for i128 {
    const ZERO: Self = 0;

    fn shifted(self, power: u32) -> Option<Self> {
        if self == 0 { Some(0) } else { self.checked_mul(10_i128.checked_pow(power)?) }
    }

    fn plus(self, digit: u16) -> Option<Self> {
        self.checked_add(digit.into())
    }

    fn fits(&self, precision: u8) -> bool {
        10_i128.checked_pow(precision.into()).is_none_or(|limit| *self < limit)
    }

    fn negated(self) -> Self {
        -self
    }

    fn is_zero(&self) -> bool {
        *self == 0
    }

    fn is_negative(&self) -> bool {
        *self < 0
    }

    fn split(self, divisor: u16) -> (Self, u16) {
        let divisor = Self::from(divisor);
        let digit = (self % divisor).unsigned_abs();
        (self / divisor, u16::try_from(digit).unwrap_or(0))
    }
}

impl Decimal for i256 {
    const ZERO: Self = i256::ZERO;

    fn shifted(self, power: u32) -> Option<Self> {
        let ten = i256::from_i128(10);
        if self == i256::ZERO { Some(self) } else { self.checked_mul(ten.checked_pow(power)?) }
    }

    fn plus(self, digit: u16) -> Option<Self> {
        self.checked_add(i256::from_i128(digit.into()))
    }

    fn fits(&self, precision: u8) -> bool {
        i256::from_i128(10).checked_pow(precision.into()).is_none_or(|limit| *self < limit)
    }

    fn negated(self) -> Self {
        self.wrapping_neg()
    }

    fn is_zero(&self) -> bool {
        *self == i256::ZERO
    }

    fn is_negative(&self) -> bool {
        i256::is_negative(*self)
    }

    fn split(self, divisor: u16) -> (Self, u16) {
        let divisor = i256::from_i128(divisor.into());
        let digit = self.checked_rem(divisor).and_then(i256::to_i128).unwrap_or(0);
        let quotient = self.checked_div(divisor).unwrap_or(i256::ZERO);
        (quotient, u16::try_from(digit.unsigned_abs()).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests;
