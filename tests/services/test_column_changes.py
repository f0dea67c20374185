"""Columns over time: earlier states under their own names, what changes are changes, other writers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.faults import fault_of, run_statement
from harness.gate import at_once
from harness.invariants import check_table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CREATE = "CREATE TABLE t (id INT, a STRING, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"


def version(base: Path) -> str:
    """The instant that came last."""
    return max(layout.completed(base))


def columns(base: Path) -> set[tuple[str, ...]]:
    """Which columns the files of the latest state have, Hudi's left out."""
    names = [pq.read_schema(s.path).names for s in layout.latest_slices(base)]
    return {tuple(name for name in own if not name.startswith("_hoodie")) for own in names}


def test_earlier_states_have_the_columns_of_their_time(spark: SparkSession, database: Path) -> None:
    base = database / "t"
    spark.sql(CREATE)
    spark.sql("INSERT INTO t SELECT id, concat('a', id), id FROM range(20)")
    inserted = version(base)
    spark.sql("ALTER TABLE t RENAME COLUMN a TO b")
    renamed = version(base)
    spark.sql("ALTER TABLE t ADD COLUMN a STRING")
    added = version(base)
    spark.sql("UPDATE t SET a = 'new' WHERE id = 3")
    spark.sql("ALTER TABLE t ALTER COLUMN n TYPE BIGINT")
    widened = version(base)
    spark.sql("ALTER TABLE t DROP COLUMNS (a, n)")
    assert columns(base) == {("id", "b")}

    def at(instant: str) -> list[tuple[object, ...]]:
        read = spark.sql(f"SELECT * FROM t VERSION AS OF '{instant}' WHERE id IN (3, 4)")
        return [*sorted(tuple(row) for row in read.collect()), tuple(read.dtypes)]

    kinds = {"id": "int", "a": "string", "b": "string", "n": "int"}
    assert at(inserted) == [
        (3, "a3", 3),
        (4, "a4", 4),
        tuple((c, kinds[c]) for c in ["id", "a", "n"]),
    ]
    assert at(renamed)[:2] == [(3, "a3", 3), (4, "a4", 4)]
    assert at(added) == [
        (3, "a3", 3, None),
        (4, "a4", 4, None),
        tuple((c, kinds[c]) for c in ["id", "b", "n", "a"]),
    ]
    assert at(widened)[2] == (("id", "int"), ("b", "string"), ("n", "bigint"), ("a", "string"))
    assert at(widened)[:2] == [(3, "a3", 3, "new"), (4, "a4", 4, None)]
    assert at(version(base)) == [(3, "a3"), (4, "a4"), (("id", "int"), ("b", "string"))]
    assert check_table(base) == []
    spark.sql(f"CALL restore(table => 't', instant => '{added}')")
    assert spark.table("t").columns == ["id", "b", "n", "a"]
    assert spark.sql("SELECT count(b), count(a), sum(n) FROM t").first() == (20, 0, 190)


