"""Sessions in fresh processes, each with a JVM of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import textwrap
import zipfile
from pathlib import Path
from typing import Any, NamedTuple

import pyspark
import pytest

START = """
import json, os, sys
import hudilite
from hudilite.errors import HudiliteError, translated
from pyspark.sql import SparkSession

LOCAL = {
    "spark.master": "local[2]", "spark.ui.enabled": False, "spark.driver.host": "localhost",
    "spark.driver.bindAddress": "127.0.0.1", "spark.sql.shuffle.partitions": 2,
}
results = {}

def refused(action):
    try:
        with translated():
            action()
    except HudiliteError as error:
        return [type(error).__name__, error.condition, error.parameters]
    return None

def merged(spark, table):
    spark.sql(f"CREATE TABLE {table} (id INT, v STRING, PRIMARY KEY (id)) "
              "USING hudilite WITH BUCKETS 2")
    spark.sql(f"INSERT INTO {table} VALUES (1, 'a'), (2, 'b')")
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW s AS "
              "SELECT * FROM VALUES (2, 'B'), (3, 'c') AS x(id, v)")
    counts = spark.sql(f"MERGE INTO {table} AS t USING s ON t.id = s.id "
                       "WHEN MATCHED THEN UPDATE SET * "
                       "WHEN NOT MATCHED THEN INSERT *").collect()
    rows = spark.sql(f"SELECT id, v FROM {table} ORDER BY id").collect()
    return [list(counts[0]), [list(row) for row in rows]]
"""
OTHER = {
    "Early": """
        package other;
        import org.apache.spark.sql.SparkSessionExtensions;
        import scala.runtime.BoxedUnit;
        public class Early
            extends scala.runtime.AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
          public BoxedUnit apply(SparkSessionExtensions extensions) {
            System.setProperty("other.early", "loaded");
            return BoxedUnit.UNIT;
          }
        }""",
    "Catalog": """
        package other;
        public class Catalog
            extends org.apache.spark.sql.connector.catalog.DelegatingCatalogExtension {}""",
}
END = """
print("TOLD " + json.dumps(results))
"""
USUAL = """
from hudilite import sql
spark = hudilite.session("one", "lake, with space", conf=LOCAL)

rows = spark.range(10).selectExpr("CAST(id AS STRING) k", "id v", "id % 2 p")
rows.repartition(1).write.partitionBy("p").parquet("source")
source = os.path.abspath("source")
call = sql.bootstrap("adopted", source, key="k", dry_run=True)
results["dry"] = [[r.action, r.rows] for r in spark.sql(call).collect()]
results["tables"] = [r.tableName for r in spark.sql("SHOW TABLES").collect()]
made = spark.sql(f"CALL bootstrap(table => 'adopted', source => '{source}', key => 'k')")
results["made"] = [made.columns, list(made.collect()[0])[:4]]
results["absent"] = refused(lambda: spark.sql(sql.bootstrap("u", "/absent", key="k")))
spark.sql("UPDATE adopted SET v = -1 WHERE k = '3'")
results["sums"] = [spark.table("adopted").groupBy().sum("v").first()[0],
                spark.read.parquet("source").groupBy().sum("v").first()[0]]

results["merged"] = merged(spark, "t")
results["same"] = hudilite.session("two", "lake, with space") is spark
results["duplicate"] = refused(lambda: spark.sql("INSERT INTO t VALUES (1, 'x')").collect())
results["unresolved"] = refused(lambda: spark.sql("SELECT nothing FROM t"))
results["conflict"] = refused(lambda: hudilite.session(warehouse="elsewhere"))
hudilite.session(conf={"spark.sql.shuffle.partitions": 3})
results["changed"] = spark.conf.get("spark.sql.shuffle.partitions")
results["name"] = spark.sparkContext.appName
hudi = "CREATE TABLE h (id INT, PRIMARY KEY (id)) USING hudi"
results["unset"] = refused(lambda: spark.sql(hudi))
hudilite.session(hudi=True).sql(hudi)
results["hudi"] = spark.table("h").count()
builder = hudilite.configure(SparkSession.builder.appName("three"), hudi=True)
results["configured"] = builder._options["spark.hudilite.provider.hudi"]
"""
BESIDE = """
builder = SparkSession.builder.config(map=LOCAL).config("spark.jars", os.environ["OTHER"])
spark = hudilite.configure(hudilite.configure(builder)).getOrCreate()
results["merged"] = merged(spark, "t")
results["early"] = spark.sparkContext._jvm.java.lang.System.getProperty("other.early")
for key in ("spark.sql.extensions", "spark.jars", "spark.driver.extraClassPath"):
    results[key] = spark.conf.get(key)
