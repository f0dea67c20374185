"""For each condition the statements that raise it, from golden files or with a table broken by hand."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from harness import bootstrapped, damage, golden, layout
from harness.waiting import await_true
from hudilite.conditions import OF_SESSIONS

ROOT = Path(__file__).resolve().parents[2]
CONDITIONS = ROOT / "sql-extension/core/src/main/resources/hudilite-conditions.json"
# The package raises them where there is no session, so no statement does.
PYTHON_ONLY = (
    OF_SESSIONS
    | {
        "HUDILITE_STREAM_STOPPED",  # of a streaming query, which no statement starts
        "HUDILITE_PROVIDER_UNSET",  # tests/python/test_session.py raises it in a session of its own
        "HUDILITE_PROVIDER_TAKEN",  # of every statement, where a jar of stock Hudi is there: HudiProviderSuite
        "HUDILITE_BUILDER_ARGUMENT_INVALID",
        "HUDILITE_CONDITION_UNKNOWN",
        "HUDILITE_INSTANT_INVALID",
        "HUDILITE_INSTANT_UNKNOWN",
        "HUDILITE_LINEAGE_UNKNOWN",
        "HUDILITE_SCRIPT_MALFORMED",
    }
)
# Need a storage that refuses, or one with a lock: tests/hdfs and tests/stores raise them in PySpark.
OF_A_STORAGE = {"HUDILITE_LOCK_TIMEOUT", "HUDILITE_STORAGE_FAILED"}
# The process's storage is gone after it.
LOST = "HUDILITE_COMMIT_STATE_UNKNOWN"
# Ten conditions of ours, and one of Spark's, each of which gets to the client on a way of its own:
# where it is thrown, and as what. They are raised in every client; the others only in PySpark, but
# in all three in `make test-all`.
WAYS = {
    "HUDILITE_BUCKET_COUNT_INVALID": "ParseException, with a place in the text",
    "HUDILITE_PATH_INVALID": "AnalysisException while names are resolved",
    "HUDILITE_CORRUPT_TIMELINE": "an error of ours while names are resolved",
    "HUDILITE_HIVE_SYNC_FAILED": "of a procedure, which the analysis runs; Hive's is the cause",
    "HUDILITE_CORRUPT_DATA_FILE": "in the optimizer, when rows are asked for",
    "HUDILITE_LOCATION_NOT_EMPTY": "AnalysisException of a command, which is run at once",
    "HUDILITE_MISSING_DATA_FILE": "in a task that reads; the file system's is the cause",
    "HUDILITE_NULL_KEY": "in a task before an exchange, whose stage runs by itself",
    "HUDILITE_MERGE_CARDINALITY": "in a task of the write, which the command catches",
    LOST: "of the driver at the commit; the storage's is the cause",
    "TABLE_OR_VIEW_NOT_FOUND": "Spark's own, with the words of the text that it is about",
}
READS = ("SELECT", "SHOW", "DESCRIBE", "EXPLAIN")
# The storage dies when table `lost` takes its first commit number, for good: the last case.
FAULT = "createNew:/lost/t/.hoodie/.hudilite/commits/:1:stop"
TABLE = (
    "CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 "
    "LOCATION '{folder}/t'",
    "INSERT INTO t VALUES (1, 'a'), (2, 'b'), (3, 'c'), (4, 'd')",
)
WITHOUT_BUCKETS = (TABLE[0].replace("WITH BUCKETS 2 ", ""), TABLE[1])
PARTITIONS = (
    "CREATE TABLE t (id INT, p STRING, PRIMARY KEY (id, p)) USING hudilite PARTITIONED BY (p) "
    "LOCATION '{folder}/t' TBLPROPERTIES ('hoodie.parquet.small.file.limit' = '0')",
    "INSERT INTO t VALUES (1, 'a'), (2, 'b')",
    "INSERT INTO t VALUES (3, 'a'), (4, 'b')",
)
CLUSTER = "CALL cluster(table => 't', order_by => 'id')"
ADOPT = "CREATE TABLE t USING hudilite {} LOCATION '{{folder}}/t'"
NO_RETRY = "SET spark.hudilite.write.maxRetries = 0"
READ = "SELECT * FROM t"
WRITE = "INSERT INTO t VALUES (9, 'z')"
SLEEP = "java_method('java.lang.Thread', 'sleep', 2000L)"
# Leaves a file in the JVM's folder for temporary ones.
BEGUN = "java_method('java.io.File', 'createTempFile', 'begun', '')"
SLOW_READ = f"SELECT id, {BEGUN}, {SLEEP} FROM t"
SLOW_WRITE = f"INSERT INTO t SELECT CAST(id AS INT) + 9, {SLEEP} FROM range(1)"

Step = str | Callable[[Path], None]


@dataclass(frozen=True)
class Case:
    """How a condition comes about.

    Attributes:
        condition: It.
        steps: Statements, and what is done to the table's folder between them.
        statement: The one that fails.
        meanwhile: Done to the folder once the statement runs.
    """

    condition: str
    steps: tuple[Step, ...]
    statement: str
    meanwhile: Callable[[Path], None] | None = None


# What needs fewer statements than in a golden file.
SHORTER = (
    Case(
        "HUDILITE_BUCKETS_WITHOUT_PROVIDER", (), "CREATE TABLE t (id INT) USING csv WITH BUCKETS 4"
    ),
    Case(
        "HUDILITE_COLUMNS_CHANGED",
        (*TABLE, "ALTER TABLE t RENAME COLUMN v TO w"),
        "SELECT * FROM hudilite_changes('t', 'earliest')",
    ),
    Case(
        "HUDILITE_KEY_VALUE_INVALID",
        ("CREATE TABLE t (a STRING, b STRING, PRIMARY KEY (a, b)) USING hudilite WITH BUCKETS 2",),
        "INSERT INTO t VALUES ('1,b:2', '3')",
    ),
    Case("HUDILITE_PATH_INVALID", TABLE, "SELECT * FROM hudilite.`{folder}/t/p=y`"),
    Case(
        "HUDILITE_REPLACE_MISMATCH",
        (
            "CREATE TABLE t (id INT, p STRING, PRIMARY KEY (id)) USING hudilite "
            "PARTITIONED BY (p) WITH BUCKETS 2",
        ),
        "INSERT INTO t REPLACE WHERE p = 'a' VALUES (1, 'b')",
    ),
)


def conditions() -> list[str]:
    """All of ours that a statement can raise on a storage that works, and Spark's among the ways."""
    found = set(json.loads(CONDITIONS.read_text(encoding="utf-8"))) - PYTHON_ONLY - OF_A_STORAGE
    return sorted(found | WAYS.keys())


