"""hudilite.top and the command of this name, over tables that were made by hand: no JVM starts here."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from harness import avro
from hudilite import HudiliteError, top
from hudilite.cli import main, output
from hudilite.cli.top import duration
from hudilite.top.status import Signs, advice, status_of
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
NOW = 1704240000.0  # 2024-01-03T00:00:00Z
DAY = 86400.0


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A table with a commit, and a write at the third instant that is a minute old."""
    base = make_bucketed(tmp_path / "t", hoodie__database__name="lake")
    add_commit(base, FIRST, {"p=a": {group_of(0): 3, group_of(1): 40}})
    begin(base, THIRD, {"p=a": {group_of(0): 3}, "p=b": {group_of(3): 5}})
    return base


def begin(base: Path, instant: str, writes: dict[str, dict[str, int]]) -> None:
    """A pending commit with its files and their markers."""
    files = add_commit(base, instant, writes, completed=False)
    for file in files.values():
        mark(base, instant, file.relative_to(base).as_posix(), "MERGE")
    for file in (base / ".hoodie").glob(f"{instant}.*"):
        os.utime(file, (NOW, NOW))


def mark(base: Path, instant: str, place: str, kind: str, at: float = NOW) -> None:
    marker = base / ".hoodie" / ".temp" / instant / f"{place}.marker.{kind}"
    marker.parent.mkdir(parents=True, exist_ok=True)
    marker.touch()
    os.utime(marker, (at, at))


def beat(base: Path, instant: str, at: float) -> None:
    file = base / ".hoodie" / ".heartbeat" / instant
    file.parent.mkdir(exist_ok=True)
    file.touch()
    os.utime(file, (at, at))


def only(base: Path, after: float = 60.0, **options: Any) -> top.PendingAction:
    (found,) = top.read(base, now=NOW + after, **options).actions
    return found


def test_a_running_write_tells_its_files_and_buckets(base: Path) -> None:
    found = only(base)
    assert (found.time, found.action, found.state) == (THIRD, "commit", "inflight")
    assert (found.files, found.groups, found.buckets) == (2, 2, (0, 3))
    assert found.partitions == ("p=a", "p=b")
    assert found.bytes == sum(f.stat().st_size for f in base.rglob(f"*_{THIRD}.parquet"))
    assert (found.age_seconds, found.silent_seconds, found.heartbeat_seconds) == (60.0, 60.0, None)
    assert (found.status, found.advice) == ("alive", "")
    assert (found.operation, found.writer, found.planned_groups) == ("", "", None)


def test_a_lost_attempt_counts_as_a_file_and_not_as_a_file_group(base: Path) -> None:
    mark(base, THIRD, f"p=a/{group_of(0)}_0-2-7_{THIRD}.parquet", "MERGE", NOW + 50)
    found = only(base)
    assert (found.files, found.groups, found.silent_seconds) == (3, 2, 10.0)


def test_markers_of_the_timeline_server_are_the_same(base: Path) -> None:
    before = only(base)
    folder = base / ".hoodie" / ".temp" / THIRD
    markers = [path.relative_to(folder).as_posix() for path in folder.rglob("*.marker.*")]
    for marker in markers:
        (folder / marker).unlink()
    (folder / "MARKERS.type").write_text("TIMELINE_SERVER_BASED")
    for number, marker in enumerate(markers):
        (folder / f"MARKERS{number}").write_text(f"{marker}\n")
        os.utime(folder / f"MARKERS{number}", (NOW, NOW))
    assert only(base) == before


def test_the_inflight_file_of_hudilite_names_operation_and_application(base: Path) -> None:
    file = base / ".hoodie" / f"{THIRD}.inflight"
    extra = {"hudilite.writer": "w"}
    file.write_text(json.dumps({"partitionToWriteStats": {}, "extraMetadata": extra}))
    os.utime(file, (NOW, NOW))
    assert (only(base).operation, only(base).writer) == ("", "w")
    extra |= {"hudilite.operation": "UPSERT", "hudilite.application": "local-17"}
    file.write_text(json.dumps({"partitionToWriteStats": {}, "extraMetadata": extra}))
    os.utime(file, (NOW, NOW))
    assert (only(base).operation, only(base).writer) == ("UPSERT", "local-17")