results["again"] = refused(lambda: hudilite.configure(SparkSession.builder))
spark.stop()

theirs = {"spark.sql.catalog.spark_catalog": "other.Catalog", "spark.jars": os.environ["OTHER"]}
spark = hudilite.session(conf=LOCAL | theirs)
results["catalogs"] = [spark.conf.get(f"spark.sql.catalog.{name}")
                    for name in ("spark_catalog", "hudilite")]
results["merged beside"] = merged(spark, "hudilite.default.u")
spark.sql("CREATE TABLE plain USING parquet AS SELECT 7 AS n")
results["plain"] = spark.sql("SELECT n FROM spark_catalog.default.plain").collect()[0][0]
"""
# Each a JVM more; the usual way is above.
WHEN = ("python/src/hudilite/launch/",)
MERGED = [[2, 1, 0, 1], [[1, "a"], [2, "B"], [3, "c"]]]


def results_of(
    code: str, folder: Path, *command: str, environment: dict[str, str] | None = None
) -> dict[str, Any]:
    """Run code in a process of its own, in a folder; gives what it filled `results` with."""
    script = folder / "script.py"
    script.write_text(START + textwrap.dedent(code) + END)
    outside = ("SPARK_HOME", "SPARK_REMOTE", "SPARK_CONF_DIR", "PYSPARK_SUBMIT_ARGS")
    kept = {name: value for name, value in os.environ.items() if name not in outside}
    done = subprocess.run(
        [*(command or (sys.executable,)), str(script)],
        cwd=folder,
        env=kept | {"PYSPARK_PYTHON": sys.executable} | (environment or {}),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    lines = [line for line in done.stdout.splitlines() if line.startswith("TOLD ")]
    if done.returncode or not lines:
        pytest.fail(f"the process ended with {done.returncode}\n{done.stdout}\n{done.stderr}")
    return dict(json.loads(lines[-1].removeprefix("TOLD ")))


@pytest.fixture(scope="module")
def other_jar(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A jar of somebody else's, with an extension and a session catalog."""
    folder = tmp_path_factory.mktemp("other")
    sources = []
    for name, text in OTHER.items():
        sources.append(folder / f"{name}.java")
        sources[-1].write_text(text)
    home = os.environ.get("JAVA_HOME")
    javac = str(Path(home) / "bin" / "javac") if home else "javac"
    class_path = str(Path(pyspark.__file__).parent / "jars" / "*")
    subprocess.run(
        [javac, "-cp", class_path, "-d", folder / "classes", *sources],
        check=True,
        capture_output=True,
    )
    jar = folder / "other.jar"
    with zipfile.ZipFile(jar, "w") as archive:
        for file in (folder / "classes").rglob("*.class"):
            archive.write(file, file.relative_to(folder / "classes"))
    return jar


class Place(NamedTuple):
    """What a process results that several tests look at.

    Attributes:
        folder: Where it ran.
        results: What it results.
    """

    folder: Path
    results: dict[str, Any]


@pytest.fixture(scope="module")
def usual(tmp_path_factory: pytest.TempPathFactory) -> Place:
    folder = tmp_path_factory.mktemp("usual")
    return Place(folder, results_of(USUAL, folder))


@pytest.mark.rotated(third=0, when=WHEN)
def test_session_merges_and_is_found_again(usual: Place) -> None:
    results = usual.results
    assert results["merged"] == MERGED
    assert results["same"] is True
    assert results["duplicate"][:2] == ["KeyViolationError", "HUDILITE_DUPLICATE_KEY"]
    assert "1" in results["duplicate"][2]["keys"]
    assert results["unresolved"][:2] == ["SparkError", "UNRESOLVED_COLUMN.WITH_SUGGESTION"]
    assert results["conflict"][:2] == ["SessionError", "HUDILITE_SESSION_CONFLICT"]
    assert results["conflict"][2]["key"] == "spark.sql.warehouse.dir"
    assert results["changed"] == "3"
    assert results["name"] == "one"
    assert results["unset"][:2] == ["StatementError", "HUDILITE_PROVIDER_UNSET"]
    assert results["hudi"] == 0
    assert results["configured"] == "true"
    assert (usual.folder / "lake, with space" / "t" / ".hoodie" / "hoodie.properties").is_file()


