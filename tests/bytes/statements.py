"""The statements whose tables are compared, each with the folder in which its tables lie.

A list is a generator: it runs a statement, or the few statements of a table or file, and yields their
name and folder. The definitions are those of the suites: the fault suite's statements, golden files, the table
of every scalar type and the keys of every type.
"""

from __future__ import annotations

import os
import re
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from runs import Enumeration, by_path, name_of
from script import BOOTSTRAP, BY_NAME, CREATE, FOLLOWING, STATEMENTS, Statement
from test_key_types import TYPES
from test_repair_bucket import fork

from harness import damage, inv, layout, runner, streams
from harness.golden import parse_golden
from harness.runner import BUCKETS
from tables import flights, matrix

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Done = Iterator[tuple[str, Path]]
SQL = Path(__file__).resolve().parents[1] / "sql"
# Folders of golden files that write, and the files in them that would differ between any two runs.
WRITING = (
    *("alter", "bloom", "call", "create", "ctas", "delete", "insert", "merge", "overwrite"),
    *("truncate", "types", "update"),
)
RANDOM = {
    "call/bootstrap": "Spark writes its sources, under random names",
    "merge/residual": "it stores values of uuid()",
    "update/update_subqueries": "it stores values of uuid()",
}
# The golden files of a comparison that does not take all: forms that the other lists lack.
CHOSEN = (
    *("create/hash_columns", "ctas/ctas", "merge/moves", "merge/schema_evolution"),
    *("overwrite/dynamic", "overwrite/replace_where", "truncate/drop_partition"),
    *("truncate/truncate", "types/nested", "types/odd_values", "types/scalars"),
)
CHANGED = 1_700_000_000  # time of change of the sources of a bootstrap, which its index stores
FULL = Statement(
    "bootstrap-full",
    BOOTSTRAP + "location => '{place}', mode => 'full', buckets => 4)",
    BY_NAME["bootstrap"].after,
    creates=True,
)
ALTERATIONS = (
    "ADD COLUMN later STRUCT<a: INT, b: ARRAY<DATE>>",
    "RENAME COLUMN note TO remark",
    "ALTER COLUMN price TYPE DECIMAL(20, 4)",
    "DROP COLUMN tags",
)
TABLE = (
    "CREATE TABLE {name} (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
    "USING hudilite PARTITIONED BY (p) {buckets} LOCATION '{place}'"
)


def of_the_fault_suite(spark: SparkSession, folder: Path) -> Done:
    """Each statement on a copy of the fault suite's table, then a MERGE on a copy of the result."""
    enumeration = Enumeration(spark, folder)
    for path in enumeration.source.rglob("*.parquet"):
        os.utime(path, (CHANGED, CHANGED))
    yield "the table of the fault suite", enumeration.original
    for statement in (*STATEMENTS, FULL):
        yield from _ran(spark, enumeration, statement)


def without_buckets(spark: SparkSession, folder: Path) -> Done:
    """Statements on a table with a bloom index, without those that create a table."""
    enumeration = Enumeration(spark, folder, BUCKETS.sub("", CREATE))
    yield "the table without buckets", enumeration.original
    for statement in STATEMENTS:
        if not statement.creates:
            for name, place in _ran(spark, enumeration, statement):
                yield f"{name}, without buckets", place


def _ran(spark: SparkSession, enumeration: Enumeration, statement: Statement) -> Done:
    place = enumeration.place(statement)
    spark.sql(enumeration.text_of(statement, place)).collect()
    yield statement.name, place
    merged = place.with_name(f"{place.name}-merged")
    inv.linked_copy(place, merged)
    spark.sql(FOLLOWING.format(t=by_path(merged))).collect()
    yield f"MERGE after {statement.name}", merged
    if statement.files:
        spark.sql(f"CALL materialize(table => '{name_of(place)}')").collect()
        yield f"materialize after {statement.name}", place


def of_golden_files(spark: SparkSession, folder: Path) -> Done:
    """Golden files, each in a database of its own; with HUDILITE_BYTES=all each file that writes."""
    takes_all = os.environ.get("HUDILITE_BYTES") == "all"
    for path in sorted(path for kind in WRITING for path in (SQL / kind).glob("*.sql")):
        name = f"{path.parent.name}/{path.stem}"
        if name in CHOSEN or (takes_all and name not in RANDOM):
            database = re.sub(r"\W", "_", f"golden_{name}")
            place = folder / path.parent.name / path.stem
            runner.run_golden(spark, parse_golden(path.read_text("utf-8")), database, place)
            yield f"{name}.sql", place


