"""A MERGE whose source is bucketed like its target exchanges nothing, and writes the same rows."""

from __future__ import annotations

import shutil
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import inv, layout
from harness.children import ChildOutcome, run_beside
from harness.events import Execution, executions
from harness.gate import at_once
from harness.invariants import check_table
from harness.rotation import JVM, product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WHEN = product("spark/locate/BucketedSource.scala", "spark/read/BucketGroups.scala")
CLAUSES = (
    "WHEN MATCHED AND s.n % 5 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET n = s.n, v = s.v "
    "WHEN NOT MATCHED THEN INSERT (p, id, n, v) VALUES (s.p, s.id, s.n, s.v)"
)
COLUMNS = "p INT, id STRING, n INT, v STRING, PRIMARY KEY (id)"
NAMES = ("p", "id", "n", "v")
PLAIN = "WITH BUCKETS 8"
PARTED = "PARTITIONED BY (p) WITH BUCKETS 8"
KEY = "concat(id, IF(id % 3 = 0, ',id:', ''))"


@dataclass(frozen=True)
class Case:
    """One MERGE.

    Attributes:
        target: How the target is laid out.
        source: The same of the source.
        using: Of the statement, over `{s}`.
        on: Beside the key.
        exchanged: Whether the source is.
    """

    target: str
    source: str
    using: str = "{s}"
    on: str = ""
    exchanged: bool = False


CASES = {
    "table": Case(PLAIN, PLAIN),
    "renamed": Case(
        PLAIN, PLAIN, "(SELECT k AS id, p, n, v FROM (SELECT id AS k, * FROM {s}) WHERE n > 7)"
    ),
    "joined": Case(
        PLAIN, PLAIN, "(SELECT a.id, a.p, b.n, a.v FROM {s} a JOIN {s} b ON a.id = b.id)"
    ),
    "aggregated": Case(
        PLAIN, PLAIN, "(SELECT id, max(p) p, max(n) n, max(v) v FROM {s} GROUP BY id)"
    ),
    "partitions": Case(PARTED, PARTED, on="AND t.p = s.p"),
    "all partitions": Case(PARTED, PLAIN),
    "one of all partitions": Case(PARTED, PLAIN, on="AND t.p = s.p"),
    "parted source": Case(PLAIN, PARTED),
    "parted source in all partitions": Case(PARTED, PARTED),
    "a partition named": Case(
        PARTED, PARTED, "(SELECT 1 AS p, id, n, v FROM {s} WHERE p = 1)", on="AND t.p = 1"
    ),
    "more buckets": Case(PLAIN, "WITH BUCKETS 16", exchanged=True),
    "changed key": Case(
        PLAIN, PLAIN, "(SELECT concat(id, '') id, p, n, v FROM {s})", exchanged=True
    ),
    "aggregated otherwise": Case(
        PLAIN, PLAIN, "(SELECT max(id) id, p, n, max(v) v FROM {s} GROUP BY p, n)", exchanged=True
    ),
    "widened": Case(
        PLAIN, PLAIN, "(SELECT * FROM {s} UNION ALL SELECT 1, 'x', 1, 'x')", exchanged=True
    ),
    "no grouping": Case(PLAIN, PLAIN, "(SELECT * FROM {s} ORDER BY v LIMIT 20000)", exchanged=True),
}
MODES = {"adaptive": "true", "static": "false"}


def rows_sql(start: int, end: int, v: str) -> str:
    return f"SELECT int(id % 3), {KEY}, int(id), '{v}' FROM range({start}, {end})"


SOURCES = sorted({case.source for case in CASES.values()})
TARGETS = sorted({case.target for case in CASES.values()})


