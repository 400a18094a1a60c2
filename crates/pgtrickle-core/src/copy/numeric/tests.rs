use proptest::prelude::*;

use super::*;

/// The image with these words.
fn image(weight: i16, sign: u16, scale: u16, digits: &[u16]) -> Vec<u8> {
    let count = u16::try_from(digits.len()).unwrap();
    let mut out = count.to_be_bytes().to_vec();
    out.extend(weight.to_be_bytes());
    out.extend(sign.to_be_bytes());
    out.extend(scale.to_be_bytes());
    out.extend(digits.iter().flat_map(|digit| digit.to_be_bytes()));
    out
}

fn text(image: &[u8]) -> String {
    let mut out = Vec::new();
    Numeric::read(image).unwrap().print(&mut out);
    String::from_utf8(out).unwrap()
}

#[test]
fn the_text_is_what_the_server_prints() {
    assert_eq!(text(&image(0, POSITIVE, 0, &[])), "0");
    assert_eq!(text(&image(0, POSITIVE, 2, &[])), "0.00");
    assert_eq!(text(&image(0, NEGATIVE, 2, &[1, 5000])), "-1.50");
    assert_eq!(text(&image(-1, POSITIVE, 4, &[7])), "0.0007");
    assert_eq!(text(&image(-2, POSITIVE, 7, &[7000])), "0.0000700");
    assert_eq!(text(&image(2, POSITIVE, 0, &[12, 0, 34])), "1200000034");
    assert_eq!(text(&image(1, POSITIVE, 1, &[3])), "30000.0");
    assert_eq!(text(&image(0, NAN, 0, &[])), "NaN");
    assert_eq!(text(&image(0, MINUS_INFINITY, 0, &[])), "-Infinity");
}

#[test]
fn a_value_that_does_not_fit_exactly_is_refused() {
    let image = image(0, POSITIVE, 2, &[1, 2500]);
    let value = Numeric::read(&image).unwrap();
    assert_eq!(value.unscaled::<i128>(3, 2), Ok(125));
    assert_eq!(value.unscaled::<i128>(9, 4), Ok(12_500));
    let refused = Err(Fault::Decimal { precision: 9, scale: 1 });
    assert_eq!(value.unscaled::<i128>(9, 1), refused);
    let refused = Err(Fault::Decimal { precision: 2, scale: 2 });
    assert_eq!(value.unscaled::<i128>(2, 2), refused);
}

#[test]
fn what_is_not_a_number_has_no_decimal() {
    for sign in [NAN, INFINITY, MINUS_INFINITY] {
        let image = image(0, sign, 0, &[]);
        let refused = Numeric::read(&image).unwrap().unscaled::<i128>(10, 2);
        assert!(matches!(refused, Err(Fault::NoForm(_))));
    }
}

#[test]
fn a_malformed_image_is_refused() {
    let good = image(0, POSITIVE, 0, &[1]);
    for length in 0..good.len() {
        assert!(Numeric::read(&good[..length]).is_err());
    }
    assert!(Numeric::read(&image(0, POSITIVE, 0, &[10_000])).is_err());
    assert!(Numeric::read(&image(0, 0x1234, 0, &[1])).is_err());
    assert!(Numeric::read(&image(0, POSITIVE, 0x4000, &[1])).is_err());
}

proptest! {
    #[test]
    fn a_decimal_written_is_read_back(value: i128, scale in 0_i8..=38) {
        prop_assume!(value != i128::MIN);
        let mut image = Vec::new();
        write(value, scale, &mut image);
        let read = Numeric::read(&image).unwrap();
        prop_assert_eq!(read.unscaled::<i128>(39, scale), Ok(value));
        prop_assert_eq!(read.unscaled::<i256>(76, scale), Ok(i256::from_i128(value)));
    }

    #[test]
    fn both_widths_write_the_same_image(value: i128, scale in 0_i8..=38) {
        let (mut narrow, mut wide) = (Vec::new(), Vec::new());
        write(value, scale, &mut narrow);
        write(i256::from_i128(value), scale, &mut wide);
        prop_assert_eq!(narrow, wide);
    }

    #[test]
    fn the_text_of_a_decimal_has_its_scale(value: i64, scale in 0_i8..=18) {
        let mut image = Vec::new();
        write(i128::from(value), scale, &mut image);
        let digits = format!("{:0>1$}", value.unsigned_abs(), usize::try_from(scale).unwrap() + 1);
        let (whole, part) = digits.split_at(digits.len() - usize::try_from(scale).unwrap());
        let sign = if value < 0 { "-" } else { "" };
        let point = if scale > 0 { "." } else { "" };
        prop_assert_eq!(text(&image), format!("{sign}{whole}{point}{part}"));
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes: Vec<u8>) {
        if let Ok(value) = Numeric::read(&bytes) {
            value.print(&mut Vec::new());
            let _ = value.unscaled::<i128>(38, 9);
            let _ = value.unscaled::<i256>(76, 40);
        }
    }
}
