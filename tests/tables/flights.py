"""A thousand rows in two partitions, written by an INSERT and changed by a MERGE."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pyarrow as pa

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROWS = 1200
CHANGED = range(1100, 1300)
CREATE = (
    "CREATE TABLE {name} (id STRING, n BIGINT, price DECIMAL(12,2), ratio DOUBLE, day DATE, "
    "at TIMESTAMP, note STRING, tags ARRAY<STRING>, part STRING, PRIMARY KEY (id)) "
    "USING hudilite {parted} WITH BUCKETS 4"
)
COLUMNS = (
    "concat('key:', id, ',x') id",
    "id * 1000003 n",
    "CAST(CAST(id - 600 AS DECIMAL(12,2)) / 8 AS DECIMAL(12,2)) price",
    "id / 7.0D ratio",
    "date_from_unix_date(CAST(id * 30 - 20000 AS INT)) day",
    "timestamp_micros(id * 86400000001 - 900000000000000) at",
    "IF(id % 9 = 0, NULL, concat('note ', {word}, ' ', id)) note",
    "IF(id % 5 = 0, NULL, array('a', CAST(id AS STRING), NULL)) tags",
    "{parts}[CAST(id % 2 AS INT)] part",
)
ODD_PARTS = "array('p/1 x=:%\u00e9', 'plain')"


def source_sql(first: int, last: int, word: str) -> str:
    """A query of the rows [first, last)."""
    columns = ", ".join(COLUMNS).format(word=f"'{word}'", parts=ODD_PARTS)
    return f"SELECT {columns} FROM range({first}, {last})"


def write_flights(spark: SparkSession, name: str, parted: bool = True) -> None:
    """Creates the table, inserts rows 0 to ROWS, merges CHANGED: two commits."""
    spark.sql(CREATE.format(name=name, parted="PARTITIONED BY (part)" if parted else ""))
    spark.sql(f"INSERT INTO {name} {source_sql(0, ROWS, 'one')}")
    spark.sql(
        f"MERGE INTO {name} t USING ({source_sql(CHANGED.start, CHANGED.stop, 'two')}) s "
        "ON t.id = s.id WHEN MATCHED AND s.n % 10 = 3 THEN DELETE WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED THEN INSERT *"
    )


def expected_rows(spark: SparkSession) -> pa.Table:
    """The rows by plain Spark, without the engine's table."""
    untouched = spark.sql(source_sql(0, CHANGED.start, "one"))
    changed = spark.sql(source_sql(CHANGED.start, CHANGED.stop, "two"))
    deleted = f"n % 10 = 3 AND n < {ROWS * 1000003}"
    kept: Any = untouched.unionAll(changed.where(f"NOT ({deleted})"))
    result: pa.Table = kept.toArrow()
    return result