@pytest.mark.parametrize("version", ["6", "9"])
def test_the_inflight_file_of_stock_hudi_names_what_it_will_update(
    base: Path, version: str
) -> None:
    stats = [{"fileId": "", "numInserts": 4}, {"fileId": group_of(0), "numUpdateWrites": 1}]
    content = {"partitionToWriteStats": {"p=a": stats}, "operationType": "UPSERT"}
    data = json.dumps(content).encode()
    file = base / ".hoodie" / f"{THIRD}.inflight"
    if version == "9":
        upgraded.upgrade(base, version)
        file = base / ".hoodie" / "timeline" / f"{THIRD}.inflight"
        data = avro.container(upgraded.COMMIT, content)
    file.write_bytes(data)
    found = only(base)
    assert (found.action, found.operation, found.planned_groups) == ("commit", "UPSERT", 1)
    assert (found.files, found.buckets) == (2, (0, 3))
    file.write_bytes(data[:20])
    assert only(base).operation == "", "a file that is being written tells nothing"


def test_a_heartbeat_decides_whether_a_writer_is_alive(base: Path) -> None:
    beat(base, THIRD, NOW + 1000)
    found = only(base, 1060)
    assert (found.status, found.heartbeat_seconds, found.silent_seconds) == ("alive", 60.0, 60.0)
    found = only(base, 1121)
    assert (found.status, found.heartbeat_seconds) == ("dead", 121.0)
    assert found.advice.endswith(
        f"CALL rollback(table => 'hudilite.`{base}`', instant => '{THIRD}')."
    )
    beat(base, FIRST, NOW)  # left over
    assert len(top.read(base, now=NOW).actions) == 1


def test_without_a_heartbeat_the_age_of_its_files_decides(base: Path) -> None:
    mark(base, THIRD, f"p=a/{group_of(1)}_0-1-0_{THIRD}.parquet", "CREATE", NOW + 100)
    assert only(base, 220).status == "alive"
    silent = only(base, 221)
    assert silent.status == "silent"
    assert silent.advice.startswith("If its writer has ended, roll it back with CALL rollback(")
    assert only(base, DAY - 1).status == "silent"
    dead = only(base, DAY)
    assert dead.status == "dead"
    assert dead.advice.startswith("The next write of hudilite rolls it back")
    assert only(base, 3600.0, rollback_after=3600.0).status == "dead"


def test_what_is_completed_is_not_running(base: Path) -> None:
    metadata = '{"partitionToWriteStats": {}, "operationType": "DELETE"}'
    add_number(base, 1, kind="commit", instant=THIRD, action="commit", metadata=metadata)
    assert top.read(base).actions == ()
    for end in ("compaction.requested", "compaction.inflight"):
        (base / ".hoodie" / f"{FIRST}.{end}").touch()
    add_instant(base, SECOND, "clean", b"Obj\1")
    assert top.read(base).actions == ()


def test_other_actions_that_hang_are_listed(base: Path) -> None:
    add_instant(base, SECOND, "clean", completed=False)
    found = top.read(base, now=time.time() + 1000).actions
    assert [(of.action, of.status) for of in found] == [("clean", "silent"), ("commit", "dead")]
    assert "finishes it" in found[0].advice


def test_log_files_that_were_there_before_have_no_bytes_of_the_write(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hoodie__table__type="MERGE_ON_READ")
    add_commit(base, FIRST, {"p=a": {"f-0": 3}})
    logs = add_logs(base, SECOND, {"p=a": [f".f-0_{FIRST}.log.1"]}, completed=False)
    for file in logs.values():
        mark(base, SECOND, file.relative_to(base).as_posix(), "APPEND")
    found = only(base)
    assert (found.action, found.files, found.groups, found.bytes) == ("deltacommit", 1, 1, 0)
    assert found.buckets == (), "its file groups are not named by buckets"


def compaction_plan() -> bytes:
    fields = [{"name": "operations", "type": {"type": "array", "items": "string"}}]
    schema = json.dumps({"type": "record", "name": "HoodieCompactionPlan", "fields": fields})
    return avro_file(schema, avro_long(2) + avro_text("f") + avro_text("g") + avro_long(0))


def clustering_plan() -> bytes:
    slices = {"name": "slices", "type": {"type": "array", "items": "string"}}
    group = {"type": "record", "name": "Group", "fields": [slices]}
    listed = {"name": "inputGroups", "type": {"type": "array", "items": group}}
    plan = {"type": "record", "name": "Plan", "fields": [listed]}
    fields = [{"name": "clusteringPlan", "type": ["null", plan]}]
    schema = json.dumps({"type": "record", "name": "Requested", "fields": fields})
    texts = avro_long(2) + avro_text("f") + avro_text("g") + avro_long(0)
    return avro_file(schema, avro_long(1) + avro_long(1) + texts + avro_long(0))


