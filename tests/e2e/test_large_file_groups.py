"""A base file above the limit is merged by several tasks; the result is that of one task."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.faults import Fault, run_statement
from harness.invariants import check_table
from harness.metrics import committed
from harness.rotation import product
from harness.session import PAGE_ROWS, ROW_GROUP_ROWS, SPLIT_ABOVE
from model.relations import settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    rare=True, by="test", when=product("spark/merge/", "spark/exec/", "spark/write/")
)
ROWS, GROUP = 1000, 50
SMALL = {
    PAGE_ROWS: 20,
    ROW_GROUP_ROWS: GROUP,
    "spark.sql.leafNodeDefaultParallelism": 4,
}
WHOLE, SPLIT = SMALL | {SPLIT_ABOVE: "1g"}, SMALL | {SPLIT_ABOVE: "1"}
FOOTER = (
    *("org.apache.hudi.bloomfilter", "hoodie_bloom_filter_type_code", "hudilite.bloom.checksum"),
    *("hoodie_min_record_key", "hoodie_max_record_key", "hudilite.sorted", "parquet.avro.schema"),
)
OWN = {"_hoodie_commit_time", "_hoodie_commit_seqno", "_hoodie_file_name"}
INDEXES = {"buckets": " WITH BUCKETS 2", "bloom": ""}
UPSERT = "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"


def merge(keys: str, clauses: str) -> str:
    source = f"SELECT lpad(id, 6, '0') id, 'new' v, -id n FROM {keys}"
    return f"MERGE INTO {{t}} t USING ({source}) s ON t.id = s.id {clauses}"


STATEMENTS = {
    "all rows": merge("range(0, 2400)", UPSERT),
    "rows between, before and after": merge("range(1, 4000, 7)", UPSERT),
    "one column": merge("range(0, 4000, 30)", "WHEN MATCHED THEN UPDATE SET n = s.n"),
    "one row": merge("range(50, 51)", UPSERT),
    "deleted and new rows": merge(
        "range(0, 4000, 3)",
        "WHEN MATCHED AND t.n % 2 = 0 THEN DELETE WHEN NOT MATCHED THEN INSERT * "
        "WHEN NOT MATCHED BY SOURCE AND t.n > 1800 THEN UPDATE SET v = 'far'",
    ),
    "every row is deleted": "DELETE FROM {t} WHERE n >= 0 OR n < 0 AND v IS NOT NULL",
    "few rows are deleted": "DELETE FROM {t} WHERE n BETWEEN 990 AND 1010",
    "update": "UPDATE {t} SET v = concat(v, '!') WHERE n % 10 = 3",
    "update of a row": "UPDATE {t} SET v = 'one' WHERE id = '000500'",
    "nothing": "UPDATE {t} SET v = 'none' WHERE n = -1",
    "insert": "INSERT INTO {t} SELECT lpad(id, 6, '0'), 'ins', id FROM range(1, 5000, 2)",
    "replace": merge(
        "range(0, 2400, 2)",
        "WHEN MATCHED AND s.n < -2000 THEN DELETE WHEN MATCHED THEN UPDATE SET v = s.v "
        "WHEN NOT MATCHED THEN INSERT *",
    ),
}


def make(spark: SparkSession, table: str, index: str) -> None:
    spark.sql(
        f"CREATE TABLE {table} (id STRING, v STRING, n BIGINT, PRIMARY KEY (id)) "
        f"USING hudilite{INDEXES[index]}"
    )
    spark.sql(
        f"INSERT INTO {table} SELECT lpad(id * 2, 6, '0'), concat('v', id), id FROM range({ROWS})"
    )


@pytest.fixture(params=INDEXES)
def tables(
    request: pytest.FixtureRequest, spark: SparkSession, database: Path
) -> Iterator[dict[str, Path]]:
    """Two tables with the rows, `whole` and `split`, by their places."""
    with settings(spark, SMALL):
        for table in ("whole", "split"):
            make(spark, table, request.param)
    yield {table: database / table for table in ("whole", "split")}


def content(base: Path) -> list[dict[str, Any]]:
    """For each base file its rows, its row groups and what its footer says of its keys."""
    found = []
    for slice_ in layout.latest_slices(base):
        file = pq.ParquetFile(slice_.path)
        read = file.read()
        assert set(read.column("_hoodie_file_name").to_pylist()) <= {slice_.path.name}
        pairs = {k.decode(): v.decode() for k, v in (file.metadata.metadata or {}).items()}
        groups = [file.metadata.row_group(i) for i in range(file.metadata.num_row_groups)]
        found.append(
            {
                "rows": read.drop_columns(list(OWN)).to_pylist(),
                "row groups": [group.num_rows for group in groups],
                "footer": {key: pairs.get(key, "").replace(base.name, "t") for key in FOOTER},
                "parts": [key for key in pairs if "part" in key],
                "new": sum(t == slice_.instant for t in read["_hoodie_commit_time"].to_pylist()),
            }
        )
    return sorted(found, key=lambda file: json.dumps(file["rows"]))


def tasks(base: Path) -> dict[str, set[str]]:
    """Numbers of the tasks that wrote the newest commit's rows, by file."""
    newest = max(layout.completed(base))
    found: dict[str, set[str]] = {}
    numbers: list[str] = []
    for slice_ in layout.latest_slices(base):
        rows = pq.ParquetFile(slice_.path).read(columns=["_hoodie_commit_seqno"])
        mine = [n for n in rows.column(0).to_pylist() if n.startswith(f"{newest}_")]
        numbers += mine
        found[slice_.file_id] = {number.split("_")[1] for number in mine}
    assert len(numbers) == len(set(numbers))
    return found


