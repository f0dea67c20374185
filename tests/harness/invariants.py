"""What must hold of a table's files after every statement, by pyarrow and the oracles alone."""

from __future__ import annotations

import itertools
import math
import time
import zlib
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness import layout, log_files, names
from harness.layout import META_FIELDS, Slice
from harness.log_files import LogFile
from oracle import file_id
from oracle.bloom import might_contain
from oracle.bucket import bucket_of_key

# Pairs of a bloom filter, which the files of a table with buckets may lack.
FILTER = ("org.apache.hudi.bloomfilter", "hoodie_bloom_filter_type_code")


def check_table(base: Path) -> list[str]:
    """Every broken invariant of a table, in words; an empty list when all hold."""
    slices = layout.latest_slices(base)
    facts = layout.properties(base)
    broken = [*_check_facts(facts), *_check_groups(base, slices, facts), *_check_leftovers(base)]
    seqnos: list[str] = []
    places: Counter[tuple[str, str]] = Counter()
    logs = log_files.log_files(base)
    live = {found.file_id for found in slices}
    broken += [text for log in logs for text in _check_log(base, log, facts, live)]
    for found in slices:
        file = pq.ParquetFile(found.path)
        meta = file.read(list(META_FIELDS)) if _has_meta(file) else None
        broken += _check_footer(found, file, facts)
        if meta is not None:
            broken += _check_rows(base, found, facts, meta)
            broken += _check_keys(found, file, meta.column("_hoodie_record_key").to_pylist())
            rows = _merged(base, found, file, logs, facts)
            places.update({(found.partition, row["_hoodie_record_key"]) for row in rows})
            seqnos += [row["_hoodie_commit_seqno"] for row in rows]
    if len(set(seqnos)) != len(seqnos):
        broken.append("a _hoodie_commit_seqno comes twice")
    twice = [place for place, n in places.items() if n > 1]
    broken += [f"keys in two files of a partition: {twice[:3]}"] if twice else []
    return broken + _check_commits(base) + _check_partitions(base, slices, facts)


def check_table_settled(base: Path, seconds: float = 20) -> list[str]:
    """The same once the tasks of a refused statement have taken their files back: within a while."""
    deadline = time.monotonic() + seconds
    while (found := check_table(base)) and time.monotonic() < deadline:
        time.sleep(0.2)
    return found


def check_table_after_crash(base: Path) -> list[str]:
    """The same without what a crash may leave: files and markers of an instant that is pending."""
    left = ("belongs to no completed instant", "markers are left")
    return [text for text in check_table(base) if not any(words in text for words in left)]


def _merged(
    base: Path, found: Slice, file: pq.ParquetFile, logs: list[LogFile], facts: dict[str, str]
) -> list[dict[str, Any]]:
    """The rows of a slice, as far as its log files need them: the meta columns, and the ordering field."""
    ordering = _ordering(facts)
    wanted = [*META_FIELDS, *([ordering] if ordering else [])]
    rows: list[dict[str, Any]] = file.read(wanted).to_pylist()
    mine = log_files.logs_of(base, found, logs) if logs else []
    return log_files.merged(rows, mine, ordering) if mine else rows


def _ordering(facts: dict[str, str]) -> str:
    return facts.get("hoodie.table.ordering.fields", facts.get("hoodie.table.precombine.field", ""))


