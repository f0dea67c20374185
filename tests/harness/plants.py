"""Defects that tests plant in a table of BUCKETS buckets with the columns id, p and v, key id."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from harness import damage, layout
from harness.layout import Slice

Plant = Callable[[Path], None]
BUCKETS = 12


def with_rows(base: Path, number: int = 2) -> Slice:
    """A slice of some rows that is the only version of its file group."""
    files = layout.base_files(base)
    return next(
        found
        for found in layout.latest_slices(base)
        if damage.rows(found.path).num_rows >= number
        and [f.file_id for f in files].count(found.file_id) == 1
    )


def free_bucket(base: Path, partition: str) -> int:
    taken = {found.bucket for found in layout.base_files(base) if found.partition == partition}
    return min(set(range(BUCKETS)) - taken)


def wrong_bucket(base: Path) -> None:
    found = with_rows(base)
    prefix = f"{free_bucket(base, found.partition):08d}"
    found.path.rename(found.path.with_name(prefix + found.path.name[8:]))


def bucket_out_of_range(base: Path) -> None:
    found = with_rows(base)
    found.path.rename(found.path.with_name(f"{BUCKETS:08d}" + found.path.name[8:]))


def file_group_copied(base: Path) -> None:
    found = with_rows(base)
    twin = found.file_id[:8] + "-1111-2222-3333-444444444444-0"
    shutil.copy(found.path, found.path.with_name(found.path.name.replace(found.file_id, twin)))


def truncated(base: Path) -> None:
    damage.put(with_rows(base).path, with_rows(base).path.read_bytes()[:-20])


def deleted(base: Path) -> None:
    with_rows(base).path.unlink()


def latest_version_deleted(base: Path) -> None:
    files = [found.file_id for found in layout.base_files(base)]
    next(f for f in layout.latest_slices(base) if files.count(f.file_id) > 1).path.unlink()


def flipped_in_a_page(base: Path) -> None:
    path = with_rows(base).path
    data = bytearray(path.read_bytes())
    at = damage.page_of(path, "v")
    data[at] ^= 0x10
    damage.put(path, bytes(data))


def bloom_cleared(base: Path) -> None:
    damage.rewrite(base, with_rows(base), footer=damage.without_bits)


def bloom_cut(base: Path) -> None:
    damage.rewrite(base, with_rows(base), footer={damage.BLOOM: "AAAA"})


def bloom_gone(base: Path) -> None:
    damage.rewrite(base, with_rows(base), footer={damage.BLOOM: None})


def range_gone(base: Path) -> None:
    damage.rewrite(base, with_rows(base), footer={damage.MAX_KEY: None})


def greatest_key_too_small(base: Path) -> None:
    found = with_rows(base)
    least = min(damage.rows(found.path).column("_hoodie_record_key").to_pylist())
    damage.rewrite(base, found, footer={damage.MAX_KEY: least})


def range_inverted(base: Path) -> None:
    damage.rewrite(base, with_rows(base), footer={damage.MIN_KEY: "9", damage.MAX_KEY: "0"})


def constant(column: str, value: str) -> Plant:
    """The same value in a column of every row of a file."""

    def plant(base: Path) -> None:
        found = with_rows(base)
        table = damage.rows(found.path)
        at = table.column_names.index(column)
        values = pa.array([value] * table.num_rows, pa.string())
        damage.rewrite(base, found, table.set_column(at, table.schema.field(at), values))

    return plant


def keys_changed(base: Path) -> None:
    found = with_rows(base)
    table = damage.rows(found.path)
    at = table.column_names.index("id")
    moved = pc.add(table.column("id"), pa.scalar(100, pa.int32()))
    damage.rewrite(base, found, table.set_column(at, table.schema.field(at), moved))


def row_twice(base: Path) -> None:
    found = with_rows(base)
    table = damage.rows(found.path)
    damage.rewrite(base, found, pa.concat_tables([table.slice(0, 1), table]))
    damage.restate(base, found, numWrites=table.num_rows + 1)


def rows_turned_round(base: Path) -> None:
    found = with_rows(base)
    table = damage.rows(found.path)
    damage.rewrite(base, found, table.take(list(reversed(range(table.num_rows)))))


def row_lost(base: Path) -> None:
    found = with_rows(base)
    damage.rewrite(base, found, damage.rows(found.path).slice(1))


def stale_length(base: Path) -> None:
    damage.restate(base, with_rows(base), fileSizeInBytes=17)


def completed_file(base: Path, action: str, which: int) -> Path:
    times = sorted(time for time, found in layout.completed(base).items() if found == action)
    return layout.completed_file(base, times[which])


def commit_emptied(base: Path) -> None:
    damage.put(completed_file(base, "commit", 0), b"")


def commit_cut(base: Path) -> None:
    path = completed_file(base, "commit", 0)
    damage.put(path, path.read_bytes()[:-100])


def replacecommit_cut(base: Path) -> None:
    path = completed_file(base, "replacecommit", 0)
    damage.put(path, path.read_bytes()[:100])


def two_meanings(base: Path) -> None:
    path = completed_file(base, "commit", 1)
    shutil.copy(path, path.with_suffix(".replacecommit"))


def clean_cut(base: Path) -> None:
    (base / ".hoodie" / "20240101000000000.clean").write_bytes(b"Obj\x01half")


def number_gone(base: Path) -> None:
    (base / ".hoodie" / ".hudilite" / "commits" / f"{2:020d}").unlink()


def number_cut(base: Path) -> None:
    damage.put(base / ".hoodie" / ".hudilite" / "commits" / f"{2:020d}", b'{"kind": "comm')


def properties_gone(base: Path) -> None:
    (base / ".hoodie" / "hoodie.properties").unlink()


def checksum_wrong(base: Path) -> None:
    set_fact(base, "hoodie.table.checksum", "1")


def other_version(base: Path) -> None:
    set_fact(base, "hoodie.table.version", "10")


def set_fact(base: Path, key: str, value: str) -> None:
    file = base / ".hoodie" / "hoodie.properties"
    kept = [line for line in file.read_text().splitlines() if not line.startswith(f"{key}=")]
    damage.put(file, "\n".join([*kept, f"{key}={value}", ""]).encode())


def log_file(base: Path) -> None:
    found = with_rows(base)
    log = f".{found.file_id}_{found.instant}.log.1_0-1-0"
    found.path.with_name(log).write_bytes(b"#HUDI#")


def metafile_gone(base: Path) -> None:
    (with_rows(base).path.parent / layout.PARTITION_METAFILE).unlink()


def stray_base_file(base: Path) -> None:
    found = with_rows(base)
    name = found.path.name.replace(found.instant, "20990101000000000")
    shutil.copy(found.path, found.path.with_name(name))


def second_attempt(base: Path) -> None:
    found = with_rows(base)
    name = found.path.name.replace(found.token, "0-0-0")
    shutil.copy(found.path, found.path.with_name(name))


def other_file(base: Path) -> None:
    (with_rows(base).path.parent / "part-0.parquet").write_bytes(b"PAR1")


def file_in_the_root(base: Path) -> None:
    (base / "notes.txt").write_text("hello")


def folder_below_a_partition(base: Path) -> None:
    (with_rows(base).path.parent / "_temporary").mkdir()


def empty_folder(base: Path) -> None:
    (base / "p=z").mkdir()


def markers_left(base: Path) -> None:
    found = with_rows(base)
    folder = base / ".hoodie" / ".temp" / found.instant / found.partition
    folder.mkdir(parents=True)
    (folder / f"{found.path.name}.marker.CREATE").touch()
