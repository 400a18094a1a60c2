"""How PostgreSQL prints what Arrow stores, written anew, so that a decoder can be checked against it.

Dates, times and intervals come as the integers that Arrow stores: Python's own types end at the year 9999.
"""

from __future__ import annotations

import struct
from decimal import Decimal
from itertools import pairwise
from math import isnan
from typing import TYPE_CHECKING

import pyarrow as pa

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DAY = 86_400_000_000
# What makes every printed form unambiguous.
SETTINGS = "SET TimeZone = 'UTC'; SET DateStyle = 'ISO'; SET IntervalStyle = 'iso_8601'; SET bytea_output = 'hex'; SET extra_float_digits = 1"


def printed(array: pa.Array) -> list[Any]:
    """Return the values of `array` as PostgreSQL prints them; NULL is None, a list is a list."""
    if pa.types.is_list(array.type):
        items = printed(array.values)
        starts = array.offsets.to_pylist()
        rows = [items[start:end] for start, end in pairwise(starts)]
        return [row if here else None for row, here in zip(rows, _valid(array), strict=True)]
    form, values = _form(array)
    return [None if value is None else form(value) for value in values]


def _valid(array: pa.Array) -> list[bool]:
    return [bool(valid) for valid in array.is_valid().to_pylist()]


def _form(array: pa.Array) -> tuple[Callable[[Any], str], list[Any]]:
    kind = array.type
    if pa.types.is_date32(kind):
        return date, array.cast(pa.int32()).to_pylist()
    if pa.types.is_time64(kind):
        return time, array.cast(pa.int64()).to_pylist()
    if pa.types.is_timestamp(kind):
        zone = "+00" if kind.tz else ""
        return lambda value: timestamp(value, zone), array.cast(pa.int64()).to_pylist()
    forms: dict[pa.DataType, Callable[[Any], str]] = {
        pa.bool_(): lambda value: "t" if value else "f",
        pa.float32(): lambda value: _float("f", value),
        pa.float64(): lambda value: _float("d", value),
        pa.binary(): lambda value: "\\x" + value.hex(),
        pa.month_day_nano_interval(): interval,
    }
    return forms.get(kind, _plain), array.to_pylist()


def _plain(value: object) -> str:
    return format(value, "f") if isinstance(value, Decimal) else str(value)


def told(kind: str, text: str | None) -> str | None:
    """Return what `printed` gives for a value of the type `kind` that PostgreSQL printed as `text`.

    The digits of floats are compared as images: shortest forms may differ and mean the same.
    """
    if text is None or kind not in {"float4", "float8"}:
        return text
    return _float("f" if kind == "float4" else "d", float(text))


def _float(width: str, value: float) -> str:
    return "NaN" if isnan(value) else struct.pack(width, value).hex()


def date(days: int) -> str:
    """Return the date `days` after 1970-01-01 in the proleptic Gregorian calendar."""
    day, era = _civil(days)
    return day + era


def timestamp(microseconds: int, zone: str) -> str:
    """Return the timestamp so many microseconds after 1970-01-01."""
    days, rest = divmod(microseconds, DAY)
    day, era = _civil(days)
    return f"{day} {time(rest)}{zone}{era}"


def time(microseconds: int) -> str:
    """Return the time of day."""
    seconds, fraction = divmod(microseconds, 1_000_000)
    text = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{text}.{fraction:06}".rstrip("0").rstrip(".") if fraction else text


def interval(value: tuple[int, int, int]) -> str:
    """Return months, days and nanoseconds in the form of ISO 8601 with designators."""
    months, days, nanoseconds = value
    years, months = _towards_zero(months, 12)
    minutes, microseconds = _towards_zero(nanoseconds // 1000, 60_000_000)
    hours, minutes = _towards_zero(minutes, 60)
    seconds = f"{abs(microseconds) // 1_000_000}.{abs(microseconds) % 1_000_000:06}"
    sign = "-" if microseconds < 0 else ""
    day = _parts((years, "Y"), (months, "M"), (days, "D"))
    clock = _parts((hours, "H"), (minutes, "M"))
    if microseconds:
        clock += sign + seconds.rstrip("0").rstrip(".") + "S"
    if not day and not clock:
        return "PT0S"
    return "P" + day + ("T" + clock if clock else "")


def _parts(*parts: tuple[int, str]) -> str:
    return "".join(f"{value}{unit}" for value, unit in parts if value)


def _towards_zero(value: int, unit: int) -> tuple[int, int]:
    quotient, rest = divmod(abs(value), unit)
    return (-quotient, -rest) if value < 0 else (quotient, rest)


def _civil(days: int) -> tuple[str, str]:
    """Return year-month-day and the era, after Howard Hinnant's days_from_civil."""
    era, day_of_era = divmod(days + 719_468, 146_097)
    year = (day_of_era - day_of_era // 1460 + day_of_era // 36_524 - day_of_era // 146_096) // 365
    day_of_year = day_of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * day_of_year + 2) // 153
    day = day_of_year - (153 * shifted + 2) // 5 + 1
    month = shifted + 3 if shifted < 10 else shifted - 9
    year += era * 400 + (month <= 2)
    if year <= 0:
        return f"{1 - year:04}-{month:02}-{day:02}", " BC"
    return f"{year:04}-{month:02}-{day:02}", ""