def cases(asked: Collection[str]) -> list[Case]:
    """One case a condition that is asked for; the one that ends the process's storage is last."""
    own = {case.condition: case for case in (*SHORTER, *_broken())}
    found = [
        own.get(condition) or _golden(condition) for condition in conditions() if condition in asked
    ]
    return sorted(found, key=lambda case: case.condition == LOST)


def temporary(table: Path) -> Path:
    """The folder of temporary files of the JVM that has a case's table."""
    return table.parents[1] / "tmp"


def _golden(condition: str) -> Case:
    """The file with the fewest statements before the one that raises it, queries apart. Other tables
    have other instants."""
    found: list[Case] = []
    for path in sorted((ROOT / "tests" / "sql").rglob("*.sql")):
        parsed = golden.parse_golden(path.read_text(encoding="utf-8"))
        wanted = [
            i
            for i, block in enumerate(parsed.blocks)
            if block.expected_error == condition and "{instant" not in block.text
        ]
        if wanted and not parsed.config and parsed.min_spark is None:
            passing = [b.text for b in parsed.blocks[: wanted[0]] if b.expected_error is None]
            before = [text for text in passing if not text.upper().startswith(READS)]
            found.append(Case(condition, tuple(before), parsed.blocks[wanted[0]].text))
    assert found, f"no golden file without settings raises {condition}"
    return min(found, key=lambda case: len(case.steps))


def _as_stock(table: Path) -> None:
    """What stock Hudi knows of a bucket table."""
    lines = _properties(table).read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith("hudilite.")]
    _properties(table).write_text("\n".join([*kept, ""]), encoding="utf-8")


STOCK: tuple[Step, ...] = ("DROP TABLE t", _as_stock)


def _swell_source(table: Path) -> None:
    """What a bootstrap adopted, and somebody appended to."""
    for source in bootstrapped.adopt(table, table.with_name("source")):
        source.write_bytes(source.read_bytes() + b"more")


def _delta(table: Path) -> None:
    log = table / "_delta_log" / "00000000000000000000.json"
    log.parent.mkdir(parents=True)
    log.write_text("{}", encoding="utf-8")