@pytest.fixture(scope="module")
def made(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a table for each layout of a source, whose rows lie in plain files too, and of a target."""
    folder = tmp_path_factory.mktemp("sources")
    texts = [f"CREATE DATABASE {folder.name} LOCATION '{folder}'"]
    for i, layout_ in enumerate(SOURCES):
        s = f"{folder.name}.s{i}"
        texts += [
            f"CREATE TABLE {s} ({COLUMNS}) USING hudilite {layout_}",
            f"INSERT INTO {s} {rows_sql(300, 900, 'first')}",
            f"INSERT INTO {s} {rows_sql(900, 1400, 'second')}",
            f"DELETE FROM {s} WHERE n % 11 = 0",
            f"CREATE TABLE {s}_copy USING parquet AS SELECT * FROM {s}",
        ]
    for i, layout_ in enumerate(TARGETS):
        t = f"{folder.name}.t{i}"
        texts += [
            f"CREATE TABLE {t} ({COLUMNS}) USING hudilite {layout_}",
            f"INSERT INTO {t} {rows_sql(0, 600, 'old')}",
        ]
    for text in texts:
        spark.sql(text)
    return folder


def steps_of(label: str, case: Case, made: Path, copies: Path) -> list[dict[str, str]]:
    """Two copies of a target merge the rows of one source, as a table of its own and as plain files."""
    t, s = f"t_{label}", f"{made.name}.s{SOURCES.index(case.source)}"
    for table in (t, f"{t}_twin"):
        shutil.copytree(made / f"t{TARGETS.index(case.target)}", copies / table)

    def merge(target: str, source: str) -> str:
        using = case.using.format(s=source)
        return f"MERGE INTO {target} t USING {using} s ON t.id = s.id {case.on} {CLAUSES}"

    texts = {
        "create": f"CREATE TABLE {t} USING hudilite LOCATION '{copies}/{t}'",
        "create twin": f"CREATE TABLE {t}_twin USING hudilite LOCATION '{copies}/{t}_twin'",
        "merge": merge(t, s),
        "other": merge(f"{t}_twin", f"{s}_copy"),
    }
    return [{"label": f"{label} {name}", "sql": sql} for name, sql in texts.items()]


@dataclass(frozen=True)
class Merges:
    """What the statements did."""

    outcome: ChildOutcome
    executions: dict[str, Execution]
    copies: Path


@pytest.fixture(
    scope="module",
    params=[
        pytest.param("adaptive", marks=pytest.mark.rotated(third=0, when=WHEN)),
        pytest.param("static", marks=pytest.mark.rotated(third=1, when=WHEN)),
    ],
)
def merges(
    spark: SparkSession,
    request: pytest.FixtureRequest,
    tmp_path_factory: pytest.TempPathFactory,
    made: Path,
) -> Merges:
    folder = tmp_path_factory.mktemp(f"merged_{request.param}")
    conf = {
        "spark.sql.adaptive.enabled": MODES[request.param],
        "spark.sql.autoBroadcastJoinThreshold": "-1",
        "spark.sql.shuffle.partitions": "4",
    }
    copies = folder / "copies"
    cases = enumerate(CASES.values())
    steps = [step for i, case in cases for step in steps_of(f"c{i}", case, made, copies)]
    outcome = run_beside(spark, folder, steps, conf)
    found = {e.description: e for e in executions(folder / "events")}
    return Merges(outcome, found, copies)


@pytest.mark.parametrize("name", CASES)
def test_a_source_bucketed_like_the_target_is_not_exchanged(merges: Merges, name: str) -> None:
    label = f"c{list(CASES).index(name)}"
    merged = merges.outcome.rows(f"{label} merge")
    assert merged == merges.outcome.rows(f"{label} other")
    assert merged[0][0] > 300
    there, twin = (inv.rows(merges.copies / f"t_{label}{end}", NAMES) for end in ("", "_twin"))
    assert Counter(there) == Counter(twin)
    ran = merges.executions[f"{label} merge"]
    names = [node for node, _ in ran.nodes()]
    assert any("TagRows" in node for node in names)
    if CASES[name].exchanged:
        assert ran.shuffle_bytes > 0
    else:
        assert not [node for node in names if "Exchange" in node]
        assert ran.shuffle_bytes == 0
    assert check_table(merges.copies / f"t_{label}") == []


@pytest.mark.rotated(third=2, when=JVM)
def test_writers_that_overtake_each_other_lose_nothing(spark: SparkSession, database: Path) -> None:
    for table, rest in (("t", PARTED), ("s", PLAIN)):
        spark.sql(f"CREATE TABLE {table} ({COLUMNS}) USING hudilite {rest}")
        spark.sql(f"INSERT INTO {table} {rows_sql(0, 1000, 'old')}")
    spark.sql("UPDATE t SET n = 0")
    merge = (
        "MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = t.n + 1 "
        "WHEN NOT MATCHED THEN INSERT *"
    )
    assert at_once(spark, [[merge] * 2] * 3) == [None] * 6
    counted = "SELECT n, count(*), count(DISTINCT id) FROM t GROUP BY n"
    assert [tuple(row) for row in spark.sql(counted).collect()] == [(6, 1000, 1000)]
    commits = [layout.commit_metadata(database / "t", i) for i in layout.completed(database / "t")]
    retries = [c["extraMetadata"].get("hudilite.metrics.numRetries", 0) for c in commits]
    assert sum(map(int, retries)) > 0, "no writer was overtaken: nothing was tested"
    assert check_table(database / "t") == []


def test_a_source_that_reads_its_own_table_is_retried_as_a_whole(
    spark: SparkSession, database: Path
) -> None:
    spark.sql(f"CREATE TABLE t ({COLUMNS}) USING hudilite {PLAIN}")
    spark.sql(f"INSERT INTO t {rows_sql(0, 1000, 'old')}")
    spark.sql("UPDATE t SET n = 1")
    double = "MERGE INTO t USING t s ON t.id = s.id WHEN MATCHED THEN UPDATE SET n = s.n * 2"
    assert at_once(spark, [[double] * 2] * 2) == [None] * 4
    assert [tuple(r) for r in spark.sql("SELECT DISTINCT n FROM t").collect()] == [(16,)]
    assert check_table(database / "t") == []
