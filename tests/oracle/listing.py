"""The list of files in Hudi's metadata table, read and written without the product's writer."""

from __future__ import annotations

import json
import re
import struct
from pathlib import Path
from typing import Any

from harness import avro
from hudilite.format.hfile import entries
from oracle import hfile

LOG = re.compile(r"^\.files-0000-0_(\d{17})\.log\.\d+_\d+-\d+-\d+$")
BASE = re.compile(r"^files-0000-0_\d+-\d+-\d+_(\d{17})\.hfile$")
COMPLETED = re.compile(r"^(\d{17})_(\d{17})\.(\w+)$")
ALL = "__all_partitions__"
FIRST = "0" * 17
HFILE = 4
ROOT = Path(__file__).resolve().parents[2]
STOCK_BLOCK = ROOT / "tests/unit/core/resources/stock-1.2.0/files-block.log"

Files = dict[str, dict[str, int]]


def blocks(data: bytes) -> list[tuple[int, dict[int, bytes], bytes]]:
    """Kind, header and content of each block of a log file."""
    found, at = [], 0
    while at < len(data):
        assert data[at : at + 6] == b"#HUDI#"
        length, version, kind, count = struct.unpack_from(">qiii", data, at + 6)
        assert version == 1
        end, at = at + 14 + length, at + 26
        header = {}
        for _ in range(count):
            key, size = struct.unpack_from(">ii", data, at)
            header[key] = data[at + 8 : at + 8 + size]
            at += 8 + size
        (size,) = struct.unpack_from(">q", data, at)
        content = data[at + 8 : at + 8 + size]
        assert struct.unpack_from(">iq", data, at + 8 + size) == (0, length + 6)
        assert end == at + 8 + size + 12
        found.append((kind, header, content))
        at = end
    return found


def listing(base: Path) -> Files:
    """The files that readers of the metadata table see, with their lengths, by partition."""
    metadata = base / ".hoodie" / "metadata"
    done = _completed(metadata / ".hoodie" / "timeline")
    data = base / ".hoodie" / "timeline"
    known = {path.name[:17] for path in data.iterdir() if path.is_file()}
    counted = set(_completed(data)) | (set(done) - known)
    names = sorted(path.name for path in (metadata / "files").iterdir())
    compacted = max((m[1] for m in map(BASE.match, names) if m and m[1] in done), default="")
    found: dict[str, dict[str, tuple[int, bool]]] = {}
    for name in names:
        match = BASE.match(name)
        if match and match[1] == compacted:
            _put(found, (metadata / "files" / name).read_bytes(), schema())
    for match in filter(None, map(LOG.match, sorted(names))):
        if match[1] in counted and done.get(match[1], match[1]) > compacted:
            for kind, header, content in blocks((metadata / "files" / match[0]).read_bytes()):
                if kind == HFILE:
                    _put(found, content, json.loads(header[2]))
    return {
        "" if partition == "." else partition: {
            name: size for name, (size, is_deleted) in files.items() if not is_deleted
        }
        for partition, files in found.items()
    }


def _completed(timeline: Path) -> dict[str, str]:
    matches = (COMPLETED.match(path.name) for path in timeline.iterdir())
    return {match[1]: match[2] for match in matches if match}


def _put(found: dict[str, dict[str, tuple[int, bool]]], data: bytes, schema: Any) -> None:
    for key, value in entries(data).items():
        if key != ALL:
            record = avro.value(schema, value)
            files = record["filesystemMetadata"].items()
            found.setdefault(key, {}).update((n, (i["size"], i["isDeleted"])) for n, i in files)


def schema() -> Any:
    """Schema of the records, as stock Hudi writes it."""
    return json.loads(_schema())


def _schema() -> bytes:
    return blocks(STOCK_BLOCK.read_bytes())[0][1][2]


def plant(base: Path, files: Files, facts: dict[str, str], commit: bytes) -> None:
    """Puts a metadata table beside a table that lists these files, as stock Hudi builds it.

    Args:
        facts: Properties of the table.
        commit: Content of the deltacommit.
    """
    metadata = base / ".hoodie" / "metadata"
    timeline = metadata / ".hoodie" / "timeline"
    timeline.mkdir(parents=True, exist_ok=True)
    (metadata / "files").mkdir(exist_ok=True)
    records = {ALL: _record(1, dict.fromkeys(files, 0))} | {
        partition or ".": _record(2, names) for partition, names in files.items()
    }
    listed = sorted((key.encode(), value) for key, value in records.items())
    content = hfile.write(listed, {b"schema": _schema()})
    (metadata / "files" / f"files-0000-0_0-271-749_{FIRST}.hfile").write_bytes(content)
    for name in (f"{FIRST}.deltacommit.requested", f"{FIRST}.deltacommit.inflight"):
        (timeline / name).touch()
    (timeline / f"{FIRST}_20200101000000000.deltacommit").write_bytes(commit)
    text = "".join(f"{key}={value}\n" for key, value in facts.items())
    (metadata / ".hoodie" / "hoodie.properties").write_text(text, encoding="utf-8")


def _record(kind: int, files: dict[str, int]) -> bytes:
    listed = {name: {"size": size, "isDeleted": False} for name, size in files.items()}
    return avro.encoded(schema(), {"key": "", "type": kind, "filesystemMetadata": listed})
