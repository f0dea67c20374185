"""Sequence numbers of adopted rows: reads make them, and the skeletons hold the same."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import layout, plants
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("core/bootstrap/", "spark/read/"))
ROWS = 1200
SPLITS = "spark.sql.files.maxPartitionBytes"


@pytest.fixture(params=["k", "n"])
def key(request: pytest.FixtureRequest, spark: SparkSession, database: Path) -> str:
    """The key of table `t`, a text or a number, over files of 10-row row groups."""
    chosen: str = request.param
    numbers = list(range(ROWS))
    columns = {"k": [f"key-{i * 7 % ROWS:05}" for i in numbers], "n": numbers, "v": numbers}
    table = pa.table(columns)
    (database / "source").mkdir()
    for number, from_row in enumerate((0, 11, 1111)):
        end = (11, 1111, ROWS)[number]
        file = database / "source" / f"{number}.parquet"
        pq.write_table(
            table.slice(from_row, end - from_row), file, row_group_size=10, data_page_size=40
        )
    call = f"CALL bootstrap(table => 't', source => '{database / 'source'}', key => '{chosen}')"
    spark.sql(call).collect()
    return chosen


def stored(base: Path) -> dict[str, str]:
    """Sequence numbers by record key, as the skeletons hold them."""
    found = {}
    for slice_ in layout.latest_slices(base):
        rows = pq.ParquetFile(slice_.path).read().to_pylist()
        found |= {row["_hoodie_record_key"]: row["_hoodie_commit_seqno"] for row in rows}
    return found


@pytest.mark.parametrize(
    "wanted", ["true", "n = 777", "n > 15 AND n < 33", "k >= 'key-01100'", "v % 400 = 3"]
)
def test_reads_return_the_numbers_in_the_skeletons(
    spark: SparkSession, database: Path, key: str, wanted: str
) -> None:
    expected = stored(database / "t")
    assert len(expected) == len(set(expected.values())) == ROWS
    spark.conf.set(SPLITS, "1024")
    try:
        read = spark.sql(f"SELECT {key}, _hoodie_commit_seqno s, v FROM t WHERE {wanted}").collect()
        alone = spark.sql("SELECT _hoodie_commit_seqno s FROM t").collect()
    finally:
        spark.conf.unset(SPLITS)
    plain = spark.read.parquet(str(database / "source")).where(wanted)
    assert sorted((str(row[0]), row.s) for row in read) == sorted(
        (str(row[0]), expected[str(row[0])]) for row in plain.select(key).collect()
    )
    assert sorted(row.s for row in alone) == sorted(expected.values())


def test_rows_keep_their_numbers_when_their_file_is_rewritten(
    spark: SparkSession, database: Path, key: str
) -> None:
    expected = stored(database / "t")
    spark.sql("UPDATE t SET v = -1 WHERE n IN (5, 640)")
    read = spark.sql(f"SELECT {key}, n, _hoodie_commit_seqno s FROM t").collect()
    changed = {row.n for row in read if row.s != expected[str(row[0])]}
    assert changed == {5, 640}
    assert len({row.s for row in read}) == len(read) == ROWS


@pytest.mark.usefixtures("key")
def test_verify_finds_a_number_that_the_index_does_not_contain(
    spark: SparkSession, database: Path
) -> None:
    plants.constant("_hoodie_commit_seqno", "00000000000001_9_9")(database / "t")
    spark.sql("REFRESH TABLE t")
    found = spark.sql("CALL verify(table => 't', level => 'rows')").collect()
    assert {row.code for row in found if row.severity == "ERROR"} >= {"SEQUENCE_DIFFERS"}
