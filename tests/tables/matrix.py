"""Every scalar type by its awkward values: SQL text and the value that every reader must give."""

from __future__ import annotations

import datetime
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import pyarrow as pa

CASES = (
    "null",
    "min",
    "max",
    "empty",
    "before_1970",
    "before_1582",
    "nan",
    "negative_zero",
    "negative_full_scale",
    "infinite",
    "plain",
)
UTC = pa.timestamp("us", tz="UTC")
LOCAL = pa.timestamp("us")
EPOCH = datetime.datetime(1970, 1, 1)


@dataclass(frozen=True)
class TypeColumn:
    """A column with its value in each case; a case that is not named is null."""

    name: str
    sql_type: str
    arrow: pa.DataType
    values: dict[str, Any]


def micros(text: str) -> int:
    """Microseconds since 1970 of an ISO date and time."""
    return (datetime.datetime.fromisoformat(text) - EPOCH) // datetime.timedelta(microseconds=1)


def days(text: str) -> int:
    """Days since 1970 of an ISO date."""
    return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days


def decimals(precision: int, scale: int) -> dict[str, Decimal]:
    """Ends, zero and the smallest steps of DECIMAL(precision, scale)."""

    def number(sign: int, *digits: int) -> Decimal:
        """Exact: arithmetic would round to 28 digits."""
        return Decimal((sign, digits, -scale))

    nines = (9,) * precision
    return {
        "min": number(1, *nines),
        "max": number(0, *nines),
        "negative_zero": number(0, 0),
        "negative_full_scale": number(1, 1),
        "plain": number(0, 1),
    }


MOMENTS = {
    "min": "0001-01-01T00:00:00",
    "max": "9999-12-31T23:59:59.999999",
    "before_1970": "1969-12-31T23:59:59.999999",
    "before_1582": "1500-02-28T12:34:56.789012",
    "negative_full_scale": "1582-10-10T00:00:00",
    "plain": "2024-03-10T02:30:00",
}
COLUMNS = (
    TypeColumn("b", "BOOLEAN", pa.bool_(), {"min": False, "max": True}),
    TypeColumn("ti", "TINYINT", pa.int8(), {"min": -128, "max": 127, "plain": 0}),
    TypeColumn("si", "SMALLINT", pa.int16(), {"min": -(2**15), "max": 2**15 - 1, "plain": 0}),
    TypeColumn("i", "INT", pa.int32(), {"min": -(2**31), "max": 2**31 - 1, "plain": 0}),
    TypeColumn("l", "BIGINT", pa.int64(), {"min": -(2**63), "max": 2**63 - 1, "plain": 0}),
    TypeColumn(
        "f",
        "FLOAT",
        pa.float32(),
        {
            "min": -3.4028234663852886e38,
            "max": 3.4028234663852886e38,
            "nan": float("nan"),
            "negative_zero": -0.0,
            "infinite": float("-inf"),
            "plain": 1.401298464324817e-45,
        },
    ),
    TypeColumn(
        "d",
        "DOUBLE",
        pa.float64(),
        {
            "min": -1.7976931348623157e308,
            "max": 1.7976931348623157e308,
            "nan": float("nan"),
            "negative_zero": -0.0,
            "infinite": float("inf"),
            "plain": 5e-324,
        },
    ),
    TypeColumn("e5", "DECIMAL(5,2)", pa.decimal128(5, 2), decimals(5, 2)),
    TypeColumn("e18", "DECIMAL(18,18)", pa.decimal128(18, 18), decimals(18, 18)),
    TypeColumn("e20", "DECIMAL(20,2)", pa.decimal128(20, 2), decimals(20, 2)),
    TypeColumn("e38", "DECIMAL(38,10)", pa.decimal128(38, 10), decimals(38, 10)),
    TypeColumn("e0", "DECIMAL(38,38)", pa.decimal128(38, 38), decimals(38, 38)),
    TypeColumn(
        "s",
        "STRING",
        pa.string(),
        {"empty": "", "min": " ", "max": "z" * 10240, "plain": "你好 é \U0001d4b3\n\t'\\"},
    ),
    TypeColumn(
        "x",
        "BINARY",
        pa.binary(),
        {"empty": b"", "min": b"\x00", "max": b"\xff" * 300, "plain": b"\x80\x00\xc3("},
    ),
    TypeColumn("day", "DATE", pa.date32(), {k: days(v[:10]) for k, v in MOMENTS.items()}),
    TypeColumn("at", "TIMESTAMP", UTC, {k: micros(v) for k, v in MOMENTS.items()}),
    TypeColumn("loc", "TIMESTAMP_NTZ", LOCAL, {k: micros(v) for k, v in MOMENTS.items()}),
)


EVERYWHERE = tuple(column for column in COLUMNS if column.arrow != LOCAL)
LOCAL_TIMES = tuple(column for column in COLUMNS if column.arrow == LOCAL)


def create_sql(name: str, chosen: tuple[TypeColumn, ...]) -> str:
    """CREATE TABLE of some columns: key `id` holds the case."""
    columns = ", ".join(f"{c.name} {c.sql_type}" for c in chosen)
    return (
        f"CREATE TABLE {name} (id STRING, {columns}, PRIMARY KEY (id)) "
        "USING hudilite WITH BUCKETS 3"
    )


def insert_sql(name: str, chosen: tuple[TypeColumn, ...]) -> str:
    """INSERT of every case as literals."""
    rows = (
        "(" + ", ".join([f"'{case}'", *(_literal(c, c.values.get(case)) for c in chosen)]) + ")"
        for case in CASES
    )
    return f"INSERT INTO {name} VALUES {', '.join(rows)}"


def expected(chosen: tuple[TypeColumn, ...]) -> pa.Table:
    """The rows as Arrow holds them."""
    arrays = [pa.array(list(CASES), pa.string())]
    arrays += [_array(c, [c.values.get(case) for case in CASES]) for c in chosen]
    return pa.Table.from_arrays(arrays, names=["id", *(c.name for c in chosen)])


def _array(column: TypeColumn, values: list[Any]) -> pa.Array:
    if column.arrow in (UTC, LOCAL):
        return pa.array(values, pa.int64()).view(column.arrow)
    if column.arrow == pa.date32():
        return pa.array(values, pa.int32()).view(column.arrow)
    return pa.array(values, column.arrow)


def _literal(column: TypeColumn, value: Any) -> str:
    if value is None:
        return f"CAST(NULL AS {column.sql_type})"
    if column.sql_type in ("FLOAT", "DOUBLE"):
        return f"CAST('{value!r}' AS {column.sql_type})"
    if isinstance(value, bytes):
        return f"X'{value.hex()}'"
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    if column.arrow == pa.date32():
        return f"date_from_unix_date({value})"
    if column.arrow == UTC:
        return f"timestamp_micros({value})"
    if column.arrow == LOCAL:
        moment = EPOCH + datetime.timedelta(microseconds=value)
        return f"TIMESTAMP_NTZ'{moment.isoformat(sep=' ')}'"
    text = format(value, "f") if isinstance(value, Decimal) else str(value)
    return f"CAST('{text}' AS {column.sql_type})"
