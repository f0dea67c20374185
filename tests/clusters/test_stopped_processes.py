"""A process is stopped (SIGSTOP) inside a commit until another one has rolled it back, then goes on (SIGCONT).

Each statement adds one to a row and inserts a row of its own, so a lost statement and one that counts
twice are seen. The first process stops itself before a call of its storage; the second one finds it
stopped, writes, which rolls back what is pending, and wakes it.
"""

from __future__ import annotations

import os
import signal
import time
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from harness.children import ChildOutcome, run_child
from harness.invariants import check_table
from harness.java import LAYER
from harness.phases import PHASES
from harness.remote import Place
from harness.rotation import ninth, product
from harness.turns import await_told, tell

pytestmark = ninth(8, when=product("core/commit/", "core/io/"))
CREATE = (
    "CREATE TABLE t (id INT, n INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1 LOCATION '{}'"
)
ROWS = "SELECT id, n FROM hudilite.`{}` ORDER BY id"
COMMITTED = ("AFTER_NUMBER", "AFTER_DONE")
ROLLED_BACK = "HUDILITE_WRITE_ROLLED_BACK"
OTHERS = 100  # keys of the second process begin there
STOPPED = (
    "for i in $(seq 2400); do grep -qs '^State:[[:space:]]*T' /proc/$(cat $0)/status && exit 0; "
    "sleep 0.1; done; exit 1"
)


def merge(place: Place, key: int) -> str:
    """A statement that adds one to row 0 and inserts a row."""
    return (
        f"MERGE INTO hudilite.`{place.location}` t "
        f"USING (SELECT 0 id, 1 n UNION ALL SELECT {key}, 1) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET n = t.n + s.n WHEN NOT MATCHED THEN INSERT *"
    )


def of_first(place: Place, folder: Path) -> list[dict[str, Any]]:
    """Creates the table, then stops in a statement at each phase."""
    number = f"pgrep -P $PPID java >{folder}/jvm"
    steps: list[dict[str, Any]] = [
        {"label": "create", "sql": CREATE.format(place.location)},
        {"label": "fill", "sql": "INSERT INTO t VALUES (0, 0)"},
        {"label": "number", "run": ["sh", "-c", number]},
    ]
    for key, (phase, calls) in enumerate(PHASES.items(), 1):
        steps += [
            tell(folder / phase),
            {"label": "freeze", "freeze": calls},
            {"label": phase, "sql": merge(place, key)},
        ]
    return [*steps, tell(folder / "done")]


def of_second(place: Place, folder: Path) -> list[dict[str, Any]]:
    """Writes while the first one is stopped, and wakes it; at the end it reads."""
    steps: list[dict[str, Any]] = []
    for key, phase in enumerate(PHASES, 1):
        steps += [
            await_told(folder / phase),
            {"label": "stopped", "run": ["sh", "-c", STOPPED, str(folder / "jvm")]},
            {"label": f"before {phase}", "sql": ROWS.format(place.location)},
            {"label": phase, "sql": merge(place, OTHERS + key)},
            {"label": "wake", "run": ["sh", "-c", f"kill -CONT $(cat {folder}/jvm)"]},
        ]
    verify = f"CALL verify(table => 'hudilite.`{place.location}`', level => 'rows')"
    return [
        *steps,
        await_told(folder / "done"),
        {"label": "rows", "sql": ROWS.format(place.location)},
        {"label": "verify", "sql": verify},
    ]


def run(place: Place, folder: Path) -> tuple[ChildOutcome, ChildOutcome]:
    """Runs the two processes."""
    layer = {"spark.driver.extraJavaOptions": f"-Duser.timezone=UTC {LAYER}"}
    dead = {"spark.hudilite.write.rollbackAfter": "0s"}
    with ThreadPoolExecutor(2) as pool:
        first = pool.submit(
            run_child, folder / "first", of_first(place, folder), place.conf | layer
        )
        second = pool.submit(
            run_child, folder / "second", of_second(place, folder), place.conf | dead
        )
        try:
            second.result()
        finally:
            wake(folder / "jvm", first)
    return first.result(), second.result()


def wake(jvm: Path, process: Future[ChildOutcome]) -> None:
    """Lets a process go on until it ends, wherever it stops itself."""
    while not process.done():
        if jvm.exists() and (number := jvm.read_text(encoding="utf-8").strip()):
            with suppress(ProcessLookupError):
                os.kill(int(number), signal.SIGCONT)
        time.sleep(0.1)


@pytest.mark.fault("F24")
def test_a_process_that_wakes_loses_and_doubles_nothing(
    place: Place, fault_classes: str, tmp_path: Path
) -> None:
    """It fails unless it had its number, or had not begun: then its write is retried."""
    first, second = run(place, tmp_path)
    told = {one["label"]: one.get("error") for one in first.steps if one["label"] in PHASES}
    lives = ("PLAN", *COMMITTED)
    assert told == {phase: None if phase in lives else ROLLED_BACK for phase in PHASES}
    assert [one for one in second.steps if "error" in one] == []
    keys = [0]
    for key, phase in enumerate(PHASES, 1):
        keys += [key] if phase in COMMITTED else []
        assert [row[0] for row in second.rows(f"before {phase}")] == sorted(keys), phase
        keys += [key] if phase == "PLAN" else []
        keys += [OTHERS + key]
    rows = dict(second.rows("rows"))
    assert sorted(rows) == sorted(keys)
    assert rows[0] == len(keys) - 1
    assert second.rows("verify") == []
    assert check_table(place.fetched(tmp_path / "copy")) == []
