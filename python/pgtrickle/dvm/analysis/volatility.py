"""Which functions a differential query may call.

A delta recomputes for a row that goes the values with which it came. IMMUTABLE functions promise that. STABLE ones promise
it only within one statement; the built-in ones listed here depend on nothing but settings that every refresh fixes.
Input functions of dates and times are not among them: the text 'today' reads the clock.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from pgtrickle.dvm.schema import Function, Volatility

if TYPE_CHECKING:
    from collections.abc import Iterable

FIXED_BY_SETTINGS = frozenset(
    [
        "cash_in",
        "enum_in",
        "xml_in",
        "array_out",
        "array_to_string",
        "array_to_json",
        "concat",
        "concat_ws",
        "date_bin",
        "date_part",
        "date_pl_interval",
        "date_mi_interval",
        "date_cmp_timestamptz",
        "date_eq_timestamptz",
        "date_ge_timestamptz",
        "date_gt_timestamptz",
        "date_le_timestamptz",
        "date_lt_timestamptz",
        "date_ne_timestamptz",
        "date_trunc",
        "extract",
        "format",
        "format_type",
        "generate_series",
        "interval_in",
        "interval_out",
        "json_agg",
        "json_build_array",
        "json_build_object",
        "json_object_agg",
        "jsonb_agg",
        "jsonb_build_array",
        "jsonb_build_object",
        "jsonb_object_agg",
        "make_timestamptz",
        "overlaps",
        "quote_literal",
        "quote_nullable",
        "row_to_json",
        "string_agg",
        "text",
        "timestamp_cmp_timestamptz",
        "timestamp_eq_timestamptz",
        "timestamp_ge_timestamptz",
        "timestamp_gt_timestamptz",
        "timestamp_le_timestamptz",
        "timestamp_lt_timestamptz",
        "timestamp_ne_timestamptz",
        "timestamptz",
        "timestamp",
        "timestamptz_cmp_date",
        "timestamptz_cmp_timestamp",
        "timestamptz_eq_date",
        "timestamptz_eq_timestamp",
        "timestamptz_ge_date",
        "timestamptz_ge_timestamp",
        "timestamptz_gt_date",
        "timestamptz_gt_timestamp",
        "timestamptz_le_date",
        "timestamptz_le_timestamp",
        "timestamptz_lt_date",
        "timestamptz_lt_timestamp",
        "timestamptz_ne_date",
        "timestamptz_ne_timestamp",
        "timestamptz_mi_interval",
        "timestamptz_pl_interval",
        "interval_pl_timestamptz",
        "timetz",
        "timezone",
        "to_char",
        "to_date",
        "to_json",
        "to_jsonb",
        "to_number",
        "to_timestamp",
        "to_tsquery",
        "to_tsvector",
        "plainto_tsquery",
        "phraseto_tsquery",
        "websearch_to_tsquery",
        "ts_headline",
        "date",
        "time",
    ]
)


def volatile_functions(functions: Iterable[Function]) -> list[str]:
    """Return the names of VOLATILE functions, which no stream table may call."""
    return sorted(
        {function.name for function in functions if function.volatility is Volatility.VOLATILE}
    )


def unstable_functions(functions: Iterable[Function]) -> list[str]:
    """Return the names of STABLE functions whose result may change between two refreshes."""
    return sorted(
        {
            function.name
            for function in functions
            if function.volatility is Volatility.STABLE
            and not (function.builtin and function.name in FIXED_BY_SETTINGS)
        }
    )
