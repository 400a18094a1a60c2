//! The hashes of the rows of an Arrow batch.

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Decimal128Type, Decimal256Type, Float32Type, Float64Type, Int16Type, Int32Type,
    Int64Type, IntervalMonthDayNano, IntervalMonthDayNanoType, Time64MicrosecondType,
    TimestampMicrosecondType,
};
use arrow_array::{
    Array, ArrowPrimitiveType, BinaryArray, BooleanArray, FixedSizeBinaryArray, LargeBinaryArray,
    LargeStringArray, ListArray, PrimitiveArray, RecordBatch, StringArray,
};
use arrow_schema::{DataType, IntervalUnit, TimeUnit};
use xxhash_rust::xxh3::xxh3_64_with_seed;

use crate::copy::image::{EPOCH_DAYS, EPOCH_MICROSECONDS};
use crate::copy::types::array_of;
use crate::copy::{CopyError, Fault, numeric};
use crate::hash::row::{TEXT, array_head, float4, float8, null, seed, sized, start, value};

/// The 64-bit hash of each row of the batch, equal to that of the row's COPY BINARY tuple.
///
/// # Errors
///
/// [`Fault::ArrowType`] for a column whose type has no image.
pub fn row_hashes(batch: &RecordBatch) -> Result<Vec<u64>, CopyError> {
    let (mut types, mut columns) = (Vec::new(), Vec::new());
    for (field, array) in batch.schema_ref().fields().iter().zip(batch.columns()) {
        let column = Column::new(array.as_ref()).map_err(|fault| fault.of(field.name()))?;
        types.push(column.oid);
        columns.push(column);
    }
    let seed = seed(&types);
    let mut image = Vec::new();
    let mut hashes = Vec::with_capacity(batch.num_rows());
    for row in 0..batch.num_rows() {
        start(columns.len(), &mut image);
        for column in &columns {
            column.write(row, &mut image);
        }
        hashes.push(xxh3_64_with_seed(&image, seed));
    }
    Ok(hashes)
}

/// A column as it is read, and the OID of the type whose images it gives.
struct Column<'a> {
    oid: u32,
    array: &'a dyn Array,
    has_nulls: bool,
    cells: Cells<'a>,
}

