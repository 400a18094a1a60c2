//! The values of one column of the batch being built.
//!
//! Plain vectors, which become Arrow buffers without a copy. Each append returns how many bytes
//! it added, so that the batch can be closed before it grows beyond its bound.

use std::sync::Arc;

use arrow_array::types::IntervalMonthDayNano;
use arrow_array::{
    ArrayRef, BinaryArray, BooleanArray, Date32Array, Decimal128Array, Decimal256Array,
    Float32Array, Float64Array, Int16Array, Int32Array, Int64Array, IntervalMonthDayNanoArray,
    ListArray, StringArray, Time64MicrosecondArray, TimestampMicrosecondArray,
};
use arrow_buffer::{BooleanBufferBuilder, NullBuffer, NullBufferBuilder, ScalarBuffer, i256};

use crate::copy::bytes::Bytes;
use crate::copy::error::Fault;
use crate::copy::image;
use crate::copy::list;
use crate::copy::numeric::Numeric;
use crate::copy::types::{ColumnType, Scalar, item};

/// A column of the batch being built.
#[derive(Debug)]
pub(crate) struct Column {
    values: Values,
    nulls: NullBufferBuilder,
}

#[derive(Debug)]
enum Values {
    Bool(BooleanBufferBuilder),
    Int2(Vec<i16>),
    Int4(Vec<i32>),
    Int8(Vec<i64>),
    Oid(Vec<i64>),
    Float4(Vec<f32>),
    Float8(Vec<f64>),
    Decimal128 { precision: u8, scale: i8, values: Vec<i128> },
    Decimal256 { precision: u8, scale: i8, values: Vec<i256> },
    NumericText(Bytes),
    Text(Bytes),
    Char(Bytes),
    Jsonb(Bytes),
    Uuid(Bytes),
    Bytea(Bytes),
    Date(Vec<i32>),
    Time(Vec<i64>),
    Timestamp(Vec<i64>),
    TimestampTz(Vec<i64>),
    Interval(Vec<IntervalMonthDayNano>),
    List { element: Scalar, ends: Vec<i32>, items: Box<Column> },
}

impl Column {
    /// An empty column.
    pub(crate) fn new(kind: ColumnType) -> Self {
        let values = match kind {
            ColumnType::Scalar(scalar) => Values::new(scalar),
            ColumnType::List(element) => Values::List {
                element,
                ends: vec![0],
                items: Box::new(Self::new(ColumnType::Scalar(element))),
            },
        };
        Self { values, nulls: NullBufferBuilder::new(0) }
    }

    /// Appends the value with this image, or NULL, and returns how many bytes it takes.
    pub(crate) fn append(&mut self, image: Option<&[u8]>) -> Result<usize, Fault> {
        if let Some(image) = image {
            self.nulls.append_non_null();
            self.values.append(image)
        } else {
            self.nulls.append_null();
            self.values.append_null()
        }
    }

    /// The number of values.
    pub(crate) fn len(&self) -> usize {
        self.nulls.len()
    }

    /// Takes the values out as an Arrow array; the column is empty again.
    ///
    /// # Errors
    ///
    /// [`Fault::Utf8`] with the place of the first value that is not UTF-8.
    pub(crate) fn finish(&mut self) -> Result<ArrayRef, (Fault, Option<usize>)> {
        let nulls = self.nulls.finish();
        self.values.finish(nulls)
    }
}

