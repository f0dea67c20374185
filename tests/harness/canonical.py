"""One exact form for a value, whichever reader it came from, and comparison of whole tables."""

from __future__ import annotations

import math
import struct
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import pyarrow as pa

Row = tuple[Any, ...]


class RowsDiffer(AssertionError):
    """Two readers, or a reader and an oracle, do not agree."""


def canonical_rows(table: pa.Table, columns: Sequence[str] | None = None) -> list[Row]:
    """Every row of a table, each value as an exact, hashable Python value."""
    names = list(columns) if columns is not None else table.column_names
    missing = [name for name in names if name not in table.column_names]
    if missing:
        raise RowsDiffer(f"columns {missing} are absent from {table.column_names}")
    values = [_column(table.column(name)) for name in names]
    return list(zip(*values, strict=True)) if values else []


def assert_same_rows(expected: Iterable[Row], actual: Iterable[Row], label: str = "") -> None:
    """Compares two bags of rows exactly: order free, number of each row counted."""
    want, have = Counter(expected), Counter(actual)
    if want == have:
        return
    lacking = list((want - have).elements())
    surplus = list((have - want).elements())
    raise RowsDiffer(
        f"{label}: {sum(want.values())} rows expected, {sum(have.values())} read; "
        f"{len(lacking)} lacking, {len(surplus)} surplus\n"
        f"  lacking: {_sample(lacking)}\n  surplus: {_sample(surplus)}"
    )


def assert_same_tables(
    expected: pa.Table, actual: pa.Table, columns: Sequence[str] | None = None, label: str = ""
) -> None:
    """Compares all the rows of two Arrow tables in all (or the named) columns."""
    names = list(columns) if columns is not None else expected.column_names
    if columns is None and sorted(expected.column_names) != sorted(actual.column_names):
        raise RowsDiffer(f"{label}: columns {expected.column_names} against {actual.column_names}")
    assert_same_rows(canonical_rows(expected, names), canonical_rows(actual, names), label)


def exact(value: Any) -> Any:
    """The exact form of one Python value: doubles as bits, so that -0.0, 0.0 and NaN differ."""
    if isinstance(value, float):
        return ("double", "NaN") if math.isnan(value) else ("double", struct.pack(">d", value))
    if isinstance(value, (list, tuple)):
        return tuple(exact(item) for item in value)
    if isinstance(value, dict):
        return tuple((exact(k), exact(v)) for k, v in value.items())
    return bytes(value) if isinstance(value, (bytearray, memoryview)) else value


def _column(column: pa.ChunkedArray) -> list[Any]:
    kind = column.type
    if pa.types.is_dictionary(kind):
        return _column(column.cast(kind.value_type))
    if pa.types.is_string(kind) or pa.types.is_integer(kind) or pa.types.is_boolean(kind):
        return list(column.to_pylist())  # exact as they are
    if pa.types.is_timestamp(kind):
        micros = column.cast(pa.timestamp("us", tz=kind.tz)) if kind.unit != "us" else column
        zone = "utc" if kind.tz else "local"
        return [None if v is None else (zone, v) for v in _integers(micros, pa.int64())]
    if pa.types.is_date32(kind):
        return [None if v is None else ("day", v) for v in _integers(column, pa.int32())]
    if pa.types.is_decimal(kind):
        return [None if v is None else ("decimal", format(v, "f")) for v in column.to_pylist()]
    return [exact(value) for value in column.to_pylist()]


def _integers(column: pa.ChunkedArray, kind: pa.DataType) -> list[int | None]:
    return [value for chunk in column.chunks for value in chunk.view(kind).to_pylist()]


def _sample(rows: list[Row]) -> str:
    shown = "\n           ".join(repr(row)[:400] for row in sorted(rows, key=repr)[:5])
    return shown or "none"
