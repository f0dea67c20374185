"""Tasks with less heap than what they write: file groups of twice the size, and the keys of a first load.

HUDILITE_TASK_HEAP is the heap in megabytes.
"""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from harness import layout
from harness.children import run_child
from harness.events import event_log_conf
from harness.rotation import ninth, product
from harness.session import ROW_GROUP_ROWS

WHEN = product("spark/merge/", "spark/write/", "spark/locate/", "spark/exec/")
HEAP = int(os.environ.get("HUDILITE_TASK_HEAP", "160")) << 20
SECONDS = 900 + (HEAP >> 20)
pytestmark = pytest.mark.timeout(SECONDS + 100)
WIDTH = 1024
ROWS = 2 * HEAP // WIDTH
VALUE = f"repeat(sha2(concat('{{}}', id), 512), {WIDTH // 128})"
CREATE = (
    "CREATE TABLE t (id BIGINT, n BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1"
)
MERGE = (
    f"MERGE INTO t USING (SELECT id, id n, {VALUE.format('new')} v FROM range(0, {{}}, {{}})) s "
    "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
)
STATEMENTS = {
    "insert": f"INSERT INTO t SELECT id, 0, {VALUE.format('old')} FROM range({ROWS})",
    "every row group": MERGE.format(ROWS, 100),
    "few row groups": MERGE.format(500, 1),
    "one column": "UPDATE t SET n = n + 1 WHERE id % 2 = 0",
    "deleted rows": f"DELETE FROM t WHERE id % 50 = 1 AND id < {ROWS // 2}",
    "every row": "ALTER TABLE t RENAME COLUMN n TO m",
}
CLEAN = "CALL clean(table => 't', retain_commits => 1, retain_hours => 0, allow_short_retention => true)"
SUMS = "SELECT count(*), sum(m), sum(length(v)), count(DISTINCT substr(v, 1, 40)) FROM t"


LOADED = HEAP // 200
FIRST = f"INSERT INTO plain SELECT sha2(CAST(id AS STRING), 256), id FROM range(0, {LOADED}, 1, 1)"

ONE_TASK = {"spark.sql.shuffle.partitions": "1", ROW_GROUP_ROWS: "20000"}


@ninth(4, when=WHEN)
def test_a_first_load_without_buckets_holds_few_of_its_keys(tmp_path: Path) -> None:
    steps = [
        {
            "label": "create",
            "sql": "CREATE TABLE plain (k STRING, n BIGINT, PRIMARY KEY (k)) USING hudilite",
        },
        {"label": "size", "sql": f"SET hoodie.parquet.max.file.size = {HEAP // 16}"},
        {"label": "insert", "sql": FIRST},
        {"label": "sums", "sql": "SELECT count(*), sum(n), count(DISTINCT k) FROM plain"},
        {"label": "verify", "sql": "CALL verify(table => 'plain', level => 'rows')"},
    ]
    outcome = run_child(tmp_path / "child", steps, _conf(tmp_path) | ONE_TASK, timeout=SECONDS)
    for step in outcome.steps:
        assert "error" not in step, step
    assert outcome.rows("sums") == [[LOADED, LOADED * (LOADED - 1) // 2, LOADED]]
    assert outcome.rows("verify") == []
    sizes = [
        slice_.path.stat().st_size
        for slice_ in layout.latest_slices(tmp_path / "child" / "wh" / "plain")
    ]
    assert len(sizes) > 4
    assert max(sizes) < 1.3 * min(sizes), sizes
    assert _heap_of_executor(tmp_path / "events") < HEAP


@ninth(8, when=WHEN)
def test_a_file_group_larger_than_the_heap_is_loaded_and_merged(tmp_path: Path) -> None:
    steps = [{"label": "create", "sql": CREATE}]
    for label, sql in STATEMENTS.items():
        steps += [{"label": label, "sql": sql}, {"label": f"clean after {label}", "sql": CLEAN}]
    steps += [{"label": "sums", "sql": SUMS}]
    outcome = run_child(tmp_path / "child", steps, _conf(tmp_path), timeout=SECONDS)
    for step in outcome.steps:
        assert "error" not in step, step
    deleted = len(range(1, ROWS // 2, 50))
    n = dict.fromkeys(range(ROWS), 0)
    n |= {id: id for id in range(0, ROWS, 100)} | {id: id for id in range(500)}
    n = {id: n[id] + (id % 2 == 0) for id in n if not (id % 50 == 1 and id < ROWS // 2)}
    rows = ROWS - deleted
    assert outcome.rows("sums") == [[rows, sum(n.values()), rows * WIDTH, rows]]
    [slice_] = layout.latest_slices(tmp_path / "child" / "wh" / "t")
    assert slice_.path.stat().st_size > 1.5 * HEAP
    assert _heap_of_executor(tmp_path / "events") < HEAP


def _conf(folder: Path) -> dict[str, str]:
    """Settings of a session with one executor of `HEAP` bytes, which runs one task at a time."""
    return event_log_conf(folder / "events") | {
        "spark.master": f"local-cluster[1,1,{max(512, HEAP >> 20)}]",
        "spark.executor.memory": f"{HEAP >> 20}m",
        "spark.testing.reservedMemory": "33554432",  # of the heap, which Spark does not manage
        "spark.network.maxRemoteBlockSizeFetchToMem": "64m",
        "spark.sql.parquet.compression.codec": "uncompressed",
        "spark.executor.extraJavaOptions": "-XX:+UseSerialGC -XX:TieredStopAtLevel=1",
        ROW_GROUP_ROWS: "2048",
    }


def _heap_of_executor(folder: Path) -> int:
    """Bytes that Spark manages in the executor, which are a part of its heap."""
    [log] = [path for path in folder.iterdir() if path.suffix != ".crc"]
    events = map(json.loads, log.read_text(encoding="utf-8").splitlines())
    sizes = [
        int(event["Maximum Memory"])
        for event in events
        if event["Event"] == "SparkListenerBlockManagerAdded"
        and event["Block Manager ID"]["Executor ID"] != "driver"
    ]
    return max(sizes)
