"""Hudi's incremental queries by options: which rows, and which files are opened."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.everyday_run import fixes
from harness.faults import fault_of
from harness.opens import opened_files
from harness.rotation import product
from harness.warned import warnings

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.rotated(third=2, when=product("spark/read/", "core/view/"))
KIND = "hoodie.datasource.query.type"
BEGIN = "hoodie.datasource.read.begin.instanttime"
END = "hoodie.datasource.read.end.instanttime"


@pytest.fixture
def versions(spark: SparkSession, database: Path) -> list[str]:
    """Instants of table `t`: inserted, two rows changed, one deleted, one of the two once more."""
    spark.sql(
        "CREATE TABLE t (id INT, v STRING, p STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2"
    )
    spark.sql("INSERT INTO t SELECT id, 'one', if(id < 9, 'a', 'b') FROM range(18)")
    spark.sql("UPDATE t SET v = 'two' WHERE id IN (0, 10)")
    spark.sql("DELETE FROM t WHERE id = 17")
    spark.sql("UPDATE t SET v = 'three' WHERE id = 10")
    return sorted(layout.completed(database / "t"))


def read(spark: SparkSession, base: Path, begin: str, end: str | None = None) -> DataFrame:
    reader = spark.read.format("hudilite").option(KIND, "incremental").option(BEGIN, begin)
    return (reader.option(END, end) if end else reader).load(str(base))


def rows(frame: DataFrame) -> set[tuple[int, str]]:
    return {(row.id, row.v) for row in frame.collect()}


def test_rows_after_the_begin_up_to_the_end(
    spark: SparkSession, database: Path, versions: list[str]
) -> None:
    base = database / "t"
    one, two, three, four = versions
    assert rows(read(spark, base, one)) == {(0, "two"), (10, "three")}
    assert rows(read(spark, base, one, two)) == {(0, "two"), (10, "two")}
    assert rows(read(spark, base, one, three)) == {(0, "two"), (10, "two")}
    assert rows(read(spark, base, two, three)) == set()
    assert rows(read(spark, base, four)) == set()
    assert len(rows(read(spark, base, "000", one))) == 18
    assert len(rows(read(spark, base, "0"))) == 17
    # Digits that no commit has are compared as texts.
    assert rows(read(spark, base, str(int(two) - 1), two)) == {(0, "two"), (10, "two")}


def test_icebergs_options_are_the_same_read(
    spark: SparkSession, database: Path, versions: list[str]
) -> None:
    base = database / "t"
    one, two, *_ = versions
    reader = spark.read.format("hudilite").option("start-snapshot-id", one)
    assert rows(reader.load(str(base))) == rows(read(spark, base, one))
    assert rows(reader.option("end-snapshot-id", two).load(str(base))) == {(0, "two"), (10, "two")}
    plain = spark.read.format("hudilite")
    for refused in (
        plain.option("start-snapshot-id", "1"),
        plain.option("end-snapshot-id", two),
        plain.option("start-snapshot-id", one).option("versionAsOf", two),
    ):
        with pytest.raises(Exception, match="HUDILITE_PROPERTY_UNSUPPORTED"):
            refused.load(str(base)).collect()


def test_changes_with_their_kinds_are_a_table_function(
    spark: SparkSession, database: Path, versions: list[str]
) -> None:
    form = "hoodie.datasource.query.incremental.format"
    reader = spark.read.format("hudilite").option(KIND, "incremental").option(BEGIN, versions[0])
    base = str(database / "t")
    latest = reader.option(form, "latest_state").load(base)
    assert rows(latest) == {(0, "two"), (10, "three")}
    with pytest.raises(Exception, match="HUDILITE_PROPERTY_UNSUPPORTED") as fault:
        reader.option(form, "cdc").load(base)
    (said,) = fixes(str(fault.value))
    assert spark.sql(said).where("_change_type = 'delete'").count() == 1


def test_columns_are_those_of_hudi_then_the_tables(
    spark: SparkSession, database: Path, versions: list[str]
) -> None:
    frame = read(spark, database / "t", versions[0])
    assert frame.columns[0] == "_hoodie_commit_time"
    assert frame.columns[5:] == ["id", "v", "p"]
    times = {row[0] for row in frame.select("_hoodie_commit_time").collect()}
    assert times == {versions[1], versions[3]}
    assert frame.filter("p = 'b' AND id > 3").count() == 1
    assert frame.alias("a").join(frame.alias("b"), "id").count() == 2


def test_files_of_the_commits_alone_are_opened(
    spark: SparkSession, database: Path, versions: list[str]
) -> None:
    folders = [database / "t" / "p=a", database / "t" / "p=b"]
    with opened_files(folders) as opened:
        assert read(spark, database / "t", versions[2]).collect()
    wanted = {s.path for s in layout.latest_slices(database / "t") if s.instant == versions[3]}
    assert {path for path in opened if path.suffix == ".parquet"} == wanted


@pytest.mark.parametrize(
    "options",
    [
        {KIND: "incremental"},
        {KIND: "incremental", BEGIN: "yesterday"},
        {KIND: "incremental", BEGIN: "0", END: ""},
        {KIND: "incremental", BEGIN: "0", "as.of.instant": "20240101000000000"},
        {KIND: "incremental", BEGIN: "0", "hoodie.datasource.read.incr.path.glob": "p=a"},
        {KIND: "cdc", BEGIN: "0"},
    ],
)
def test_what_would_have_no_effect_is_refused(
    spark: SparkSession, database: Path, versions: list[str], options: dict[str, str]
) -> None:
    with pytest.raises(Exception) as fault:
        spark.read.format("hudilite").options(**options).load(str(database / "t"))
    assert fault_of(fault.value).condition == "HUDILITE_PROPERTY_UNSUPPORTED"
    snapshot = spark.read.format("hudilite").option(KIND, "snapshot").load(str(database / "t"))
    assert snapshot.count() == 17
    assert versions


def test_a_read_without_an_end_waits_for_a_commit_of_stock_hudi(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql("CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")
    for id in (1, 2, 3):
        spark.sql(f"INSERT INTO t VALUES ({id})")
    base = database / "t"
    for number in (base / ".hoodie/.hudilite/commits").glob(f"{0:019}[23]*"):
        number.unlink()  # stock Hudi writes none
    first, slow, quick = sorted(layout.completed(base))

    def left(end: str | None = None) -> list[int]:
        return sorted(row.id for row in read(spark, base, first, end).collect())

    def changed(*ends: str) -> list[int]:
        words = ", ".join(f"'{text}'" for text in ("t", *ends))
        return sorted(
            r.id for r in spark.sql(f"SELECT id FROM hudilite_changes({words})").collect()
        )

    done = layout.completed_file(base, slow)
    aside = done.rename(tmp_path / done.name)
    with warnings(spark) as said:
        assert [left(), left()] == [[], []]
        assert [changed(first), changed("earliest"), changed(quick)] == [[], [1], []]
    assert [slow in line for line in said] == [True, True]  # by path, and by name
    assert [left(quick), changed(first, quick)] == [[3], [3]]
    aside.rename(done)
    assert [left(), changed(first), changed("earliest")] == [[2, 3], [2, 3], [1, 2, 3]]