@pytest.mark.parametrize("name", STATEMENTS)
def test_parts_make_the_file_that_one_task_makes(
    spark: SparkSession, tables: dict[str, Path], name: str
) -> None:
    answers = {}
    for table, conf in (("whole", WHOLE), ("split", SPLIT)):
        with settings(spark, conf):
            answers[table] = spark.sql(STATEMENTS[name].format(t=table)).collect()
    whole, split = (tables[table] for table in ("whole", "split"))
    assert answers["split"] == answers["whole"]
    for found, expected in zip(content(split), content(whole), strict=True):
        for fact, value in expected.items():
            assert found[fact] == value, fact
    assert not any(file["parts"] for file in content(split))
    counts = {
        table: {m: n for m, n in committed(base).items() if not m.startswith(("bytes", "millis"))}
        for table, base in tables.items()
    }
    assert counts["split"] == counts["whole"]
    assert max(len(of) for of in tasks(whole).values()) <= 1
    if name in ("all rows", "rows between, before and after", "update", "insert"):
        assert all(len(of) > 2 for of in tasks(split).values())
    assert check_table(split) == []
    assert spark.sql("CALL verify(table => 'split', level => 'rows')").collect() == []


def test_a_part_leaves_no_file(spark: SparkSession, tables: dict[str, Path]) -> None:
    base = tables["split"]
    before = len(list(base.glob("*.parquet")))
    with settings(spark, SPLIT):
        spark.sql(STATEMENTS["all rows"].format(t="split"))
    assert len(list(base.glob("*.parquet"))) == before + len(layout.latest_slices(base))
    assert not list((base / ".hoodie" / ".temp").glob("*"))


WRONG = {
    "HUDILITE_MERGE_CARDINALITY": (
        "MERGE INTO {t} t USING (SELECT lpad(id, 6, '0') id, v FROM range(0, 2000, 2) "
        "LATERAL VIEW explode(array('a', 'b')) AS v WHERE id IN (1200, 4) OR v = 'a') s "
        "ON t.id = s.id WHEN MATCHED THEN UPDATE SET v = s.v"
    ),
    "HUDILITE_DUPLICATE_KEY": (
        "INSERT INTO {t} SELECT lpad(id, 6, '0'), 'ins', id FROM range(1600, 1700, 50)"
    ),
    "CAST_INVALID_INPUT": (
        "UPDATE {t} SET n = IF(n % 300 = 7, CAST(v AS BIGINT), n) WHERE n % 2 = 1"
    ),
}


@pytest.mark.parametrize("condition", WRONG)
def test_a_wrong_statement_fails_as_in_one_task_and_leaves_nothing(
    spark: SparkSession, tables: dict[str, Path], condition: str
) -> None:
    faults: dict[str, Fault | None] = {}
    before = {table: content(base) for table, base in tables.items()}
    files = len(list(tables["split"].glob("*.parquet")))
    for table, conf in (("whole", WHOLE), ("split", SPLIT)):
        with settings(spark, conf):
            faults[table] = run_statement(spark, WRONG[condition].format(t=table))
    whole, split = faults["whole"], faults["split"]
    assert whole is not None
    assert split is not None
    assert split.condition == whole.condition == condition
    for table, base in tables.items():
        assert content(base) == before[table]
    assert len(list(tables["split"].glob("*.parquet"))) == files


@pytest.mark.parametrize("reason", ["copy", "columns", "one row group"])
def test_a_file_whose_bytes_are_not_copied_is_merged_by_one_task(
    spark: SparkSession, tables: dict[str, Path], reason: str
) -> None:
    conf = SPLIT | ({"spark.hudilite.write.copy": "false"} if reason == "copy" else {})
    if reason == "columns":
        spark.sql("ALTER TABLE split ADD COLUMN w INT")
    if reason == "one row group":
        with settings(spark, {ROW_GROUP_ROWS: 10_000}):
            make(spark, "one", "bloom")
    table = "one" if reason == "one row group" else "split"
    base = tables["split"].parent / table
    with settings(spark, conf):
        spark.sql(f"UPDATE {table} SET v = 'changed' WHERE n % 2 = 0")
        assert all(len(of) == 1 for of in tasks(base).values())
        spark.sql(f"UPDATE {table} SET v = 'again' WHERE n % 2 = 0")
        assert all((len(of) > 2) == (reason == "columns") for of in tasks(base).values())
    assert spark.table(table).where("v = 'again'").count() == ROWS // 2


def test_a_file_below_the_limit_is_merged_by_one_task(
    spark: SparkSession, tables: dict[str, Path]
) -> None:
    base = tables["split"]
    most = max(slice_.path.stat().st_size for slice_ in layout.latest_slices(base))
    for limit, is_split in ((most, False), (1, True)):
        with settings(spark, SMALL | {SPLIT_ABOVE: str(limit)}):
            spark.sql("UPDATE split SET v = 'changed' WHERE n % 2 = 0")
        assert all((len(of) > 2) == is_split for of in tasks(base).values())


def test_the_limit_is_at_least_a_byte(spark: SparkSession, tables: dict[str, Path]) -> None:
    with settings(spark, {SPLIT_ABOVE: "0"}):
        fault = run_statement(spark, "UPDATE split SET v = 'changed'")
    assert fault is not None
    assert fault.condition == "HUDILITE_SETTING_INVALID"
