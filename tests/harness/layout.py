"""A table's files read without the engine: timeline, latest file slices."""

from __future__ import annotations

import json
import re
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness import avro, names

META_FIELDS = (
    "_hoodie_commit_time",
    "_hoodie_commit_seqno",
    "_hoodie_record_key",
    "_hoodie_partition_path",
    "_hoodie_file_name",
)
BASE_FILE = re.compile(r"^(?P<file_id>[^_]+)_(?P<token>\d+-\d+-\d+)_(?P<instant>\d+)\.parquet$")
WRITES = ("commit", "replacecommit", "deltacommit")
PARTITION_METAFILE = ".hoodie_partition_metadata"


@dataclass(frozen=True)
class Slice:
    """One base file: where it lies and what its name says."""

    partition: str
    file_id: str
    token: str
    instant: str
    path: Path

    @property
    def bucket(self) -> int:
        return int(self.file_id[:8])


def properties(base: Path) -> dict[str, str]:
    """hoodie.properties, its escapes undone."""
    lines = (base / names.current().properties).read_text(encoding="utf-8").splitlines()
    pairs = (line.split("=", 1) for line in lines if line and not line.startswith("#"))
    return {_unescape(key): _unescape(value) for key, value in pairs}


OWN_CHECKSUM = "hudilite.table.checksum"
_COVERED = (
    "hoodie.table.recordkey.fields",
    "hoodie.table.partition.fields",
    "hoodie.table.create.schema",
    "hoodie.datasource.write.hive_style_partitioning",
    "hoodie.datasource.write.partitionpath.urlencode",
    *(
        f"hoodie.keygen.timebased.{name}"
        for name in (
            "timestamp.type",
            "timestamp.scalar.time.unit",
            "input.dateformat",
            "input.dateformat.list.delimiter.regex",
            "input.timezone",
            "output.dateformat",
            "output.timezone",
            "timezone",
        )
    ),
    "hoodie.datasource.write.keygenerator.consistent.logical.timestamp.enabled",
)


def facts_checksum(facts: Mapping[str, str]) -> str:
    """What `hudilite.table.checksum` of these facts must be."""
    lines = [
        f"{key}={value}\n"
        for key, value in sorted(facts.items())
        if key in _COVERED or (key.startswith("hudilite.") and key != OWN_CHECKSUM)
    ]
    return str(zlib.crc32("".join(lines).encode()))


def instant_files(base: Path) -> list[str]:
    """Every timeline file name (any action, any state), sorted."""
    place = names.at(base)
    folder = base / place.timeline
    if not folder.exists():  # in version 9 the first write makes it
        return []
    files = (path.name for path in folder.iterdir() if path.is_file())
    return sorted(name for name in files if place.parse(name))


def states(base: Path) -> list[names.State]:
    """States of the instants, by the names of the timeline files."""
    found = map(names.at(base).parse, instant_files(base))
    return [state for state in found if state is not None]


def completed(base: Path) -> dict[str, str]:
    """Completed instants that write data: instant -> action."""
    done = (s for s in states(base) if s.state == "completed" and s.action in WRITES)
    return {state.time: state.action for state in done}


def completions(base: Path) -> list[str]:
    """Times from which stock's incremental queries count, in order: of completion from version 8 on."""
    done = [s for s in states(base) if s.state == "completed" and "commit" in s.action]
    files = [names.at(base).file(base, s.time, s.action, "completed").name for s in done]
    return sorted(name.split(".")[0].split("_")[-1] for name in files)


def instants(base: Path) -> set[str]:
    """Times of all instants, of any action and state."""
    return {state.time for state in states(base)}


def pending(base: Path) -> set[str]:
    """Instants that are inflight and not completed."""
    return {s.time for s in states(base) if s.state == "inflight"} - completed(base).keys()


def completed_file(base: Path, instant: str) -> Path:
    """The file of a completed commit or replacecommit."""
    return names.at(base).file(base, instant, completed(base)[instant], "completed")


def commit_metadata(base: Path, instant: str) -> dict[str, Any]:
    """The metadata of a completed commit or replacecommit: its JSON, or its Avro record."""
    content = completed_file(base, instant).read_bytes()
    if content.startswith(avro.MAGIC):
        (found,) = avro.records(content)
        return {key: value for key, value in found.items() if value is not None}
    parsed: dict[str, Any] = json.loads(content)
    return parsed


