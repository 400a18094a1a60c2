//! The types of columns: from OID and modifier to the Arrow type.

use std::sync::Arc;

use arrow_schema::{DataType, Field, IntervalUnit, TimeUnit};

use crate::copy::error::Fault;

/// Digits that a 128-bit decimal holds.
const DIGITS_128: u8 = 38;
/// Digits that a 256-bit decimal holds.
const DIGITS_256: u8 = 76;

/// How a column is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnType {
    /// One value for each row.
    Scalar(Scalar),
    /// A one-dimensional array for each row.
    List(Scalar),
}

/// How one value is decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // most are the SQL names of the types
pub enum Scalar {
    Bool,
    Int2,
    Int4,
    Int8,
    Float4,
    Float8,
    /// A numeric of up to 38 digits.
    Decimal128 {
        precision: u8,
        scale: i8,
    },
    /// A numeric of up to 76 digits.
    Decimal256 {
        precision: u8,
        scale: i8,
    },
    /// A numeric without declared digits, or with more than a decimal holds: its text.
    NumericText,
    /// Every type whose binary image is its text.
    Text,
    /// The one-byte type `"char"`.
    Char,
    Jsonb,
    Uuid,
    Bytea,
    Date,
    Time,
    Timestamp,
    TimestampTz,
    Interval,
    Oid,
}

impl ColumnType {
    /// The type with this OID and modifier (-1 for none).
    ///
    /// # Errors
    ///
    /// [`Fault::Type`] for a type without a decoder. Types that users made have OIDs of their own:
    /// for a domain give the OID of its base type, for an enum that of text.
    pub fn of(oid: u32, modifier: i32) -> Result<Self, Fault> {
        if let Some(element) = element(oid) {
            return Ok(Self::List(Scalar::of(element, modifier)?));
        }
        Scalar::of(oid, modifier).map(Self::Scalar)
    }

    /// The Arrow type of the column.
    #[must_use]
    pub fn arrow(self) -> DataType {
        match self {
            Self::Scalar(scalar) => scalar.arrow(),
            Self::List(element) => DataType::List(item(element)),
        }
    }
}

/// The field of the elements of a list.
pub(crate) fn item(element: Scalar) -> Arc<Field> {
    Arc::new(Field::new_list_field(element.arrow(), true))
}

impl Scalar {
    fn of(oid: u32, modifier: i32) -> Result<Self, Fault> {
        Ok(match oid {
            16 => Self::Bool,
            17 => Self::Bytea,
            18 => Self::Char,
            20 => Self::Int8,
            21 => Self::Int2,
            23 => Self::Int4,
            26 => Self::Oid,
            700 => Self::Float4,
            701 => Self::Float8,
            1082 => Self::Date,
            1083 => Self::Time,
            1114 => Self::Timestamp,
            1184 => Self::TimestampTz,
            1186 => Self::Interval,
            1700 => numeric(modifier),
            2950 => Self::Uuid,
            3802 => Self::Jsonb,
            _ if is_text(oid) => Self::Text,
            _ => return Err(Fault::Type(oid)),
        })
    }

    /// The Arrow type of the value.
    #[must_use]
    pub fn arrow(self) -> DataType {
        match self {
            Self::Bool => DataType::Boolean,
            Self::Int2 => DataType::Int16,
            Self::Int4 => DataType::Int32,
            Self::Int8 | Self::Oid => DataType::Int64,
            Self::Float4 => DataType::Float32,
            Self::Float8 => DataType::Float64,
            Self::Decimal128 { precision, scale } => DataType::Decimal128(precision, scale),
            Self::Decimal256 { precision, scale } => DataType::Decimal256(precision, scale),
            Self::NumericText | Self::Text | Self::Char | Self::Jsonb | Self::Uuid => {
                DataType::Utf8
            }
            Self::Bytea => DataType::Binary,
            Self::Date => DataType::Date32,
            Self::Time => DataType::Time64(TimeUnit::Microsecond),
            Self::Timestamp => DataType::Timestamp(TimeUnit::Microsecond, None),
            Self::TimestampTz => DataType::Timestamp(TimeUnit::Microsecond, Some("UTC".into())),
            Self::Interval => DataType::Interval(IntervalUnit::MonthDayNano),
        }
    }
}

