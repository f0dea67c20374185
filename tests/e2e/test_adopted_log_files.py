"""Merge-on-read tables that CALL bootstrap has made: log files over skeletons and their source files."""

from __future__ import annotations

import hashlib
import os
import random
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.errors import PySparkException
from test_adopted_reads import CUT, condition

from harness import layout
from harness.rotation import product
from harness.seeds import asked_seed
from hudilite import files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    rare=True,
    by="test",
    when=product(
        "spark/bootstrap/", "spark/read/AdoptedFiles.scala", "spark/merge/LogLimits.scala"
    ),
)
ADOPTED = "00000000000001"
NEVER = "20240102030405678"  # an instant that no timeline has
ROWS, FILES = 160, 4
FILTERS = int(os.environ.get("HUDILITE_FILTERS", "60"))
STATEMENTS = int(os.environ.get("HUDILITE_MODEL_STATEMENTS", "12"))
SMALL = "hoodie.parquet.small.file.limit"
VERSION = "hoodie.write.table.version"


def state(folder: Path) -> dict[str, tuple[str, int]]:
    """Content and time of the last change of every file below a folder."""
    return {
        str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*.parquet"))
    }


def make_source(folder: Path, kind: str) -> Path:
    """Four files of 10-row groups in two partitions; the key is a number or a text."""
    rng = random.Random(asked_seed())
    keys = rng.sample(range(100_000, 200_000), ROWS)
    table = pa.table(
        {
            "id": keys if kind == "number" else [str(key) for key in keys],
            "n": [rng.choice([None, *range(20)]) for _ in keys],
            "x": [key / 7 for key in keys],
            "s": [rng.choice(["a", "b", None, "zz"]) for _ in keys],
        }
    )
    for part in range(FILES):
        place = folder / f"p={part % 2}"
        place.mkdir(parents=True, exist_ok=True)
        share = table.slice(part * ROWS // FILES, ROWS // FILES)
        pq.write_table(share, place / f"f{part}.parquet", row_group_size=10)
    return folder


def bootstrap(spark: SparkSession, source: Path, more: str = ", type => 'mor'") -> str:
    """Makes table `t` and returns the instant of the bootstrap."""
    sql = f"CALL bootstrap(table => 't', source => '{source}', key => 'id'{more})"
    return str(spark.sql(sql).collect()[0].instant)


@pytest.fixture(params=["6", "9"])
def source(spark: SparkSession, database: Path, request: pytest.FixtureRequest) -> Iterator[Path]:
    """The source of a table, which gets this version; new rows get files of their own."""
    spark.conf.set(VERSION, request.param)
    spark.conf.set(SMALL, "0")
    yield make_source(database / "source", "text" if request.param == "6" else "number")
    spark.conf.unset(VERSION)
    spark.conf.unset(SMALL)


def log_files(base: Path) -> list[str]:
    return sorted(path.name for path in base.rglob(".*.log.*"))


def adopted(spark: SparkSession) -> int:
    """Number of file groups whose base is a skeleton."""
    return spark.sql("SELECT * FROM t.files WHERE source IS NOT NULL").count()


def rows(spark: SparkSession, at: str = "") -> list[tuple[object, ...]]:
    return sorted(map(tuple, spark.sql(f"SELECT id, n, x, s, p FROM t{at}").collect()), key=repr)


def faults(spark: SparkSession) -> list[object]:
    return spark.sql("CALL verify(table => 't', level => 'rows')").collect()


def test_random_filters_over_log_files_give_the_rows_of_plain_parquet(
    spark: SparkSession, source: Path
) -> None:
    seed = asked_seed()
    print(f"HUDILITE_SEED={seed}")
    rng = random.Random(seed)
    bootstrap(spark, source)
    spark.sql("UPDATE t SET n = 3, s = 'zz' WHERE CAST(id AS INT) % 5 = 0")
    spark.sql("DELETE FROM t WHERE CAST(id AS INT) % 9 = 1")
    spark.sql("UPDATE t SET n = n + 1, x = 0.5 WHERE n < 10 AND CAST(id AS INT) % 4 = 0")
    assert len(log_files(source.parent / "t")) >= 2 * FILES
    assert adopted(spark) == FILES
    spark.read.parquet(str(source)).where("CAST(id AS INT) % 9 <> 1").selectExpr(
        *("CAST(id AS STRING) _hoodie_record_key", "concat('p=', p) _hoodie_partition_path"),
        *("id", "p", "CAST(id AS INT) % 5 = 0 one"),
        *("IF(CAST(id AS INT) % 5 = 0, 3, n) n", "IF(CAST(id AS INT) % 5 = 0, 'zz', s) s", "x"),
    ).selectExpr(
        *("*", "n < 10 AND CAST(id AS INT) % 4 = 0 two"),
    ).selectExpr(
        f"IF(one OR coalesce(two, false), 'later', '{ADOPTED}') _hoodie_commit_time",
        *("_hoodie_record_key", "_hoodie_partition_path", "id", "s", "p"),
        *("IF(two, n + 1, n) n", "IF(two, 0.5D, x) x"),
    ).cache().createOrReplaceTempView("plain")
    hashed = f"_hoodie_record_key, _hoodie_partition_path, _hoodie_commit_time = '{ADOPTED}'"
    try:
        for name, value in CUT.items():
            spark.conf.set(name, value)
        texts = [condition(rng) for _ in range(FILTERS // 3)]
        told = [
            " UNION ALL ".join(
                f"SELECT {i} i, count(*) c, sum(CAST(xxhash64({hashed}, id, n, x, s, p) "
                f"AS DECIMAL(38, 0))) h FROM {table} WHERE {text}"
                for i, text in enumerate(texts)
            )
            for table in ("t", "plain")
        ]
        ours, plain = (sorted(map(tuple, spark.sql(sql).collect())) for sql in told)
        assert [texts[a[0]] for a, b in zip(ours, plain, strict=True) if a != b] == []
        for columns in ("id, n", "_hoodie_record_key, _hoodie_commit_seqno, n"):
            plan = spark.sql(f"SELECT {columns} FROM t")._jdf.queryExecution().executedPlan()
            assert "ColumnarToRow" in plan.toString(), "the rows are read in vectors"
    finally:
        spark.catalog.uncacheTable("plain")
        spark.sql("DROP VIEW plain")
        for name in CUT:
            spark.conf.unset(name)


def statement(rng: random.Random, number: int, kind: str) -> str:
    """A statement on `{t}`, whose keys are numbers or texts of numbers: of the type `kind`."""
    key, n = "CAST(t.id AS INT)", rng.randrange(2, 9)
    some = rng.choice(
        [f"{key} % {n} = 1", f"t.n < {n}", f"t.s = 'a' AND {key} % 3 = 0", "t.n IS NULL"]
    )
    others = f"WHERE CAST(id AS INT) % {n} = 1"
    key_of_new = f"CAST(CAST(id AS INT) + {number + 1}000000 AS {kind})"
    new = f"SELECT {key_of_new}, n, x, 'new', p FROM rows_of_source {others}"
    clauses = rng.sample(
        [
            f"WHEN MATCHED AND t.n % {n} = 0 THEN DELETE",
            "WHEN MATCHED AND t.n > 8 THEN UPDATE SET *",
            f"WHEN MATCHED THEN UPDATE SET s = concat(t.s, '{number}'), n = t.n + 1",
        ],
        k=rng.randint(1, 3),
    )
    clauses.sort(key=lambda clause: "MATCHED THEN" in clause)
    if rng.random() < 0.5:
        clauses.append("WHEN NOT MATCHED THEN INSERT *")
    if rng.random() < 0.4:
        clauses.append(f"WHEN NOT MATCHED BY SOURCE AND {some} THEN UPDATE SET x = {number}")
    merge = (
        f"MERGE INTO {{t}} t USING (SELECT id, n, x, 'set' s, p FROM rows_of_source {others} UNION ALL {new}) s "
        f"ON t.id = s.id AND t.p = s.p {' '.join(clauses)}"
    )
    return rng.choice(
        [
            *[merge] * 3,
            f"UPDATE {{t}} t SET n = {number}, s = NULL WHERE {some}",
            f"UPDATE {{t}} t SET p = 1 - p WHERE {some} AND {key} % 5 = 0",
            f"DELETE FROM {{t}} t WHERE {some} AND {key} % 4 = 0",
            f"INSERT INTO {{t}} {new}",
        ]
    )


def test_random_statements_leave_the_rows_of_a_copy_on_write_table(
    spark: SparkSession, source: Path
) -> None:
    """Also with file groups that inserted rows fill up."""
    seed = asked_seed()
    print(f"HUDILITE_SEED={seed}")
    rng = random.Random(f"{seed}:{source}")
    before = state(source)
    bootstrap(spark, source)
    spark.sql(f"CALL bootstrap(table => 'c', source => '{source}', key => 'id')")
    spark.read.parquet(str(source)).createOrReplaceTempView("rows_of_source")
    kind = spark.table("t").schema["id"].dataType.simpleString()
    logged = failed = 0
    for number in range(STATEMENTS):
        spark.conf.set(SMALL, rng.choice(["0", "100m"]))
        sql = statement(rng, number, kind)
        answers = [run(spark, sql.format(t=name)) for name in ("t", "c")]
        assert answers[0] == answers[1], sql
        failed += isinstance(answers[0], str)
        columns = "id, n, x, s, p, _hoodie_record_key, _hoodie_partition_path"
        told = [
            sorted(map(tuple, spark.sql(f"SELECT {columns} FROM {name}").collect()), key=repr)
            for name in ("t", "c")
        ]
        assert told[0] == told[1], sql
        logged += bool(spark.sql("SELECT * FROM t.files WHERE path LIKE '%.log.%'").count())
    assert logged > STATEMENTS // 3
    assert failed < STATEMENTS // 2
    spark.sql("DROP VIEW rows_of_source")
    assert faults(spark) == []
    assert state(source) == before


def run(spark: SparkSession, sql: str) -> object:
    """The answer of a statement, or the condition of its failure."""
    try:
        return [tuple(row) for row in spark.sql(sql).collect()]
    except PySparkException as failed:
        return failed.getCondition()


def test_a_write_over_many_log_files_makes_a_base_file(spark: SparkSession, source: Path) -> None:
    before, base = state(source), source.parent / "t"
    bootstrap(spark, source)
    key = spark.sql("SELECT min(id) id, any_value(p) p FROM t WHERE p = 1").first()
    writes = 0
    while adopted(spark) == FILES:
        assert len(log_files(base)) == writes <= 16
        spark.sql(f"UPDATE t SET n = {writes} WHERE id = '{key.id}'")
        writes += 1
    assert adopted(spark) == FILES - 1
    assert len(log_files(base)) == writes - 1 >= 8, "no file group has a further log file"
    assert spark.sql(f"SELECT n FROM t WHERE id = '{key.id}'").first().n == writes - 1
    assert len(rows(spark)) == ROWS
    assert faults(spark) == []
    assert state(source) == before


def test_inserted_rows_go_to_a_small_file_group_or_to_one_of_their_own(
    spark: SparkSession, source: Path
) -> None:
    bootstrap(spark, source)
    kind = spark.table("t").schema["id"].dataType.simpleString()
    insert = f"INSERT INTO t SELECT CAST({{id}} AS {kind}) id, 1 n, 1D x, 's' s, 1 p"
    spark.sql(insert.format(id=1))
    assert adopted(spark) == FILES
    spark.conf.set(SMALL, "100m")
    spark.sql(insert.format(id=2))
    assert adopted(spark) == FILES, "the small file group is the newest"
    with pytest.raises(PySparkException) as failed:
        spark.sql(insert.format(id=2))
    assert failed.value.getCondition() == "HUDILITE_DUPLICATE_KEY"
    spark.sql("DELETE FROM t WHERE id IN ('1', '2')")
    assert len(rows(spark)) == ROWS
    assert faults(spark) == []


def test_services_know_log_files_over_adopted_ones(spark: SparkSession, source: Path) -> None:
    base, before = source.parent / "t", state(source)
    first = bootstrap(spark, source)
    states = {first: rows(spark)}
    for sql in ("UPDATE t SET n = 5 WHERE x > 20000", "DELETE FROM t WHERE n = 5 AND p = 0"):
        spark.sql(sql)
        states[max(layout.completed(base))] = rows(spark)
        listed = files.slices(base)
        assert {s.base.source for s in listed if s.base} == {f"file:{name}" for name in before}
        paths = [log.path for s in listed for log in s.logs]
        assert sorted(Path(path).name for path in paths) == log_files(base)
    assert len({repr(found) for found in states.values()}) == len(states)
    mapped = spark.sql("CALL show_bootstrap_mapping(table => 't')").collect()
    assert [row.current for row in mapped] == [True] * FILES
    _, middle, last = sorted(states)
    spark.sql(f"CALL savepoint(table => 't', instant => '{middle}')")
    group = layout.latest_slices(base)[0]
    named = ADOPTED if layout.properties(base)["hoodie.table.version"] == "6" else NEVER
    stray = base / group.partition / f".{group.file_id}_{named}.log.99_7-7-7"
    stray.touch()
    os.utime(stray, (0, 0))
    removed = spark.sql("CALL remove_orphans(table => 't', dry_run => false)").collect()
    assert [Path(row.path).name for row in removed] == [stray.name]
    for instant, expected in states.items():
        assert rows(spark, f" VERSION AS OF '{instant}'") == expected
    spark.sql("CALL compact(table => 't', where => 'p = 0')")
    assert adopted(spark) == FILES // 2
    clean = (
        "CALL clean(table => 't', retain_commits => 1, retain_hours => 0, "
        "allow_short_retention => true)"
    )
    spark.sql(clean)
    assert rows(spark) == states[last]
    assert rows(spark, f" VERSION AS OF '{middle}'") == states[middle], "it is saved"
    spark.sql(f"CALL restore(table => 't', instant => '{middle}')")
    assert rows(spark) == states[middle]
    assert adopted(spark) == FILES
    spark.sql(f"CALL delete_savepoint(table => 't', instant => '{middle}')")
    spark.sql("UPDATE t SET s = 'new' WHERE p = 0")
    changed = rows(spark)
    assert faults(spark) == []
    spark.sql("CALL materialize(table => 't')")
    assert adopted(spark) == 0
    assert rows(spark) == changed
    spark.sql(clean)
    spark.sql("CALL archive(table => 't', keep_min => 1, keep_max => 2)")
    assert state(source) == before
    source.rename(source.parent / "elsewhere")
    assert rows(spark) == changed
    assert log_files(base) == []


def test_a_changed_source_fails_also_under_log_files(spark: SparkSession, source: Path) -> None:
    bootstrap(spark, source)
    spark.sql("UPDATE t SET n = 1")
    file = next((source / "p=0").iterdir())
    whole = file.read_bytes()
    pq.write_table(pq.ParquetFile(file).read().slice(0, 20), file)
    for sql in ("SELECT n FROM t", "SELECT * FROM t", "UPDATE t SET n = 2", "CALL compact('t')"):
        with pytest.raises(PySparkException) as failed:
            spark.sql(sql).collect()
        assert failed.value.getCondition() == "HUDILITE_SOURCE_CHANGED", sql
    file.write_bytes(whole)
    assert {row[1] for row in rows(spark)} == {1}


def test_a_bootstrap_of_the_other_type_is_not_finished(spark: SparkSession, source: Path) -> None:
    """A bootstrap that was killed after its commit has no entry in the catalog."""
    place = source.parent / "kept"
    bootstrap(spark, source, f", type => 'mor', location => '{place}'")
    spark.sql("DROP TABLE t")
    with pytest.raises(PySparkException) as failed:
        bootstrap(spark, source, f", location => '{place}'")
    assert failed.value.getCondition() == "HUDILITE_LOCATION_NOT_EMPTY"
    assert bootstrap(spark, source, f", type => 'mor', location => '{place}'") == ADOPTED
    assert len(rows(spark)) == ROWS


@pytest.mark.parametrize("more", ["", ", full_partitions => 'p = 1'", ", mode => 'full'"])
def test_each_mode_makes_a_merge_on_read_table(
    spark: SparkSession, source: Path, more: str
) -> None:
    base = source.parent / "t"
    plan = spark.sql(
        f"CALL bootstrap('t', '{source}', 'id', type => 'mor', dry_run => true{more})"
    ).collect()
    assert len(plan) == FILES
    assert not base.exists()
    bootstrap(spark, source, f", type => 'mor'{more}")
    assert layout.properties(base)["hoodie.table.type"] == "MERGE_ON_READ"
    assert set(layout.completed(base).values()) == {"deltacommit"}
    before = rows(spark)
    spark.sql("UPDATE t SET n = 77 WHERE x < 20000")
    found = rows(spark)
    assert [row for row in found if row[1] != 77] == [row for row in before if row[2] >= 20000]
    assert len(found) == ROWS
    assert log_files(base)
    assert faults(spark) == []