@pytest.mark.rotated(third=0)
def test_a_change_of_columns_is_no_change_of_rows(spark: SparkSession, database: Path) -> None:
    base = database / "t"
    spark.sql(CREATE)
    spark.sql("INSERT INTO t SELECT id, concat('a', id), id FROM range(20)")
    first = version(base)
    spark.sql("UPDATE t SET a = 'second' WHERE id = 2")
    second = version(base)
    spark.sql("ALTER TABLE t RENAME COLUMN a TO b")
    third = version(base)
    spark.sql("UPDATE t SET b = 'fourth' WHERE id = 4")

    def changes(*instants: str) -> list[tuple[object, ...]]:
        names = ", ".join(f"'{instant}'" for instant in ("t", *instants))
        found = spark.sql(f"SELECT * FROM hudilite_changes({names})")
        return [*sorted(tuple(row)[:4] for row in found.collect()), tuple(found.columns[:3])]

    assert changes(first, second) == [
        (2, "a2", 2, "update_preimage"),
        (2, "second", 2, "update_postimage"),
        ("id", "a", "n"),
    ]
    assert changes(third) == [
        (4, "a4", 4, "update_preimage"),
        (4, "fourth", 4, "update_postimage"),
        ("id", "b", "n"),
    ]
    assert changes(second)[:2] == changes(third)[:2]
    for across in (f"'{first}'", "'earliest'"):
        fault = run_statement(spark, f"SELECT * FROM hudilite_changes('t', {across})")
        assert fault is not None
        assert fault.condition == "HUDILITE_COLUMNS_CHANGED"
        assert (fault.parameters["instant"], fault.parameters["before"]) == (third, second)
    options = {
        "hoodie.datasource.query.type": "incremental",
        "hoodie.datasource.read.begin.instanttime": first,
    }
    read = spark.read.format("hudilite").options(**options)
    left = read.load(str(base)).selectExpr("id", "b")
    assert sorted(tuple(row) for row in left.collect()) == [(2, "second"), (4, "fourth")]
    ended = read.option("hoodie.datasource.read.end.instanttime", second).load(str(base))
    assert [tuple(row) for row in ended.selectExpr("id", "a").collect()] == [(2, "second")]


@pytest.mark.rotated(third=1)
def test_writers_beside_a_change_of_columns(spark: SparkSession, database: Path) -> None:
    """Nobody writes old columns over new ones; who is overtaken starts anew or says so."""
    spark.sql(CREATE)
    spark.sql("INSERT INTO t SELECT id, 'x', 0 FROM range(40)")
    merges = [
        "MERGE INTO t USING (SELECT int(id) id FROM range(40)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET n = t.n + 1"
    ] * 6
    alters = [
        "ALTER TABLE t RENAME COLUMN a TO b",
        "ALTER TABLE t ALTER COLUMN n TYPE BIGINT",
        "ALTER TABLE t ADD COLUMN a STRING",
    ]
    faults = [f for f in at_once(spark, [merges, alters]) if f is not None]
    altered = spark.table("t").columns
    # The column to add has its old name still, if the other statement was overtaken.
    taken = set() if "b" in altered else {"FIELD_ALREADY_EXISTS"}
    assert {fault.condition for fault in faults} <= {"HUDILITE_CONCURRENT_WRITE"} | taken
    done = spark.sql("SELECT min(n), max(n), count(*) FROM t").first()
    base = database / "t"
    operations = [layout.commit_metadata(base, i)["operationType"] for i in layout.completed(base)]
    assert done == (operations.count("UPSERT"),) * 2 + (40,)
    assert len(altered) == 3 + ("ALTER_SCHEMA" in operations and "b" in altered and "a" in altered)
    assert operations.count("UPSERT") + operations.count("ALTER_SCHEMA") + len(faults) == 9
    assert check_table(base) == []


@pytest.mark.rotated(third=2)
def test_a_script_brings_columns(spark: SparkSession, database: Path) -> None:
    spark.sql(CREATE)
    spark.sql(
        """BEGIN
  INSERT WITH SCHEMA EVOLUTION INTO t SELECT 1, 'é', 1, 'one' AS first;
  INSERT INTO t (id) VALUES (2);
  WITH s AS (SELECT 3 AS id, 'two' AS second)
    INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT * FROM s;
END"""
    )
    assert sorted(map(tuple, spark.table("t").collect())) == [
        (1, "é", 1, "one", None),
        (2, None, None, None, None),
        (3, None, None, None, "two"),
    ]


@pytest.mark.rotated(third=2)
def test_only_an_insert_into_a_table_of_ours_brings_columns(
    spark: SparkSession, database: Path
) -> None:
    spark.sql(CREATE)
    spark.sql("CREATE TABLE other (id INT) USING parquet")
    for text in (
        "INSERT WITH SCHEMA EVOLUTION INTO other SELECT 1, 2 AS more",
        "FROM t INSERT WITH SCHEMA EVOLUTION INTO other SELECT id, n INSERT INTO t SELECT id, a, n",
    ):
        fault = run_statement(spark, text)
        assert fault is not None
        assert fault.condition == "HUDILITE_UNSUPPORTED_STATEMENT"