@pytest.mark.parametrize("version", ["6", "9"])
@pytest.mark.parametrize("action", ["compaction", "clustering"])
def test_a_plan_of_a_table_service_is_named_as_such(
    tmp_path: Path, version: str, action: str
) -> None:
    base = make_table(tmp_path / "t", hoodie__table__timeline__timezone="UTC")
    add_commit(base, FIRST, {"p=a": {"f-0": 3, "g-0": 4}})
    folder = base / ".hoodie"
    if version == "9":
        upgraded.upgrade(base, version)
        folder = folder / "timeline"
    plan = compaction_plan() if action == "compaction" else clustering_plan()
    stored = "replacecommit" if (version, action) == ("6", "clustering") else action
    (folder / f"{THIRD}.{stored}.requested").write_bytes(plan)
    found = only(base, DAY)
    operation = {"compaction": "COMPACT", "clustering": "CLUSTER"}[action]
    assert (found.action, found.operation, found.state) == (action, operation, "requested")
    assert (found.planned_groups, found.status) == (2, "planned")
    assert found.advice == "Stock Hudi executes it when its table service runs next."
    (folder / f"{THIRD}.{stored}.inflight").touch()
    begun = top.read(base, now=time.time() + 500).actions[0]
    assert (begun.state, begun.status, begun.planned_groups) == ("inflight", "silent", 2)


def test_a_clustering_of_hudilite_is_a_write(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "t")
    add_commit(base, FIRST, {"p=a": {group_of(0): 3}})
    add_instant(base, THIRD, "replacecommit", completed=False)
    extra = {"hudilite.writer": "w", "hudilite.operation": "CLUSTER"}
    file = base / ".hoodie" / f"{THIRD}.replacecommit.inflight"
    file.write_text(json.dumps({"partitionToWriteStats": {}, "extraMetadata": extra}))
    (found,) = top.read(base, now=time.time() + 500).actions
    assert (found.action, found.operation, found.status) == ("replacecommit", "CLUSTER", "silent")
    assert "CALL rollback(" in found.advice


def test_instants_of_the_metadata_table_are_not_those_of_the_table(base: Path) -> None:
    upgraded.upgrade(base, "9")
    inside = base / ".hoodie" / "metadata" / ".hoodie" / "timeline"
    inside.mkdir(parents=True)
    (inside / "20240109000000000.deltacommit.requested").touch()
    assert [of.time for of in top.read(base).actions] == [THIRD]


def test_the_lock_of_stock_hudi_names_its_owner(base: Path) -> None:
    file = base / ".hoodie" / ".locks" / "table_lock.json"
    file.parent.mkdir()
    lock = {"expired": False, "validUntil": int(1000 * (NOW + 30)), "owner": "o-1"}
    file.write_text(json.dumps(lock))
    assert top.read(base, now=NOW).lock_owner == "o-1"
    assert top.read(base, now=NOW + 31).lock_owner == ""
    file.write_text(json.dumps(lock | {"expired": True}))
    assert top.read(base, now=NOW).lock_owner == ""
    file.write_text("{")
    assert top.read(base, now=NOW).lock_owner == ""


@pytest.mark.parametrize(
    ("signs", "expected"),
    [
        (Signs("commit", False, 0.0, 0.0, None), "alive"),
        (Signs("commit", True, 500.0, 120.0, None), "alive"),
        (Signs("commit", True, 500.0, 121.0, None), "silent"),
        (Signs("commit", True, DAY, 121.0, None), "dead"),
        (Signs("commit", True, DAY, 5.0, 120.0), "alive"),
        (Signs("commit", True, 5.0, 5.0, 121.0), "dead"),
        (Signs("compaction", False, 5.0, 5.0, None), "planned"),
        (Signs("compaction", True, DAY, DAY, None), "silent"),
        (Signs("clean", True, DAY, DAY, None), "silent"),
    ],
)
def test_the_status_follows_from_the_signs(signs: Signs, expected: str) -> None:
    status = status_of(signs, DAY)
    assert status == expected
    assert bool(advice(signs, status, DAY, "CALL x")) == (expected != "alive")


@pytest.mark.parametrize(("is_heeded", "after"), [(False, 1200.0), (True, 1200.0), (False, 1300.0)])
def test_a_heartbeat_that_nobody_looks_at_is_told(is_heeded: bool, after: float) -> None:
    signs = Signs("commit", True, 1200.0, 5.0, 5.0, is_heeded)
    told = advice(signs, status_of(signs, after), after, "CALL x")
    assert bool(told) == (not is_heeded and after == 1200.0)


