"""Tables that are bucketed alike join without an exchange: the same rows as the exchanged join's."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

ROTATED = pytest.mark.rotated(
    by="test", when=product("spark/read/BucketGroups.scala", "spark/plan/ColumnBucket.scala")
)
GROUPED = "spark.sql.sources.v2.bucketing"
SORTED = {"spark.sql.autoBroadcastJoinThreshold": "-1"}
NASTY = (
    "CASE id % 7 WHEN 0 THEN concat(id, ',id:', id % 13) WHEN 1 THEN concat('a:', id) "
    "WHEN 2 THEN concat('x,y:', id) WHEN 3 THEN concat(id, ',') WHEN 4 THEN concat('é', id, ':') "
    "WHEN 5 THEN concat('__null__,', id) ELSE string(id) END"
)
KEYS = {
    "bigint": ("BIGINT", "id * 1000003"),
    "int": ("INT", "int(id)"),
    "smallint": ("SMALLINT", "CAST(id AS SMALLINT)"),
    "date": ("DATE", "date_from_unix_date(int(id * 97 - 900))"),
    "timestamp": ("TIMESTAMP", "timestamp_micros(id * 5400000001 - 17306000000)"),
    "decimal": ("DECIMAL(20, 9)", "CAST((id - 100) / 1000000BD AS DECIMAL(20, 9))"),
    "binary": ("BINARY", "CAST(concat('b', id, ',é:') AS BINARY)"),
    "string": ("STRING", NASTY),
}
SHAPES = {
    "its own key": ("", "", "PRIMARY KEY (id)", ""),
    "one of two key columns": (", k INT", ", int(id % 5)", "PRIMARY KEY (id, k)", "ON (id)"),
}


@contextmanager
def settings(spark: SparkSession, values: dict[str, str]) -> Iterator[None]:
    for name, value in values.items():
        spark.conf.set(name, value)
    try:
        yield
    finally:
        for name in values:
            spark.conf.unset(name)


@pytest.fixture(autouse=True)
def no_broadcast(spark: SparkSession) -> Iterator[None]:
    with settings(spark, SORTED):
        yield


@dataclass(frozen=True)
class Ran:
    """A query that has run: the plan that ran, without what adaptive execution took out, and the rows."""

    plan: str
    rows: list[str]

    @property
    def exchanges(self) -> int:
        return self.plan.count("Exchange hashpartitioning")


def ran(read: DataFrame) -> Ran:
    rows = sorted(str(row) for row in read.collect())
    text: str = read._jdf.queryExecution().executedPlan().toString()  # type: ignore[operator]
    return Ran(text.partition("Initial Plan")[0], rows)


def both_ways(spark: SparkSession, query: str) -> Ran:
    """Runs a query; its rows are those of an exchanged join."""
    with settings(spark, {f"{GROUPED}.enabled": "false"}):
        exchanged = ran(spark.sql(query))
    found = ran(spark.sql(query))
    assert exchanged.exchanges > 0
    assert found.rows == exchanged.rows
    return found


def create(
    spark: SparkSession, table: str, columns: str, rows: str, rest: str = "WITH BUCKETS 8"
) -> None:
    spark.sql(f"CREATE TABLE {table} ({columns}) USING hudilite {rest}")
    spark.sql(f"INSERT INTO {table} {rows}")


@ROTATED
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.parametrize("kind", KEYS)
def test_a_join_on_the_hash_column_has_no_exchange(
    spark: SparkSession, database: Path, kind: str, shape: str
) -> None:
    dtype, value = KEYS[kind]
    column, more, key, on = SHAPES[shape]
    for table, start in (("a", 0), ("b", 600)):
        create(
            spark,
            table,
            f"id {dtype}{column}, v STRING, {key}",
            f"SELECT {value}{more}, concat('{table}', id) FROM range({start}, {start + 1200})",
            f"WITH BUCKETS 8 {on}",
        )
    for how, count in (("JOIN", 600), ("FULL JOIN", 1800), ("LEFT ANTI JOIN", 600)):
        query = f"SELECT * FROM a {how} b ON a.id = b.id"
        found = both_ways(spark, query)
        assert found.exchanges == 0
        assert len(found.rows) == count


def test_without_adaptive_execution_it_has_none_either(spark: SparkSession, database: Path) -> None:
    for table, start in (("a", 0), ("b", 600)):
        rows_sql = f"SELECT id, concat('{table}', id) FROM range({start}, {start + 1200})"
        create(spark, table, "id BIGINT, v STRING, PRIMARY KEY (id)", rows_sql)
    with settings(spark, {"spark.sql.adaptive.enabled": "false"}):
        query = "SELECT * FROM a JOIN b ON a.id = b.id"
        found = both_ways(spark, query)
        assert found.exchanges == 0
        assert len(found.rows) == 600
        assert spark.sql("SELECT * FROM a").rdd.getNumPartitions() < 8


OTHERS = {
    "more buckets": ("id BIGINT, v STRING, PRIMARY KEY (id)", "id", "WITH BUCKETS 16"),
    "another type": ("id INT, v STRING, PRIMARY KEY (id)", "int(id)", "WITH BUCKETS 8"),
    "two hash columns": (
        "id BIGINT, v STRING, PRIMARY KEY (id, v)",
        "id",
        "WITH BUCKETS 8 ON (id, v)",
    ),
    "a text beside the hash column": (
        "id BIGINT, v STRING, PRIMARY KEY (id, v)",
        "id",
        "WITH BUCKETS 8 ON (id)",
    ),
    "no buckets": ("id BIGINT, v STRING, PRIMARY KEY (id)", "id", ""),
    "fewer buckets than cores": ("id BIGINT, v STRING, PRIMARY KEY (id)", "id", "WITH BUCKETS 1"),
}


@ROTATED
@pytest.mark.parametrize("other", OTHERS)
def test_tables_bucketed_otherwise_are_exchanged(
    spark: SparkSession, database: Path, other: str
) -> None:
    create(
        spark,
        "a",
        "id BIGINT, v STRING, PRIMARY KEY (id)",
        "SELECT id, 'a' FROM range(1000)",
    )
    columns, value, rest = OTHERS[other]
    create(spark, "b", columns, f"SELECT {value}, 'b' FROM range(500, 1500)", rest)
    query = "SELECT * FROM a JOIN b ON a.id = b.id"
    found = both_ways(spark, query)
    assert found.exchanges > 0
    assert len(found.rows) == 500


@ROTATED
def test_text_keys_of_other_names_are_exchanged(spark: SparkSession, database: Path) -> None:
    """Hudi looks for the column's name in a text with a comma and a colon."""
    for table, name in (("a", "id"), ("b", "k")):
        rows_sql = f"SELECT {NASTY}, '{table}' FROM range(1000)"
        create(spark, table, f"{name} STRING, v STRING, PRIMARY KEY ({name})", rows_sql)
    query = "SELECT * FROM a JOIN b ON a.id = b.k"
    found = both_ways(spark, query)
    assert found.exchanges > 0
    assert len(found.rows) == 1000


