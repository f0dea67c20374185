"""Files that are encrypted, or are to be, are encoded anew: the same rows as in files that are not.

A process of its own has keys for one column. Two tables get the same random statements; the first
one's files are encrypted now and then. HUDILITE_SEED gives others.
"""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from harness import layout
from harness.canonical import assert_same_rows
from harness.children import run_child
from harness.metrics import metrics_of
from harness.session import PAGE_ROWS, ROW_GROUP_ROWS
from model.relations import SEED

pytestmark = pytest.mark.rotated(third=2)  # a JVM of its own
ROWS, PARTITIONS, BUCKETS, OFTEN = 2560, 4, 8, 50
COLUMNS = "(id BIGINT, p STRING, n INT, v STRING, PRIMARY KEY (id))"
NAMES = ("hidden", "plain")
# Whether files are encrypted while a statement runs: each turn of it, and files left as they are.
SWITCHES = (False, True, True, False, False, True, False)


@dataclass(frozen=True)
class Run:
    """What the statements did to the first table.

    Args:
        states: Rows of both tables after each statement.
        counts: Of each commit, the oldest first.
        hidden: Whether the column of a file of each commit needs a key.
    """

    states: list[tuple[list[tuple[str, ...]], list[tuple[str, ...]]]]
    counts: list[Counter[str]]
    hidden: list[bool]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory, fault_classes: str) -> Run:
    print(f"HUDILITE_SEED={SEED}")
    rng, folder = random.Random(f"{SEED}:encrypted"), tmp_path_factory.mktemp("encrypted")
    texts = [
        f"CREATE TABLE {name} {COLUMNS} USING hudilite PARTITIONED BY (p) WITH BUCKETS {BUCKETS}"
        for name in NAMES
    ]
    steps = [{"label": "", "sql": text} for text in texts]
    for number, encrypted in enumerate(SWITCHES):
        text = statement(rng, number)
        for name, switch in zip(NAMES, (encrypted, False), strict=True):
            steps += [
                {"label": "", "sql": f"SET hudilite.tests.encrypted = {str(switch).lower()}"},
                {"label": f"{number} {name}", "sql": text.format(name)},
                {"label": f"rows {number} {name}", "sql": f"SELECT * FROM {name}"},
            ]
    conf = {
        "spark.hadoop.parquet.crypto.factory.class": "hudilite.tests.ColumnKeys",
        PAGE_ROWS: "3",
        ROW_GROUP_ROWS: "10",
    }
    outcome = run_child(folder, steps, conf)
    states = []
    for number in range(len(SWITCHES)):
        outcome.rows(f"{number} {NAMES[0]}")
        found = [outcome.rows(f"rows {number} {name}") for name in NAMES]
        hidden, plain = ([tuple(map(str, row)) for row in rows] for rows in found)
        states.append((hidden, plain))
    base = folder / "wh" / NAMES[0]
    instants = sorted(layout.completed(base))
    return Run(
        states,
        [Counter(metrics_of(base, instant)) for instant in instants],
        [any(needs_a_key(s.path) for s in written(base, instant)) for instant in instants],
    )


def statement(rng: random.Random, number: int) -> str:
    """The rows; then one for `{}` that changes every file."""
    if number == 0:
        rows = f"id, concat('p', id % {PARTITIONS}), CAST(id AS INT), concat('v', id % 7)"
        return f"INSERT INTO {{}} SELECT {rows} FROM range({ROWS})"
    kept = f"pmod(hash(id, {rng.random()}), {rng.choice([2, 3, 5])}) = 0"
    if rng.random() < 0.5:
        return f"UPDATE {{}} SET n = n + {number} WHERE {kept}"
    rows = f"SELECT id, concat('p', id % {PARTITIONS}) p, {number} n, 'new' v FROM range({ROWS})"
    return (
        f"MERGE INTO {{}} t USING ({rows} WHERE {kept}) s ON t.id = s.id AND t.p = s.p "
        "WHEN MATCHED AND t.n % 11 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET * "
        "WHEN NOT MATCHED THEN INSERT *"
    )


def written(base: Path, instant: str) -> list[layout.Slice]:
    return [found for found in layout.latest_slices(base, instant) if found.instant == instant]


def needs_a_key(path: Path) -> bool:
    """Whether a reader without keys gets the other columns alone."""
    file = pq.ParquetFile(path)
    assert len(file.read(columns=["id"])) == file.metadata.num_rows
    try:
        file.read(columns=["v"])
    except OSError:
        return True
    return False


def test_rows_are_those_of_files_that_are_not_encrypted(run: Run) -> None:
    for number, (hidden, plain) in enumerate(run.states):
        assert_same_rows(hidden, plain, label=f"statement {number}")
        assert hidden


def test_new_files_are_encrypted_if_the_session_is_set_so(run: Run) -> None:
    assert run.hidden == list(SWITCHES)


def test_files_are_not_copied_where_the_old_or_the_new_one_is_encrypted(run: Run) -> None:
    for before, after, counts in zip(SWITCHES, SWITCHES[1:], run.counts[1:], strict=False):
        kept = counts["numFilesNotCopiedEncryption"]
        assert kept == (counts["numFilesWritten"] if before or after else 0)
    assert sum(counts["numFilesNotCopiedEncryption"] for counts in run.counts) >= OFTEN


def test_files_that_are_not_encrypted_any_more_are_copied_again(run: Run) -> None:
    plain = [not a and not b for a, b in pairwise(SWITCHES)]
    copied = [
        counts["numRowGroupsCopied"] + counts["numRowGroupsPartlyCopied"]
        for counts, is_plain in zip(run.counts[1:], plain, strict=True)
        if is_plain
    ]
    assert copied
    assert all(copied)
