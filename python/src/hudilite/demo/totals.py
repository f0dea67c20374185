"""Totals of the flights per month, by Spark and by hudi-rs, and their comparison."""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from typing import Any

from hudilite.demo.flights import COLUMNS, KEY, MEASURES

_MICROS = {"s": 1_000_000, "ms": 1_000, "us": 1}


@dataclass(frozen=True)
class Totals:
    """Totals of one month.

    Attributes:
        rows: Number of flights.
        sum: Sum of all measures: times, delays and distance.
        key_checksum: Sum of the CRC-32 of each key.
        row_checksum: Sum of the CRC-32 of each row, all columns.
    """

    rows: int = 0
    sum: int = 0
    key_checksum: int = 0
    row_checksum: int = 0

    def __add__(self, other: Totals) -> Totals:
        """Returns the sum of both."""
        return Totals(*(getattr(self, f.name) + getattr(other, f.name) for f in fields(self)))


def totals_query(relation: str) -> str:
    """Returns the query for the totals: one row per month, with the fields of `Totals`.

    Args:
        relation: Name of a table or view with the columns of the flights.
    """
    total = " + ".join(f"coalesce({name}, 0)" for name in MEASURES)
    return (
        f"SELECT month, count(*) AS rows, sum({total}) AS sum, "
        f"sum(crc32({_sql_text(KEY)})) AS key_checksum, "
        f"sum(crc32({_sql_text(list(COLUMNS))})) AS row_checksum "
        f"FROM {relation} GROUP BY month ORDER BY month"
    )


def of_rows(rows: Iterable[Sequence[int]]) -> dict[int, Totals]:
    """Returns the totals by month, from the rows of `totals_query`."""
    return {int(row[0]): Totals(*(int(value) for value in row[1:])) for row in rows}


def of_hudi_rs(table: Path) -> dict[int, Totals]:
    """Returns the totals by month of a Hudi table that hudi-rs reads.

    Args:
        table: Base folder of the table.
    """
    from hudi import HudiTable

    found: dict[int, Totals] = {}
    for batch in HudiTable(table.absolute().as_uri()).read():
        for month, totals in of_batch(batch).items():
            found[month] = found.get(month, Totals()) + totals
    return found


def of_batch(batch: Any) -> dict[int, Totals]:
    """Returns the totals by month of an Arrow record batch."""
    values = {name: _plain(batch.column(name)) for name in COLUMNS}
    measures = zip(*(values[name] for name in MEASURES), strict=True)
    keys = zip(*(values[name] for name in KEY), strict=True)
    rows = zip(*values.values(), strict=True)
    found: dict[int, Totals] = {}
    for month, measured, key, row in zip(values["month"], measures, keys, rows, strict=True):
        one = Totals(1, sum(v or 0 for v in measured), _checksum(key), _checksum(row))
        found[month] = found.get(month, Totals()) + one
    return found


def differences(expected: Mapping[int, Totals], found: Mapping[int, Totals]) -> list[str]:
    """Returns one sentence for each month and total that differs.

    Examples:
        >>> differences({1: Totals(rows=2, sum=7)}, {1: Totals(rows=2, sum=8)})
        ['month 1: sum is 8, not 7']
        >>> differences({1: Totals(rows=2)}, {1: Totals(rows=2)})
        []
    """
    return [
        f"month {month}: {name.replace('_', ' ')} is {actual}, not {wanted}"
        for month in sorted({*expected, *found})
        for name, wanted in asdict(expected.get(month, Totals())).items()
        if (actual := getattr(found.get(month, Totals()), name)) != wanted
    ]


def save(totals: Mapping[int, Totals], file: Path) -> None:
    """Saves totals for a later comparison."""
    file.write_text(json.dumps({month: asdict(t) for month, t in totals.items()}, indent=1))


def load(file: Path) -> dict[int, Totals]:
    """Returns the totals that `save` wrote."""
    return {int(month): Totals(**t) for month, t in json.loads(file.read_text()).items()}


def _sql_text(names: Sequence[str]) -> str:
    texts = [
        f"coalesce(CAST({_sql_plain(name)} AS STRING), '')"  # concat_ws skips nulls
        for name in names
    ]
    return f"concat_ws('|', {', '.join(texts)})"


def _sql_plain(name: str) -> str:
    return f"unix_micros({name})" if COLUMNS[name] == "TIMESTAMP" else name


def _plain(column: Any) -> list[Any]:
    """Returns the values of an Arrow column; timestamps as microseconds since 1970."""
    unit = getattr(column.type, "unit", None)
    if unit is None:
        return list(column.to_pylist())
    moments = column.cast("int64").to_pylist()
    return [None if moment is None else moment * _MICROS[unit] for moment in moments]


def _checksum(values: Iterable[Any]) -> int:
    return zlib.crc32("|".join("" if v is None else str(v) for v in values).encode())