def test_groups_that_one_side_lacks_are_empty(spark: SparkSession, database: Path) -> None:
    create(
        spark,
        "a",
        "id INT, v STRING, PRIMARY KEY (id)",
        "SELECT int(id), 'a' FROM range(1000)",
    )
    few = "SELECT id, 'b' FROM a WHERE int(left(_hoodie_file_name, 8)) IN (1, 3, 4, 6, 7)"
    create(spark, "b", "id INT, v STRING, PRIMARY KEY (id)", few)
    assert len({path.name[:8] for path in (database / "b").glob("*.parquet")}) == 5
    for how in ("JOIN", "LEFT JOIN", "RIGHT JOIN", "FULL JOIN"):
        query = f"SELECT * FROM a {how} b ON a.id = b.id"
        assert both_ways(spark, query).exchanges == 0
    keys = ", ".join(str(k) for k in range(1, 41, 8)) + ", 2, 3, 4, 6"
    pruned = f"SELECT * FROM (SELECT * FROM a WHERE id IN ({keys})) a FULL JOIN b ON a.id = b.id"
    found = both_ways(spark, pruned)
    assert found.exchanges == 0
    assert len(found.rows) > 600


def partitioned(spark: SparkSession, table: str, start: int, ptype: str, p: str) -> None:
    create(
        spark,
        table,
        f"id INT, p {ptype}, v STRING, PRIMARY KEY (id)",
        f"SELECT int(id), {p}, concat('{table}', id) FROM range({start}, {start + 1000})",
        "PARTITIONED BY (p) WITH BUCKETS 4",
    )


