"""A look-up by key in a merge-on-read table opens the base file and the log files that have the key, once
the keys of the log files are known, as the kernel tells."""

from __future__ import annotations

import os
import random
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pytest

from harness.faults import run_statement
from harness.layout import completed
from harness.opens import opened_files
from harness.rotation import product

if TYPE_CHECKING:
    from collections.abc import Callable

    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(when=product("spark/read/"))
ROWS = 400
LOGS = 4


class Kind(NamedTuple):
    """Keys of a table: its key columns, their values in a row of `id`, and the condition that names one;
    further properties of the table, and whether a log file has a deletion."""

    columns: str
    values: str
    where: Callable[[int], str]
    properties: str = ""
    deletes: bool = True

    @property
    def logs(self) -> int:
        """The number of log files."""
        return LOGS + 1 + self.deletes


KINDS = {
    "text": Kind("k STRING", "concat('k', id) k", lambda i: f"k = 'k{i}'"),
    "number": Kind("k BIGINT", "id k", lambda i: f"k = {i}"),
    "two columns": Kind(
        "k INT, j STRING",
        "int(id) k, concat('j:', id % 7, ',') j",
        lambda i: f"k = {i} AND j = 'j:{i % 7},'",
    ),
    "ordering": Kind(
        "k BIGINT", "id k", lambda i: f"k = {i}", ", preCombineField = 'n'", deletes=False
    ),
    "six": Kind(
        "k STRING", "concat('k', id) k", lambda i: f"k = 'k{i}'", ", hoodie.table.version = '6'"
    ),
}


@pytest.fixture(params=list(KINDS))
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


@pytest.fixture
def base(spark: SparkSession, database: Path, kind: Kind) -> Path:
    """Folder of table `t`: a base file, and log files of which number i has the keys i, i + 20, i + 40 ...
    The next one deletes the key 5, and the last one adds a key above the others."""
    names = ", ".join(name.split()[0] for name in kind.columns.split(", "))
    spark.sql(
        f"CREATE TABLE t ({kind.columns}, n INT, v STRING, PRIMARY KEY ({names})) USING hudilite "
        f"WITH BUCKETS 1 TBLPROPERTIES (type = 'mor'{kind.properties})"
    )
    spark.sql(f"INSERT INTO t SELECT {kind.values}, 0 n, 'base' v FROM range({ROWS})")
    for log in range(1, LOGS + 1):
        upsert(spark, kind, log, f"range({log}, {ROWS}, 20)")
    if kind.deletes:
        on = " AND ".join(f"t.{name} = s.{name}" for name in names.split(", "))
        spark.sql(
            f"MERGE INTO t USING (SELECT {kind.values}, 9 n, 'gone' v FROM range(5, 6)) s ON {on} "
            "WHEN MATCHED AND s.v = 'gone' THEN DELETE "
            "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED AND s.v <> 'gone' THEN INSERT *"
        )
    upsert(spark, kind, 9, f"range({ROWS}, {ROWS + 1})")
    folder = database / "t"
    assert len(logs(folder)) == kind.logs
    return folder


def upsert(spark: SparkSession, kind: Kind, log: int, ids: str) -> None:
    names = [name.split()[0] for name in kind.columns.split(", ")]
    on = " AND ".join(f"t.{name} = s.{name}" for name in names)
    spark.sql(
        f"MERGE INTO t USING (SELECT {kind.values}, {log} n, 'log' v FROM {ids}) s ON {on} "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )


def logs(folder: Path) -> list[Path]:
    """The log files of the one bucket, the oldest first."""
    found = [path for path in folder.iterdir() if ".log." in path.name and path.suffix != ".crc"]
    return sorted(found, key=lambda path: path.stat().st_mtime_ns)


def look_up(spark: SparkSession, folder: Path, kind: Kind, key: int) -> tuple[list[int], int, int]:
    """What `n` is in the row of a key, the number of base files and that of log files that were opened."""
    query = spark.sql(f"SELECT * FROM t WHERE {kind.where(key)}")
    query.rdd.getNumPartitions()
    with opened_files([folder]) as opened:
        found = [row.n for row in query.collect()]
    files = {path for path in opened if path.suffix != ".crc"}
    of_logs = {path for path in files if ".log." in path.name}
    bases = {path for path in files - of_logs if path.suffix == ".parquet"}
    return found, len(bases), len(of_logs)