def _check_log(base: Path, log: LogFile, facts: dict[str, str], live: set[str]) -> Iterable[str]:
    """Check of a log file of hudilite: it is whole, of one commit, sorted, with each key once.

    A file group that is no longer live may be from before a rescale, when the table had another number of
    buckets than its properties say.
    """
    name = log.path.name
    try:
        blocks = log.blocks()
        deleted = [key for b in blocks if b.kind == log_files.DELETE for key in b.deleted()]
        rows = [row for b in blocks if b.kind == log_files.PARQUET for row in b.rows()]
    except ValueError as error:
        yield f"{name}: {error}"
        return
    kinds = [block.kind for block in blocks]
    if kinds not in (
        [log_files.PARQUET],
        [log_files.DELETE],
        [log_files.PARQUET, log_files.DELETE],
    ):
        yield f"{name}: its blocks are {kinds}"
    if any(set(block.header) != {log_files.INSTANT, log_files.SCHEMA} for block in blocks):
        yield f"{name}: a header has {[sorted(block.header) for block in blocks]}"
    instants = {block.instant for block in blocks}
    if len(instants) != 1 or not all(log_files.counts(base, instant) for instant in instants):
        yield f"{name} belongs to no completed instant, but to {sorted(instants)}"
    if {row["_hoodie_commit_time"] for row in rows} - instants:
        yield f"{name}: rows of another instant than {sorted(instants)}"
    if {row["_hoodie_file_name"] for row in rows} - {log.file_id}:
        yield f"{name}: rows name another file group"
    keys = [row["_hoodie_record_key"] for row in rows]
    for some in (keys, deleted):
        if some != sorted(set(some), key=str.encode):
            yield f"{name}: keys are not in order, or come twice"
    if set(keys) & set(deleted):
        yield f"{name}: a key is written and deleted"
    ordering = _ordering(facts)
    if ordering and any(row[ordering] is None for row in rows):
        yield f"{name}: a row has no value of the ordering field"
    if _has_buckets(facts) and log.file_id in live:
        fields, buckets = _hashed(facts, log.file_id)
        own = int(log.file_id[:8])
        if any(bucket_of_key(key, fields, buckets) != own for key in keys + deleted):
            yield f"{name}: keys of other buckets"


def _check_facts(facts: dict[str, str]) -> Iterable[str]:
    named = f"{facts.get('hoodie.database.name', '')}.{facts['hoodie.table.name']}"
    if facts["hoodie.table.checksum"] != str(zlib.crc32(named.encode())):
        yield f"the checksum is not crc32 of {named}"
    version = facts.get("hoodie.table.version", "")
    if version not in ("6", "8", "9"):
        yield f"hoodie.table.version is {version}"
    wanted = {
        layout.OWN_CHECKSUM: layout.facts_checksum(facts),
        "hoodie.timeline.layout.version": "1" if version == "6" else "2",
        "hoodie.table.timeline.timezone": "UTC",
        "hoodie.datasource.write.drop.partition.columns": "false",
    }
    for key, value in wanted.items():
        if facts.get(key) != value:
            yield f"{key} is {facts.get(key)}, not {value}"
    if facts["hoodie.table.type"] not in ("COPY_ON_WRITE", "MERGE_ON_READ"):
        yield f"hoodie.table.type is {facts['hoodie.table.type']}"
    if "hoodie.table.create.schema" not in facts:
        yield "the creation schema is absent"
    if version == "6" and facts.get("hoodie.table.metadata.partitions"):
        yield "a metadata table is named"


def _check_groups(base: Path, slices: list[Slice], facts: dict[str, str]) -> Iterable[str]:
    uuid = facts["hudilite.table.uuid"]
    if not _has_buckets(facts):
        yield from _check_new_groups(base, slices, uuid)
        return
    for found in slices:
        epoch = _epoch(base, found)
        count = file_id.count_of(found.file_id)
        place = (uuid, found.partition, found.bucket)
        own = file_id.counted(*place, count, epoch) if count else file_id.bucket(*place, epoch)
        if found.file_id != own:
            yield f"{found.file_id} is not the id of bucket {found.bucket} of {found.partition!r}"
    places = [(s.partition, s.bucket, _hashed(facts, s.file_id)[1]) for s in slices]
    for one, other in itertools.combinations(places, 2):
        if one[0] == other[0] and (one[1] - other[1]) % math.gcd(one[2], other[2]) == 0:
            yield f"{one} and {other} have keys in common"


def _has_buckets(facts: dict[str, str]) -> bool:
    return "hudilite.bucket.count" in facts


def _hashed(facts: dict[str, str], group: str) -> tuple[list[str], int]:
    """The columns whose hash is the bucket, and the number of buckets of which a file group is one."""
    count = file_id.count_of(group) or int(facts["hudilite.bucket.count"])
    return facts["hudilite.bucket.fields"].split(","), count


def _check_new_groups(base: Path, slices: list[Slice], uuid: str) -> Iterable[str]:
    """A file group without a bucket is named after the instant that made it and its number there."""
    versions = layout.base_files(base)
    for found in slices:
        partition = [s for s in versions if s.partition == found.partition]
        first = min(s.instant for s in partition if s.file_id == found.file_id)
        ids = [file_id.file_group(uuid, found.partition, first, n) for n in range(len(partition))]
        if found.file_id not in ids:
            yield f"{found.file_id} is no id of a file group that {first} made"


