"""No row is lost where a query skips files of several writers, of which some have columns that changed."""

from __future__ import annotations

import io
import os
import random
import re
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from harness import damage, layout
from harness.rotation import product
from harness.seeds import asked_seed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("spark/read/", "core/view/"))
FILES, ROWS = 20, 6  # of each file
CONDITIONS = int(os.environ.get("HUDILITE_FILTERS", "30"))
WRITERS: list[dict[str, Any] | None] = [
    None,
    {},
    {"write_statistics": ["i", "s"]},
    {"write_statistics": False},
    {"use_deprecated_int96_timestamps": True},
    {"coerce_timestamps": "ms"},
]
NEAR = "int(p * 6 + id % 6)"  # values that grow with the partition
COLUMNS = {
    "i INT": f"if(id % 5 = 0, NULL, {NEAR})",
    "f FLOAT": f"float(CASE p % 4 WHEN 0 THEN '-0.0' WHEN 1 THEN '0.0' ELSE string({NEAR}) END)",
    "d DOUBLE": f"double(CASE WHEN p < 9 AND id % 6 = p % 6 THEN 'NaN' WHEN p = 10 THEN '-0.0' "
    f"ELSE string({NEAR}) END)",
    "n DECIMAL(9, 2)": f"CAST({NEAR} / 4 - 10 AS DECIMAL(9, 2))",
    "w DECIMAL(25, 3)": f"{NEAR} * 1000000000000000000BD",
    "c CHAR(5)": f"string({NEAR})",
    "vc VARCHAR(9)": f"concat('v', lpad(string({NEAR}), 3, '0'))",
    "s STRING": f"if(id % 7 = 0, NULL, concat(repeat('é', 40), lpad(string({NEAR}), 3, '0')))",
    "t TIMESTAMP": f"timestamp_seconds(86400 * {NEAR} - 12219300000)",
    "da DATE": f"date_add(DATE '1582-09-25', {NEAR})",
    "bo BOOLEAN": "p > 15",
    "b BINARY": f"unhex(lpad(hex(3 * {NEAR}), 4, '0'))",
}
CHANGES = [
    "ALTER COLUMN i TYPE BIGINT",
    "ALTER COLUMN f TYPE DOUBLE",
    "ALTER COLUMN n TYPE DECIMAL(12, 3)",
    "RENAME COLUMN vc TO s2",
    "DROP COLUMN w",
    "ADD COLUMN w INT",
    "ADD COLUMN x INT",
    "ALTER COLUMN x SET DEFAULT 7",
]


def create(spark: SparkSession) -> None:
    spark.sql(
        f"CREATE TABLE t (id BIGINT, p INT, {', '.join(COLUMNS)}, PRIMARY KEY (id, p)) USING hudilite "
        "PARTITIONED BY (p) WITH BUCKETS 1"
    )
    rows = f"SELECT id, int(id div {ROWS}) p FROM range({FILES * ROWS})"
    spark.sql(f"INSERT INTO t SELECT id, p, {', '.join(COLUMNS.values())} FROM ({rows})")


def rewritten(base: Path) -> None:
    """Writes the files of a table with several writers in turn."""
    files = sorted(layout.latest_slices(base), key=lambda of: of.path)
    assert len(files) == FILES
    for n, file in enumerate(files):
        options = WRITERS[n % len(WRITERS)]
        if options is not None:
            content = io.BytesIO()
            pq.write_table(damage.rows(file.path), content, row_group_size=4, **options)
            damage.put(file.path, content.getvalue())
            damage.restate(base, file, fileSizeInBytes=len(content.getvalue()))


def value(rng: random.Random, name: str) -> str:
    near = rng.randrange(-2, FILES * ROWS + 2)
    return {
        "i": f"{near}",
        "f": rng.choice(["0.0F", "-0.0F", "float('NaN')", f"{near}F"]),
        "d": rng.choice(["0.0D", "-0.0D", "double('NaN')", f"{near}D"]),
        "n": f"{near / 4 - 10:.2f}BD",
        "w": rng.choice([f"{near}", f"{max(near, 1)}" + "0" * 18 + "BD"]),
        "c": f"'{near}'",
        "vc": f"'v{near:03}'",
        "s2": f"'v{near:03}'",
        "s": f"concat(repeat('é', 40), '{near:03}')",
        "t": f"timestamp_seconds(86400 * {near} - 12219300000) + INTERVAL "
        f"'{rng.choice([0, 0, 500])}' MICROSECONDS",
        "da": f"date_add(DATE '1582-09-25', {near})",
        "bo": "true",
        "b": f"unhex('{3 * max(near, 0):04X}')",
        "x": rng.choice(["7", "8", "NULL"]),
    }[name]