def expected(kind: Kind, key: int) -> tuple[list[int], int]:
    """What `n` is in the row of a key, and how many log files have the key."""
    if key >= ROWS:
        return ([9] if key == ROWS else []), int(key == ROWS)
    if key == 5 and kind.deletes:
        return [], 1
    log = key % 20
    return ([log], 1) if 1 <= log <= LOGS else ([0], 0)


def test_log_files_without_the_key_are_opened_once(
    spark: SparkSession, base: Path, kind: Kind
) -> None:
    assert look_up(spark, base, kind, 7) == ([0], 1, kind.logs)
    for key in [8, 0, 5, *range(17, 27), ROWS - 1, ROWS, ROWS + 1]:
        row, needed = expected(kind, key)
        assert look_up(spark, base, kind, key) == (row, 1, needed), key
    upsert(spark, kind, 11, "range(7, 8)")
    assert look_up(spark, base, kind, 8) == ([0], 1, 1)
    assert look_up(spark, base, kind, 7) == ([11], 1, 1)


@pytest.mark.parametrize("kind", ["text", "six"], indirect=True)
def test_a_look_up_of_an_earlier_version_sees_its_rows(
    spark: SparkSession, base: Path, kind: Kind
) -> None:
    assert look_up(spark, base, kind, 7)[0] == [0]
    after = sorted(completed(base))  # the instants of the INSERT and of each MERGE
    assert len(after) == kind.logs + 1
    for number, instant in enumerate(after):
        for key in (1, 2, 3, 4, 5, 8, ROWS):
            found = spark.sql(f"SELECT n FROM t VERSION AS OF '{instant}' WHERE {kind.where(key)}")
            row, _ = expected(kind, key)
            if key == 5 and number <= LOGS:  # before it was deleted
                row = [0]
            if key in range(1, LOGS + 1) and key > number:
                row = [0]
            if key == ROWS and number < kind.logs:
                row = []
            assert [one.n for one in found.collect()] == row, (number, key)


@pytest.mark.parametrize("kind", ["number"], indirect=True)
def test_a_log_file_with_another_time_is_read_again(
    spark: SparkSession, base: Path, kind: Kind
) -> None:
    assert look_up(spark, base, kind, 7) == ([0], 1, kind.logs)
    damaged = logs(base)[1]
    stored, times = damaged.read_bytes(), damaged.stat()
    damaged.write_bytes(random.Random(1).randbytes(len(stored)))
    checksum = damaged.with_name(f".{damaged.name}.crc")
    checksum.unlink(missing_ok=True)
    os.utime(damaged, ns=(times.st_atime_ns, times.st_mtime_ns))
    assert look_up(spark, base, kind, 8) == ([0], 1, 0)
    for key in (2, 8):  # a key of the file, and one that it has not
        fault = run_statement(spark, f"SELECT n FROM t WHERE {kind.where(key)}")
        assert (fault is None) == (key == 8)
        if fault is not None:
            assert fault.condition == "HUDILITE_CORRUPT_DATA_FILE"
    os.utime(damaged, ns=(times.st_atime_ns, times.st_mtime_ns + 10**9))
    fault = run_statement(spark, f"SELECT n FROM t WHERE {kind.where(8)}")
    assert fault is not None
    assert fault.condition == "HUDILITE_CORRUPT_DATA_FILE"
    damaged.write_bytes(stored)
    assert look_up(spark, base, kind, 2)[0] == [2]


@pytest.mark.parametrize("kind", ["text", "six"], indirect=True)
def test_a_restore_before_a_log_file_forgets_its_keys(
    spark: SparkSession, base: Path, kind: Kind
) -> None:
    last = sorted(completed(base))[-1]
    assert look_up(spark, base, kind, ROWS)[0] == [9]
    before = sorted(completed(base))[-2]
    spark.sql(f"CALL restore(table => 't', instant => '{before}')").collect()
    assert look_up(spark, base, kind, ROWS)[0] == []
    upsert(spark, kind, 9, f"range({ROWS + 1}, {ROWS + 2})")
    assert sorted(completed(base))[-1] > last
    assert look_up(spark, base, kind, ROWS)[0] == []
    assert look_up(spark, base, kind, ROWS + 1)[0] == [9]
