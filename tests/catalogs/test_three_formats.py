"""One session that uses tables of Delta, Iceberg and hudilite together; caches between sessions."""

from __future__ import annotations

import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout, streams
from harness.children import run_child
from harness.faults import run_statement
from harness.setups import EXTENSIONS, OWN, peers_conf

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

H = f"{OWN}.three.h"
D = "spark_catalog.three.d"
I = "ice.three.i"  # noqa: E741
UPSERT = "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"


@pytest.fixture(scope="module")
def three(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> SparkSession:
    """A table of each format, with keys 1 and 2, 2 and 3, 3 and 4."""
    folder: Path = tmp_path_factory.mktemp("three")
    session = spark.newSession()
    # Delta's VACUUM lists folders in as many tasks, by default 10,000.
    session.conf.set("spark.sql.sources.parallelPartitionDiscovery.parallelism", 4)
    session.sql(f"CREATE DATABASE three LOCATION '{folder}'")
    session.sql("CREATE NAMESPACE ice.three")
    session.sql(f"CREATE TABLE {D} (id INT, v STRING) USING delta")
    session.sql(f"CREATE TABLE {I} (id INT, v STRING) USING iceberg")
    session.sql(
        f"CREATE TABLE {H} (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"
    )
    for name, ids in ((H, (1, 2)), (D, (2, 3)), (I, (3, 4))):
        rows = ", ".join(f"({i}, '{name[-1]}')" for i in ids)
        session.sql(f"INSERT INTO {name} VALUES {rows}")
    return session


def test_each_merges_from_another_and_all_join(three: SparkSession) -> None:
    three.sql(f"MERGE INTO {H} t USING (SELECT * FROM {D} UNION SELECT 9, 'new') s {UPSERT}")
    three.sql(f"MERGE INTO {I} t USING {H} s {UPSERT}")
    three.sql(f"MERGE INTO {D} t USING {I} s {UPSERT}")
    joined = three.sql(
        f"SELECT h.id, h.v, d.v, i.v FROM {H} h FULL JOIN {D} d ON h.id = d.id "
        f"FULL JOIN {I} i ON i.id = d.id ORDER BY i.id"
    )
    assert [tuple(row) for row in joined.collect()] == [
        (1, "h", "h", "h"),
        (2, "d", "d", "d"),
        (3, "d", "d", "d"),
        (None, None, "i", "i"),
        (9, "new", "new", "new"),
    ]


def test_each_catalog_has_its_own_procedures(three: SparkSession) -> None:
    shown = three.sql(f"CALL {OWN}.system.show_timeline(table => 'three.h')").collect()
    assert {row["state"] for row in shown} == {"COMPLETED"}
    fully = three.sql(f"CALL {OWN}.system.show_timeline(table => '{H}', limit => 1)").collect()
    assert [row["instant"] for row in fully] == [shown[0]["instant"]]
    rewritten = three.sql("CALL ice.system.rewrite_manifests('three.i')").columns
    assert "rewritten_manifests_count" in rewritten
    assert run_statement(three, f"CALL {OWN}.system.nothing()").condition == (  # type: ignore[union-attr]
        "HUDILITE_PROCEDURE_NOT_FOUND"
    )


def test_calls_of_iceberg_say_what_to_type(three: SparkSession) -> None:
    fault = run_statement(three, f"CALL {OWN}.system.expire_snapshots('three.h')")
    assert fault is not None
    instead = f"CALL {OWN}.system.clean(table => 'three.h', retain_commits => 1)"
    assert fault.parameters["fix"] == f"Type: {instead}"
    assert three.sql(instead).count() == 1


def test_a_table_that_is_opened_as_another_project(three: SparkSession, tmp_path: Path) -> None:
    """The error says what to type, and this gives the rows."""
    rows = three.range(3)
    for project in ("delta", "iceberg"):
        place = f"{tmp_path}/{project}"
        if project == "delta":
            rows.write.format(project).save(place)
        else:
            rows.writeTo("ice.three.opened").create()
            place = f"{three.conf.get('spark.sql.catalog.ice.warehouse')}/three/opened"
        with pytest.raises(Exception, match="HUDILITE_PATH_INVALID") as raised:
            three.read.format("hudilite").load(place)
        first = str(raised.value).splitlines()[0]
        instead = re.search(r"format\('(\w+)'\)\.load\('([^']+)'\)", first)
        assert instead is not None, first
        assert instead[1] == project
        assert three.read.format(instead[1]).load(instead[2]).count() == 3
    ours = str(tmp_path / "ours")
    rows.write.format("hudilite").option("primaryKey", "id").save(ours)
    before = layout.untouched_state(Path(ours))
    with pytest.raises(Exception, match="DELTA"):
        three.read.format("delta").load(ours).collect()
    assert layout.untouched_state(Path(ours)) == before


@pytest.mark.parametrize("is_last", [False, True], ids=["hudilite first", "hudilite last"])
def test_whose_table_changes_is_called(tmp_path: Path, is_last: bool) -> None:
    own = "hudilite.spark.HudiliteExtensions"
    order = [*EXTENSIONS, own] if is_last else [own, *EXTENSIONS]
    read = "SELECT _change_type, _commit_version FROM table_changes('{}', 1)"
    steps = [
        "CREATE TABLE fed (id INT) USING delta TBLPROPERTIES (delta.enableChangeDataFeed = true)",
        "INSERT INTO fed VALUES (1)",
        f"CREATE TABLE {OWN}.default.h (id INT, PRIMARY KEY (id)) USING hudilite",
        f"INSERT INTO {OWN}.default.h VALUES (1)",
        *(read.format(name) for name in ("fed", "default.fed", "spark_catalog.default.fed")),
        read.format(f"{OWN}.default.h"),
    ]
    asked = [{"label": str(n), "sql": sql} for n, sql in enumerate(steps)]
    conf = peers_conf(tmp_path / "warehouse") | {"spark.sql.extensions": ",".join(order)}
    outcome = run_child(tmp_path, asked, conf)
    for n in (4, 5, 6):
        assert outcome.rows(str(n)) == [["insert", 1]]
    # Delta's function replaces one that was there before it.
    if is_last:
        assert outcome.rows("7") == [["insert", 1]]
    else:
        assert outcome.steps[7]["error"] == "DELTA_TABLE_ONLY_OPERATION"


def test_the_named_catalog_reads_the_tables_of_the_session_catalog(three: SparkSession) -> None:
    assert three.sql(f"SELECT count(*) FROM {OWN}.three.d").head()[0] >= 2  # type: ignore[index]
    three.sql("CREATE TABLE three.plain (id INT) USING parquet")
    three.sql(f"INSERT INTO {OWN}.three.plain VALUES (5)")
    assert [row[0] for row in three.sql(f"SELECT id FROM {OWN}.three.plain").collect()] == [5]


def test_deltas_catalog_does_not_open_a_table_of_hudilite(three: SparkSession) -> None:
    fault = run_statement(three, "SELECT * FROM spark_catalog.three.h")
    assert fault is not None
    assert fault.condition == "HUDILITE_UNSUPPORTED_STATEMENT"


def test_an_error_names_the_table_in_its_catalog(three: SparkSession) -> None:
    name = f"{OWN}.three.named"
    three.sql(f"CREATE TABLE {name} (id INT, v STRING, PRIMARY KEY (id)) USING hudilite")
    three.sql(f"INSERT INTO {name} VALUES (1, 'a')")
    fault = run_statement(three, f"INSERT INTO {name} VALUES (1, 'b')")
    assert fault is not None
    assert (fault.condition, fault.parameters["table"]) == ("HUDILITE_DUPLICATE_KEY", name)
    fault = run_statement(three, f"ALTER TABLE {name} ADD COLUMN w INT NOT NULL")
    assert fault is not None
    three.sql(fault.parameters["fix"].partition("Type: ")[2])
    assert three.table(name).columns == ["id", "v", "w"]


@pytest.mark.fault("F28")
def test_a_cache_shows_what_another_session_commits(three: SparkSession) -> None:
    other = three.newSession()
    name = f"{OWN}.three.cached"
    three.sql(
        f"CREATE TABLE {name} (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1"
    )
    three.sql(f"CACHE TABLE {name}")
    frame = three.table(name).where("id < 5").cache()
    assert frame.count() == 0
    other.sql(f"INSERT INTO {name} VALUES (1, 'a')")
    assert three.table(name).count() == 1
    assert three.table(name).where("id < 5").count() == 1
    other.sql(f"MERGE INTO {name} t USING (SELECT 1 AS id, 'b' AS v) s {UPSERT}")
    assert [row["v"] for row in three.table(name).collect()] == ["b"]
    assert [row["v"] for row in three.table(name).where("id < 5").collect()] == ["b"]


def test_a_stream_goes_from_delta_through_hudilite_and_back(
    three: SparkSession, tmp_path: Path
) -> None:
    name, back = f"{OWN}.three.streamed", "spark_catalog.three.back"
    three.sql(
        f"CREATE TABLE {name} (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1"
    )
    three.sql("CREATE TABLE spark_catalog.three.source (id INT, v STRING) USING delta")
    three.sql(f"CREATE TABLE {back} (id INT, v STRING) USING delta")
    for n in range(2):
        three.sql(f"INSERT INTO spark_catalog.three.source VALUES ({n}, 'a')")
        rows = three.readStream.table("spark_catalog.three.source")
        assert streams.ended(streams.writer(rows, tmp_path / "there").toTable(name)) is None
        told = streams.writer(three.readStream.table(name), tmp_path / "back").format("delta")
        assert streams.ended(told.toTable(back)) is None
    for table in (name, back):
        found = three.sql(f"SELECT id, v FROM {table} ORDER BY id").collect()
        assert [tuple(row) for row in found] == [(0, "a"), (1, "a")], table


def test_a_table_without_using_has_the_format_of_its_catalog(three: SparkSession) -> None:
    """spark.sql.sources.default is for the session's own catalogs; Iceberg's creates tables of Iceberg."""
    session = three.newSession()
    session.conf.set("spark.sql.sources.default", "hudilite")

    def provider(name: str) -> str:
        shown = session.sql(f"DESCRIBE TABLE EXTENDED {name}").collect()
        return next(row["data_type"] for row in shown if row["col_name"] == "Provider")

    parts = "PARTITIONED BY (bucket(2, id), truncate(1, v), bucket(3, v))"
    session.sql(f"CREATE TABLE ice.three.stated (id INT, v STRING) {parts}")
    shown = session.sql("SHOW CREATE TABLE ice.three.stated").head()
    assert shown is not None
    # In the order of the statement.
    assert re.findall(r"(bucket|truncate)\(", shown[0]) == ["bucket", "truncate", "bucket"]
    session.sql("CREATE TABLE ice.three.queried AS SELECT 1 id")
    for name in ("stated", "queried"):
        assert provider(f"ice.three.{name}") == "iceberg"
    session.sql("CREATE OR REPLACE TABLE ice.three.stated (id INT)")
    session.sql("CREATE OR REPLACE TABLE ice.three.queried AS SELECT 2 id")
    session.sql("USE ice.three")
    session.sql("CREATE TABLE used (id INT)")
    for name in ("stated", "queried", "used"):
        assert provider(f"ice.three.{name}") == "iceberg"
    session.sql(f"CREATE TABLE {OWN}.three.by_default (id INT, PRIMARY KEY (id)) WITH BUCKETS 1")
    assert provider(f"{OWN}.three.by_default") == "hudilite"
    refused = {
        "CREATE TABLE ice.three.no (id INT) USING hudilite": "HUDILITE_UNSUPPORTED_STATEMENT",
        "CREATE TABLE ice.three.no (id INT) WITH BUCKETS 2": "HUDILITE_BUCKETS_WITHOUT_PROVIDER",
        # Spark's own catalog takes the format of the session, and here it is Delta's.
        "CREATE TABLE spark_catalog.three.no (id INT)": "HUDILITE_UNSUPPORTED_STATEMENT",
    }
    for text, condition in refused.items():
        fault = run_statement(session, text)
        assert fault is not None, text
        assert fault.condition == condition, text


def test_each_has_its_own_commands(three: SparkSession) -> None:
    for name in (H, D):
        assert "version" in three.sql(f"DESCRIBE HISTORY {name} LIMIT 1").columns
        found = three.sql(f"DESCRIBE DETAIL {name}").head()
        assert found is not None
        assert found["format"] == ("delta" if name == D else "hudilite")
    assert "instant" in three.sql(f"DESCRIBE HISTORY {H}").columns
    assert "readVersion" in three.sql(f"DESCRIBE HISTORY {D}").columns
    assert three.sql(f"VACUUM {D} DRY RUN").columns == ["path"]
    assert three.sql(f"VACUUM {H} RETAIN 200 HOURS DRY RUN").head()["dry_run"]  # type: ignore[index]
    assert three.sql(f"OPTIMIZE {D}").head() is not None
    assert "totalConsideredFiles" in three.sql(f"OPTIMIZE {H}").head()["metrics"]  # type: ignore[index]
    assert three.sql(f"RESTORE TABLE {H} TO VERSION AS OF 1").head()["restored_to"]  # type: ignore[index]
    assert "num_restored_files" in three.sql(f"RESTORE TABLE {D} TO VERSION AS OF 1").columns
    assert (
        three.sql(f"RESTORE TABLE {H} TO VERSION AS OF 1").columns[0] == "table_size_after_restore"
    )
    three.sql(f"ALTER TABLE {I} CREATE TAG q")
    three.sql(f"ALTER TABLE {I} WRITE ORDERED BY v")
    refused = (
        f"ALTER TABLE {H} CREATE TAG q",
        f"ALTER TABLE {H} WRITE ORDERED BY v",
        f"ALTER TABLE {H} ADD PARTITION FIELD v",
        f"CREATE TABLE three.cloned SHALLOW CLONE {H}",
        f"REORG TABLE {H} APPLY (PURGE)",
        f"VACUUM {H} RETAIN 1 HOURS",
        f"OPTIMIZE {H} ZORDER BY (v)",
    )
    conditions = {text: run_statement(three, text) for text in refused}
    assert [
        (text, fault)
        for text, fault in conditions.items()
        if fault is None or not fault.condition.startswith("HUDILITE_UNSUPPORTED")
    ] == []