def add_three_columns(spark: SparkSession, writes: Callable[[str], str]) -> None:
    """Adds columns a, b and c by statements at once, of which those that lose run again."""
    texts = [[writes(name)] for name in "abc"]
    while texts:
        faults = at_once(spark, texts)
        assert {f.condition for f in faults if f is not None} <= {"HUDILITE_CONCURRENT_WRITE"}
        there = spark.table("t").columns
        assert len(there) > 4 - len(texts)
        texts = [[writes(name)] for name in "abc" if name not in there]
    assert sorted(spark.table("t").columns) == ["a", "b", "c", "id"]


@pytest.mark.rotated(third=0)
def test_an_overtaken_insert_brings_its_columns(spark: SparkSession, database: Path) -> None:
    """Rows of evolving inserts at once: each column is there once, with its rows."""
    spark.sql("CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")
    spark.sql("INSERT INTO t SELECT id FROM range(10)")

    def insert(name: str) -> str:
        first = 10 + 10 * "abc".index(name)
        return (
            f"INSERT WITH SCHEMA EVOLUTION INTO t BY NAME SELECT int(id) id, int(id) {name} "
            f"FROM range({first}, {first + 10})"
        )

    add_three_columns(spark, insert)
    assert spark.sql("SELECT sum(a), sum(b), sum(c), count(*) FROM t").first() == (
        145,
        245,
        345,
        40,
    )
    assert check_table(database / "t") == []


@pytest.mark.rotated(third=0)
def test_an_overtaken_merge_brings_its_columns(spark: SparkSession, database: Path) -> None:
    """Rows of two evolving merges at once: each column is there once, with its rows."""
    spark.sql("CREATE TABLE t (id INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")
    spark.sql("INSERT INTO t SELECT id FROM range(10)")

    def merge(name: str) -> str:
        return (
            f"MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT int(id) id, int(id) {name} "
            "FROM range(10)) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *"
        )

    add_three_columns(spark, merge)
    assert spark.sql("SELECT sum(a), sum(b), sum(c) FROM t").first() == (45, 45, 45)
    assert check_table(database / "t") == []


def test_adopted_rows_get_files_of_their_own(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    source = tmp_path / "source"
    spark.range(100).selectExpr("int(id) id", "concat('v', id) v", "int(id) n").coalesce(
        2
    ).write.parquet(str(source))
    spark.sql(
        f"CALL bootstrap(source => '{source}', table => 't', key => 'id', mode => 'metadata')"
    )
    spark.sql("ALTER TABLE t RENAME COLUMN v TO w")
    spark.sql("ALTER TABLE t ALTER COLUMN n TYPE BIGINT")
    assert spark.sql("SELECT count(w), sum(n) FROM t").first() == (100, 4950)
    assert spark.sql("SELECT count(*) FROM t.bootstrap WHERE current").first() == (0,)


@pytest.mark.rotated(by="test")
@pytest.mark.parametrize("kept", ["a", "n"])
def test_a_cached_table_shows_its_new_columns(
    spark: SparkSession, database: Path, kept: str
) -> None:
    spark.sql(CREATE)
    spark.sql("INSERT INTO t VALUES (1, 'a', 1)")
    spark.sql("CACHE TABLE t")
    spark.sql(
        "MERGE WITH SCHEMA EVOLUTION INTO t USING (SELECT 1 id, 9 z) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET *"
    )
    assert spark.sql("SELECT id, z FROM t").first() == (1, 9)
    gone = "n" if kept == "a" else "a"
    spark.sql(f"ALTER TABLE t DROP COLUMN {gone}")
    assert spark.table("t").columns == ["id", kept, "z"]
    try:
        spark.sql(f"SELECT {gone} FROM t").collect()
    except Exception as fault:
        assert fault_of(fault).condition.startswith("UNRESOLVED_COLUMN")
    else:
        raise AssertionError(f"{gone} is still there")
    spark.sql("UNCACHE TABLE t")
