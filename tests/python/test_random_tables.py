"""hudilite.files beside the tests' own reader of the layout, on tables of random histories."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from harness import layout
from harness.seeds import asked_seed
from hudilite import files, timeline
from python.hand_made_table import add_commit, add_instant, group_of, make_bucketed

TABLES, STEPS, BUCKETS = 8, 12, 4
PARTITIONS = ("p=a", "p=b", "p=c d")


def grow(base: Path, chance: random.Random) -> list[str]:
    """Commits of random kinds, each of which may be left unfinished; gives their instants."""
    groups = {p: {b: group_of(b) for b in range(BUCKETS)} for p in PARTITIONS}
    instants = [f"202401{day:02d}{chance.randrange(10**9):09d}" for day in range(1, STEPS + 1)]
    for number, instant in enumerate(instants):
        if chance.random() < 0.15:
            add_instant(base, instant, chance.choice(("clean", "rollback")), b"Obj\1")
            continue
        partition, completed = chance.choice(PARTITIONS), chance.random() < 0.8
        buckets = chance.sample(range(BUCKETS), chance.randrange(1, BUCKETS + 1))
        replaced = {}
        if chance.random() < 0.3:
            replaced = {partition: list(groups[partition].values())}
            fresh = {b: group_of(b, number + 1) for b in range(BUCKETS)}
            if completed:
                groups[partition] = fresh
        names = fresh if replaced else groups[partition]
        writes = {partition: {names[b]: chance.randrange(50) for b in buckets}}
        add_commit(base, instant, writes, replaced=replaced, completed=completed)
    return instants


@pytest.mark.parametrize("number", range(TABLES))
def test_every_instant_shows_the_same_files(tmp_path: Path, number: int) -> None:
    chance = random.Random(asked_seed() + number)
    print(f"HUDILITE_SEED={asked_seed()}")
    base = make_bucketed(tmp_path / "t", BUCKETS)
    instants = grow(base, chance)
    for at in (None, "20231231000000000", *instants):
        expected = {
            (s.partition, s.file_id, s.bucket, s.instant, str(s.path))
            for s in layout.latest_slices(base, at)
        }
        found = files.read(base, at)
        assert {(f.partition, f.group, f.bucket, f.instant, f.path) for f in found} == expected
        assert len(found) == len(expected)
        assert [(f.partition, f.group) for f in found] == sorted(
            (f.partition, f.group) for f in found
        )
        assert all(f.rows == layout_rows(base, f) for f in found)
    shown = timeline.read(base)
    assert {i.time for i in shown.commits} == set(layout.completed(base))
    assert {i.time for i in shown.instants} == layout.instants(base) == set(instants)
    assert all(i.action in ("commit", "replacecommit") for i in shown.pending)


def layout_rows(base: Path, file: files.BaseFile) -> int:
    """The rows that the commit of a base file names, by its JSON."""
    stats = layout.commit_metadata(base, file.instant)["partitionToWriteStats"][file.partition]
    (rows,) = (stat["numWrites"] for stat in stats if stat["fileId"] == file.group)
    return int(rows)