def of_every_type(spark: SparkSession, folder: Path) -> Done:
    """A column of every scalar type with its extremes, and a key of every type; nested types are
    those of the golden files and of the flights."""
    spark.sql(f"CREATE DATABASE every_type LOCATION '{folder}'")
    spark.sql("USE every_type")
    spark.sql(matrix.create_sql("scalars", matrix.COLUMNS))
    spark.sql(matrix.insert_sql("scalars", matrix.COLUMNS))
    yield "INSERT of every type", folder / "scalars"
    spark.sql("UPDATE scalars SET s = 'changed' WHERE id IN ('plain', 'nan')").collect()
    spark.sql(
        "MERGE INTO scalars t USING (SELECT 'new' id) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT (id) VALUES (s.id)"
    ).collect()
    yield "UPDATE and MERGE of every type", folder / "scalars"
    for name, (declared, value, count) in TYPES.items():
        table = f"key_{name}"
        spark.sql(
            f"CREATE TABLE {table} (k {declared}, v INT, PRIMARY KEY (k)) USING hudilite WITH BUCKETS 4"
        )
        spark.sql(f"INSERT INTO {table} SELECT {value}, 1 FROM range({count})").collect()
        spark.sql(
            f"MERGE INTO {table} t USING (SELECT {value} k, 2 v FROM range({count}) WHERE id % 3 = 0) s "
            "ON t.k = s.k WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        ).collect()
        yield f"keys of type {name}", folder / table
    for name, is_parted in (("parted", True), ("flat", False)):
        flights.write_flights(spark, name, is_parted)
        spark.sql(f"UPDATE {name} SET ratio = -ratio WHERE n % 7 = 0").collect()
        spark.sql(f"DELETE FROM {name} WHERE n % 11 = 0").collect()
        yield f"flights, {name}", folder / name
        for change in ALTERATIONS:
            spark.sql(f"ALTER TABLE {name} {change}").collect()
            yield f"{change}, {name}", folder / name
    spark.sql("USE default")


def of_many_commits(spark: SparkSession, folder: Path) -> Done:
    """Every tenth commit leaves a checkpoint, from which the next statements load a table."""
    for name, buckets in (("many", "WITH BUCKETS 2"), ("many_bloom", "")):
        place = folder / name
        spark.sql(TABLE.format(name=name, buckets=buckets, place=place))
        for number in range(12):
            spark.sql(f"INSERT INTO {name} VALUES ({number}, 'a', 'v'), ({number} + 50, 'b', 'v')")
        yield f"12 commits, {name}", place
        spark.sql(f"UPDATE {name} SET v = 'changed' WHERE id % 2 = 0").collect()
        spark.sql(f"INSERT OVERWRITE {name} PARTITION (p = 'b') VALUES (7, 'new')").collect()
        yield f"UPDATE and INSERT OVERWRITE after 12 commits, {name}", place


def of_streams(spark: SparkSession, folder: Path) -> Done:
    """Two batches of a stream, whose id is the same in each run."""
    place, checkpoint, source = folder / "t", folder / "checkpoint", folder / "source"
    checkpoint.mkdir(parents=True)
    stream = uuid.uuid5(uuid.NAMESPACE_URL, "stream")
    (checkpoint / "metadata").write_text(f'{{"id":"{stream}"}}', encoding="utf-8")
    spark.sql(TABLE.format(name="streamed", buckets="WITH BUCKETS 2", place=place))
    for batch in range(2):
        numbers = range(20 * batch, 20 * batch + 20)
        streams.put(source, [{"id": i, "p": "ab"[i % 2], "v": f"batch {batch}"} for i in numbers])
        rows = spark.readStream.schema("id INT, p STRING, v STRING").json(str(source))
        fault = streams.ended(streams.writer(rows, checkpoint).start(str(place)))
        assert fault is None, fault
        yield f"batch {batch} of a stream", place


def of_repairs(spark: SparkSession, folder: Path) -> Done:
    """rebuild_index of a file without a bloom filter, repair_bucket of a bucket with two files."""
    rows = "SELECT CAST(id AS INT), 'a', concat('v', id) FROM range(20)"
    poor, forked = folder / "poor", folder / "forked"
    spark.sql(TABLE.format(name="poor", buckets="", place=poor))
    spark.sql(f"INSERT INTO poor {rows}").collect()
    damage.rewrite(poor, layout.latest_slices(poor)[0], footer={damage.BLOOM: None})
    spark.sql("CALL rebuild_index(table => 'poor', level => 'rows')").collect()
    yield "rebuild_index", poor
    spark.sql(TABLE.format(name="forked", buckets="WITH BUCKETS 2", place=forked))
    spark.sql(f"INSERT INTO forked {rows}").collect()
    fork(forked)
    spark.sql("CALL repair_bucket(table => 'forked', partition => 'p=a', bucket => 0)").collect()
    yield "repair_bucket", forked


LISTS: dict[str, Callable[[SparkSession, Path], Done]] = {
    "faults": of_the_fault_suite,
    "bloom": without_buckets,
    "types": of_every_type,
    "commits": of_many_commits,
    "streams": of_streams,
    "repairs": of_repairs,
    "golden": of_golden_files,
}
