"""CHECK constraints beside writes that run, in streams, and in tables that change or are adopted."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from pyspark.sql import functions

from harness.faults import run_statement
from harness.gate import held
from harness.rotation import product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    rare=True,
    by="test",
    when=product("spark/analyze/CheckRows.scala", "spark/catalog/CheckConstraints.scala"),
)
CREATE = (
    "CREATE TABLE t (id INT, v INT, CONSTRAINT positive CHECK (v > 0), PRIMARY KEY (id)) "
    "USING hudilite WITH BUCKETS 1"
)
VIOLATED = "CHECK_CONSTRAINT_VIOLATION"


def condition(spark: SparkSession, statement: str) -> str | None:
    """Condition of the error of a statement, or None."""
    fault = run_statement(spark, statement)
    return fault and fault.condition


def rows(spark: SparkSession) -> set[tuple[int, ...]]:
    return {tuple(row) for row in spark.sql("SELECT id, v FROM t").collect()}


def test_a_write_that_began_without_a_constraint_fails(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE)
    spark.sql("INSERT INTO t VALUES (1, 1)")
    merge = (
        "MERGE INTO t USING (SELECT 2 id, 200 v WHERE gate(1) > 0) s ON t.id = s.id "
        "WHEN NOT MATCHED THEN INSERT *"
    )
    with held(spark, database / "t", merge, tmp_path / "open") as faults:
        spark.sql("ALTER TABLE t ADD CONSTRAINT small CHECK (v < 100)")
    assert [fault and fault.condition for fault in faults] == ["HUDILITE_CONCURRENT_WRITE"]
    assert rows(spark) == {(1, 1)}
    assert condition(spark, "INSERT INTO t VALUES (2, 200)") == VIOLATED


def test_a_constraint_that_was_compared_with_an_older_version_is_not_added(
    spark: SparkSession, database: Path
) -> None:
    spark.sql(CREATE)
    spark.sql("INSERT INTO t VALUES (1, 100)")
    jvm = spark._jvm
    assert jvm is not None
    connector = jvm.org.apache.spark.sql.connector.catalog
    check = connector.constraints.Constraint.check("small").predicateSql("v < 100").build()
    catalog = spark._jsparkSession.sessionState().catalogManager().v2SessionCatalog()
    changes = spark.sparkContext._gateway.new_array(connector.TableChange, 1)
    changes[0] = connector.TableChange.addConstraint(check, "0")
    names = spark.sparkContext._gateway.new_array(jvm.java.lang.String, 1)
    names[0] = spark.catalog.currentDatabase()
    with pytest.raises(Exception, match="HUDILITE_CONCURRENT_WRITE"):
        catalog.alterTable(connector.Identifier.of(names, "t"), changes)
    assert condition(spark, "INSERT INTO t VALUES (2, 200)") is None


def test_streams_and_data_frames_are_compared(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(CREATE)
    good, bad = spark.sql("SELECT 1 id, 1 v"), spark.sql("SELECT 2 id, 0 v")
    good.writeTo("t").append()
    for write in (
        lambda: bad.writeTo("t").append(),
        lambda: bad.write.format("hudilite").mode("append").saveAsTable("t"),
        lambda: bad.write.format("hudilite").mode("overwrite").saveAsTable("t"),
        lambda: (
            bad.alias("s")
            .mergeInto("t", functions.expr("t.id = s.id"))
            .whenNotMatched()
            .insertAll()
            .merge()
        ),
    ):
        with pytest.raises(Exception, match=VIOLATED):
            write()
    source = tmp_path / "source"
    bad.write.parquet(str(source))
    query = (
        spark.readStream.schema("id INT, v INT")
        .parquet(str(source))
        .writeStream.format("hudilite")
        .option("checkpointLocation", str(tmp_path / "checkpoint"))
        .trigger(availableNow=True)
        .toTable("t")
    )
    with pytest.raises(Exception, match=VIOLATED):
        query.awaitTermination()
    assert rows(spark) == {(1, 1)}


def test_constraints_stay_when_a_table_changes(spark: SparkSession, database: Path) -> None:
    spark.sql(f"{CREATE} LOCATION '{database}/placed'")
    spark.sql("INSERT INTO t VALUES (1, 1)")
    spark.sql("CALL upgrade_table(table => 't', version => 9)")
    spark.sql("CALL set_table_type(table => 't', type => 'mor')")
    assert condition(spark, "INSERT INTO t VALUES (2, 0)") == VIOLATED
    shown = spark.sql("SHOW CREATE TABLE t").head()
    assert shown is not None
    spark.sql("DROP TABLE t")
    spark.sql(shown[0])
    assert condition(spark, "INSERT INTO t VALUES (2, 0)") == VIOLATED
    spark.sql("DROP TABLE t")
    other = shown[0].replace("v > 0", "v > 1")
    assert condition(spark, other) == "HUDILITE_PROPERTY_CONFLICT"
    assert condition(spark, f"CREATE TABLE t USING hudilite LOCATION '{database}/placed'") is None
    assert condition(spark, "INSERT INTO t VALUES (2, 0)") == VIOLATED
    assert rows(spark) == {(1, 1)}


@pytest.mark.parametrize("mode", ["metadata", "full"])
def test_rows_of_adopted_files_are_compared_with_a_new_constraint(
    spark: SparkSession, database: Path, tmp_path: Path, mode: str
) -> None:
    spark.sql("SELECT id, id - 1 AS v FROM range(1, 9)").write.parquet(str(tmp_path / "files"))
    spark.sql(
        f"CALL bootstrap(table => 't', source => '{tmp_path}/files', key => 'id', mode => '{mode}')"
    )
    add = "ALTER TABLE t ADD CONSTRAINT positive CHECK (v > 0)"
    assert condition(spark, add) == "NEW_CHECK_CONSTRAINT_VIOLATION"
    spark.sql("DELETE FROM t WHERE v = 0")
    assert condition(spark, add) is None
    assert condition(spark, "UPDATE t SET v = 0") == VIOLATED
