"""Archival of a table's timeline, behind writes and by CALL."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.faults import run_statement
from harness.rotation import product
from harness.warned import warnings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WHEN = product(
    "procedures/Archive.scala",
    "core/service/",
    "core/timeline/",
    "core/commit/",
    "spark/exec/ArchiveAfterWrite.scala",
    "spark/plan/AutomaticArchive.scala",
)
pytestmark = pytest.mark.rotated(by="test", when=WHEN)
LEAST, MOST = 5, 8


def create(spark: SparkSession, version: str = "6") -> None:
    spark.sql(
        "CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 TBLPROPERTIES "
        f"('hoodie.archive.automatic' = 'true', 'hoodie.keep.min.commits' = '{LEAST}', "
        f"'hoodie.keep.max.commits' = '{MOST}', 'hoodie.write.table.version' = '{version}')"
    )


def changed(spark: SparkSession, base: Path, **options: str) -> dict[int, int]:
    """Rows of an incremental query."""
    reader = spark.read.format("hudilite").option("hoodie.datasource.query.type", "incremental")
    for name, value in options.items():
        reader = reader.option(f"hoodie.datasource.read.{name}.instanttime", value)
    return {row.id: row.v for row in reader.load(str(base)).collect()}


@pytest.mark.parametrize(("version", "commits"), [("6", 60), ("9", 20)])
def test_the_timeline_stays_bounded(
    spark: SparkSession, database: Path, version: str, commits: int
) -> None:
    base = database / "t"
    create(spark, version)
    instants: list[str] = []
    for n in range(commits):
        spark.sql(f"INSERT INTO t VALUES ({n}, {n})")
        instants = sorted({*instants, *layout.completed(base)})
        assert len(instants) == n + 1
        assert len(layout.completed(base)) <= MOST
        assert len(list(layout.states(base))) <= 3 * MOST
    assert LEAST <= len(layout.completed(base)) <= MOST
    assert {row.id: row.v for row in spark.table("t").collect()} == {n: n for n in range(commits)}
    first = min(layout.completed(base))
    place = instants.index(first)
    old = spark.sql(f"SELECT count(*) AS n FROM t VERSION AS OF '{first}'").collect()[0].n
    assert old == place + 1
    fault = run_statement(spark, f"SELECT * FROM t VERSION AS OF '{instants[place - 1]}'")
    assert fault is not None
    assert fault.condition == "HUDILITE_VERSION_NOT_FOUND"
    assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []
    assert changed(spark, base, begin="0") == {n: n for n in range(commits)}
    assert changed(spark, base, begin=instants[3]) == {n: n for n in range(4, commits)}
    assert changed(spark, base, begin=instants[3], end=first) == {n: n for n in range(4, place + 1)}
    assert changed(spark, base, begin=first) == {n: n for n in range(place + 1, commits)}


def test_a_range_that_ends_in_the_archive_is_refused(spark: SparkSession, database: Path) -> None:
    base = database / "t"
    create(spark)
    spark.sql("INSERT INTO t VALUES (0, 0)")
    first = min(layout.completed(base))
    for n in range(1, MOST + 1):
        spark.sql(f"UPDATE t SET v = {n}")
    assert first not in layout.completed(base)
    with pytest.raises(Exception, match="HUDILITE_VERSION_NOT_FOUND"):
        changed(spark, base, begin="0", end=first)


def test_a_write_succeeds_whose_archival_fails(spark: SparkSession, database: Path) -> None:
    base = database / "t"
    create(spark)
    spark.sql("INSERT INTO t VALUES (1, 0)")
    (base / ".hoodie" / "archived").write_bytes(b"no folder")
    with warnings(spark) as told:
        for n in range(MOST):
            spark.sql(f"UPDATE t SET v = {n + 1}")
    assert spark.table("t").collect()[0].v == MOST
    assert len(layout.completed(base)) == MOST + 1
    assert any("the archival after it failed" in line for line in told)
    (base / ".hoodie" / "archived").unlink()
    row = spark.sql("CALL archive(table => 't', keep_min => 2, keep_max => 3)").collect()[0]
    assert row.commits_archived == MOST - 1