COMMIT_CHECKSUM = re.compile(rb'("hudilite[.]checksum(?:"\s*:\s*"|\x10))([0-9a-f]{8})')


def commit_checksums(text: bytes) -> tuple[str, str] | None:
    """The checksum that a commit's text holds and the one that it must hold, if it holds one."""
    found = COMMIT_CHECKSUM.search(text)
    blank = COMMIT_CHECKSUM.sub(rb"\g<1>00000000", text)
    return (found[2].decode(), f"{zlib.crc32(blank):08x}") if found else None


def with_checksum(text: str) -> str:
    """A commit's text that was altered, its checksum set right."""
    found = commit_checksums(text.encode())
    if found is None:
        return text
    return COMMIT_CHECKSUM.sub(rf"\g<1>{found[1]}".encode(), text.encode()).decode()


def partitions(base: Path) -> list[str]:
    """Relative partition paths: every folder that holds Hudi's partition metafile."""
    return sorted(
        "" if path.parent == base else path.parent.relative_to(base).as_posix()
        for path in base.rglob(PARTITION_METAFILE)
        if names.current().metadata not in path.relative_to(base).parts
    )


def base_files(base: Path) -> list[Slice]:
    """Every base file on disk, committed or not."""
    return [found for path in base.rglob("*.parquet") if (found := _slice(base, path)) is not None]


def archived(base: Path) -> bytes:
    """All files of the archive of a table of version 6; Avro keeps texts as they are."""
    logs = sorted((base / ".hoodie" / "archived").glob(".commits_.archive.*"))
    return b"".join(log.read_bytes() for log in logs)


def is_archived(base: Path, instant: str) -> bool:
    """Whether the archive names an instant before the timeline."""
    done = completed(base)
    return bool(done) and instant < min(done) and instant.encode() in archived(base)


def hidden(base: Path, instant: str) -> dict[str, list[str]]:
    """The file groups that a replacecommit hides, by partition."""
    found: dict[str, list[str]] = commit_metadata(base, instant).get(
        "partitionToReplaceFileIds", {}
    )
    return found


def latest_slices(base: Path, as_of: str | None = None) -> list[Slice]:
    """The slices a snapshot query reads: hudi-format.md 7.1, replaced file groups hidden."""
    done = {i: a for i, a in completed(base).items() if as_of is None or i <= as_of}
    replaced = {
        (partition, file_id)
        for instant, action in done.items()
        if action == "replacecommit"
        for partition, ids in hidden(base, instant).items()
        for file_id in ids
    }
    latest: dict[tuple[str, str], Slice] = {}
    for found in base_files(base):
        group = (found.partition, found.file_id)
        older = group in latest and latest[group].instant > found.instant
        counts = found.instant in done or is_archived(base, found.instant)
        if counts and group not in replaced and not older:
            latest[group] = found
    return [latest[group] for group in sorted(latest)]


_ADOPTED = re.compile(rb";fileid=([^;]+?)\0\x7f\xff.*?(file:/[^\0-\x1f]+?[.]parquet)", re.DOTALL)


def sources(base: Path) -> dict[str, Path]:
    """Where the data of adopted file groups lie, by file id: hudi-format.md 8.4."""
    found: dict[str, Path] = {}
    for index in (base / names.current().bootstrap_index / ".fileids").glob("*.hfile"):
        for file_id, uri in _ADOPTED.findall(index.read_bytes()):
            found[file_id.decode()] = Path("/" + uri.decode().removeprefix("file:").lstrip("/"))
    return found


def untouched_state(base: Path) -> dict[str, tuple[int, int]]:
    """Name, size and mtime of every committed file: equal before and after a refused statement."""
    return {
        path.relative_to(base).as_posix(): (path.stat().st_size, path.stat().st_mtime_ns)
        for path in sorted(base.rglob("*"))
        if path.is_file() and not path.name.endswith(".crc")
    }


def _slice(base: Path, path: Path) -> Slice | None:
    relative = path.relative_to(base)
    match = BASE_FILE.match(path.name)
    if match is None or names.current().metadata in relative.parts:
        return None
    parent = relative.parent.as_posix()
    partition = "" if parent == "." else parent
    return Slice(partition, match["file_id"], match["token"], match["instant"], path)


def _unescape(text: str) -> str:
    plain = re.sub(r"\\u([0-9a-fA-F]{4})", lambda m: chr(int(m[1], 16)), text)
    return re.sub(r"\\([:=#!\\ ])", r"\1", plain).strip()