def test_a_table_without_a_database_is_named_by_its_path(tmp_path: Path) -> None:
    base = make_bucketed(tmp_path / "it's")
    begin(base, THIRD, {"p=a": {group_of(0): 3}})
    path = str(base).replace("'", "\\'")
    assert f"(table => 'hudilite.`{path}`', " in only(base, 121).advice


def test_durations_have_two_units() -> None:
    assert [duration(s) for s in (0, 59.9, 60, 3599, 86399, 86400 * 400)] == [
        *("0s", "59s", "1m00s", "59m59s", "23h59m", "400d00h")
    ]


def test_once_prints_a_table_and_what_to_do(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["top", str(base)]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith(f"{base}: 1 pending action, ")
    assert lines[2].split()[:5] == ["INSTANT", "ACTION", "OPERATION", "STATE", "STATUS"]
    assert lines[3].split()[:4] == [THIRD, "commit", "inflight", "dead"]
    assert lines[-1].startswith(f"{THIRD}: The next write of hudilite rolls it back")
    assert main(["top", str(base), "--rollback-after", "9999999"]) == 0
    assert " silent " in capsys.readouterr().out


def test_the_document_has_every_figure(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["top", str(base), "--json", "--interval", "1"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert set(document) == set(top.Running.__dataclass_fields__)
    (action,) = document["actions"]
    assert set(action) == set(top.PendingAction.__dataclass_fields__)
    assert action["buckets"] == [0, 3]


@pytest.mark.parametrize("interval", ["0", "-1", "soon", "nan", "inf", "1e300"])
def test_an_interval_is_a_number_of_seconds(base: Path, interval: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(["top", str(base), f"--interval={interval}"])
    assert left.value.code == 2


def test_a_table_that_is_not_there_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(HudiliteError) as caught:
        top.read(tmp_path)
    assert caught.value.condition == "HUDILITE_PATH_INVALID"


def test_a_terminal_is_drawn_again_until_ctrl_c(base: Path) -> None:
    ours, theirs = pty.openpty()
    command = [sys.executable, "-m", "hudilite", "top", str(base), "--interval", "0.1"]
    environment = os.environ | {"TERM": "xterm", "COLUMNS": "60", "LINES": "12"}
    process = subprocess.Popen(command, stdout=theirs, stderr=subprocess.PIPE, env=environment)
    os.close(theirs)
    shown = b""
    while shown.count(b"\x1b[H") < 3:
        shown += os.read(ours, 4096)
    process.send_signal(signal.SIGINT)
    assert process.wait(30) == 0
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    os.close(ours)
    second = shown.split(b"\x1b[H")[2].decode()
    lines = second.replace("\x1b[J", "").replace("\x1b[K", "").splitlines()
    assert any(THIRD in line for line in lines)
    assert max(map(len, lines)) <= 60


def test_a_file_that_is_gone_for_a_moment_does_not_end_it(
    base: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    properties = base / ".hoodie" / "hoodie.properties"
    content, looks = properties.read_bytes(), []

    def wait(_: float) -> None:
        looks.append(capsys.readouterr().out)
        if len(looks) == 3:
            raise KeyboardInterrupt
        properties.write_bytes(content) if len(looks) == 2 else properties.unlink()

    monkeypatch.setattr(output, "can_redraw", lambda: True)
    monkeypatch.setattr(time, "sleep", wait)
    assert main(["top", str(base)]) == 0
    assert [THIRD in look for look in looks] == [True, False, True]
    assert "HUDILITE_" in looks[1]


def test_files_that_come_and_go_hide_no_others(base: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.scandir

    @contextmanager
    def slow(path: str) -> Iterator[list[os.DirEntry[str]]]:
        passing = Path(path, ".x.hudilite-new")
        passing.touch()
        with real(path) as found:
            entries = list(found)
        passing.unlink()
        assert any(entry.name == passing.name for entry in entries)
        yield entries

    before = only(base)
    monkeypatch.setattr(os, "scandir", slow)
    assert only(base) == before


def test_lines_are_cut_to_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("COLUMNS", "3")
    monkeypatch.setenv("LINES", "3")
    output.redraw(["abcd", "你好", "lost"])
    assert capsys.readouterr().out == "\x1b[Habc\x1b[K\n你\x1b[K\n\x1b[J"
