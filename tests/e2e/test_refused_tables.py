"""Tables of a kind that hudilite does not speak are refused by name, for reading and writing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.damage import retype
from harness.faults import run_statement
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(by="test", when=product("core/format/"))
STATEMENTS = (
    "SELECT * FROM t",
    "INSERT INTO t VALUES (9, 'x')",
    "MERGE INTO t USING (SELECT 1 id, 'x' v) s ON t.id = s.id WHEN MATCHED THEN UPDATE SET *",
)
REFUSED = [
    ("hoodie.table.version", "7"),
    ("hoodie.table.version", "10"),
    ("hoodie.table.version", "5"),
    ("hoodie.timeline.layout.version", "2"),
    ("hoodie.table.type", "COPY_ON_READ"),
    ("hoodie.table.base.file.format", "ORC"),
    ("hoodie.table.base.file.format", "LANCE"),
]
READ_ONLY = [
    ("hoodie.table.cdc.enabled", "true"),
    ("hoodie.populate.meta.fields", "false"),
    ("hoodie.datasource.write.slash.separated.date.partitioning", "true"),
    ("hoodie.table.keygenerator.type", "TIMESTAMP"),
    ("hoodie.table.keygenerator.type", "USER_PROVIDED"),
    ("hoodie.table.partial.update.mode", "IGNORE_DEFAULTS"),
]


@pytest.fixture
def table(spark: SparkSession, database: Path) -> Path:
    spark.sql("CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2")
    spark.sql("INSERT INTO t VALUES (1, 'a'), (2, 'b')")
    return database / "t"


def set_fact(base: Path, key: str, value: str) -> None:
    file = base / ".hoodie" / "hoodie.properties"
    kept = [line for line in file.read_text().splitlines() if not line.startswith(f"{key}=")]
    file.write_text("\n".join([*kept, f"{key}={value}", ""]))


def refusals(spark: SparkSession, base: Path) -> list[str | None]:
    before = layout.untouched_state(base)
    faults = [run_statement(spark, statement) for statement in STATEMENTS]
    assert layout.untouched_state(base) == before
    return [fault and fault.condition for fault in faults]


@ROTATED
@pytest.mark.fault("F36")
@pytest.mark.parametrize(("key", "value"), REFUSED)
def test_a_table_with_a_foreign_fact_is_refused(
    spark: SparkSession, table: Path, key: str, value: str
) -> None:
    set_fact(table, key, value)
    assert refusals(spark, table) == ["HUDILITE_UNSUPPORTED_TABLE"] * 3


@ROTATED
@pytest.mark.fault("F36")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hoodie.table.cdc.enabled", "true"),
        ("hoodie.record.merge.mode", "CUSTOM"),
        ("hoodie.table.partial.update.mode", "IGNORE_DEFAULTS"),
        ("hoodie.record.merge.property.hoodie.payload.delete.field", "op"),
        ("hoodie.compaction.payload.class", "org.apache.hudi.common.model.AWSDmsAvroPayload"),
    ],
)
def test_a_table_with_other_rules_of_merging_is_only_read(
    spark: SparkSession, table: Path, key: str, value: str
) -> None:
    set_fact(table, key, value)
    (table / ".00000000-x_20240101000000000.log.1_0-1-0.cdc").write_bytes(b"changes of a commit")
    assert refusals(spark, table) == [None, *["HUDILITE_TABLE_READ_ONLY"] * 2]


@ROTATED
@pytest.mark.parametrize("folder", ["consistent_hashing_metadata", "partition_bucket_index_meta"])
def test_a_table_with_other_bucket_rules_is_read_but_not_written(
    spark: SparkSession, table: Path, folder: str
) -> None:
    rules = table / ".hoodie" / ".bucket_index" / folder
    (rules / "configs").mkdir(parents=True)
    rule = '{"expressions": "a,1", "defaultBucketNumber": 2, "rule": "regex"}'
    (rules / "configs" / "20240101000000000.hashing_config").write_text(rule, encoding="utf-8")
    assert refusals(spark, table) == [None, *["HUDILITE_TABLE_READ_ONLY"] * 2]


@ROTATED
@pytest.mark.fault("F89")
@pytest.mark.parametrize(("key", "value"), READ_ONLY)
def test_a_table_with_other_rules_of_writing_is_read_but_not_written(
    spark: SparkSession, table: Path, key: str, value: str
) -> None:
    set_fact(table, key, value)
    assert refusals(spark, table) == [None, *["HUDILITE_TABLE_READ_ONLY"] * 2]


@ROTATED
@pytest.mark.fault("F40")
@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("hoodie.table.checksum", "1"),
        (layout.OWN_CHECKSUM, "1"),
        ("hudilite.table.uuid", "11111111-2222-3333-4444-555555555555"),
        ("hoodie.datasource.write.hive_style_partitioning", "false"),
    ],
)
def test_altered_facts_are_a_broken_table(
    spark: SparkSession, table: Path, key: str, value: str
) -> None:
    set_fact(table, key, value)
    assert refusals(spark, table) == ["HUDILITE_CORRUPT_TIMELINE"] * 3


@pytest.mark.fault("F40")
def test_a_table_without_properties_is_a_broken_table(spark: SparkSession, table: Path) -> None:
    (table / ".hoodie" / "hoodie.properties").unlink()
    assert refusals(spark, table) == ["HUDILITE_MISSING_FILE"] * 3


def test_a_table_without_a_declared_index_is_read_but_not_written(
    spark: SparkSession, table: Path
) -> None:
    for key in ("hudilite.index", "hudilite.bucket.count", "hudilite.bucket.fields"):
        file = table / ".hoodie" / "hoodie.properties"
        kept = [line for line in file.read_text().splitlines() if not line.startswith(key)]
        file.write_text("\n".join([*kept, ""]))
    facts = layout.properties(table)
    set_fact(table, layout.OWN_CHECKSUM, layout.facts_checksum(facts))
    read, insert, merge = refusals(spark, table)
    assert read is None
    assert insert == merge == "HUDILITE_UNSUPPORTED_TABLE"


@pytest.mark.fault("F49")
def test_two_groups_of_one_bucket_are_refused(spark: SparkSession, table: Path) -> None:
    first = layout.latest_slices(table)[0]
    twin = first.file_id[:8] + "-1111-2222-3333-444444444444-0"
    (table / f"{twin}_{first.token}_{first.instant}.parquet").write_bytes(first.path.read_bytes())
    assert refusals(spark, table)[1:] == ["HUDILITE_DUPLICATE_BUCKET_FILE"] * 2


@ROTATED
@pytest.mark.fault("F45")
def test_a_damaged_data_file_is_named(spark: SparkSession, table: Path) -> None:
    for found in layout.latest_slices(table):
        found.path.write_bytes(found.path.read_bytes()[:100])
    assert refusals(spark, table)[0] == "HUDILITE_CORRUPT_DATA_FILE"


@ROTATED
def test_a_column_of_another_type_names_itself(spark: SparkSession, table: Path) -> None:
    """Texts that became booleans are no change that any writer of Hudi makes."""
    path = layout.latest_slices(table)[0].path
    retype(path, "v", pa.array([True] * pq.read_metadata(path).num_rows))
    fault = run_statement(spark, "SELECT v FROM t WHERE v IS NOT NULL ORDER BY v")
    assert fault is not None
    assert fault.condition == "HUDILITE_COLUMN_TYPE_MISMATCH"
    assert (fault.parameters["column"], fault.parameters["type"]) == ("v", "string")
    assert path.name in fault.parameters["path"]
