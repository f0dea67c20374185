"""Timeline and files of tables of versions 8 and 9, read without a JVM."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from harness import avro, layout
from hudilite import HudiliteError, files, timeline
from python.hand_made_table import add_commit, add_instant, add_number, make_table
from tables import upgraded

# The metadata table of the upgraded tables is nonsense.
pytestmark = pytest.mark.filterwarnings("ignore::hudilite.files.MetadataTableWarning")
FIRST, SECOND, THIRD = "20240101000000000", "20240102000000000", "20240103000000000"
LATER = "20240109000000000"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A table of version 6 with a commit, an overwrite, a clean and a savepoint."""
    base = make_table(tmp_path / "t", hoodie__table__timeline__timezone="UTC")
    add_commit(base, FIRST, {"p=a": {"f-0": 3, "g-0": 4}}, extra={"hudilite.metrics.x": "5"})
    replaced = {"p=a": ["f-0"]}
    add_commit(base, SECOND, {"p=a": {"h-0": 5}, "p=b": {"i-0": 6}}, replaced=replaced)
    add_instant(base, FIRST, "savepoint", b"Obj\1")
    add_instant(base, THIRD, "clean", b"Obj\1")
    return base


def fault(base: Path) -> HudiliteError:
    with pytest.raises(HudiliteError) as error:
        files.read(base)
    return error.value


def commit_file(base: Path, instant: str) -> Path:
    (found,) = (base / ".hoodie" / "timeline").glob(f"{instant}_*commit")
    return found


@pytest.mark.parametrize(("version", "codec"), [("8", "null"), ("9", "deflate")])
def test_an_upgrade_changes_no_answer(base: Path, version: str, codec: str) -> None:
    instants, latest = timeline.read(base).instants, files.read(base)
    earlier = files.read(base, FIRST)
    assert len(latest) == 3
    assert [file.group for file in earlier] == ["f-0", "g-0"]
    upgraded.upgrade(base, version, codec=codec)
    assert timeline.read(base).instants == instants
    assert files.read(base) == latest
    assert files.read(base, FIRST) == earlier


def test_a_pending_clustering_is_a_write_that_does_not_count(base: Path) -> None:
    upgraded.upgrade(base, "9")
    before = files.read(base)
    folder = base / ".hoodie" / "timeline"
    for end in ("requested", "inflight"):
        (folder / f"{LATER}.clustering.{end}").touch()
    (base / "p=a" / f"c-0_0-1-0_{LATER}.parquet").write_bytes(b"not yet")
    last = timeline.read(base).instants[-1]
    assert (last.time, last.action, last.state) == (LATER, "clustering", "inflight")
    assert files.read(base) == before
    shutil.copy(commit_file(base, SECOND), folder / f"{LATER}_{LATER}.replacecommit")
    last = timeline.read(base).instants[-1]
    assert (last.action, last.state) == ("replacecommit", "completed")


def test_of_two_times_of_completion_the_earlier_counts(base: Path) -> None:
    upgraded.upgrade(base, "9")
    instants = timeline.read(base).instants
    empty = avro.container(upgraded.COMMIT, {"partitionToWriteStats": {}})
    (base / ".hoodie" / "timeline" / f"{FIRST}_{LATER}.commit").write_bytes(empty)
    assert timeline.read(base).instants == instants


def test_only_a_name_without_a_time_of_completion_is_that_of_json(base: Path) -> None:
    instants = timeline.read(base).instants
    content_6 = (base / ".hoodie" / f"{FIRST}.commit").read_bytes()
    upgraded.upgrade(base, "9")
    file = commit_file(base, FIRST)
    content = file.read_bytes()
    file.write_bytes(content_6)
    assert fault(base).condition == "HUDILITE_CORRUPT_TIMELINE"
    file = file.rename(file.with_name(f"{FIRST}.commit"))
    assert timeline.read(base).instants == instants
    file.write_bytes(content)
    assert fault(base).condition == "HUDILITE_CORRUPT_TIMELINE"


def test_a_commit_that_is_cut_is_corrupt_and_turned_bits_raise_nothing_else(base: Path) -> None:
    upgraded.upgrade(base, "9")
    file = commit_file(base, SECOND)
    content = file.read_bytes()
    for length in range(0, len(content), 7):
        file.write_bytes(content[:length])
        error = fault(base)
        assert error.condition == "HUDILITE_CORRUPT_TIMELINE", length
        assert error.parameters["path"].endswith(file.name)
    for at in range(len(content)):
        turned = bytearray(content)
        turned[at] ^= 1 << at % 8
        file.write_bytes(turned)
        try:
            timeline.read(base)
        except HudiliteError as error:
            assert error.condition == "HUDILITE_CORRUPT_TIMELINE", at


@pytest.mark.parametrize(
    ("facts", "fact"),
    [
        ({"hoodie.table.version": "6"}, "hoodie.timeline.layout.version"),
        ({"hoodie.timeline.layout.version": "1"}, "hoodie.timeline.layout.version"),
        ({"hoodie.timeline.path": "elsewhere"}, "hoodie.timeline.path"),
    ],
)
def test_a_timeline_of_another_form_is_refused(
    base: Path, facts: dict[str, str], fact: str
) -> None:
    upgraded.upgrade(base, "9")
    upgraded.set_facts(base, facts)
    error = fault(base)
    assert (error.condition, error.parameters["fact"]) == ("HUDILITE_UNSUPPORTED_TABLE", fact)


def with_checksum(content: bytes) -> bytes:
    """An Avro file whose checksum was blank."""
    found = layout.commit_checksums(content)
    assert found is not None
    return content.replace(b"\x10" + b"0" * 8, b"\x10" + found[1].encode(), 1)


def test_a_changed_byte_of_a_commit_is_found_by_its_checksum(base: Path) -> None:
    upgraded.upgrade(base, "9")
    file = commit_file(base, SECOND)
    instants = timeline.read(base).instants
    (record,) = avro.records(file.read_bytes())
    blank = {"hudilite.checksum": b"0" * 8}
    content = with_checksum(avro.container(upgraded.COMMIT, record, entries=blank))
    file.write_bytes(content)
    assert timeline.read(base).instants == instants
    at = content.rindex(b"h-0_0-1-0")
    file.write_bytes(content[:at] + b"x" + content[at + 1 :])
    assert "checksum" in fault(base).parameters["reason"]


def test_a_number_of_version_9_that_is_not_published_counts_with_its_time_of_completion(
    base: Path,
) -> None:
    add_commit(base, LATER, {"p=b": {"j-0": 7}}, completed=False)
    upgraded.upgrade(base, "9")
    before = files.read(base)
    path = f"p=b/j-0_0-1-0_{LATER}.parquet"
    stat = {"fileId": "j-0", "path": path, "fileSizeInBytes": (base / path).stat().st_size}
    record = {"kind": "commit", "instant": LATER, "action": "commit"}
    record["metadata"] = json.dumps({"partitionToWriteStats": {"p=b": [stat]}})
    add_number(base, 1, **record)
    assert files.read(base) == before, "stock Hudi has rolled it back when it upgraded the table"
    add_number(base, 1, **record, completion="20240109000000500")
    assert {file.group for file in files.read(base)} == {*(f.group for f in before), "j-0"}
    last = timeline.read(base).instants[-1]
    assert (last.time, last.state) == (LATER, "completed")
    broken = record | {"metadata": "{", "completion": "20240109000000500"}
    add_number(base, 1, **broken)
    assert fault(base).parameters["path"].endswith(f"{LATER}_20240109000000500.commit")
