"""CALL materialize: adopted file groups become whole base files, with the same rows."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import bootstrapped, damage, layout
from harness.faults import run_statement
from harness.gate import held
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(
    by="test", when=product("procedures/Materialize.scala", "spark/repair/Materialization.scala")
)
ROWS = 600
CALL = "CALL materialize(table => 't')"
WHOLE = (
    "SELECT _hoodie_commit_time, _hoodie_commit_seqno, _hoodie_record_key, "
    "_hoodie_partition_path, * FROM t ORDER BY p, d, id"
)
SOURCE = f"""
SELECT concat('k', lpad(CAST(id * 7 % {ROWS} AS STRING), 4, '0')), IF(id % 11 = 0, NULL, id / 3D),
  IF(id % 5 = 0, NULL, named_struct('a', CAST(id AS INT), 'b', array('u', NULL))), map('k', id),
  timestamp_micros(id * 1000001), CAST(id % 2 AS INT), DATE'2024-01-01' + CAST(id % 3 AS INT)
FROM range({ROWS})
"""


@pytest.fixture
def sources(spark: SparkSession, database: Path) -> list[Path]:
    """The source files of table `t`: six partitions of one adopted file group each."""
    spark.sql(
        "CREATE TABLE t (id STRING, x DOUBLE, s STRUCT<a: INT, b: ARRAY<STRING>>, "
        "m MAP<STRING, BIGINT>, at TIMESTAMP, p INT, d DATE, PRIMARY KEY (id)) USING hudilite "
        f"PARTITIONED BY (p, d) LOCATION '{database / 't'}'"
    )
    spark.sql(f"INSERT INTO t {SOURCE}")
    files = bootstrapped.adopt(database / "t", database / "source")
    spark.sql("REFRESH TABLE t")
    assert len(files) == 6
    return files


def rows(spark: SparkSession) -> list[tuple[object, ...]]:
    """All rows with those meta columns that stay."""
    return [tuple(row) for row in spark.sql(WHOLE).collect()]


def skeletons(base: Path) -> list[layout.Slice]:
    return [s for s in layout.latest_slices(base) if s.instant == bootstrapped.INSTANT]


def assert_whole(spark: SparkSession, base: Path) -> None:
    """No fault is found, and no group is left to do."""
    found = spark.sql("CALL verify('t', 'rows')").collect()
    assert [row for row in found if row.severity != "INFO"] == []
    assert skeletons(base) == []
    before = layout.untouched_state(base)
    assert spark.sql(CALL).collect() == []
    assert layout.untouched_state(base) == before


def test_a_whole_table_needs_its_source_no_more(
    spark: SparkSession, database: Path, sources: list[Path]
) -> None:
    base, before = database / "t", rows(spark)
    old = skeletons(base)
    kept = {path: path.read_bytes() for path in sources}
    told = [tuple(row) for row in spark.sql(CALL).collect()]
    assert {path: path.read_bytes() for path in sources} == kept
    made = layout.latest_slices(base)
    assert told == [(s.partition, s.file_id, 100, s.path.stat().st_size) for s in made]
    assert [(s.partition, s.file_id) for s in made] == [(s.partition, s.file_id) for s in old]
    (instant,) = {s.instant for s in made}
    assert instant > bootstrapped.INSTANT
    metadata = layout.commit_metadata(base, instant)
    stats = [s for of in metadata["partitionToWriteStats"].values() for s in of]
    assert metadata["operationType"] == "UPSERT"
    assert {(s["prevCommit"], s["numWrites"], s["numInserts"]) for s in stats} == {
        (bootstrapped.INSTANT, 100, 0)
    }
    assert {s["prevBaseFile"] for s in stats} == {s.path.name for s in old}
    (database / "source").rename(database / "elsewhere")
    assert rows(spark) == before
    names = spark.sql("SELECT DISTINCT _hoodie_file_name FROM t").collect()
    assert {row[0] for row in names} == {s.path.name for s in made}
    assert_whole(spark, base)
    spark.sql("UPDATE t SET x = 0 WHERE p = 0")
    assert spark.sql("SELECT count(*) FROM t WHERE x = 0").first() == (300,)


@ROTATED
@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("p = 1 AND d > DATE'2024-01-01'", ["p=1/d=2024-01-02", "p=1/d=2024-01-03"]),
        ("P IN (0, 7) AND d = '2024-01-02'", ["p=0/d=2024-01-02"]),
        ("p + 1 BETWEEN 2 AND 3 AND dayofmonth(d) = 3", ["p=1/d=2024-01-03"]),
        ("p > 1 OR d IS NULL", []),
    ],
)
def test_a_filter_takes_partitions_by_the_columns_types(
    spark: SparkSession, database: Path, sources: list[Path], condition: str, expected: list[str]
) -> None:
    assert sources
    base, before = database / "t", rows(spark)
    for _ in range(2):
        commits = set(layout.completed(base))
        text = condition.replace("'", "''")
        told = spark.sql(f"CALL materialize('t', partitions => '{text}')").collect()
        assert [row.partition for row in told] == expected
        assert len(set(layout.completed(base)) - commits) == (1 if expected else 0)
        assert rows(spark) == before
        expected = []
    left = [s.partition for s in skeletons(base)]
    assert len(left) + len({s.partition for s in layout.latest_slices(base)} - set(left)) == 6


@ROTATED
def test_so_many_bytes_a_call_and_at_least_one_group(
    spark: SparkSession, database: Path, sources: list[Path]
) -> None:
    base, before = database / "t", rows(spark)
    order = [s.partition for s in skeletons(base)]
    size = {
        path.parent.relative_to(database / "source").as_posix(): path.stat().st_size
        for path in sources
    }
    two = size[order[1]] + size[order[2]]
    told = []
    for most in (1, two, two + size[order[3]] - 1, sum(size.values())):
        answer = spark.sql(f"CALL materialize('t', max_bytes => {most})").collect()
        told.append([row.partition for row in answer])
        assert rows(spark) == before
    assert told[:2] == [order[:1], order[1:3]]
    assert [partition for some in told for partition in some] == order
    assert_whole(spark, base)


@ROTATED
def test_a_source_that_changed_leaves_the_table_as_it_was(
    spark: SparkSession, database: Path, sources: list[Path]
) -> None:
    base = database / "t"
    whole = sources[-1].read_bytes()
    before = layout.untouched_state(base)
    for change, condition in (
        (whole + b"more", "HUDILITE_SOURCE_CHANGED"),
        (None, "HUDILITE_MISSING_DATA_FILE"),
    ):
        if change is None:
            sources[-1].unlink()
        else:
            damage.put(sources[-1], change)
        fault = run_statement(spark, CALL)
        assert fault is not None
        assert fault.condition == condition
        assert layout.untouched_state(base) == before
    sources[-1].write_bytes(whole)
    assert len(spark.sql(CALL).collect()) == 6


@ROTATED
@pytest.mark.usefixtures("sources")
def test_a_write_of_the_same_file_group_is_retried(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    merge = (
        "MERGE INTO t USING (SELECT id, p, d, -1D x FROM t WHERE id = 'k0007' AND gate(1) > 0) s "
        "ON t.id = s.id AND t.p = s.p AND t.d = s.d WHEN MATCHED THEN UPDATE SET x = s.x"
    )
    with held(spark, database / "t", merge, tmp_path / "open") as faults:
        assert len(spark.sql(CALL).collect()) == 6
    assert faults == [None]
    assert spark.sql("SELECT count(*), sum(int(x = -1)) FROM t").collect() == [(ROWS, 1)]
    assert_whole(spark, database / "t")