def _epoch(base: Path, found: Slice) -> str:
    """The replacecommit that made a file group, or the last one that hid its bucket before."""
    versions = [s for s in layout.base_files(base) if s.file_id == found.file_id]
    first = min(s.instant for s in versions if s.partition == found.partition)
    replacing = [i for i, a in layout.completed(base).items() if a == "replacecommit"]
    if first in replacing:
        return first
    hidden = {i: layout.hidden(base, i) for i in replacing}
    of_bucket = [
        instant
        for instant, ids in hidden.items()
        if instant < first
        and any(int(group[:8]) == found.bucket for group in ids.get(found.partition, []))
    ]
    return max(of_bucket, default="")


def _check_leftovers(base: Path) -> Iterable[str]:
    done = layout.completed(base)
    per_slice: dict[tuple[str, str, str], int] = {}
    for found in layout.base_files(base):
        if found.instant in done or layout.is_archived(base, found.instant):
            place = (found.partition, found.file_id, found.instant)
            per_slice[place] = per_slice.get(place, 0) + 1
        else:  # of a write that died there may be several: attempts of tasks, parts of a large file
            yield f"{found.path.name} belongs to no completed instant"
    yield from (f"{place} has {n} files" for place, n in per_slice.items() if n > 1)
    marked = [p for p in (base / names.current().markers).rglob("*") if p.is_file()]
    if marked:
        yield f"markers are left: {[p.name for p in marked][:3]}"


def _has_meta(file: pq.ParquetFile) -> bool:
    return tuple(file.schema_arrow.names[:5]) == META_FIELDS


def _check_footer(found: Slice, file: pq.ParquetFile, facts: dict[str, str]) -> Iterable[str]:
    name = found.path.name
    if not _has_meta(file):
        yield f"{name}: its first columns are {file.schema_arrow.names[:5]}"
    physical = {file.schema.column(i).physical_type for i in range(len(file.schema))}
    if "INT96" in physical:
        yield f"{name}: a column is INT96"
    if any("PARQUET:field_id" in _texts(field) for field in _fields(file.schema_arrow)):
        yield f"{name}: a column has a field id"
    for field in file.schema_arrow:
        if pa.types.is_timestamp(field.type) and field.type.unit != "us":
            yield f"{name}: {field.name} is {field.type}"
    stored = _texts(file.metadata)
    wanted = {"parquet.avro.schema"}
    if not _has_buckets(facts) or stored.intersection(FILTER):
        wanted.update(FILTER)
    yield from (f"{name}: the footer lacks {key}" for key in sorted(wanted - stored))


def _check_rows(base: Path, found: Slice, facts: dict[str, str], meta: pa.Table) -> Iterable[str]:
    done = layout.completed(base)
    columns = {field: meta.column(field).to_pylist() for field in META_FIELDS}
    name = found.path.name
    if set(columns["_hoodie_file_name"]) - {name}:
        yield f"{name}: rows name {set(columns['_hoodie_file_name']) - {name}} as their file"
    if set(columns["_hoodie_partition_path"]) - {found.partition}:
        yield f"{name}: rows name another partition than {found.partition!r}"
    for instant in set(columns["_hoodie_commit_time"]):
        known = instant in done or layout.is_archived(base, instant)
        if not known or instant > found.instant:
            yield f"{name}: rows of {instant}, which is not completed or is later than the file"
    pairs = zip(columns["_hoodie_commit_time"], columns["_hoodie_commit_seqno"], strict=True)
    if any(not seqno.startswith(f"{time}_") for time, seqno in pairs):
        yield f"{name}: a seqno does not begin with its commit time"
    if not _has_buckets(facts):
        return
    fields, buckets = _hashed(facts, found.file_id)
    keys = columns["_hoodie_record_key"]
    strayed = [key for key in keys if bucket_of_key(key, fields, buckets) != found.bucket]
    if strayed:
        yield f"{name}: keys of other buckets: {[key[:40] for key in strayed[:3]]}"


