"""The table of the benchmarks: 12 columns, about 90 bytes a row compressed, a text key."""

from __future__ import annotations

COLUMNS = """
  lpad(conv(xxhash64(id) & 9223372036854775807L, 10, 16), 16, '0') k,
  id l1, xxhash64(id, 1, {salt}) & 16777215 l2, xxhash64(id, 2, {salt}) & 4294967295 l3,
  (xxhash64(id, 3, {salt}) & 1048575) / 100.0D d1, (xxhash64(id, 4, {salt}) & 65535) / 7.0D d2,
  date_add(DATE'2020-01-01', CAST(id % 1500 AS INT)) day,
  timestamp_micros(1600000000000000 + id * 1000003) at,
  hex(xxhash64(id, 5, {salt}) & 4294967295) s1, concat('customer ', id % 90000) s2,
  concat('note ', xxhash64(id, 6, {salt}) & 1048575) s3,
  array('new', 'open', 'paid', 'sent', 'closed')[CAST(id % 5 AS INT)] flag
"""
SCHEMA = (
    "k STRING, l1 BIGINT, l2 BIGINT, l3 BIGINT, d1 DOUBLE, d2 DOUBLE, day DATE, at TIMESTAMP, "
    "s1 STRING, s2 STRING, s3 STRING, flag STRING"
)


def create_sql(name: str, buckets: int) -> str:
    """CREATE TABLE with key `k`."""
    return f"CREATE TABLE {name} ({SCHEMA}, PRIMARY KEY (k)) USING hudilite WITH BUCKETS {buckets}"


def rows_sql(first: int, last: int, salt: int = 0) -> str:
    """A query of the rows [first, last); another salt gives the same keys other values."""
    return f"SELECT {COLUMNS.format(salt=salt)} FROM range({first}, {last})"