impl Values {
    fn new(scalar: Scalar) -> Self {
        match scalar {
            Scalar::Bool => Self::Bool(BooleanBufferBuilder::new(0)),
            Scalar::Int2 => Self::Int2(Vec::new()),
            Scalar::Int4 => Self::Int4(Vec::new()),
            Scalar::Int8 => Self::Int8(Vec::new()),
            Scalar::Oid => Self::Oid(Vec::new()),
            Scalar::Float4 => Self::Float4(Vec::new()),
            Scalar::Float8 => Self::Float8(Vec::new()),
            Scalar::Decimal128 { precision, scale } => {
                Self::Decimal128 { precision, scale, values: Vec::new() }
            }
            Scalar::Decimal256 { precision, scale } => {
                Self::Decimal256 { precision, scale, values: Vec::new() }
            }
            Scalar::NumericText => Self::NumericText(Bytes::default()),
            Scalar::Text => Self::Text(Bytes::default()),
            Scalar::Char => Self::Char(Bytes::default()),
            Scalar::Jsonb => Self::Jsonb(Bytes::default()),
            Scalar::Uuid => Self::Uuid(Bytes::default()),
            Scalar::Bytea => Self::Bytea(Bytes::default()),
            Scalar::Date => Self::Date(Vec::new()),
            Scalar::Time => Self::Time(Vec::new()),
            Scalar::Timestamp => Self::Timestamp(Vec::new()),
            Scalar::TimestampTz => Self::TimestampTz(Vec::new()),
            Scalar::Interval => Self::Interval(Vec::new()),
        }
    }

    fn append(&mut self, image: &[u8]) -> Result<usize, Fault> {
        match self {
            Self::Bool(values) => {
                values.append(image::boolean(image)?);
                Ok(1)
            }
            Self::Int2(values) => push(values, i16::from_be_bytes(image::fixed(image, "int2")?)),
            Self::Int4(values) => push(values, i32::from_be_bytes(image::fixed(image, "int4")?)),
            Self::Int8(values) => push(values, i64::from_be_bytes(image::fixed(image, "int8")?)),
            Self::Oid(values) => {
                push(values, u32::from_be_bytes(image::fixed(image, "oid")?).into())
            }
            Self::Float4(values) => {
                push(values, f32::from_be_bytes(image::fixed(image, "float4")?))
            }
            Self::Float8(values) => {
                push(values, f64::from_be_bytes(image::fixed(image, "float8")?))
            }
            Self::Decimal128 { precision, scale, values } => {
                push(values, Numeric::read(image)?.unscaled(*precision, *scale)?)
            }
            Self::Decimal256 { precision, scale, values } => {
                push(values, Numeric::read(image)?.unscaled(*precision, *scale)?)
            }
            Self::NumericText(values) => {
                let numeric = Numeric::read(image)?;
                values.extend(|out| numeric.print(out))
            }
            Self::Text(values) | Self::Bytea(values) => values.push(image),
            Self::Char(values) => {
                let [byte] = image::fixed(image, "\"char\"")?;
                values.extend(|out| image::char_text(byte, out))
            }
            Self::Jsonb(values) => values.push(image::jsonb(image)?),
            Self::Uuid(values) => values.push(&image::uuid(image)?),
            Self::Date(values) => push(values, image::date(image)?),
            Self::Time(values) => push(values, image::time(image)?),
            Self::Timestamp(values) | Self::TimestampTz(values) => {
                push(values, image::timestamp(image)?)
            }
            Self::Interval(values) => push(values, image::interval(image)?),
            Self::List { ends, items, .. } => list::append(image, ends, items),
        }
    }

    fn append_null(&mut self) -> Result<usize, Fault> {
        match self {
            Self::Bool(values) => {
                values.append(false);
                Ok(1)
            }
            Self::Int2(values) => push(values, 0),
            Self::Int4(values) | Self::Date(values) => push(values, 0),
            Self::Int8(values)
            | Self::Oid(values)
            | Self::Time(values)
            | Self::Timestamp(values)
            | Self::TimestampTz(values) => push(values, 0),
            Self::Float4(values) => push(values, 0.0),
            Self::Float8(values) => push(values, 0.0),
            Self::Decimal128 { values, .. } => push(values, 0),
            Self::Decimal256 { values, .. } => push(values, i256::ZERO),
            Self::NumericText(values)
            | Self::Text(values)
            | Self::Char(values)
            | Self::Jsonb(values)
            | Self::Uuid(values)
            | Self::Bytea(values) => values.push(&[]),
            Self::Interval(values) => push(values, IntervalMonthDayNano::ZERO),
            Self::List { ends, items, .. } => list::end(ends, items),
        }
    }

