"""Warnings about a metadata table of Hudi that contradicts the commits, without a JVM."""

from __future__ import annotations

import json
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path

import pytest

from hudilite import files
from hudilite.cli import main
from hudilite.files import MetadataTableWarning
from hudilite.format.hfile import entries as hfile_entries
from oracle import hfile, listing
from python.hand_made_table import add_commit, make_table
from tables import kept, upgraded

FIRST, SECOND = "20240101000000000", "20240102000000000"


@pytest.fixture
def base(tmp_path: Path) -> Path:
    """A table of version 9 whose metadata table lists its three files."""
    base = make_table(tmp_path / "t", hoodie__table__timeline__timezone="UTC")
    add_commit(base, FIRST, {"p=a": {"f-0": 3, "g-0": 4}})
    add_commit(base, SECOND, {"p=b": {"i-0": 6}})
    upgraded.upgrade(base, "9")
    kept.keep(base)
    return base


def told(base: Path, at: str | None = None) -> list[str]:
    """The warnings of both ways to list the files."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", MetadataTableWarning)
        files.read(base, at)
    with warnings.catch_warnings(record=True) as of_slices:
        warnings.simplefilter("always", MetadataTableWarning)
        files.slices(base, at)
    assert [str(w.message) for w in found] == [str(w.message) for w in of_slices]
    assert {w.filename for w in found} <= {__file__}, "the line of the caller is named"
    return [str(w.message) for w in found]


def listed(base: Path) -> Path:
    """The base file of the list."""
    (found,) = (base / ".hoodie" / "metadata" / "files").glob("*.hfile")
    return found


def test_a_list_of_the_files_is_no_warning(base: Path) -> None:
    assert told(base) == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda found: found["p=a"].popitem(), "lacks files of commits (1, such as p="),
        (lambda found: found.pop("p=b"), "lacks files of commits (1, such as p="),
        (
            lambda found: found["p=b"].update({"j-0_0-1-2_" + FIRST + ".parquet": 5}),
            "lists files not in the folders (1, such as p=b/j-0_",
        ),
        (
            lambda found: found["p=b"].update(dict.fromkeys(found["p=b"], 1)),
            "lacks files of commits (1, such as p=",
        ),
    ],
    ids=["file", "partition", "absent file", "length"],
)
def test_another_list_is_a_warning(
    base: Path, change: Callable[[listing.Files], object], words: str
) -> None:
    found = kept.there(base)
    change(found)
    listing.plant(base, found, kept.METADATA_TABLE, b"")
    (text,) = told(base)
    assert words in text
    assert str(base / ".hoodie" / "metadata") in text
    assert "CALL metadata_table(table => '...', action => 'detach')" in text
    assert told(base, FIRST) == [], "an earlier state is not compared"


def test_a_table_that_is_being_written_is_not_compared(base: Path) -> None:
    shutil.rmtree(base / ".hoodie" / "metadata" / "files")
    assert len(told(base)) == 1
    assert files.read(base, partition="p=a"), "nor is a single partition"
    (base / ".hoodie" / "timeline" / "20240103000000000.clean.inflight").touch()
    assert told(base) == []


def test_another_schema_is_a_warning(base: Path) -> None:
    pairs = sorted(hfile_entries(listed(base).read_bytes()).items())
    other = json.dumps({"type": "record", "name": "r", "fields": []}).encode()
    data = hfile.write([(key.encode(), value) for key, value in pairs], {b"schema": other})
    listed(base).write_bytes(data)
    (text,) = told(base)
    assert "cannot be compared" in text


@pytest.mark.parametrize("cut", [0, 100, -1])
def test_a_damaged_list_is_a_warning(base: Path, cut: int) -> None:
    file = listed(base)
    file.write_bytes(file.read_bytes()[:cut])
    (text,) = told(base)
    assert "cannot be compared" in text


def test_a_block_counts_when_its_commit_is_completed(base: Path) -> None:
    """A log file adds a file and deletes another; before its commit it adds nothing."""
    instant = "20240103000000000"
    schema = json.dumps(listing.schema()).encode()
    file = next(iter(kept.there(base)["p=b"]))
    value = listing.avro.encoded(
        listing.schema(),
        {
            "key": "p=b",
            "type": 2,
            "filesystemMetadata": {file: {"size": 0, "isDeleted": True}},
        },
    )
    content = hfile.write([(b"p=b", value)], {})
    log = listed(base).with_name(f".files-0000-0_{instant}.log.1_1-2-3")
    log.write_bytes(block(schema, content))
    timeline = base / ".hoodie" / "metadata" / ".hoodie" / "timeline"
    (timeline / f"{instant}_20240103000001000.deltacommit").write_bytes(b"")
    own = base / ".hoodie" / "timeline"
    (own / f"{instant}.commit.requested").touch()
    assert told(base) == []
    (own / f"{instant}.commit.requested").unlink()
    (text,) = told(base)
    (own / f"{instant}_20240103000002000.clean").write_bytes(b"Obj\1")
    assert told(base) == [text]
    assert f"lacks files of commits (1, such as p=b/{file})" in text


def block(schema: bytes, content: bytes) -> bytes:
    """A block of a log file with an HFile."""
    header = b"".join(
        key.to_bytes(4, "big") + len(text).to_bytes(4, "big") + text
        for key, text in ((0, b"20240103000000000"), (2, schema))
    )
    inside = (1).to_bytes(4, "big") + (4).to_bytes(4, "big") + (2).to_bytes(4, "big") + header
    inside += len(content).to_bytes(8, "big") + content + (0).to_bytes(4, "big")
    length = len(inside) + 8
    return b"#HUDI#" + length.to_bytes(8, "big") + inside + (length + 6).to_bytes(8, "big")


def test_tables_of_version_6_are_not_compared(tmp_path: Path) -> None:
    base = make_table(tmp_path / "t", hoodie__table__metadata__partitions="files")
    add_commit(base, FIRST, {"p=a": {"f-0": 3}})
    upgraded.make_metadata(base)
    assert told(base) == []


def test_the_command_prints_the_warning(base: Path, capsys: pytest.CaptureFixture[str]) -> None:
    shutil.rmtree(base / ".hoodie" / "metadata" / "files")
    assert main(["files", str(base)]) == 0
    shown = capsys.readouterr()
    assert shown.err.startswith("warning: The metadata table at ")
    assert shown.out.startswith("PARTITION")
