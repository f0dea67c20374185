"""INV: what must hold of a table after a fault, by pyarrow and the oracles alone.

A commit stands once its number is there (design D10), but other readers see it only when Hudi's
completed file is there too. So the files are judged in a copy, in which that last file is put in
place as the next writer would.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from harness import avro, layout, log_files, names
from harness.invariants import check_table_after_crash
from harness.log_files import LogFile
from tables import upgraded

Row = tuple[Any, ...]
NUMBER = re.compile(r"\d{20}")


def linked_copy(base: Path, copy: Path) -> None:
    """A copy in no time: no file of a table is ever written twice, so both may share them."""
    shutil.copytree(base, copy, copy_function=os.link)


def complete(base: Path) -> bool:
    """Puts the completed file of the highest number in place, where that commit stands.

    Returns:
        Whether there was none.
    """
    place = names.at(base)
    folder = base / place.commits
    numbers = sorted(path for path in folder.glob("*") if NUMBER.fullmatch(path.name))
    if not numbers:
        return False
    record = json.loads(numbers[-1].read_text(encoding="utf-8"))
    instant, action = record["instant"], record["action"]
    inflight = place.file(base, instant, action, "inflight")
    done = place.file(base, instant, action, "completed")
    lacks = record["kind"] == "commit" and inflight.exists() and not done.exists()
    if lacks:
        if "before" in record:
            _publish(
                place.file(base, record["before"]["instant"], action, "completed"), record["before"]
            )
        _publish(done, record)
    return lacks


def _publish(done: Path, record: dict[str, Any]) -> None:
    """Writes the completed file of a record, in version 9 with its time of completion and as Avro."""
    if "completion" in record:
        content = avro.container(upgraded.COMMIT, json.loads(record["metadata"]))
        done.with_name(done.name.replace(".", f"_{record['completion']}.", 1)).write_bytes(content)
    else:
        done.write_text(record["metadata"], encoding="utf-8")


def rows(base: Path, columns: Sequence[str] = ()) -> list[Row]:
    """The rows of a snapshot query, without the meta columns.

    Args:
        base: The table.
        columns: What to read, in this order; all in theirs otherwise.
    """
    found: list[Row] = []
    sources = layout.sources(base)
    logs = log_files.log_files(base)
    for part in layout.latest_slices(base):
        data = _merged(base, part, logs, _data(part, sources))
        asked = columns or [n for n in data.column_names if n not in layout.META_FIELDS]
        found += zip(*(data[name].to_pylist() for name in asked), strict=True)
    return found


def _data(part: layout.Slice, sources: Mapping[str, Path]) -> pa.Table:
    """A base file's rows, or those of the file that it is the skeleton of."""
    data = pq.ParquetFile(part.path).read()
    if tuple(data.column_names) != layout.META_FIELDS:
        return data
    meta, data = data, pq.ParquetFile(sources[part.file_id]).read()
    for field in meta.schema:
        data = data.append_column(field, meta[field.name])
    for name, value in (level.split("=", 1) for level in part.partition.split("/") if level):
        data = data.append_column(name, pa.array([value] * data.num_rows))
    return data


def _merged(base: Path, part: layout.Slice, logs: list[LogFile], data: pa.Table) -> pa.Table:
    """The rows of a slice: those of its base file under its log files."""
    mine = log_files.logs_of(base, part, logs) if logs else []
    if not mine:
        return data
    return pa.Table.from_pylist(log_files.merged(data.to_pylist(), mine), schema=data.schema)


def breaks(base: Path, allowed: Sequence[Iterable[Row]], columns: Sequence[str] = ()) -> list[str]:
    """Every way in which a table is broken, in words; the rows must be those of one state.

    Args:
        base: The table, completed.
        allowed: The states that may be read: before, after, or both.
        columns: Those of the states, as for `rows`.
    """
    found = Counter(rows(base, columns))
    states = [Counter(state) for state in allowed]
    broken = []
    if found not in states:
        nearest = min(states, key=lambda state: _distance(state, found))
        lost = list((nearest - found).elements())
        more = list((found - nearest).elements())
        broken.append(f"a mixture of states: lost {sorted(lost)[:4]}, surplus {sorted(more)[:4]}")
    return [*broken, *_found_in_files(base), *check_table_after_crash(base)]


def _found_in_files(base: Path) -> Iterable[str]:
    yield from _uncounted(base)
    yield from _unmarked(base)
    yield from _keys_twice(base)


def _distance(one: Counter[Row], other: Counter[Row]) -> int:
    return sum(((one - other) + (other - one)).values())


def _uncounted(base: Path) -> Iterable[str]:
    """Files that a snapshot query reads though no commit names them."""
    logs = log_files.log_files(base)
    for part in layout.latest_slices(base):
        mine = log_files.logs_of(base, part, logs) if logs else []
        read = [(part.path, part.instant), *((log.path, log_files.instant_of(log)) for log in mine)]
        for path, instant in read:
            if not _is_named(base, path, instant):
                yield f"{path.name} is read, but commit {instant} does not name it"


def _unmarked(base: Path) -> Iterable[str]:
    """Log files of no commit that no marker names: nobody would delete them."""
    markers = base / names.current().markers
    for log in log_files.log_files(base):
        instant = log_files.instant_of(log)
        marker = next((markers / instant / log.partition).glob(f"{log.path.name}.marker.*"), None)
        if not log_files.counts(base, instant) and marker is None:
            yield f"{log.path.name} of instant {instant} has no marker"


def _is_named(base: Path, path: Path, instant: str) -> bool:
    place = path.relative_to(base).as_posix()
    if layout.is_archived(base, instant):
        return place.encode() in layout.archived(base)
    stats = layout.commit_metadata(base, instant)["partitionToWriteStats"]
    return place in {stat["path"] for found in stats.values() for stat in found}


def _keys_twice(base: Path) -> Iterable[str]:
    """Keys that come twice in a partition, in one file or in two."""
    seen: Counter[tuple[str, str]] = Counter()
    logs = log_files.log_files(base)
    for part in layout.latest_slices(base):
        data = _merged(base, part, logs, pq.ParquetFile(part.path).read(list(layout.META_FIELDS)))
        keys = data.column("_hoodie_record_key").to_pylist()
        seen.update((part.partition, key) for key in keys)
    twice = sorted(place for place, count in seen.items() if count > 1)
    if twice:
        yield f"keys come twice: {twice[:4]}"