@pytest.mark.rotated(third=1, when=WHEN)
def test_running_session_without_hudilite_is_refused_until_it_stops(tmp_path: Path) -> None:
    results = results_of(
        """
        builder = SparkSession.builder.master("local[2]").config("spark.ui.enabled", "false")
        plain = builder.getOrCreate()
        results["session"] = refused(lambda: hudilite.session())
        results["configure"] = refused(lambda: hudilite.configure(SparkSession.builder))
        results["still"] = plain.sql("SELECT 1").collect()[0][0]
        plain.stop()
        results["merged"] = merged(hudilite.session(conf=LOCAL), "t")
        """,
        tmp_path,
    )
    for way in ("session", "configure"):
        assert results[way][:2] == ["SessionError", "HUDILITE_SESSION_NOT_READY"]
        assert "is not on the class path" in results[way][2]["missing"]
        assert "spark.sql.extensions does not contain" in results[way][2]["missing"]
        assert "--conf spark.sql.extensions=" in results[way][2]["settings"]
    assert results["still"] == 1
    assert results["merged"] == MERGED


@pytest.fixture(scope="module")
def beside(tmp_path_factory: pytest.TempPathFactory, other_jar: Path) -> Place:
    """A session that has an extension of somebody else's; then one that has a catalog as well."""
    folder = tmp_path_factory.mktemp("beside")
    (folder / "conf").mkdir()
    (folder / "conf" / "spark-defaults.conf").write_text("spark.sql.extensions other.Early\n")
    environment = {
        "SPARK_CONF_DIR": str(folder / "conf"),
        "OTHER": str(other_jar),
        "PYSPARK_SUBMIT_ARGS": f"--driver-class-path {folder} pyspark-shell",
    }
    return Place(folder, results_of(BESIDE, folder, environment=environment))


@pytest.mark.rotated(third=2, when=WHEN)
def test_configure_keeps_what_others_have_set(beside: Place, other_jar: Path) -> None:
    folder, results = beside
    assert results["merged"] == MERGED
    assert results["early"] == "loaded"
    assert results["spark.sql.extensions"] == (
        "hudilite.spark.HudiliteExtensions,other.Early,hudilite.spark.HudiliteCommands"
    )
    jars = results["spark.jars"].split(",")
    assert jars[0] == str(other_jar)
    assert [Path(jar).name for jar in jars[1:]] == ["hudilite-spark-4.1.jar"]
    assert results["spark.driver.extraClassPath"].split(os.pathsep)[0] == str(folder)
    assert results["again"] is None


@pytest.mark.rotated(third=2, when=WHEN)
def test_catalog_has_a_name_of_its_own_when_spark_catalog_is_taken(beside: Place) -> None:
    results = beside.results
    assert results["catalogs"] == ["other.Catalog", "hudilite.spark.HudiliteCatalog"]
    assert results["merged beside"] == MERGED
    assert results["plain"] == 7


@pytest.mark.rotated(third=0, when=WHEN)
def test_parquet_files_become_a_table(usual: Place) -> None:
    results = usual.results
    assert results["dry"] == [["adopt", 5], ["adopt", 5]]
    assert results["tables"] == []
    assert results["made"][0] == [
        *("files_adopted", "files_rewritten", "files_refused", "rows"),
        *("bytes_read", "bytes_written", "seconds", "instant"),
    ]
    assert results["made"][1] == [2, 0, 0, 10]
    assert results["absent"][:2] == ["StatementError", "HUDILITE_BOOTSTRAP_SOURCE_INVALID"]
    assert results["sums"] == [41, 45]


@pytest.mark.rotated(third=1, when=WHEN)
def test_session_in_a_submitted_application(tmp_path: Path) -> None:
    submit = Path(pyspark.__file__).parent / "bin" / "spark-submit"
    results = results_of(
        'results["merged"] = merged(hudilite.session(conf=LOCAL), "t")', tmp_path, str(submit)
    )
    assert results["merged"] == MERGED


@pytest.mark.rotated(third=0, when=WHEN)
def test_executors_of_their_own_have_the_jar(tmp_path: Path) -> None:
    results = results_of(
        """
        conf = LOCAL | {"spark.master": "local-cluster[1,2,1024]", "spark.executor.memory": "1g"}
        spark = hudilite.session(conf=conf)
        results["merged"] = merged(spark, "t")
        spark.stop()
        """,
        tmp_path,
    )
    assert results["merged"] == MERGED
