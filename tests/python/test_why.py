"""hudilite.why and the command of this name, over tables that were made by hand: no JVM starts here."""

from __future__ import annotations

import io
import json
import os
import struct
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import avro
from hudilite import HudiliteError, why
from hudilite.cli import main
from oracle.hfile import avro_file, avro_long, avro_text
from python.hand_made_table import (
    add_commit,
    add_instant,
    add_logs,
    add_number,
    group_of,
    make_bucketed,
    make_table,
)
from tables import upgraded

FIRST, SECOND, THIRD = "20240101000000000", "20240102000000000", "20240103000000000"
LATER = "20240109000000000"
METRICS = {
    "bytesRead": "70",
    "numRetries": "1",
    "numRowGroupsCopied": "40",
    "numRowGroupsPartlyCopied": "3",
    "numRowGroupsByColumns": "2",
    "numRowGroupsByRows": "0",
    "numFilesNotCopiedUnsorted": "2",
    "numFilesNotCopiedSchema": "0",
    "millisPlanning": "5",
    "millisTagging": "1200",
    "millisMerging": "8020",
    "millisCommitting": "11",
}
OURS = {f"hudilite.metrics.{name}": value for name, value in METRICS.items()}


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A table with an insert by hudilite and an overwrite by another program."""
    base = make_bucketed(tmp_path / "t")
    writes = {"p=a": {group_of(0): 3, group_of(1): 40}, "p=b": {group_of(2): 500}}
    extra = OURS | {"hudilite.writer": "w"}
    add_commit(base, FIRST, writes, operation="INSERT", extra=extra)
    replaced = {"p=a": [group_of(0)], "p=c": [group_of(1), group_of(3)]}
    add_commit(base, SECOND, {"p=a": {group_of(0, 9): 1}}, replaced=replaced)
    return base


def fault(base: Path, instant: str) -> HudiliteError:
    with pytest.raises(HudiliteError) as caught:
        why.read(base, instant)
    return caught.value


def test_a_commit_of_hudilite_tells_counts_and_seconds(base: Path) -> None:
    found = why.read(base, FIRST)
    assert (found.time, found.action, found.operation) == (FIRST, "commit", "INSERT")
    assert (found.totals.files_created, found.totals.files_rewritten) == (3, 0)
    assert (found.groups_written, found.totals.rows_inserted) == (3, 543)
    assert found.totals.bytes_written == sum(
        f.stat().st_size for f in base.rglob("*000.parquet") if FIRST in f.name
    )
    assert (found.bytes_read, found.retries, found.writer) == (70, 1, "w")
    groups = {"copied": 40, "partly_copied": 3, "by_columns": 2, "by_rows": 0}
    assert found.row_groups == groups
    assert found.files_not_copied == {"unsorted": 2}
    seconds = {"planning": 0.005, "tagging": 1.2, "merging": 8.02, "committing": 0.011}
    assert found.phases == seconds
    assert (found.task_seconds, found.unrecorded) == ({}, ())
    assert list(found.partitions) == ["p=a", "p=b"]
    assert found.partitions["p=a"].rows_inserted == 43


def test_a_commit_of_another_program_says_what_it_does_not_record(base: Path) -> None:
    found = why.read(base, SECOND)
    assert (found.action, found.totals.groups_replaced) == ("replacecommit", 3)
    assert {p: of.groups_replaced for p, of in found.partitions.items()} == {"p=a": 1, "p=c": 2}
    assert found.unrecorded == ("bytes read", "row groups", "seconds by phase")
    assert (found.bytes_read, found.row_groups, found.retries, found.writer) == (None, {}, None, "")


def test_the_file_of_a_commit_tells_when_it_was_completed(base: Path) -> None:
    completed = datetime(2024, 1, 1, 0, 0, 12, 345000, timezone.utc)
    file = base / ".hoodie" / f"{FIRST}.commit"
    os.utime(file, (0, completed.timestamp()))
    found = why.read(base, FIRST)
    assert found.began == datetime(2024, 1, 1, tzinfo=timezone.utc)
    assert (found.completed, found.completed_by) == (completed, "time")
    assert found.seconds == pytest.approx(12.345)


def test_stats_tell_new_files_from_rewritten_ones_and_log_files(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hoodie__table__type="MERGE_ON_READ")
    times = {"totalScanTime": 4, "totalUpsertTime": 1500, "totalCreateTime": 0}
    stats: list[dict[str, Any]] = [
        {"fileId": "f", "path": "p=a/f_0_1.parquet", "prevCommit": "null", "fileSizeInBytes": 7},
        {"fileId": "g", "path": "p=a/g_0_1.parquet", "prevCommit": FIRST, "fileSizeInBytes": 8},
        {"fileId": "h", "path": f"p=a/.h_{FIRST}.log.1_0-1-0", "prevCommit": FIRST},
        {"fileId": "h", "path": f"p=a/.h_{FIRST}.log.2_0-1-0", "prevCommit": FIRST},
    ]
    stats[1] |= {"numUpdateWrites": 2, "numDeletes": 1, "numWrites": 9, "runtimeStats": times}
    stats[2] |= {"fileSizeInBytes": 900, "totalWriteBytes": 90, "runtimeStats": None}
    content = {"partitionToWriteStats": {"p=a": stats}, "operationType": "UPSERT"}
    add_instant(base, SECOND, "deltacommit", json.dumps(content).encode())
    found = why.read(base)
    assert found.time == SECOND
    totals = found.totals
    assert (totals.files_created, totals.files_rewritten, totals.logs_written) == (1, 1, 2)
    assert (totals.rows_updated, totals.rows_deleted, totals.rows_written) == (2, 1, 9)
    assert totals.bytes_written == 7 + 8 + 90, "a log file that was there before is not all new"
    assert found.groups_written == 3
    assert found.task_seconds == {"merging": 1.5, "scanning": 0.004}
    assert found.unrecorded == ("bytes read", "row groups")


def test_latest_is_the_commit_that_was_completed_last(base: Path) -> None:
    add_instant(base, THIRD, "clean", b"Obj\1")
    add_commit(base, LATER, {"p=b": {group_of(2): 1}}, completed=False)
    assert why.read(base).time == SECOND
    newest = 4_000_000_000
    os.utime(base / ".hoodie" / f"{FIRST}.commit", (newest, newest))
    assert why.read(base).time == FIRST
    upgraded.upgrade(base, "9")
    (early,) = (base / ".hoodie" / "timeline").glob(f"{FIRST}_*.commit")
    early.rename(early.with_name(f"{FIRST}_{LATER}.commit"))
    assert why.read(base).time == FIRST


def test_fourteen_digits_are_the_last_commit_of_their_second(base: Path) -> None:
    add_commit(base, SECOND[:14] + "007", {"p=b": {group_of(2): 1}})
    assert why.read(base, SECOND[:14]).time == SECOND[:14] + "007"
    assert why.read(base, SECOND).time == SECOND


@pytest.mark.parametrize(("version", "codec"), [("8", "null"), ("9", "deflate")])
def test_an_upgraded_commit_tells_the_same(base: Path, version: str, codec: str) -> None:
    before = why.read(base, FIRST)
    upgraded.upgrade(base, version, codec=codec)
    found = why.read(base, FIRST)
    assert (found.totals, found.partitions) == (before.totals, before.partitions)
    assert (found.row_groups, found.phases) == (before.row_groups, before.phases)
    assert found.completed_by == "name"
    assert found.seconds == pytest.approx(upgraded.TAKES.total_seconds())


def test_a_number_that_is_not_published_is_a_completed_commit(base: Path) -> None:
    add_instant(base, THIRD, "commit", completed=False)
    metadata = '{"partitionToWriteStats": {}, "operationType": "DELETE"}'
    add_number(base, 1, kind="commit", instant=THIRD, action="commit", metadata=metadata)
    found = why.read(base)
    assert (found.time, found.operation) == (THIRD, "DELETE")
    assert (found.completed, found.completed_by, found.seconds) == (None, "", None)


def entry_schema(replacing: Any) -> dict[str, Any]:
    """Schema of an entry in the archive of version 6.

    Args:
        replacing: Type of the content of a replacecommit.
    """
    texts = ("commitTime", "actionType", "actionState", "stateTransitionTime")
    bodies = {
        "hoodieCommitMetadata": upgraded.COMMIT | {"name": "HoodieCommitMetadata"},
        **dict.fromkeys(texts, "string"),
        "hoodieReplaceCommitMetadata": replacing,
    }
    fields = [{"name": name, "type": ["null", kind]} for name, kind in bodies.items()]
    return {"type": "record", "name": "HoodieArchivedMetaEntry", "fields": fields}


def archived_log(*entries: tuple[str, str, dict[str, Any] | None]) -> bytes:
    """A file of the archive of version 6: instants with the states and contents of their commits.

    Its schema names in the second content a type that the first one declares, as stock Hudi's does.
    """
    schema = entry_schema(upgraded.COMMIT)
    records = []
    for time, state, content in entries:
        replaces = content is not None and "partitionToReplaceFileIds" in content
        body = "hoodieReplaceCommitMetadata" if replaces else "hoodieCommitMetadata"
        action = "replacecommit" if replaces else "commit"
        record = {"commitTime": time, "actionType": action, "actionState": state, body: content}
        records.append(avro.encoded(schema, record | {"stateTransitionTime": f"{time[:-4]}1500"}))
    content = struct.pack(">ii", 3, len(records))
    content += b"".join(struct.pack(">i", len(record)) + record for record in records)
    whole = json.dumps(upgraded.WRITE_STAT)
    head, _, tail = json.dumps(schema).rpartition(whole)
    assert whole in head
    text = f'{head}"HoodieWriteStat"{tail}'.encode()
    block = struct.pack(">iii", 1, 3, 1) + struct.pack(">ii", 2, len(text)) + text
    block += struct.pack(">q", len(content)) + content + struct.pack(">i", 0)
    length = struct.pack(">q", len(block) + 8)
    return b"#HUDI#" + length + block + length


def to_archive(base: Path, instant: str) -> dict[str, Any]:
    """Takes a commit from the timeline; what it contained."""
    (file,) = (base / ".hoodie").glob(f"{instant}.*commit")
    content: dict[str, Any] = json.loads(file.read_text())
    for state in (base / ".hoodie").glob(f"{instant}.*"):
        state.unlink()
    return content


def test_an_archived_commit_of_version_6_tells_the_same(base: Path) -> None:
    add_commit(base, THIRD, {"p=b": {group_of(2): 1}})
    before = [why.read(base, instant) for instant in (FIRST, SECOND)]
    contents = [to_archive(base, instant) for instant in (FIRST, SECOND)]
    folder = base / ".hoodie" / "archived"
    folder.mkdir()
    first = archived_log((FIRST, "REQUESTED", None), (FIRST, "COMPLETED", contents[0]))
    (folder / ".commits_.archive.1_1-0-1").write_bytes(first)
    second = archived_log((SECOND, "COMPLETED", contents[1]))
    (folder / ".commits_.archive.10_1-0-1").write_bytes(second + b"#HUDI#cut")
    (folder / "other").write_bytes(b"?")
    for known in before:
        found = why.read(base, known.time)
        assert (found.totals, found.partitions) == (known.totals, known.partitions)
        assert (found.action, found.phases) == (known.action, known.phases)
        assert (found.completed_by, found.seconds) == ("archive", 1.5)
        assert why.read(base, known.time[:14]) == found
    assert fault(base, LATER).condition == "HUDILITE_INSTANT_UNKNOWN"


def test_an_archived_commit_of_version_9_tells_the_same(base: Path) -> None:
    before = why.read(base, FIRST)
    upgraded.upgrade(base, "9")
    timeline = base / ".hoodie" / "timeline"
    (file,) = timeline.glob(f"{FIRST}_*.commit")
    content, end = file.read_bytes(), upgraded.completion(FIRST)
    for state in timeline.glob(f"{FIRST}*"):
        state.unlink()
    rows = {
        "instantTime": [FIRST, SECOND],
        "completionTime": [end, end],
        "action": ["commit", "clean"],
        "metadata": [content, b"Obj\1"],
    }
    folder = timeline / "history"
    sink = io.BytesIO()
    pq.write_table(pa.table(rows), sink)
    name = f"{FIRST}_{SECOND}_0.parquet"
    (folder / name).write_bytes(sink.getvalue())
    (folder / "manifest_2").write_text(json.dumps({"files": [{"fileName": name, "fileLen": 1}]}))
    (folder / "manifest_3").write_text("{")
    (folder / "_version_").write_text("2")
    found = why.read(base, FIRST)
    assert (found.totals, found.phases) == (before.totals, before.phases)
    assert (found.completed_by, found.action) == ("archive", "commit")
    assert why.read(base, FIRST[:14]) == found
    assert found.seconds == pytest.approx(upgraded.TAKES.total_seconds())
    (folder / name).write_bytes(b"no Parquet")
    assert fault(base, FIRST).condition == "HUDILITE_CORRUPT_TIMELINE"


def test_an_instant_that_is_no_completed_commit_says_what_it_is(base: Path) -> None:
    add_commit(base, THIRD, {"p=b": {group_of(2): 1}}, completed=False)
    add_instant(base, "20240104000000000", "clean", b"Obj\1")
    pending = fault(base, THIRD).message
    assert "its commit is pending (inflight). Watch it with hudilite top " in pending
    assert "it is a clean, which writes no rows" in fault(base, "20240104000000000").message
    unknown = fault(base, LATER).message
    assert "neither its timeline nor its archive has this instant" in unknown
    assert f"Its latest commits are {SECOND}, {FIRST}." in unknown
    assert fault(base, "noon").condition == "HUDILITE_INSTANT_INVALID"


def test_a_commit_that_was_rolled_back_names_the_rollback(base: Path) -> None:
    commits = {"type": "array", "items": "string"}
    fields = [{"name": "commitsRollback", "type": commits}]
    record = avro_long(1) + avro_text(THIRD) + avro_long(0)
    schema = json.dumps({"type": "record", "name": "R", "fields": fields})
    add_instant(base, LATER, "rollback", avro_file(schema, record))
    (base / ".hoodie" / f"{LATER}.rollback.requested").write_bytes(avro_file(schema, record))
    assert f"it was rolled back (by {LATER})" in fault(base, THIRD).message


def test_a_number_remembers_a_rollback_that_has_left_the_timeline(base: Path) -> None:
    add_number(base, 1, THIRD, kind="abort", instant=THIRD, action="commit")
    assert "its rollback has left the timeline" in fault(base, THIRD).message


def test_a_table_without_a_commit_says_so(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    assert "the table has no commit" in fault(base, "latest").message
    assert "The table has no commit yet." in fault(base, FIRST).message


def test_the_command_prints_what_is_recorded(
    base: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["why", str(base), FIRST]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == f"commit {FIRST} of {base}"
    figures = dict(line.split("  ", 1) for line in lines[2 : lines.index("", 2)])
    told = {name: text.strip() for name, text in figures.items()}
    assert told["row groups"] == (
        "40 copied, 3 partly copied, 2 encoded by columns, 0 encoded by rows"
    )
    assert (
        told["phases"] == "planning 0.005 s, tagging 1.200 s, merging 8.020 s, committing 0.011 s"
    )
    assert told["not copied"] == "2 files unsorted"
    assert "not recorded" not in told
    assert [line.split()[0] for line in lines[lines.index("", 2) + 1 :]] == [
        *("PARTITION", "p=b", "p=a")
    ]
    assert main(["why", str(base)]) == 0
    text = capsys.readouterr().out
    assert f"replacecommit {SECOND}" in text
    assert "not recorded  bytes read, row groups, seconds by phase" in text


def test_the_command_prints_the_largest_partitions(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    base = make_table(tmp_path / "t")
    writes = {f"p={i:02}": {f"g{i}-0": 1000 * i} for i in range(1, 13)}
    add_commit(base, FIRST, writes)
    assert main(["why", str(base)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in lines[-11:-9]] == ["p=12", "p=11"]
    assert lines[-1] == "2 more partitions: see --json"


def test_the_document_has_every_figure(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["why", str(base), FIRST, "--json"]) == 0
    document = json.loads(capsys.readouterr().out)
    found = why.read(base, FIRST)
    assert set(document) == set(why.Account.__dataclass_fields__)
    assert document["began"] == "2024-01-01T00:00:00+00:00"
    partitions = [(of["partition"], of["files_created"]) for of in document["partitions"]]
    assert partitions == [("p=a", 2), ("p=b", 1)]
    assert document["phases"] == found.phases


def test_a_commit_of_log_files_by_stats_alone(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hoodie__table__type="MERGE_ON_READ")
    add_commit(base, FIRST, {"p=a": {"f-0": 3}})
    add_logs(base, SECOND, {"p=a": [f".f-0_{FIRST}.log.1"]})
    totals = why.read(base).totals
    assert (totals.files_created, totals.logs_written) == (0, 1)
