"""The SQL and Python blocks of a page of the docs, and a run of them in a process of their own.

A block runs as a reader types it, after those above it on the page. Two comments before a block,
which the page does not show, say more::

    <!-- given
    CREATE TABLE ...;
    -->              statements (SQL) that are run before it
    <!-- not run: why -->   it is shown and not run
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

LANGUAGES = ("sql", "python")
SCRIPT = Path(__file__).with_name("page_main.py")
# What every session of a page has, as a spark-defaults.conf says it.
DEFAULTS = """spark.master local[2]
spark.ui.enabled false
spark.ui.showConsoleProgress false
spark.driver.memory 1g
spark.driver.host 127.0.0.1
spark.driver.bindAddress 127.0.0.1
spark.sql.shuffle.partitions 2
"""

_GIVEN = re.compile(r"<!-- given\n(?P<sql>.*?)-->\s*\Z", re.DOTALL)
_NOT_RUN = re.compile(r"<!-- not run: (?P<why>[^\n]+?) -->\s*\Z")
_FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)[^\n]*\n(?P<text>.*?)^(?P=indent)```$",
    re.DOTALL | re.MULTILINE,
)


@dataclass(frozen=True)
class Fence:
    """One block.

    Attributes:
        page: Its file, from the tree's root on.
        line: Of the page, from 1, where its text begins.
        language: One of `LANGUAGES`.
        given: SQL that is run before it.
        not_run: Why it is not run; empty where it is.
    """

    page: str
    line: int
    language: str
    text: str
    given: str = ""
    not_run: str = ""

    def __str__(self) -> str:
        return f"{self.page}:{self.line}"


def section(markdown: str, heading: str) -> str:
    """What stands below a heading of the second level, up to the next."""
    return markdown.split(f"\n## {heading}\n")[1].split("\n## ")[0]


def fences(page: str, markdown: str) -> list[Fence]:
    """The blocks of a page, in their order."""
    found: list[Fence] = []
    end = 0
    for match in _FENCE.finditer(markdown):
        before, end = markdown[end : match.start()], match.end()
        if match["language"] not in LANGUAGES:
            continue
        given, not_run = _GIVEN.search(before), _NOT_RUN.search(before)
        lines = [line.removeprefix(match["indent"]) for line in match["text"].splitlines()]
        found.append(
            Fence(
                page,
                markdown.count("\n", 0, match.start()) + 2,
                match["language"],
                "\n".join(lines) + "\n",
                given["sql"] if given else "",
                not_run["why"] if not_run else "",
            )
        )
    return found


def shell_lines(markdown: str) -> list[str]:
    """Every line of the blocks that a shell runs."""
    blocks = (match["text"] for match in _FENCE.finditer(markdown) if match["language"] == "sh")
    return [line for block in blocks for line in block.splitlines()]


def environment(folder: Path) -> dict[str, str]:
    """Variables of a process in a folder, of which it makes the place of Spark's settings."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "spark-defaults.conf").write_text(DEFAULTS, encoding="utf-8")
    return os.environ | {"SPARK_CONF_DIR": str(folder), "TZ": "UTC"}


def run(found: Sequence[Fence], folder: Path, timeout: float = 300) -> dict[str, str]:
    """Runs the blocks of one page, one after another, and stops at none that fails.

    Args:
        found: In the page's order; those that are not to be run are passed over.
        folder: Where the process is; `/data` and `/lake` in the blocks lie there.
        timeout: Seconds.

    Returns:
        By the place of each block that failed, what went wrong.
    """
    variables = environment(folder)
    plan, results = folder / "plan.json", folder / "results.json"
    asked = [asdict(fence) | {"place": str(fence)} for fence in found if not fence.not_run]
    plan.write_text(json.dumps(asked), encoding="utf-8")
    done = subprocess.run(
        [sys.executable, str(SCRIPT), str(plan), str(results)],
        cwd=folder,
        env=variables,
        capture_output=True,
        text=True,
        timeout=timeout,
        check=False,
    )
    assert results.exists(), done.stderr[-3000:]
    told: dict[str, str] = json.loads(results.read_text(encoding="utf-8"))
    return told
