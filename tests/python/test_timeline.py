"""hudilite.timeline over tables that were made by hand: no JVM starts here."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from harness import layout
from hudilite import timeline
from hudilite.errors import HudiliteError
from hudilite.format import history
from hudilite.format.folders import Entry, LocalFolder
from oracle.hfile import avro_file, avro_long, avro_text
from python.hand_made_table import (
    add_commit,
    add_instant,
    add_number,
    group_of,
    make_bucketed,
    make_table,
)

FIRST, SECOND, THIRD = "20240101000000000", "20240102000000000", "20240103000000000"


@dataclass(frozen=True)
class ReadBefore(LocalFolder):
    """Folder whose timeline is listed before something happens."""

    calls: list[Callable[[], None]]

    def entries(self, below: str = "") -> list[Entry]:
        found = super().entries(below)
        if below == ".hoodie" and self.calls:
            self.calls.pop()()
        return found


def fault(path: Path) -> HudiliteError:
    with pytest.raises(HudiliteError) as caught:
        timeline.read(path)
    return caught.value


def states(path: Path) -> list[tuple[str, str, str]]:
    return [(i.time, i.action, i.state) for i in timeline.read(path).instants]


def test_a_new_table_has_an_empty_timeline(tmp_path: Path) -> None:
    found = timeline.read(make_table(tmp_path / "t"))
    assert found == timeline.Timeline(str(tmp_path / "t"), ())


def test_a_commit_says_what_it_did(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    extra = {"hudilite.metrics.numRetries": "2", "checkpoint": "7"}
    extra |= {"hudilite.metrics.odd": "x", "hudilite.metrics.square": "\u00b2"}
    writes = {"p=a": {group_of(0): 3, group_of(1): 4}, "p=b": {group_of(0, 1): 5}}
    files = add_commit(base, FIRST, writes, operation="INSERT", extra=extra)
    (instant,) = timeline.read(base).instants
    (commit,) = timeline.read(base).commits
    done = commit.completion
    assert commit == timeline.Commit(FIRST, "commit", done)
    assert done == instant.completion
    assert (instant.time, instant.action, instant.state) == (FIRST, "commit", "completed")
    assert done.operation == "INSERT"
    assert (done.rows_written, done.rows_inserted) == (12, 12)
    assert (done.rows_updated, done.rows_deleted, done.groups_replaced) == (0, 0, 0)
    assert done.bytes_written == sum(file.stat().st_size for file in files.values())
    assert (done.files_written, done.partitions) == (3, ("p=a", "p=b"))
    assert (done.metrics, done.extra) == ({"numRetries": 2}, {"checkpoint": "7"})


def test_updates_and_deletes_are_counted_apart(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t")
    stat = {"fileId": "f", "path": "p=a/x", "numWrites": 9, "numUpdateWrites": 2}
    stat |= {"numDeletes": 4, "numInserts": 1, "fileSizeInBytes": True}
    content = {"partitionToWriteStats": {"p=a": [stat, stat]}, "operationType": "UPSERT"}
    add_instant(base, FIRST, "commit", json.dumps(content).encode())
    done = timeline.read(base).commits[0].completion
    assert (done.rows_written, done.rows_inserted) == (18, 2)
    assert (done.rows_updated, done.rows_deleted, done.bytes_written) == (4, 8, 0)


def test_a_write_stat_says_its_partition_itself(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t")
    stats = {"p=a": [{"fileId": "f", "path": "p=b/x", "partitionPath": "p=b"}]}
    add_instant(base, FIRST, "commit", json.dumps({"partitionToWriteStats": stats}).encode())
    assert timeline.read(base).commits[0].completion.partitions == ("p=b",)


def test_a_replacecommit_counts_what_it_hides(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    replaced = {"p=a": [group_of(0)], "p=gone": [group_of(1), group_of(2)]}
    add_commit(base, FIRST, {"p=a": {group_of(0, 9): 1}}, replaced=replaced)
    done = timeline.read(base).commits[0].completion
    assert (done.groups_replaced, done.partitions) == (3, ("p=a", "p=gone"))


def test_every_action_is_shown_in_its_furthest_state(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t")
    add_commit(base, FIRST, {"p=a": {"g-0": 1}})
    (base / ".hoodie" / f"{FIRST}.savepoint").write_bytes(b"Obj\1")
    add_instant(base, SECOND, "clean", b"Obj\1")
    add_instant(base, THIRD, "replacecommit", completed=False)
    (base / ".hoodie" / "20240104000000000.rollback.requested").touch()
    (base / ".hoodie" / "00000000000001.commit.requested").touch()
    for other in ("20240105000000000.commit.tmp", "x.commit", f"{FIRST}.unknown"):
        (base / ".hoodie" / other).touch()
    found = timeline.read(base)
    assert states(base) == [
        ("00000000000001", "commit", "requested"),
        (FIRST, "commit", "completed"),
        (FIRST, "savepoint", "completed"),
        (SECOND, "clean", "completed"),
        (THIRD, "replacecommit", "inflight"),
        ("20240104000000000", "rollback", "requested"),
    ]
    assert [i.time for i in found.commits] == [FIRST] == sorted(layout.completed(base))
    assert len(found.pending) == 3
    assert all(i.completion is None for i in found.instants if i.action != "commit")


def test_a_compaction_that_was_completed_is_the_commit_alone(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t")
    add_commit(base, FIRST, {"p=a": {"g-0": 1}})
    for time in (FIRST, SECOND):
        for state in ("requested", "inflight"):
            (base / ".hoodie" / f"{time}.compaction.{state}").touch()
    assert states(base) == [
        (FIRST, "commit", "completed"),
        (SECOND, "compaction", "inflight"),
    ]


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"{",
        b"[]",
        b"\xff\xfe",
        b"{}",
        b'{"partitionToWriteStats": []}',
        b'{"partitionToWriteStats": {"p": [{"fileId": "f"}]}}',
        b'{"partitionToWriteStats": {"p": [1]}}',
        b"[" * 100_000,
    ],
)
def test_a_completed_file_that_is_no_commit_is_named(tmp_path: Path, content: bytes) -> None:
    base = make_table(tmp_path / "t")
    add_instant(base, FIRST, "commit", content)
    error = fault(base)
    assert error.condition == "HUDILITE_CORRUPT_TIMELINE"
    assert error.parameters["path"] == str(base / ".hoodie" / f"{FIRST}.commit")


def test_a_commit_that_was_altered_is_found_by_its_checksum(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    text = layout.with_checksum(
        '{"partitionToWriteStats": {}, "operationType": "INSERT", "hudilite.checksum": "00000000"}'
    )
    add_instant(base, FIRST, "commit", text.encode())
    assert timeline.read(base).commits[0].time == FIRST
    add_instant(base, FIRST, "commit", text.replace("INSERT", "UPSERT").encode())
    assert fault(base).condition == "HUDILITE_CORRUPT_TIMELINE"


def test_an_instant_with_two_meanings_is_refused(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t")
    add_commit(base, FIRST, {"p=a": {"g-0": 1}})
    add_instant(base, FIRST, "clean", b"Obj\1")
    assert fault(base).condition == "HUDILITE_CORRUPT_TIMELINE"


@pytest.mark.parametrize(("version", "layout_version"), [("5", "1"), ("7", "2"), ("10", "2")])
def test_other_versions_are_refused_by_name(
    tmp_path: Path, version: str, layout_version: str
) -> None:
    base = make_table(
        tmp_path / "t",
        hoodie__table__version=version,
        hoodie__timeline__layout__version=layout_version,
    )
    error = fault(base)
    assert error.condition == "HUDILITE_UNSUPPORTED_TABLE"
    assert error.parameters["value"] == version
    assert ("downgrade" if version == "10" else "upgrade_table") in error.parameters["fix"]


def test_a_commit_is_complete_once_it_has_its_number(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    add_commit(base, FIRST, {"p=a": {group_of(0): 1}})
    add_number(base, 1, FIRST, kind="commit", instant=FIRST, action="commit")
    add_instant(base, SECOND, "commit", completed=False)
    assert states(base)[-1] == (SECOND, "commit", "inflight")
    metadata = '{"partitionToWriteStats": {}, "operationType": "DELETE"}'
    add_number(base, 2, kind="commit", instant=SECOND, action="commit", metadata=metadata)
    found = timeline.read(base)
    assert [(i.time, i.state) for i in found.instants] == [
        (FIRST, "completed"),
        (SECOND, "completed"),
    ]
    assert found.commits[-1].completion.operation == "DELETE"


def test_a_commit_that_is_completed_during_the_read_is_not_left_out(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    content = b'{"partitionToWriteStats": {}, "operationType": "DELETE"}'
    add_instant(base, FIRST, "commit", content)
    add_number(base, 1, FIRST, kind="commit", instant=FIRST, action="commit")
    for time in (SECOND, THIRD):
        add_instant(base, time, "commit", completed=False)

    def meanwhile() -> None:
        add_instant(base, SECOND, "commit", content)
        add_number(base, 2, SECOND, kind="commit", instant=SECOND, action="commit")
        metadata = content.decode()
        add_number(base, 3, kind="commit", instant=THIRD, action="commit", metadata=metadata)

    found = history.load(ReadBefore(str(base), [meanwhile]), {})
    assert list(found.completed) == [FIRST, SECOND, THIRD]


def test_a_number_that_aborts_completes_nothing(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    add_instant(base, FIRST, "commit", completed=False)
    add_number(base, 1, kind="abort", instant=FIRST, action="commit")
    assert states(base) == [(FIRST, "commit", "inflight")]


def test_a_number_brings_the_commit_that_it_contains(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    early, late = "00000000000001", "00000000000002"
    for time in (early, late):
        add_instant(base, time, "commit", completed=False)
    metadata = '{"partitionToWriteStats": {}, "operationType": "BOOTSTRAP"}'
    before = {"instant": early, "metadata": metadata}
    add_number(
        base, 1, kind="commit", instant=late, action="commit", metadata=metadata, before=before
    )
    assert states(base) == [(early, "commit", "completed"), (late, "commit", "completed")]


def test_a_commit_that_a_number_covers_as_well_stays_as_it_was_published(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    add_commit(base, FIRST, {"p=a": {group_of(0): 1}}, operation="BOOTSTRAP")
    add_instant(base, SECOND, "commit", completed=False)
    metadata = '{"partitionToWriteStats": {}, "operationType": "OTHER"}'
    before = {"instant": FIRST, "metadata": metadata}
    add_number(
        base, 1, kind="commit", instant=SECOND, action="commit", metadata=metadata, before=before
    )
    done = [i.completion for i in timeline.read(base).commits]
    assert [d.operation for d in done] == ["BOOTSTRAP", "OTHER"]


def test_a_hint_of_a_completed_commit_spares_its_number(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    add_commit(base, FIRST, {"p=a": {group_of(0): 1}})
    add_number(base, 1, FIRST)
    (base / ".hoodie" / ".hudilite" / "commits" / f"{1:020d}").write_bytes(b"not read")
    assert states(base) == [(FIRST, "commit", "completed")]


def test_a_number_whose_files_were_taken_back_completes_nothing(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    metadata = '{"partitionToWriteStats": {}, "operationType": "DELETE"}'
    add_number(base, 1, kind="commit", instant=FIRST, action="commit", metadata=metadata)
    assert states(base) == []


def test_a_rollback_of_before_is_not_looked_into(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    add_instant(base, FIRST, "rollback", b"not read")
    add_instant(base, SECOND, "commit", completed=False)
    metadata = '{"partitionToWriteStats": {}, "operationType": "DELETE"}'
    add_number(base, 1, kind="commit", instant=SECOND, action="commit", metadata=metadata)
    assert states(base)[-1] == (SECOND, "commit", "completed")


def test_a_number_that_was_rolled_back_completes_nothing(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    add_instant(base, FIRST, "commit", completed=False)
    metadata = '{"partitionToWriteStats": {}, "operationType": "DELETE"}'
    add_number(base, 1, kind="commit", instant=FIRST, action="commit", metadata=metadata)
    assert states(base) == [(FIRST, "commit", "completed")]
    commits = {"type": "array", "items": "string"}
    schema = {
        "type": "record",
        "name": "R",
        "fields": [{"name": "commitsRollback", "type": commits}],
    }
    record = avro_long(1) + avro_text(FIRST) + avro_long(0)
    rollback = avro_file(json.dumps(schema), record)
    add_instant(base, SECOND, "rollback", rollback)
    (base / ".hoodie" / f"{SECOND}.rollback.requested").write_bytes(rollback)
    assert states(base) == [(FIRST, "commit", "inflight"), (SECOND, "rollback", "completed")]


def test_a_rollback_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    add_instant(base, FIRST, "commit", completed=False)
    add_number(base, 1, kind="commit", instant=FIRST, action="commit", metadata="{}")
    (base / ".hoodie" / f"{SECOND}.rollback.requested").write_bytes(b"Obj\1\x02")
    error = fault(base)
    assert error.condition == "HUDILITE_CORRUPT_TIMELINE"
    assert error.parameters["path"].endswith(f"{SECOND}.rollback.requested")


def test_reading_imports_neither_pyspark_nor_pyarrow(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    add_commit(base, FIRST, {"p=a": {group_of(0): 1}})
    code = (
        "import sys; from hudilite import files, timeline; "
        f"assert timeline.read({str(base)!r}).commits and files.read({str(base)!r}); "
        "assert not {'pyspark', 'pyarrow'} & set(sys.modules), sorted(sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