def _broken() -> list[Case]:
    return [
        Case("HUDILITE_UNSUPPORTED_TABLE", (*TABLE, _fact("hoodie.table.version", "10")), READ),
        Case(
            "HUDILITE_TABLE_READ_ONLY",
            (*TABLE, _fact("hoodie.record.merge.mode", "CUSTOM")),
            WRITE,
        ),
        Case(
            "HUDILITE_HIVE_SYNC_FAILED",
            TABLE,
            "CALL hive_sync(table => 't', target => 'nowhere.t')",
        ),
        Case("HUDILITE_CORRUPT_TIMELINE", (*TABLE, _fact("hoodie.table.checksum", "1")), READ),
        Case("HUDILITE_MISSING_FILE", (*TABLE, lambda t: _properties(t).unlink()), READ),
        Case("HUDILITE_LIMIT_EXCEEDED", (*TABLE, _swell), READ),
        Case("HUDILITE_CORRUPT_DATA_FILE", (*TABLE, _cut), READ),
        Case("HUDILITE_COLUMN_TYPE_MISMATCH", (*TABLE, _flags), READ),
        Case("HUDILITE_DUPLICATE_BUCKET_FILE", (*TABLE, _twin), WRITE),
        Case(
            "HUDILITE_DUPLICATE_KEY_IN_TABLE",
            (*WITHOUT_BUCKETS, _twin),
            "INSERT INTO t VALUES (1, 'z')",
        ),
        Case("HUDILITE_MISSING_DATA_FILE", (*TABLE, _forget_begun), SLOW_READ, _lose_data),
        Case(
            "HUDILITE_SNAPSHOT_EXPIRED",
            (*TABLE, "UPDATE t SET v = 'w'", _clean),
            "SELECT * FROM t VERSION AS OF 1",
        ),
        Case("HUDILITE_SOURCE_CHANGED", (*WITHOUT_BUCKETS, _swell_source), READ),
        Case(
            "HUDILITE_CONCURRENT_WRITE",
            (*TABLE, NO_RETRY, _keep("before"), WRITE, _keep("after"), _go_back),
            SLOW_WRITE,
            _catch_up,
        ),
        Case("HUDILITE_WRITE_ROLLED_BACK", TABLE, SLOW_WRITE, lambda t: _inflight(t).unlink()),
        Case("HUDILITE_PARTLY_COMMITTED", (*PARTITIONS, _spoil), CLUSTER),
        Case("HUDILITE_BUCKET_COUNT_UNKNOWN", (*TABLE, *STOCK), ADOPT.format("")),
        Case("HUDILITE_BUCKET_COUNT_MISMATCH", (*TABLE, *STOCK), ADOPT.format("WITH BUCKETS 5")),
        Case("HUDILITE_LOCATION_FOREIGN", (_delta,), TABLE[0]),
        Case(LOST, (TABLE[0],), WRITE),
    ]


def _properties(table: Path) -> Path:
    return table / ".hoodie" / "hoodie.properties"


def _fact(key: str, value: str) -> Callable[[Path], None]:
    def put(table: Path) -> None:
        lines = _properties(table).read_text(encoding="utf-8").splitlines()
        kept = [line for line in lines if not line.startswith(f"{key}=")]
        _properties(table).write_text("\n".join([*kept, f"{key}={value}", ""]), encoding="utf-8")

    return put


def _swell(table: Path) -> None:
    with _properties(table).open("r+b") as file:
        file.truncate(65 << 20)


def _cut(table: Path) -> None:
    for found in layout.latest_slices(table):
        found.path.write_bytes(b"x" * 100)
        found.path.with_name(f".{found.path.name}.crc").unlink(missing_ok=True)


def _spoil(table: Path) -> None:
    """The files of the second partition get other bytes of as many."""
    for found in layout.latest_slices(table):
        if found.partition == "p=b":
            found.path.write_bytes(bytes(found.path.stat().st_size))
            found.path.with_name(f".{found.path.name}.crc").unlink(missing_ok=True)


def _flags(table: Path) -> None:
    """Column v becomes a boolean in the files, which no writer of Hudi makes of a text."""
    for found in layout.latest_slices(table):
        rows = pq.read_metadata(found.path).num_rows
        damage.retype(found.path, "v", pa.array([True] * rows))


def _twin(table: Path) -> None:
    for found in layout.latest_slices(table):
        twin = f"{found.file_id[:8]}-1111-2222-3333-444444444444-0"
        name = f"{twin}_{found.token}_{found.instant}.parquet"
        (table / name).write_bytes(found.path.read_bytes())


def _forget_begun(table: Path) -> None:
    for path in temporary(table).glob("begun*"):
        path.unlink()


def _lose_data(table: Path) -> None:
    """All files go while the rows of the first are read."""
    _awaited(lambda: next(temporary(table).glob("begun*"), None))
    for path in table.glob("*.parquet"):
        path.unlink()


def _clean(table: Path) -> None:
    """What a cleaner leaves."""
    kept = {found.path for found in layout.latest_slices(table)}
    for path in set(table.glob("*.parquet")) - kept:
        path.unlink()


def _keep(name: str) -> Callable[[Path], None]:
    def copy(table: Path) -> None:
        shutil.copytree(table, table.parent / name)

    return copy


def _go_back(table: Path) -> None:
    shutil.rmtree(table)
    shutil.copytree(table.parent / "before", table)


def _catch_up(table: Path) -> None:
    _inflight(table)
    shutil.copytree(table.parent / "after", table, dirs_exist_ok=True)


def _inflight(table: Path) -> Path:
    """The pending instant of the statement that runs."""

    def pending() -> Path | None:
        found = (table / ".hoodie").glob("*.inflight")
        return next((path for path in found if not path.with_suffix(".commit").exists()), None)

    return _awaited(pending)


def _awaited(found: Callable[[], Path | None]) -> Path:
    """The file by which a statement shows how far it is."""
    path = await_true(found, 60, "the statement does not run")
    assert path is not None
    return path
