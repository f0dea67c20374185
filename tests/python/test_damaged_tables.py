"""Damage to a small file of a table is told by a condition or does no harm: nothing else comes out."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest

from harness import bootstrapped, layout
from harness.seeds import asked_seed
from hudilite import files, timeline
from hudilite.errors import HudiliteError
from hudilite.show import page
from python.hand_made_table import add_commit, add_instant, group_of, make_bucketed

FIRST, SECOND = "20240101000000000", "20240102000000000"
SMALL = (
    ".hoodie/hoodie.properties",
    f".hoodie/{FIRST}.replacecommit",
    ".hoodie/.hudilite/commits/00000000000000000001",
    str(Path(".hoodie", ".aux", ".bootstrap", ".partitions", bootstrapped.NAME)),
)


@pytest.fixture
def table(tmp_path: Path) -> Path:
    """A table with a skeleton, a replaced group and a commit that has but a number."""
    base = make_bucketed(tmp_path / "t")
    facts = base / ".hoodie" / "hoodie.properties"
    facts.write_text(facts.read_text() + f"hoodie.bootstrap.base.path={tmp_path}\n")
    (tmp_path / "source.parquet").touch()
    made = add_commit(base, bootstrapped.INSTANT, {"p=a": {group_of(0): 3, group_of(1): 2}})
    (tmp_path / "source.parquet").write_bytes(made[group_of(0)].read_bytes())
    sources = dict.fromkeys(layout.latest_slices(base), tmp_path / "source.parquet")
    bootstrapped.write_index(base, tmp_path, sources)
    add_commit(base, FIRST, {"p=a": {group_of(1, 1): 2}}, replaced={"p=a": [group_of(1)]})
    add_instant(base, SECOND, "commit", completed=False)
    numbers = base / ".hoodie" / ".hudilite" / "commits"
    numbers.mkdir(parents=True)
    metadata = '{"partitionToWriteStats": {}, "operationType": "DELETE"}'
    record = {"kind": "commit", "instant": SECOND, "action": "commit", "metadata": metadata}
    (numbers / f"{1:020d}").write_text(json.dumps(record))
    return base


def damaged(data: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(data))
    length = chance.randrange(1, 40)
    return chance.choice(
        (
            data[:at],
            data[:at] + bytes([data[at] ^ 1 << chance.randrange(8)]) + data[at + 1 :],
            data[:at] + chance.randbytes(length) + data[at + length :],
            data[:at] + data[at + length :],
            data[:at] + data[at : at + length] * 2 + data[at + length :],
        )
    )


def test_the_table_is_whole(table: Path) -> None:
    assert [i.state for i in timeline.read(table).instants] == ["completed"] * 3
    assert [f.source is not None for f in files.read(table)] == [True, False]


@pytest.mark.parametrize("name", SMALL)
def test_damage_is_an_error_or_does_no_harm(table: Path, name: str) -> None:
    chance = random.Random(asked_seed())
    print(f"HUDILITE_SEED={asked_seed()}")
    whole = (table / name).read_bytes()
    told: set[str] = set()
    for _ in range(150):
        (table / name).write_bytes(damaged(whole, chance))
        try:
            page(table)
        except HudiliteError as error:
            told.add(error.condition)
    assert "HUDILITE_CORRUPT_TIMELINE" in told
    assert told <= {
        "HUDILITE_CORRUPT_TIMELINE",
        "HUDILITE_CORRUPT_DATA_FILE",
        "HUDILITE_MISSING_DATA_FILE",
        "HUDILITE_MISSING_FILE",
        "HUDILITE_UNSUPPORTED_TABLE",
    }
    (table / name).write_bytes(whole)
    assert len(files.read(table)) == 2