/// Whether the binary image of the type is its text: name, text, json, xml, unknown, bpchar, varchar.
pub(crate) fn is_text(oid: u32) -> bool {
    matches!(oid, 19 | 25 | 114 | 142 | 705 | 1042 | 1043)
}

/// The built-in array types, each with its element type.
const ARRAYS: [(u32, u32); 23] = [
    (1000, 16),
    (1001, 17),
    (1002, 18),
    (1003, 19),
    (1005, 21),
    (1007, 23),
    (1009, 25),
    (1014, 1042),
    (1015, 1043),
    (1016, 20),
    (1021, 700),
    (1022, 701),
    (1028, 26),
    (1115, 1114),
    (1182, 1082),
    (1183, 1083),
    (1185, 1184),
    (1187, 1186),
    (1231, 1700),
    (143, 142),
    (199, 114),
    (2951, 2950),
    (3807, 3802),
];

/// The element type of a built-in array type.
pub(crate) fn element(oid: u32) -> Option<u32> {
    ARRAYS.iter().find(|(array, _)| *array == oid).map(|(_, element)| *element)
}

/// The array type of a built-in element type.
pub(crate) fn array_of(oid: u32) -> Option<u32> {
    ARRAYS.iter().find(|(_, element)| *element == oid).map(|(array, _)| *array)
}

/// The decimal that holds every value of `numeric(p, s)` with the modifier, or text.
///
/// Neither a scale above the precision nor a negative one goes into every reader of Arrow,
/// so the precision grows to hold such values with a scale between 0 and the precision.
fn numeric(modifier: i32) -> Scalar {
    if modifier < 4 {
        return Scalar::NumericText;
    }
    let packed = modifier - 4;
    let precision = (packed >> 16) & 0xffff;
    let scale = ((packed & 0x7ff) ^ 1024) - 1024;
    let digits = if scale < 0 { precision - scale } else { precision.max(scale) };
    match (u8::try_from(digits), i8::try_from(scale.max(0))) {
        (Ok(precision @ 1..=DIGITS_128), Ok(scale)) => Scalar::Decimal128 { precision, scale },
        (Ok(precision @ 1..=DIGITS_256), Ok(scale)) => Scalar::Decimal256 { precision, scale },
        _ => Scalar::NumericText,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modifier(precision: i32, scale: i32) -> i32 {
        ((precision << 16) | (scale & 0x7ff)) + 4
    }

    #[test]
    fn a_numeric_gets_the_smallest_decimal_that_holds_it() {
        assert_eq!(numeric(modifier(10, 2)), Scalar::Decimal128 { precision: 10, scale: 2 });
        assert_eq!(numeric(modifier(38, 38)), Scalar::Decimal128 { precision: 38, scale: 38 });
        assert_eq!(numeric(modifier(39, 0)), Scalar::Decimal256 { precision: 39, scale: 0 });
        assert_eq!(numeric(modifier(77, 2)), Scalar::NumericText);
        assert_eq!(numeric(-1), Scalar::NumericText);
    }

    #[test]
    fn a_scale_outside_the_precision_widens_the_decimal() {
        assert_eq!(numeric(modifier(2, 5)), Scalar::Decimal128 { precision: 5, scale: 5 });
        assert_eq!(numeric(modifier(3, -2)), Scalar::Decimal128 { precision: 5, scale: 0 });
    }

    #[test]
    fn an_unknown_type_is_refused_by_its_oid() {
        assert_eq!(ColumnType::of(600, -1), Err(Fault::Type(600)));
        assert_eq!(ColumnType::of(1007, -1), Ok(ColumnType::List(Scalar::Int4)));
    }
}