@ROTATED
@pytest.mark.parametrize(
    ("ptype", "p"),
    [
        ("INT", "IF(id % 4 = 0, NULL, int(id % 4))"),
        ("DATE", "date_from_unix_date(int(id % 3))"),
        ("STRING", "concat('a/b=', id % 3, '%')"),
        ("BOOLEAN", "id % 3 = 0"),
        ("DECIMAL(12, 9)", "CAST(id % 3 / 1000000BD AS DECIMAL(12, 9))"),
    ],
)
def test_partitioned_tables_join_on_partition_and_key(
    spark: SparkSession, database: Path, ptype: str, p: str
) -> None:
    if ptype == "STRING":
        p = p.replace("/", "")  # no folder has such a name
    partitioned(spark, "a", 0, ptype, p)
    partitioned(spark, "b", 400, ptype, p)
    for on in ("a.p = b.p AND a.id = b.id", "a.id = b.id AND b.p = a.p"):
        query = f"SELECT * FROM a LEFT JOIN b ON {on}"
        assert both_ways(spark, query).exchanges == 0
    by_key = "SELECT a.id, a.v, b.v FROM a JOIN b ON a.id = b.id"
    found = both_ways(spark, by_key)
    assert found.exchanges == 0
    assert len(found.rows) == 600
    with_partition = "SELECT a.id, a.p, b.v FROM a JOIN b ON a.id = b.id"
    found = both_ways(spark, with_partition)
    assert found.exchanges > 0
    assert len(found.rows) == 600
    dynamic = (
        "SELECT a.v, b.v FROM a JOIN b ON a.p = b.p AND a.id = b.id "
        "WHERE b.v IN ('b500', 'b501', 'b502')"
    )
    both_ways(spark, dynamic)


@ROTATED
def test_partitions_whose_value_is_not_in_their_path_are_not_grouped(
    spark: SparkSession, database: Path
) -> None:
    """Null and the empty text share a folder."""
    p = "CASE id % 3 WHEN 0 THEN '' WHEN 1 THEN NULL ELSE 'x' END"
    partitioned(spark, "a", 0, "STRING", p)
    partitioned(spark, "b", 400, "STRING", p)
    query = "SELECT * FROM a LEFT JOIN b ON a.p = b.p AND a.id = b.id"
    assert both_ways(spark, query).exchanges > 0


def test_a_read_that_no_join_wants_grouped_is_cut_by_size(
    spark: SparkSession, database: Path
) -> None:
    create(spark, "a", "id INT, v STRING, PRIMARY KEY (id)", "SELECT int(id), 'a' FROM range(1000)")
    with settings(spark, {"spark.sql.files.openCostInBytes": "1"}):
        assert spark.sql("SELECT * FROM a").rdd.getNumPartitions() < 8
        with settings(spark, {"spark.sql.files.maxPartitionBytes": "1000"}):
            assert spark.sql("SELECT * FROM a").rdd.getNumPartitions() > 8
            grouped = spark.sql("SELECT id, count(v) FROM a GROUP BY id")
            assert grouped.rdd.getNumPartitions() == 8
            assert ran(grouped).exchanges == 0
            by_path = spark.read.format("hudilite").load(str(database / "a"))
            assert by_path.rdd.getNumPartitions() > 8
            assert by_path.groupBy("id").count().count() == 1000


