"""Reads of a table that CALL bootstrap has made, held against the plain Parquet files."""

from __future__ import annotations

import math
import os
import random
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import functions as f

from harness.rotation import product
from harness.seeds import asked_seed

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("core/bootstrap/", "spark/read/"))
ROWS = 160
FILTERS = int(os.environ.get("HUDILITE_FILTERS", "60"))
AT_ONCE = 20
ZEROS, NAN = ["0.0D", "-0.0D"], "double('NaN')"
CUT = {"spark.sql.files.maxPartitionBytes": "1024", "spark.sql.files.openCostInBytes": "1"}


@pytest.fixture(params=["number", "text"])
def adopted(spark: SparkSession, database: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """The source of table `t`: 4 files of 10-row groups in 2 partitions; `plain` has its rows.

    A key that is a text is the record key as it stands; that of a number lies in the skeletons alone.
    """
    rng = random.Random(asked_seed())
    source = database / "source"
    keys = rng.sample(range(100_000, 200_000), ROWS)
    table = pa.table(
        {
            "id": keys if request.param == "number" else [str(key) for key in keys],
            "n": [rng.choice([None, *range(20)]) for _ in keys],
            "s": [rng.choice(["a", "b", None, "zz"]) for _ in keys],
        }
    )
    for part in range(4):
        folder = source / f"p={part % 2}"
        folder.mkdir(parents=True, exist_ok=True)
        share = table.slice(part * ROWS // 4, ROWS // 4).sort_by("n" if part < 2 else "id")
        numbers = [x for _ in range(len(share) // 10) for x in floating(rng)]
        share = share.append_column("x", [numbers])
        pq.write_table(share, folder / f"f{part}.parquet", row_group_size=10)
    spark.sql(f"CALL bootstrap(table => 't', source => '{source}', key => 'id')")
    key = "CAST(id AS STRING) _hoodie_record_key, concat('p=', p) _hoodie_partition_path"
    # In memory, but not cached: a cached table leaves NaN out of its bounds.
    spark.read.parquet(str(source)).selectExpr(
        "'00000000000001' _hoodie_commit_time", *key.split(", ", 1), "id", "n", "x", "s", "p"
    ).localCheckpoint().createOrReplaceTempView("plain")
    yield source
    spark.sql("DROP VIEW plain")


def floating(rng: random.Random) -> list[float]:
    """Ten numbers: one zero alone, or numbers among which may be NaN, which pyarrow leaves out of bounds."""
    zero = rng.choice([0.0, -0.0, None, None])
    if zero is not None:
        return [zero] * 10
    return [rng.choice([math.nan, *(rng.uniform(0, 20_000) for _ in range(9))]) for _ in range(10)]


def term(rng: random.Random) -> str:
    """One comparison over a key, a data, a partition or a meta column."""
    key = rng.randrange(100_000, 200_000)
    op = rng.choice(["<", ">", "=", "<=", ">=", "<>"])
    return rng.choice(
        [
            f"id {op} '{key}'",
            f"_hoodie_record_key {op} '{key}'",
            f"substring(_hoodie_record_key, 3, 1) = '{rng.randrange(10)}'",
            f"n {op} {rng.randrange(-1, 21)}",
            "n IS NULL",
            "s IS NOT NULL",
            f"x {op} {rng.uniform(10_000, 22_000):.3f}D",
            f"x {op} {rng.choice([*ZEROS, NAN])}",
            f"x IN ({rng.choice(ZEROS)}, {rng.choice(['1.0D', NAN])})",
            f"s IN ('a', '{rng.choice(['b', 'q', 'zz'])}')",
            f"p = {rng.randrange(3)}",
            f"_hoodie_partition_path = 'p={rng.randrange(2)}'",
            f"_hoodie_commit_time {op} '00000000000001'",
            f"_hoodie_record_key = id AND n < {rng.randrange(20)}",
        ]
    )


def condition(rng: random.Random) -> str:
    """Some comparisons together."""
    terms = [f"({term(rng)})" for _ in range(rng.randint(1, 4))]
    text = terms[0]
    for following in terms[1:]:
        text = f"({text} {rng.choice(['AND', 'AND', 'OR'])} {following})"
    return f"NOT {text}" if rng.random() < 0.1 else text


@pytest.mark.fault("F74")
@pytest.mark.usefixtures("adopted")
def test_random_filters_give_the_rows_of_plain_parquet(spark: SparkSession) -> None:
    seed = asked_seed()
    print(f"HUDILITE_SEED={seed}")
    rng = random.Random(seed)
    columns = (
        "xxhash64(_hoodie_record_key, _hoodie_partition_path, _hoodie_commit_time, id, n, x, s, p)"
    )
    try:
        for name, value in CUT.items():
            spark.conf.set(name, value)
        for start in range(0, FILTERS, AT_ONCE):
            texts = [condition(rng) for _ in range(AT_ONCE)]
            # A sum over the rows' hashes, of both sides: equal rows in any order are equal sums.
            told = [
                " UNION ALL ".join(
                    f"SELECT {i} i, count(*) c, sum(CAST({columns} AS DECIMAL(38, 0))) h "
                    f"FROM {table} WHERE {text}"
                    for i, text in enumerate(texts)
                )
                for table in ("t", "plain")
            ]
            ours, plain = (sorted(map(tuple, spark.sql(sql).collect())) for sql in told)
            wrong = [texts[a[0]] for a, b in zip(ours, plain, strict=True) if a != b]
            assert wrong == [], f"from {start}"
    finally:
        for name in CUT:
            spark.conf.unset(name)


@pytest.mark.usefixtures("adopted")
def test_both_sides_are_read_in_vectors_and_source_files_are_cut(
    spark: SparkSession, adopted: Path
) -> None:
    for columns in ("id, n", "_hoodie_record_key, _hoodie_commit_seqno, n"):
        read = spark.sql(f"SELECT {columns} FROM t")
        assert "ColumnarToRow" in read._jdf.queryExecution().executedPlan().toString()
    try:
        for name, value in CUT.items():
            spark.conf.set(name, value)
        files = len(list(adopted.rglob("*.parquet")))
        assert spark.table("t").rdd.getNumPartitions() > files
    finally:
        for name in CUT:
            spark.conf.unset(name)


def test_row_groups_that_either_footer_rules_out_are_not_read(
    spark: SparkSession, adopted: Path
) -> None:
    """A page of a row group that is left out may be damaged."""
    file = adopted / "p=0" / "f2.parquet"  # sorted by its keys
    told = pq.ParquetFile(file).metadata
    last = told.row_group(told.num_row_groups - 1)
    greatest, at = last.column(0).statistics.max, last.column(1).data_page_offset
    least = told.row_group(0).column(0).statistics.min
    data = bytearray(file.read_bytes())
    data[at : at + last.column(1).total_compressed_size] = bytes(
        last.column(1).total_compressed_size
    )
    file.write_bytes(data)
    for column in ("id", "_hoodie_record_key"):
        kept = f"SELECT n, _hoodie_record_key FROM t WHERE {column} = '{least}'"
        assert len(spark.sql(kept).collect()) == 1
        with pytest.raises(PySparkException):
            spark.sql(kept.replace(str(least), str(greatest))).collect()


@pytest.mark.fault("F65")
def test_a_source_that_was_moved_away_is_named(spark: SparkSession, adopted: Path) -> None:
    shutil.move(adopted, adopted.with_name("elsewhere"))
    for columns in ("*", "n, _hoodie_record_key"):
        with pytest.raises(PySparkException) as gone:
            spark.sql(f"SELECT {columns} FROM t").collect()
        assert gone.value.getCondition() == "HUDILITE_MISSING_DATA_FILE"
        assert str(adopted) in str(gone.value)
    counted = spark.sql("SELECT _hoodie_partition_path FROM t").select(f.count("*"))
    with pytest.raises(PySparkException):
        counted.collect()
    shutil.move(adopted.with_name("elsewhere"), adopted)
    assert spark.table("t").count() == ROWS
