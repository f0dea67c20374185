"""The steps of Hudi's Spark quick start, as a program for stock Hudi types them: each works, or is refused by name.

The rows are compared with a model: a dict from the key to the row.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from harness import layout
from harness.faults import fault_of, run_statement
from harness.invariants import check_table
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("spark/catalog/"))

SCHEMA = "at BIGINT, parcel STRING, sender STRING, driver STRING, fee DOUBLE, town STRING"
PARCELS = [
    (1700000000100, "p-1", "sender-a", "driver-k", 19.1, "bonn"),
    (1700000000200, "p-2", "sender-b", "driver-l", 27.7, "bonn"),
    (1700000000300, "p-3", "sender-c", "driver-m", 33.9, "bonn"),
    (1700000000400, "p-4", "sender-d", "driver-n", 93.5, "ulm"),
    (1700000000500, "p-5", "sender-e", "driver-o", 17.85, "ulm"),
    (1700000000600, "p-6", "sender-f", "driver-p", 34.15, "kiel"),
]
LATER = [
    (1700000000900, "p-2", "sender-b", "driver-q", 30.0, "bonn"),
    (1700000000050, "p-3", "sender-c", "driver-too-late", 1.0, "bonn"),
    (1700000000950, "p-7", "sender-g", "driver-r", 12.5, "kiel"),
]
TYPES = {"cow": "COPY_ON_WRITE", "mor": "MERGE_ON_READ"}
META = ("commit_time", "commit_seqno", "record_key", "partition_path", "file_name")
OPERATION = "hoodie.datasource.write.operation"
UNSUPPORTED = "HUDILITE_UNSUPPORTED_CLAUSE"

Model = dict[str, tuple[Any, ...]]


@pytest.fixture(autouse=True)
def hudi(spark: SparkSession) -> Iterator[None]:
    spark.conf.set("spark.hudilite.provider.hudi", "true")
    yield
    spark.conf.unset("spark.hudilite.provider.hudi")


def upserted(model: Model, rows: list[tuple[Any, ...]]) -> Model:
    """The rows after an upsert: of two rows with one key, the one with the greater `at` stays."""
    result = dict(model)
    for row in rows:
        if row[1] not in result or result[row[1]][0] <= row[0]:
            result[row[1]] = row
    return result


def rows_of(frame: DataFrame) -> list[tuple[Any, ...]]:
    """The rows by key, without the meta columns that the source `hudi` shows first."""
    own = frame.select([name for name in frame.columns if not name.startswith("_hoodie_")])
    return sorted((tuple(row) for row in own.collect()), key=lambda row: str(row[1]))


class Program:
    """A PySpark program of the quick start, with the rows that the table has after each write."""

    def __init__(self, spark: SparkSession, base: Path, kind: str) -> None:
        self.spark = spark
        self.base = base
        self.model: Model = {}
        self.states: dict[str, Model] = {}
        self.options = {
            "hoodie.table.name": "parcels",
            "hoodie.datasource.write.recordkey.field": "parcel",
            "hoodie.datasource.write.partitionpath.field": "town",
            "hoodie.datasource.write.table.name": "parcels",
            "hoodie.datasource.write.precombine.field": "at",
            "hoodie.datasource.write.table.type": TYPES[kind],
            "hoodie.upsert.shuffle.parallelism": "2",
            "hoodie.insert.shuffle.parallelism": "2",
        }

    def frame(self, rows: list[tuple[Any, ...]]) -> DataFrame:
        return self.spark.createDataFrame(rows, SCHEMA)

    def load(self, **options: str) -> DataFrame:
        return self.spark.read.format("hudi").options(**options).load(str(self.base))

    def save(self, frame: DataFrame, mode: str, expected: Model, **options: str) -> None:
        named = {f"hoodie.datasource.write.{key}": value for key, value in options.items()}
        write = frame.write.format("hudi").options(**self.options).options(**named)
        write.mode(mode).save(str(self.base))
        self.model = expected
        self.states[max(layout.completed(self.base))] = expected
        assert rows_of(self.load()) == sorted(expected.values(), key=lambda row: row[1])
        assert check_table(self.base) == []


@pytest.mark.parametrize("kind", list(TYPES))
def test_pyspark(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    from pyspark.sql.functions import col, lit

    of = Program(spark, tmp_path / "parcels", kind)
    # Insert
    of.save(of.frame(PARCELS), "overwrite", upserted({}, PARCELS))
    facts = layout.properties(of.base)
    assert facts["hoodie.table.type"] == TYPES[kind]
    assert facts["hoodie.table.name"] == "parcels"
    # Query
    of.load().createOrReplaceTempView("shown")
    found = spark.sql("SELECT parcel, fee FROM shown WHERE fee > 30.0 ORDER BY fee").collect()
    assert [tuple(row) for row in found] == [("p-3", 33.9), ("p-6", 34.15), ("p-4", 93.5)]
    meta = spark.sql(
        "SELECT _hoodie_commit_time, _hoodie_record_key, _hoodie_partition_path, sender FROM shown"
    )
    assert {(row[1], row[2]) for row in meta.collect()} == {
        (row[1], f"town={row[5]}") for row in PARCELS
    }
    assert of.load().columns[:5] == [f"_hoodie_{name}" for name in META]
    # Update: of changed rows, and of new, older and newer ones
    changed = of.load().where("sender = 'sender-d'").withColumn("fee", col("fee") * 10)
    of.save(changed, "append", of.model | {"p-4": (*PARCELS[3][:4], 935.0, "ulm")})
    of.save(of.frame(LATER), "append", upserted(of.model, LATER), operation="upsert")
    # Insert of new rows
    new = [(1, "p-8", "sender-h", "driver-s", 1.0, "ulm"), (1, "p-9", "sender-i", "d", 2.0, "ulm")]
    of.save(of.frame(new[:1]), "append", upserted(of.model, new[:1]), operation="insert")
    of.save(of.frame(new[1:]), "append", upserted(of.model, new), operation="bulk_insert")
    # Delete: soft, of the other columns, and hard
    soft = of.load().where("parcel = 'p-5'").withColumn("fee", lit(None).cast("double"))
    of.save(soft, "append", of.model | {"p-5": (*PARCELS[4][:4], None, "ulm")})
    hard = of.load().where("parcel IN ('p-1', 'p-6')").select("parcel", "town", "sender")
    left = {key: row for key, row in of.model.items() if key not in ("p-1", "p-6")}
    of.save(hard, "append", left, operation="delete")
    # Time travel, by an instant and by a time
    for instant, state in of.states.items():
        assert rows_of(of.load(**{"as.of.instant": instant})) == rows_in(state), instant
        time = f"{instant[:4]}-{instant[4:6]}-{instant[6:8]} {instant[8:10]}:{instant[10:12]}:"
        time += f"{instant[12:14]}.{instant[14:]}"
        assert rows_of(of.load(**{"as.of.instant": time})) == rows_in(state), time
    # Incremental queries: of the last commits, and up to one
    commits = [
        row[0]
        for row in of.load().select("_hoodie_commit_time").distinct().orderBy(1).limit(50).collect()
    ]
    begin = commits[-2]
    query = {"hoodie.datasource.query.type": "incremental"}
    since = of.load(**query, **{"hoodie.datasource.read.begin.instanttime": begin})
    expected = of.load().where(f"_hoodie_commit_time > '{begin}'")
    assert rows_of(since) == rows_of(expected) != []
    first = min(of.states)
    window = {
        "hoodie.datasource.read.begin.instanttime": "000",
        "hoodie.datasource.read.end.instanttime": first,
    }
    assert rows_of(of.load(**query, **window)) == rows_in(of.states[first])
    # Insert overwrite, of partitions and of the table
    one = [(2, "p-20", "sender-x", "driver-x", 20.0, "ulm")]
    others = {key: row for key, row in of.model.items() if row[5] != "ulm"}
    of.save(of.frame(one), "append", upserted(others, one), operation="insert_overwrite")
    of.save(
        of.frame(PARCELS), "overwrite", upserted({}, PARCELS), operation="insert_overwrite_table"
    )
    # Delete of partitions
    left = {key: row for key, row in of.model.items() if row[5] not in ("bonn", "ulm")}
    listed = {"operation": "delete_partition", "partitions.to.delete": "town=bonn,town=ulm"}
    of.save(of.frame(PARCELS[:1]), "append", left, **listed)
    # Changes by record are refused by name
    cdc = of.frame(PARCELS).write.format("hudi").option("hoodie.table.cdc.enabled", "true")
    with pytest.raises(Exception, match=r"hoodie\.table\.cdc\.enabled") as fault:
        cdc.mode("append").save(str(of.base))
    assert fault_of(fault.value).condition == "HUDILITE_PROPERTY_CONFLICT"


def rows_in(model: Model) -> list[tuple[Any, ...]]:
    return sorted(model.values(), key=lambda row: row[1])


@pytest.mark.parametrize("kind", list(TYPES))
def test_streams(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    of = Program(spark, tmp_path / "parcels", kind)
    copy = Program(spark, tmp_path / "copy", kind)
    of.save(of.frame(PARCELS), "overwrite", upserted({}, PARCELS))
    copy.save(of.frame(PARCELS[:1]), "overwrite", upserted({}, PARCELS[:1]))
    stream = spark.readStream.format("hudi").load(str(of.base))
    writer = stream.writeStream.format("hudi").option("hoodie.table.name", "parcels")
    writer = writer.option(OPERATION, "upsert").outputMode("append")
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint"))
    writer.trigger(availableNow=True).start(str(copy.base)).awaitTermination()
    assert rows_of(copy.load()) == sorted(PARCELS, key=lambda row: row[1])
    new = tmp_path / "new"
    writer = writer.options(**copy.options).option("checkpointLocation", str(tmp_path / "second"))
    writer.trigger(availableNow=True).start(str(new)).awaitTermination()
    created = spark.read.format("hudi").load(str(new))
    assert rows_of(created) == sorted(PARCELS, key=lambda row: row[1])
    facts = ("type", "name", "recordkey.fields", "partition.fields", "keygenerator.type")
    made, saved = layout.properties(new), layout.properties(copy.base)
    assert [made[f"hoodie.table.{fact}"] for fact in facts] == [
        saved[f"hoodie.table.{fact}"] for fact in facts
    ]


@pytest.mark.parametrize("kind", list(TYPES))
def test_the_first_program(spark: SparkSession, tmp_path: Path, kind: str) -> None:
    """The first program of the quick start names no key: rows are found by the record keys that they have."""
    from pyspark.sql.functions import col

    base = tmp_path / "parcels"
    options = {
        "hoodie.table.name": "parcels",
        "hoodie.datasource.write.partitionpath.field": "town",
        "hoodie.datasource.write.table.type": TYPES[kind],
    }

    def save(frame: DataFrame, mode: str, expected: list[tuple[Any, ...]], **more: str) -> None:
        write = frame.write.format("hudi").options(**options).options(**more)
        write.mode(mode).save(str(base))
        assert rows_of(load()) == sorted(expected, key=lambda row: str(row[1]))
        assert check_table(base) == []

    def load(**more: str) -> DataFrame:
        return spark.read.format("hudi").options(**more).load(str(base))

    def keys() -> dict[str, str]:
        return {row.parcel: row._hoodie_record_key for row in load().collect()}

    # Insert and query
    save(spark.createDataFrame(PARCELS, SCHEMA), "overwrite", PARCELS)
    assert "hoodie.table.recordkey.fields" not in layout.properties(base)
    (first,) = layout.completed(base)
    made = keys()
    assert len(set(made.values())) == len(PARCELS)
    assert all(key.startswith(f"{first}_") for key in made.values())
    # Update
    changed = load().filter("sender = 'sender-d'").withColumn("fee", col("fee") * 10)
    updated = [(*row[:4], 935.0, row[5]) if row[1] == "p-4" else row for row in PARCELS]
    save(changed, "append", updated)
    assert keys() == made
    moved = load().filter("parcel = 'p-4'").withColumn("town", col("driver"))
    updated = [(*row[:5], "driver-n") if row[1] == "p-4" else row for row in updated]
    save(moved, "append", updated, **{OPERATION: "upsert"})
    assert keys() == made
    # Delete
    left = [row for row in updated if row[2] != "sender-f"]
    save(load().filter("sender = 'sender-f'"), "append", left, **{OPERATION: "delete"})
    # Rows without record keys are added, and an upsert or a delete of them is refused
    save(spark.createDataFrame(PARCELS[:1], SCHEMA), "append", [*left, PARCELS[0]])
    added = spark.createDataFrame(PARCELS[:1], SCHEMA).write.format("hudi").options(**options)
    for operation in ("upsert", "delete"):
        with pytest.raises(Exception, match="_hoodie_record_key") as fault:
            added.option(OPERATION, operation).mode("append").save(str(base))
        assert fault_of(fault.value).condition == UNSUPPORTED
    more, fewer = load().withColumn("note", col("town")), load().drop("fee")
    refused = ((more, "note", "HUDILITE_COLUMN_UNKNOWN"), (fewer, "fee", UNSUPPORTED))
    for frame, name, condition in refused:
        with pytest.raises(Exception, match=rf"\b{name}\b") as fault:
            frame.write.format("hudi").options(**options).mode("append").save(str(base))
        assert fault_of(fault.value).condition == condition
    # Time travel, and an incremental query
    assert rows_of(load(**{"as.of.instant": first})) == PARCELS
    since = {
        "hoodie.datasource.query.type": "incremental",
        "hoodie.datasource.read.begin.instanttime": max(layout.completed(base)),
    }
    assert rows_of(load(**since)) == []
    since["hoodie.datasource.read.begin.instanttime"] = sorted(layout.completed(base))[-2]
    assert rows_of(load(**since)) == [PARCELS[0]]


class Statements:
    """Statements of the quick start on a table, each with its effect on the model."""

    def __init__(self, spark: SparkSession, base: Path) -> None:
        self.spark = spark
        self.base = base
        self.model: Model = {}

    def run(self, text: str, effect: Callable[[Model], Model]) -> None:
        self.spark.sql(text)
        self.model = effect(self.model)
        table = self.spark.table("parcels").select(
            "at", "parcel", "sender", "driver", "fee", "town"
        )
        assert rows_of(table) == rows_in(self.model), text

    def refused(self, text: str, condition: str) -> None:
        fault = run_statement(self.spark, text)
        assert fault is not None, text
        assert fault.condition == condition, fault


def values(rows: list[tuple[Any, ...]]) -> str:
    return ", ".join(str(row) for row in rows)


def update(of: Statements) -> None:
    of.run(
        "UPDATE parcels SET fee = 25.0 WHERE sender = 'sender-d'",
        lambda model: model | {"p-4": (*PARCELS[3][:4], 25.0, "ulm")},
    )


def merge_and_delete(of: Statements) -> None:
    """Fills table `changes`, merges its rows, and deletes a row."""
    of.spark.sql(f"INSERT INTO changes VALUES {values([LATER[0], LATER[2]])}")
    of.run(
        "MERGE INTO parcels AS target USING changes AS source ON target.parcel = source.parcel "
        "WHEN MATCHED THEN UPDATE SET target.fee = target.fee + source.fee "
        "WHEN NOT MATCHED THEN INSERT *",
        lambda model: model | {"p-2": (*PARCELS[1][:4], 57.7, "bonn"), "p-7": LATER[2]},
    )
    of.run(
        "DELETE FROM parcels WHERE parcel = 'p-1'",
        lambda model: {key: row for key, row in model.items() if key != "p-1"},
    )


@pytest.mark.parametrize("kind", list(TYPES))
def test_sql(spark: SparkSession, database: Path, tmp_path: Path, kind: str) -> None:
    of = Statements(spark, database / "parcels")
    columns = f"({SCHEMA})"
    spark.sql(
        f"CREATE TABLE parcels {columns} USING hudi TBLPROPERTIES (type = '{kind}', "
        "primaryKey = 'parcel', preCombineField = 'at') PARTITIONED BY (town)"
    )
    assert layout.properties(of.base)["hoodie.table.type"] == TYPES[kind]
    of.run(f"INSERT INTO parcels VALUES {values(PARCELS)}", lambda model: upserted(model, PARCELS))
    (first,) = layout.completed(of.base)
    state = of.model
    found = spark.sql("SELECT at, fee, sender FROM parcels WHERE fee > 90.0").collect()
    assert [tuple(row) for row in found] == [(1700000000400, 93.5, "sender-d")]
    meta = spark.sql("SELECT _hoodie_record_key, _hoodie_partition_path FROM parcels").collect()
    assert {tuple(row) for row in meta} == {(row[1], f"town={row[5]}") for row in PARCELS}
    update(of)
    spark.sql(
        f"CREATE TABLE changes {columns} USING hudi TBLPROPERTIES (primaryKey = 'parcel') "
        "PARTITIONED BY (town)"
    )
    merge_and_delete(of)
    assert rows_of(spark.sql(f"SELECT * FROM parcels VERSION AS OF '{first}'")) == rows_in(state)
    of.run(
        "INSERT OVERWRITE parcels PARTITION (town = 'kiel') VALUES (5, 'p-30', 's', 'd', 1.5)",
        lambda model: (
            {key: row for key, row in model.items() if row[5] != "kiel"}
            | {"p-30": (5, "p-30", "s", "d", 1.5, "kiel")}
        ),
    )
    assert {row[0] for row in spark.sql("SHOW PARTITIONS parcels").collect()} >= {"town=kiel"}
    of.run(
        "ALTER TABLE parcels DROP PARTITION (town = 'ulm')",
        lambda model: {key: row for key, row in model.items() if row[5] != "ulm"},
    )
    of.run("ALTER TABLE parcels ADD COLUMNS (note STRING)", lambda model: model)
    of.run(
        f"INSERT OVERWRITE parcels SELECT *, 'n' FROM VALUES {values(PARCELS[:2])}",
        lambda model: upserted({}, PARCELS[:2]),
    )
    of.run("ALTER TABLE parcels SET TBLPROPERTIES (team = 'north')", lambda model: model)
    of.refused("CREATE INDEX record_index ON parcels (parcel)", "HUDILITE_UNSUPPORTED_STATEMENT")
    of.refused(
        "ALTER TABLE parcels SET TBLPROPERTIES (primaryKey = 'town')", "HUDILITE_PROPERTY_CONFLICT"
    )
    spark.sql(
        "CREATE TABLE chosen USING hudi OPTIONS (type = 'cow', primaryKey = 'parcel', "
        f"preCombineField = 'at') PARTITIONED BY (town) LOCATION '{tmp_path}/chosen' "
        "AS SELECT at, parcel, fee, town FROM parcels"
    )
    assert spark.table("chosen").count() == 2
    spark.sql(f"CREATE TABLE again USING hudi LOCATION '{tmp_path}/chosen'")
    assert rows_of(spark.table("again")) == rows_of(spark.table("chosen"))
    assert spark.sql("SHOW CREATE TABLE again").collect()[0][0].count("USING hudilite") == 1
    for table in ("parcels", "changes", "chosen", "again"):
        spark.sql(f"DROP TABLE {table}")


@pytest.mark.parametrize("kind", list(TYPES))
def test_the_first_statements(spark: SparkSession, database: Path, kind: str) -> None:
    """The first statements of the quick start, whose tables have no key."""
    of = Statements(spark, database / "parcels")
    properties = "TBLPROPERTIES (type = 'mor')" if kind == "mor" else ""
    spark.sql(f"CREATE TABLE parcels ({SCHEMA}) USING HUDI {properties} PARTITIONED BY (town)")
    facts = layout.properties(of.base)
    assert facts["hoodie.table.type"] == TYPES[kind]
    assert "hoodie.table.recordkey.fields" not in facts
    of.run(f"INSERT INTO parcels VALUES {values(PARCELS)}", lambda model: upserted(model, PARCELS))
    state = of.model
    found = spark.sql("SELECT at, fee, sender FROM parcels WHERE fee > 90.0").collect()
    assert [tuple(row) for row in found] == [(1700000000400, 93.5, "sender-d")]
    update(of)
    spark.sql(f"CREATE TABLE changes ({SCHEMA}) USING HUDI")
    merge_and_delete(of)
    first, *_, merged, deleted = sorted(layout.completed(of.base))
    for moment in (f"TIMESTAMP AS OF {first}", f"VERSION AS OF '{first}'"):
        assert rows_of(spark.sql(f"SELECT * FROM parcels {moment}")) == rows_in(state)
    changed = spark.sql(f"SELECT * FROM hudi_table_changes('parcels', 'latest_state', '{first}')")
    expected = [row for key, row in of.model.items() if state.get(key) != row]
    assert rows_of(changed) == sorted(expected, key=lambda row: row[1])
    assert merged < deleted
    assert check_table(of.base) == []
    of.refused(
        f"CREATE TABLE hashed ({SCHEMA}) USING hudi TBLPROPERTIES ('hoodie.index.type' = 'BUCKET')",
        "HUDILITE_KEY_NOT_DECLARED",
    )
    for table in ("parcels", "changes"):
        spark.sql(f"DROP TABLE {table}")