@ROTATED
def test_what_is_broadcast_below_such_a_join_keeps_all_its_rows(
    spark: SparkSession, database: Path
) -> None:
    """Spark tells every read below the join of the join's groups, those below a broadcast too."""
    for table, value in (("f", "int(id * 8)"), ("g", "int(id * 8)"), ("d", "int(id)")):
        n, buckets = (1000, 16) if table == "d" else (125, 8)
        rows_sql = f"SELECT {value}, int(id), '{table}' FROM range({n})"
        columns = "id INT, k INT, v STRING, PRIMARY KEY (id)"
        create(spark, table, columns, rows_sql, f"WITH BUCKETS {buckets}")
    few = "SELECT * FROM f WHERE id IN (0, 8, 16, 24, 32, 40, 48, 56, 64, 72, 80)"
    for d in (
        "d",
        "(SELECT id, count(v) v FROM d GROUP BY id)",
        "(SELECT d.id, e.v FROM d JOIN d e USING (id))",
    ):
        query = (
            f"SELECT /*+ BROADCAST(x) */ f.id, g.v, x.v FROM ({few}) f JOIN {d} x ON f.k = x.id "
            f"JOIN (SELECT * FROM g WHERE id < 100) g ON f.id = g.id"
        )
        for adaptive in ("true", "false"):
            with settings(spark, {"spark.sql.adaptive.enabled": adaptive}):
                found = both_ways(spark, query)
                assert "Broadcast" in found.plan
                assert found.exchanges == 0
                assert len(found.rows) == 11


@ROTATED
@pytest.mark.parametrize(
    "names",
    [
        ("shuffle",),
        ("shuffle", "allowJoinKeysSubsetOfPartitionKeys"),
        ("partiallyClusteredDistribution",),
        ("allowCompatibleTransforms",),
        ("partition.filter",),
        ("sorting",),
    ],
)
def test_the_rest_of_what_spark_makes_of_groups_gives_the_same_rows(
    spark: SparkSession, database: Path, names: tuple[str, ...]
) -> None:
    """One side is exchanged by the other's function, which must be Hudi's own."""
    rows_sql = f"SELECT {NASTY}, int(id % 3), 'a' FROM range(1200)"
    for table in ("a", "b"):
        create(
            spark,
            table,
            "id STRING, p INT, v STRING, PRIMARY KEY (id)",
            rows_sql
            if table == "a"
            else rows_sql.replace("range(", "range(600, ").replace("1200", "1800"),
            "PARTITIONED BY (p) WITH BUCKETS 4",
        )
    spark.sql("CREATE TABLE q USING parquet AS SELECT id, p, concat(v, 'q') v FROM b")
    create(spark, "c", "id STRING, v STRING, PRIMARY KEY (id)", "SELECT DISTINCT id, v FROM a")
    with settings(spark, {f"{GROUPED}.{name}.enabled": "true" for name in names}):
        for query, count in (
            ("SELECT c.v, q.v FROM c JOIN q ON c.id = q.id", 600),
            ("SELECT c.v, q.v FROM c FULL JOIN q ON c.id = q.id", 1800),
            ("SELECT * FROM a JOIN q ON a.id = q.id AND a.p = q.p", 600),
            ("SELECT * FROM a LEFT JOIN b ON a.id = b.id AND a.p = b.p", 1200),
            ("SELECT a.p, c.v FROM a LEFT JOIN c ON a.id = c.id", 1200),
            ("SELECT * FROM a JOIN b ON a.id = b.id ORDER BY a.id, a.p", 600),
        ):
            assert len(both_ways(spark, query).rows) == count, query
    if names == ("shuffle",):
        with settings(spark, {f"{GROUPED}.shuffle.enabled": "true"}):
            assert ran(spark.sql("SELECT c.v, q.v FROM c JOIN q ON c.id = q.id")).exchanges == 0
            word = "keygrouped" if spark.version.startswith("4.1.") else "keyed"
            assert f"Exchange {word}" in ran(spark.sql("SELECT * FROM c JOIN q USING (id)")).plan