def _check_keys(found: Slice, file: pq.ParquetFile, keys: list[str]) -> Iterable[str]:
    footer = {k.decode(): v.decode() for k, v in file.metadata.metadata.items()}
    name = found.path.name
    if keys != sorted(keys, key=str.encode):
        yield f"{name}: rows are not in key order"
    if len(set(keys)) != len(keys):
        yield f"{name}: a key comes twice"
    wanted: tuple[Any, Any] = (min(keys, key=_java), max(keys, key=_java)) if keys else (None, None)
    told: tuple[Any, Any] = (
        footer.get("hoodie_min_record_key"),
        footer.get("hoodie_max_record_key"),
    )
    if told != wanted and not (keys and told[0] <= wanted[0] and told[1] >= wanted[1]):
        yield f"{name}: key range {told}, but keys are {wanted}"
    bloom, code = (footer.get(key, "") for key in FILTER)
    lost = [key for key in keys[:200] if bloom and not might_contain(bloom, code, key.encode())]
    if lost:
        yield f"{name}: the bloom filter denies {[key[:40] for key in lost[:3]]}"


def _check_commits(base: Path) -> list[str]:
    broken = []
    for instant in layout.completed(base):
        metadata = layout.commit_metadata(base, instant)
        file = layout.completed_file(base, instant)
        checksums = layout.commit_checksums(file.read_bytes())
        if checksums and checksums[0] != checksums[1]:
            broken.append(f"commit {instant} has checksum {checksums[0]}, its text {checksums[1]}")
        if "schema" not in metadata.get("extraMetadata", {}):
            broken.append(f"commit {instant} has no schema")
        for stats in metadata["partitionToWriteStats"].values():
            broken += [text for stat in stats for text in _check_stat(base, instant, stat)]
    return broken


def _check_stat(base: Path, instant: str, stat: dict[str, Any]) -> Iterable[str]:
    path = base / stat["path"]
    if not path.exists():
        if _is_cleaned(base, path.name):
            return
        yield f"commit {instant} names {stat['path']}, which is not there"
        return
    if stat["fileSizeInBytes"] != path.stat().st_size:
        yield f"{stat['path']}: the commit says {stat['fileSizeInBytes']} bytes"
    if log_files.NAME.match(path.name):
        yield from _check_log_stat(path, stat)
        return
    rows = pq.ParquetFile(path).metadata.num_rows
    if stat["numWrites"] != rows:
        yield f"{stat['path']}: the commit says {stat['numWrites']} rows, the file has {rows}"


def _check_log_stat(path: Path, stat: dict[str, Any]) -> Iterable[str]:
    """The entry of a log file in a commit: rows, deletions, and the names in its slice."""
    try:
        blocks = log_files.blocks(path.read_bytes())
        rows = sum(len(block.rows()) for block in blocks if block.kind == log_files.PARQUET)
        deleted = sum(len(block.deleted()) for block in blocks if block.kind == log_files.DELETE)
    except ValueError:
        return  # it is told as a fault of the file
    told = (stat["numWrites"], stat["numInserts"] + stat["numUpdateWrites"])
    if told != (rows, rows) or stat["numDeletes"] < deleted:
        yield f"{path.name}: the commit says {told} rows, the file has {rows} and {deleted} deletions"
    named = log_files.NAME.match(path.name)
    if stat["logFiles"][-1:] != [path.name] or (
        named and stat["logVersion"] != int(named["version"])
    ):
        yield f"{path.name}: the commit names {stat['logFiles']} and {stat['logVersion']}"


def _is_cleaned(base: Path, name: str) -> bool:
    """Whether the plan of a clean names a file; Avro keeps texts as they are."""
    plans = (
        names.at(base).file(base, state.time, state.action, state.state)
        for state in layout.states(base)
        if (state.action, state.state) == ("clean", "requested")
    )
    return any(name.encode() in plan.read_bytes() for plan in plans)


def _check_partitions(base: Path, slices: list[Slice], facts: dict[str, str]) -> list[str]:
    fields = [field for field in facts["hoodie.table.partition.fields"].split(",") if field]
    broken = []
    for partition in {found.partition for found in slices}:
        metafile = base / partition / layout.PARTITION_METAFILE
        if not metafile.exists():
            broken.append(f"partition {partition!r} has no metafile")
        elif f"partitionDepth={len(fields)}" not in metafile.read_text(encoding="utf-8"):
            broken.append(f"partition {partition!r}: the depth is not {len(fields)}")
    return broken


def _fields(schema: pa.Schema) -> list[pa.Field]:
    return [schema.field(i) for i in range(len(schema))]


def _texts(holder: Any) -> set[str]:
    return {key.decode() for key in (holder.metadata or {})}


def _java(text: str) -> bytes:
    """The order of Java strings: UTF-16 code units."""
    return text.encode("utf-16-be")