    fn finish(&mut self, nulls: Option<NullBuffer>) -> Result<ArrayRef, (Fault, Option<usize>)> {
        Ok(match self {
            Self::Bool(values) => Arc::new(BooleanArray::new(values.finish(), nulls)),
            Self::Int2(values) => Arc::new(Int16Array::new(taken(values), nulls)),
            Self::Int4(values) => Arc::new(Int32Array::new(taken(values), nulls)),
            Self::Int8(values) | Self::Oid(values) => {
                Arc::new(Int64Array::new(taken(values), nulls))
            }
            Self::Float4(values) => Arc::new(Float32Array::new(taken(values), nulls)),
            Self::Float8(values) => Arc::new(Float64Array::new(taken(values), nulls)),
            Self::Decimal128 { precision, scale, values } => {
                let array = Decimal128Array::new(taken(values), nulls);
                Arc::new(array.with_precision_and_scale(*precision, *scale).map_err(refused)?)
            }
            Self::Decimal256 { precision, scale, values } => {
                let array = Decimal256Array::new(taken(values), nulls);
                Arc::new(array.with_precision_and_scale(*precision, *scale).map_err(refused)?)
            }
            Self::Text(values)
            | Self::NumericText(values)
            | Self::Char(values)
            | Self::Jsonb(values)
            | Self::Uuid(values) => Arc::new(text(values, nulls)?),
            Self::Bytea(values) => {
                let (offsets, data) = values.take();
                Arc::new(BinaryArray::try_new(offsets, data, nulls).map_err(refused)?)
            }
            Self::Date(values) => Arc::new(Date32Array::new(taken(values), nulls)),
            Self::Time(values) => Arc::new(Time64MicrosecondArray::new(taken(values), nulls)),
            Self::Timestamp(values) => {
                Arc::new(TimestampMicrosecondArray::new(taken(values), nulls))
            }
            Self::TimestampTz(values) => {
                Arc::new(TimestampMicrosecondArray::new(taken(values), nulls).with_timezone("UTC"))
            }
            Self::Interval(values) => {
                Arc::new(IntervalMonthDayNanoArray::new(taken(values), nulls))
            }
            Self::List { element, ends, items } => {
                let offsets = list::offsets(ends);
                let values = items.finish().map_err(|(fault, _)| (fault, None))?;
                let array = ListArray::try_new(item(*element), offsets, values, nulls);
                Arc::new(array.map_err(refused)?)
            }
        })
    }
}

#[allow(clippy::unnecessary_wraps)] // an arm of the match over all types
fn push<T>(values: &mut Vec<T>, value: T) -> Result<usize, Fault> {
    values.push(value);
    Ok(size_of::<T>())
}

fn taken<T: arrow_buffer::ArrowNativeType>(values: &mut Vec<T>) -> ScalarBuffer<T> {
    std::mem::take(values).into()
}

#[allow(clippy::needless_pass_by_value)] // what `map_err` hands over
fn refused(error: arrow_schema::ArrowError) -> (Fault, Option<usize>) {
    (Fault::Batch(error.to_string()), None)
}

/// Checks all text at once, which is much cheaper than one by one, and looks for the place only
/// when there is something wrong.
fn text(
    values: &mut Bytes,
    nulls: Option<NullBuffer>,
) -> Result<StringArray, (Fault, Option<usize>)> {
    let (offsets, data) = values.take();
    StringArray::try_new(offsets.clone(), data.clone(), nulls).map_err(|_| {
        let place = offsets.windows(2).position(|ends| {
            let [start, end] = ends else { return false };
            let range = usize::try_from(*start).unwrap_or(0)..usize::try_from(*end).unwrap_or(0);
            data.get(range).is_none_or(|value| std::str::from_utf8(value).is_err())
        });
        (Fault::Utf8, place)
    })
}
