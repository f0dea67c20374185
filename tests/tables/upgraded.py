"""A table of version 6 as a table of version 8 or 9: the steps of stock Hudi's upgrade, made by hand."""

from __future__ import annotations

import json
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from harness import avro, names

METADATA_TABLE = "column_stats,files,partition_stats"
TAKES = timedelta(milliseconds=1234)  # from the request of an instant to its completion
COUNTS = (
    "numWrites",
    "numDeletes",
    "numUpdateWrites",
    "numInserts",
    "totalWriteBytes",
    "fileSizeInBytes",
)


def _nullable(kind: Any) -> list[Any]:
    return ["null", kind]


def _record(name: str, **fields: Any) -> dict[str, Any]:
    listed = [{"name": key, "type": _nullable(kind)} for key, kind in fields.items()]
    return {"type": "record", "name": name, "fields": listed}


def _map(values: Any) -> dict[str, Any]:
    return {"type": "map", "values": values}


def _array(items: Any) -> dict[str, Any]:
    return {"type": "array", "items": items}


WRITE_STAT = _record(
    "HoodieWriteStat",
    **dict.fromkeys(("fileId", "path", "prevCommit", "prevBaseFile", "partitionPath"), "string"),
    **dict.fromkeys(COUNTS, "long"),
    logVersion="int",
    logOffset="long",
    baseFile="string",
    logFiles=_array("string"),
)
COMMIT = _record(
    "HoodieReplaceCommitMetadata",
    partitionToWriteStats=_map(_array(WRITE_STAT)),
    compacted="boolean",
    extraMetadata=_map("string"),
    version="int",
    operationType="string",
    partitionToReplaceFileIds=_map(_array("string")),
)


def upgrade(base: Path, version: str, *, codec: str = "null", metadata_table: bool = True) -> None:
    """Turns a table of version 6 into one of another version.

    Args:
        codec: Codec of the Avro files.
        metadata_table: Whether the table gets a metadata table, which is nonsense inside.
    """
    hoodie = base / ".hoodie"
    timeline = hoodie / "timeline"
    (timeline / "history").mkdir(parents=True)
    for path in sorted(hoodie.iterdir()):
        state = names.VERSION_6.parse(path.name) if path.is_file() else None
        if state is not None:
            _move(path, timeline, state, codec)
    changed = {
        "hoodie.table.version": version,
        "hoodie.timeline.layout.version": "2",
        "hoodie.table.initial.version": "6",
        "hoodie.timeline.path": "timeline",
        "hoodie.timeline.history.path": "history",
        "hoodie.record.merge.mode": "EVENT_TIME_ORDERING",
        "hoodie.table.metadata.partitions": METADATA_TABLE if metadata_table else "",
    }
    set_facts(base, changed)
    if metadata_table:
        make_metadata(base)


def make_metadata(base: Path) -> None:
    """Puts the folder of a metadata table, with nonsense inside, into a table."""
    inside = base / ".hoodie" / "metadata" / "files"
    inside.mkdir(parents=True, exist_ok=True)
    (inside / "files-0000-0_0-1-0_00000000000000000.hfile").write_bytes(b"no HFile")


def set_facts(base: Path, facts: dict[str, str]) -> None:
    """Changes properties of a table, or adds them."""
    file = base / ".hoodie" / "hoodie.properties"
    lines = file.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if line.split("=", 1)[0] not in facts]
    added = [f"{key}={value}" for key, value in facts.items()]
    file.write_text("\n".join([*kept, *added, ""]), encoding="utf-8")


def completion(instant: str) -> str:
    """The time at which an upgraded instant is completed."""
    begun = datetime.strptime(instant, "%Y%m%d%H%M%S%f")
    return f"{begun + TAKES:%Y%m%d%H%M%S%f}"[:17]


def _move(path: Path, timeline: Path, state: names.State, codec: str) -> None:
    name = path.name
    content = path.read_bytes()
    if state.state == "completed":
        name = f"{state.time}_{completion(state.time)}.{state.action}"
    if content and state.action in ("commit", "replacecommit"):
        if state.state == "inflight":
            content = b""
        elif state.state == "completed":
            content = avro.container(COMMIT, json.loads(content), codec)
    path.unlink()
    path.with_name(f".{path.name}.crc").unlink(missing_ok=True)
    (timeline / name).write_bytes(content)
