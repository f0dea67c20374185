"""The cases that scripts of their own measure; what they print is kept."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).resolve().parents[1]
FULL_SIZE = 3_000_000


@dataclass(frozen=True)
class Script:
    """A script and its options; a number is of full size and shrinks with the rows.

    Attributes:
        peers: Option with which others are measured, too.
        of: The systems that are these others.
    """

    title: str
    name: str
    scaled: dict[str, int]
    peers: str = ""
    of: tuple[str, ...] = ("hudi",)


SCRIPTS = {
    "6": Script(
        "finding the keys of a MERGE in a bloom table",
        "bloom_tagging.py",
        {"--files": 2000, "--rows": 50_000},
        "--stock",
    ),
    "7": Script(
        "CALL bootstrap", "bootstrap.py", {"--files": 400, "--rows": 20_000_000}, "--peers"
    ),
    "commits": Script("what a commit costs", "commit_cost.py", {"--commits": 1000}),
    "clean": Script("what a clean costs", "clean_cost.py", {"--commits": 1000}),
    "memory": Script("25 % of a large table in 2 GB", "large_merge.py", {"--rows": 12_000_000}),
    "bloom": Script(
        "a bloom table against a bucket table", "bloom_merge.py", {"--rows": 2_000_000}
    ),
    "latency": Script(
        "a MERGE in an object store with 20 ms a request",
        *("store_latency.py", {"--rows": 800_000}, "--peers", ("delta", "iceberg")),
    ),
}
LEAST = 10


def run_script(name: str, rows: int, systems: Sequence[str]) -> dict[str, Any]:
    """Runs one.

    Args:
        name: Of the case.
        rows: Of the whole run.
        systems: Those that take part; a script's others are left out without one of them.
    """
    script = SCRIPTS[name]
    share = min(rows / FULL_SIZE, 1)
    sizes = {option: max(int(size * share), LEAST) for option, size in script.scaled.items()}
    if name == "6":
        sizes = {"--files": sizes["--files"], "--rows": script.scaled["--rows"]}
    words = [str(word) for option in sizes.items() for word in option]
    words += [script.peers] if script.peers and set(script.of) & set(systems) else []
    command = [sys.executable, str(FOLDER / script.name), *words]
    done = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True)
    return {
        "title": script.title,
        "printed": [" ".join([script.name, *words]), "", *done.stdout.splitlines()],
    }