def term(rng: random.Random, names: list[str]) -> str:
    """A comparison of a column with values."""
    name = rng.choice(names)
    values = [value(rng, name) for _ in range(3)]
    return rng.choice(
        [
            *(f"{name} {op} {values[0]}" for op in ("=", "=", "<=>", "<", ">", "<=", ">=", "<>")),
            f"{name} IN ({', '.join(values)})",
            f"{name} BETWEEN {values[0]} AND {values[1]}",
            f"{name} IS NULL",
            f"NOT ({name} > {values[0]})",
        ]
    )


def condition(rng: random.Random, names: list[str]) -> str:
    terms = [f"({term(rng, names)})" for _ in range(rng.randint(1, 3))]
    return rng.choice([" AND ", " OR "]).join(terms)


def hold(spark: SparkSession, table: str, names: list[str]) -> int:
    """Compares the rows of many conditions with those that a read of all rows has; returns the files skipped."""
    rng = random.Random(asked_seed())
    asked = [condition(rng, names) for _ in range(CONDITIONS)]
    tested = ", ".join(f"{where} c{n}" for n, where in enumerate(asked))
    every = spark.sql(f"SELECT id, {tested} FROM {table}").collect()
    skipped = 0
    for n, where in enumerate(asked):
        query = spark.sql(f"SELECT id FROM {table} WHERE {where}")
        found = sorted(row.id for row in query.collect())
        assert found == sorted(row.id for row in every if row[n + 1]), where
        plan = query._jdf.queryExecution().executedPlan().toString()
        skipped += sum(map(int, re.findall(r"(\d+) skipped by statistics", plan)))
    return skipped


def test_milliseconds_are_not_compared_with_rounded_values(
    spark: SparkSession, database: Path
) -> None:
    """Spark drops the microseconds of a value before Parquet compares it with the least one of a file."""
    create(spark)
    rewritten(database / "t")
    least = spark.sql("SELECT p, unix_micros(min(t)) FROM t GROUP BY p").collect()
    assert len(least) == FILES
    for p, micros in least:
        after = f"p = {p} AND t < timestamp_micros({micros + 500})"
        assert spark.sql(f"SELECT id FROM t WHERE {after}").count() == 1, after


@pytest.mark.parametrize("stored", [False, True], ids=["opened", "stored"])
def test_no_row_of_other_writers_is_skipped(
    spark: SparkSession, database: Path, tmp_path: Path, stored: bool
) -> None:
    create(spark)
    copy = tmp_path / "copy"
    shutil.copytree(database / "t", copy)
    rewritten(copy)
    table = f"hudilite.`{copy}`"
    if stored:
        spark.sql(f"ANALYZE TABLE {table} COMPUTE STATISTICS")
        again = tmp_path / "again"
        shutil.copytree(copy, again)
        table = f"hudilite.`{again}`"
    names = [column.split()[0] for column in COLUMNS]
    assert hold(spark, table, names) > 0


def test_no_row_is_skipped_by_what_a_column_was(spark: SparkSession, database: Path) -> None:
    create(spark)
    spark.sql("ANALYZE TABLE t COMPUTE STATISTICS")
    for change in CHANGES:
        spark.sql(f"ALTER TABLE t {change}")
    spark.sql("INSERT INTO t (id, p, i, f, s2, w) VALUES (1000, 3, 40000000000, 1.1, 'v003', 50)")
    spark.sql("UPDATE t SET w = 20, s = 'changed' WHERE p IN (5, 6)")
    names = [column.split()[0] for column in COLUMNS if not column.startswith("vc")]
    assert hold(spark, "t", [*names, "s2", "x"]) > 0
