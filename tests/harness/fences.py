"""The SQL and Python blocks of a page of the docs, and a process that runs page after page.

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
import select
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

LANGUAGES = ("sql", "python")
SCRIPT = Path(__file__).with_name("page_main.py")
# What every session of a page has. As properties of the JVM: a folder of Spark's settings would
# stand on the class path, and with it the class archive of the tests would not count.
SETTINGS = {
    "spark.ui.enabled": "false",
    "spark.ui.showConsoleProgress": "false",
    "spark.driver.host": "127.0.0.1",
    "spark.driver.bindAddress": "127.0.0.1",
    "spark.sql.shuffle.partitions": "2",
}

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


def environment() -> dict[str, str]:
    """Variables of a process whose sessions have the settings of a page."""
    kept = {name: value for name, value in os.environ.items() if name != "SPARK_CONF_DIR"}
    options = [kept.get("SPARK_SUBMIT_OPTS", ""), *(f"-D{k}={v}" for k, v in SETTINGS.items())]
    return kept | {"SPARK_SUBMIT_OPTS": " ".join(options), "MASTER": "local[2]", "TZ": "UTC"}


class Reader:
    """A process that runs the blocks of pages: the first page starts a JVM, and all share it.

    Each page has a folder and a Spark application of its own. A process that was lost with a page
    is another one for the next page.
    """

    def __init__(self, folder: Path) -> None:
        """Keeps its log in a folder."""
        self._folder = folder
        self._process: subprocess.Popen[bytes] | None = None

    def run(self, found: Sequence[Fence], folder: Path, timeout: float = 300) -> dict[str, str]:
        """Runs the blocks of one page, one after another, and stops at none that fails.

        Args:
            found: In the page's order; those that are not to be run are passed over.
            folder: Where the page is read; `/data` and `/lake` in the blocks lie there.
            timeout: Seconds.

        Returns:
            By the place of each block that failed, what went wrong.
        """
        process = self._process = self._process or self._started()
        assert process.stdin is not None
        assert process.stdout is not None
        asked = [asdict(fence) | {"place": str(fence)} for fence in found if not fence.not_run]
        page = {"folder": str(folder), "fences": asked}
        process.stdin.write(json.dumps(page).encode() + b"\n")
        process.stdin.flush()
        ready, _, _ = select.select([process.stdout], [], [], timeout)
        answer = process.stdout.readline() if ready else b""
        if not answer:
            self.close()
        assert answer, self._log().read_text(encoding="utf-8", errors="replace")[-3000:]
        told: dict[str, str] = json.loads(answer)
        return told

    def close(self) -> None:
        """Ends the process, if there is one."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.communicate()

    def _started(self) -> subprocess.Popen[bytes]:
        with self._log().open("ab") as log:
            return subprocess.Popen(
                [sys.executable, str(SCRIPT)],
                cwd=self._folder,
                env=environment(),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=log,
            )

    def _log(self) -> Path:
        return self._folder / "reader.log"