enum Cells<'a> {
    Bool(&'a BooleanArray),
    Int2(&'a PrimitiveArray<Int16Type>),
    Int4(&'a PrimitiveArray<Int32Type>),
    Int8(&'a PrimitiveArray<Int64Type>),
    Float4(&'a PrimitiveArray<Float32Type>),
    Float8(&'a PrimitiveArray<Float64Type>),
    Decimal128(&'a PrimitiveArray<Decimal128Type>, i8),
    Decimal256(&'a PrimitiveArray<Decimal256Type>, i8),
    Text(&'a StringArray),
    LargeText(&'a LargeStringArray),
    Bytes(&'a BinaryArray),
    LargeBytes(&'a LargeBinaryArray),
    Uuid(&'a FixedSizeBinaryArray),
    Date(&'a PrimitiveArray<Date32Type>),
    Time(&'a PrimitiveArray<Time64MicrosecondType>),
    Timestamp(&'a PrimitiveArray<TimestampMicrosecondType>),
    Interval(&'a PrimitiveArray<IntervalMonthDayNanoType>),
    List(&'a ListArray, Box<Column<'a>>),
}

impl<'a> Column<'a> {
    fn new(array: &'a dyn Array) -> Result<Self, Fault> {
        let (oid, cells) = match array.data_type() {
            DataType::Boolean => (16, Cells::Bool(array.as_boolean())),
            DataType::Int16 => (21, Cells::Int2(array.as_primitive())),
            DataType::Int32 => (23, Cells::Int4(array.as_primitive())),
            DataType::Int64 => (20, Cells::Int8(array.as_primitive())),
            DataType::Float32 => (700, Cells::Float4(array.as_primitive())),
            DataType::Float64 => (701, Cells::Float8(array.as_primitive())),
            DataType::Decimal128(_, scale @ 0..) => {
                (1700, Cells::Decimal128(array.as_primitive(), *scale))
            }
            DataType::Decimal256(_, scale @ 0..) => {
                (1700, Cells::Decimal256(array.as_primitive(), *scale))
            }
            DataType::Utf8 => (TEXT, Cells::Text(array.as_string())),
            DataType::LargeUtf8 => (TEXT, Cells::LargeText(array.as_string())),
            DataType::Binary => (17, Cells::Bytes(array.as_binary())),
            DataType::LargeBinary => (17, Cells::LargeBytes(array.as_binary())),
            DataType::FixedSizeBinary(16) => (2950, Cells::Uuid(array.as_fixed_size_binary())),
            DataType::Date32 => (1082, Cells::Date(array.as_primitive())),
            DataType::Time64(TimeUnit::Microsecond) => (1083, Cells::Time(array.as_primitive())),
            DataType::Timestamp(TimeUnit::Microsecond, zone) => {
                let oid = if zone.is_some() { 1184 } else { 1114 };
                (oid, Cells::Timestamp(array.as_primitive()))
            }
            DataType::Interval(IntervalUnit::MonthDayNano) => {
                (1186, Cells::Interval(array.as_primitive()))
            }
            DataType::List(_) => {
                let lists = array.as_list();
                let items = Column::new(lists.values().as_ref())?;
                let oid = array_of(items.oid).ok_or_else(|| untold(array))?;
                (oid, Cells::List(lists, Box::new(items)))
            }
            _ => return Err(untold(array)),
        };
        Ok(Self { oid, array, has_nulls: array.null_count() > 0, cells })
    }

    fn write(&self, row: usize, image: &mut Vec<u8>) {
        if self.has_nulls && self.array.is_null(row) {
            return null(image);
        }
        match &self.cells {
            Cells::Bool(cells) => value(&[u8::from(cells.value(row))], image),
            Cells::Int2(cells) => value(&at(cells, row).to_be_bytes(), image),
            Cells::Int4(cells) => value(&at(cells, row).to_be_bytes(), image),
            Cells::Int8(cells) => value(&at(cells, row).to_be_bytes(), image),
            Cells::Float4(cells) => value(&float4(at(cells, row)), image),
            Cells::Float8(cells) => value(&float8(at(cells, row)), image),
            Cells::Decimal128(cells, scale) => {
                composed(image, |image| numeric::write(at(cells, row), *scale, image));
            }
            Cells::Decimal256(cells, scale) => {
                composed(image, |image| numeric::write(at(cells, row), *scale, image));
            }
            Cells::Text(cells) => value(cells.value(row).as_bytes(), image),
            Cells::LargeText(cells) => value(cells.value(row).as_bytes(), image),
            Cells::Bytes(cells) => value(cells.value(row), image),
            Cells::LargeBytes(cells) => value(cells.value(row), image),
            Cells::Uuid(cells) => value(cells.value(row), image),
            Cells::Date(cells) => {
                value(&at(cells, row).wrapping_sub(EPOCH_DAYS).to_be_bytes(), image);
            }
            Cells::Time(cells) => value(&at(cells, row).to_be_bytes(), image),
            Cells::Timestamp(cells) => {
                value(&at(cells, row).wrapping_sub(EPOCH_MICROSECONDS).to_be_bytes(), image);
            }
            Cells::Interval(cells) => composed(image, |image| interval(at(cells, row), image)),
            Cells::List(lists, items) => composed(image, |image| list(lists, items, row, image)),
        }
    }
}

fn untold(array: &dyn Array) -> Fault {
    Fault::ArrowType(array.data_type().to_string())
}

fn at<T: ArrowPrimitiveType>(cells: &PrimitiveArray<T>, row: usize) -> T::Native {
    cells.value(row)
}

fn composed(image: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let written: Result<(), std::convert::Infallible> = sized(image, |image| {
        write(image);
        Ok(())
    });
    written.unwrap_or(());
}

/// What is finer than a microsecond has no image in `PostgreSQL`; it is appended, not dropped.
fn interval(cell: IntervalMonthDayNano, image: &mut Vec<u8>) {
    image.extend_from_slice(&(cell.nanoseconds / 1_000).to_be_bytes());
    image.extend_from_slice(&cell.days.to_be_bytes());
    image.extend_from_slice(&cell.months.to_be_bytes());
    let finer = cell.nanoseconds % 1_000;
    if finer != 0 {
        image.extend_from_slice(&finer.to_be_bytes());
    }
}

fn list(lists: &ListArray, items: &Column<'_>, row: usize, image: &mut Vec<u8>) {
    let start = usize::try_from(lists.value_offsets().get(row).copied().unwrap_or(0)).unwrap_or(0);
    let count = lists.value_length(row);
    array_head(items.oid, count, image);
    for place in start..start + usize::try_from(count).unwrap_or(0) {
        items.write(place, image);
    }
}

#[cfg(test)]
mod tests;
