"""The text of a value in an .out file: exact, one line, the same on every machine."""

from __future__ import annotations

import datetime
import math
import struct
import zlib
from typing import Any

import pyarrow as pa

LONGEST = 200
EPOCH = datetime.datetime(1970, 1, 1)


def row_texts(table: pa.Table) -> list[str]:
    """Each row as tab-separated cells."""
    columns = [_column(table.column(i)) for i in range(table.num_columns)]
    return ["\t".join(cells) for cells in zip(*columns, strict=True)]


def cell(value: Any, kind: pa.DataType) -> str:
    """One value as text; NULL, exact decimals and doubles, X'..' for binary."""
    if value is None:
        return "NULL"
    if pa.types.is_boolean(kind):
        return "true" if value else "false"
    if pa.types.is_float32(kind):
        return _real(value, ">f")
    if pa.types.is_floating(kind):
        return _real(value, ">d")
    if pa.types.is_decimal(kind):
        return format(value, "f")
    if pa.types.is_binary(kind) or pa.types.is_large_binary(kind):
        return _short(f"X'{value.hex().upper()}'")
    if pa.types.is_list(kind):
        return "[" + ",".join(cell(item, kind.value_type) for item in value) + "]"
    if pa.types.is_struct(kind):
        parts = (f"{f.name}:{cell(value[f.name], f.type)}" for f in kind)
        return "{" + ",".join(parts) + "}"
    if pa.types.is_map(kind):
        pairs = (f"{cell(k, kind.key_type)}->{cell(v, kind.item_type)}" for k, v in value)
        return "{" + ",".join(pairs) + "}"
    return _short(str(value))


def _column(column: pa.ChunkedArray) -> list[str]:
    kind = column.type
    if pa.types.is_timestamp(kind):
        micros = column.cast(pa.timestamp("us", tz=kind.tz)).combine_chunks()
        return [_moment(v) for v in _whole(micros, pa.int64())]
    if pa.types.is_date32(kind):
        return [_day(v) for v in _whole(column.combine_chunks(), pa.int32())]
    return [cell(value, kind) for value in column.to_pylist()]


def _whole(column: Any, kind: pa.DataType) -> list[int | None]:
    array = column if isinstance(column, pa.Array) else pa.concat_arrays(column.chunks)
    values: list[int | None] = array.view(kind).to_pylist()
    return values


def _moment(micros: int | None) -> str:
    if micros is None:
        return "NULL"
    try:
        return (EPOCH + datetime.timedelta(microseconds=micros)).isoformat(sep=" ")
    except OverflowError:
        return f"micros {micros}"


def _day(days: int | None) -> str:
    if days is None:
        return "NULL"
    try:
        return (EPOCH + datetime.timedelta(days=days)).date().isoformat()
    except OverflowError:
        return f"day {days}"


def _real(value: float, form: str) -> str:
    if math.isnan(value) or math.isinf(value):
        return {"nan": "NaN", "inf": "Infinity", "-inf": "-Infinity"}[str(value)]
    if form == ">d":
        return repr(value)
    texts = (f"{value:.{digits}g}" for digits in range(1, 10))
    return repr(float(next(t for t in texts if _single(float(t)) == value)))


def _single(value: float) -> float:
    """The nearest single-precision number; infinite beyond the largest."""
    try:
        return float(struct.unpack(">f", struct.pack(">f", value))[0])
    except OverflowError:
        return math.copysign(math.inf, value)


def _short(text: str) -> str:
    plain = (
        text.replace("\\", "\\\\").replace("\t", "\\t").replace("\n", "\\n").replace("\0", "\\0")
    )
    if len(plain) <= LONGEST:
        return plain
    return f"{plain[:20]}...({len(text)} characters, crc32 {zlib.crc32(text.encode()):08x})"
