"""Several processes that write to the same tables, some of which are killed and started again."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

PATIENCE = 10  # answers over its time that a process lives on if it is never caught in a write
SCRIPT = Path(__file__).with_name("main.py")


@dataclass(frozen=True)
class Life:
    """How a process ends: in its own commit, by a kill, or when all do.

    From statement `halt_at` of its first session on, the JVM halts once that session has taken a
    number, the commit point. After `kill_after` answers it gets SIGKILL as soon as it is seen in the
    middle of a write.
    """

    halt_at: int = 0
    kill_after: int = 0

    @property
    def is_last(self) -> bool:
        return not self.halt_at and not self.kill_after


@dataclass
class Child:
    """A process, and the lives that are left to it."""

    number: int
    lives: list[Life]
    begun: int = 0
    journals: list[Path] = field(default_factory=list)
    process: subprocess.Popen[bytes] | None = None

    @property
    def life(self) -> Life:
        return self.lives[self.begun - 1]

    def lines(self) -> list[dict[str, Any]]:
        return read_journal(self.journals[-1])


class Writers:
    """Starts the processes, kills them as their lives say, and stops the rest.

    Args:
        folder: For journals and logs.
        asked: What every child is told; see main.
        lives: Of each process.
        is_pending: Whether a table has a write that is begun and not completed.
    """

    def __init__(
        self,
        folder: Path,
        asked: dict[str, Any],
        lives: Sequence[list[Life]],
        is_pending: Callable[[str], bool],
    ) -> None:
        self.folder, self.asked = folder, asked | {"stop": str(folder / "stop")}
        self.is_pending = is_pending
        self.children = [Child(number, list(own)) for number, own in enumerate(lives)]
        folder.mkdir(parents=True)

    def run(self, acknowledged: int, seconds: float) -> list[str]:
        """Runs until so many writes were acknowledged and all who shall die have died.

        Returns:
            the journals' lines, of one process after another
        """
        deadline = time.monotonic() + seconds
        for child in self.children:
            self._start(child)
        try:
            while not self._is_done(acknowledged):
                assert time.monotonic() < deadline, self._logs()
                for child in self.children:
                    self._tend(child)
                time.sleep(0.05)
            Path(self.asked["stop"]).touch()
            for child in self.children:
                assert child.process is not None
                child.process.wait(timeout=120)
        finally:
            self._end()
        return [line for path in self.journals for line in path.read_text("utf-8").splitlines()]

    @property
    def journals(self) -> list[Path]:
        return [path for child in self.children for path in child.journals]

    def acknowledged(self) -> int:
        return sum(answered(read_journal(path)) for path in self.journals)

    def deaths(self) -> int:
        """JVMs that a halt or SIGKILL ended."""
        ends = [line for path in self.journals for line in read_journal(path)]
        return sum(line["event"] == "ended" and line["exit"] in (137, -9) for line in ends)

    def _start(self, child: Child) -> None:
        life = child.lives[child.begun]
        child.begun += 1
        name = f"{child.number}.{child.begun}"
        plan, journal = self.folder / f"{name}.json", self.folder / f"{name}.jsonl"
        own = {"name": name, "journal": str(journal), "halt_at": life.halt_at}
        own["warehouse"] = str(self.folder / f"{name}-warehouse")
        journal.touch()
        child.journals.append(journal)
        plan.write_text(json.dumps(self.asked | own), encoding="utf-8")
        with (self.folder / f"{name}.log").open("wb") as log:
            child.process = subprocess.Popen(
                [sys.executable, str(SCRIPT), str(plan)],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=self.folder,
            )

    def _tend(self, child: Child) -> None:
        """Kills a process whose time has come; starts the next life of one that has died."""
        assert child.process is not None
        if child.process.poll() is not None:
            assert not child.life.is_last, self._logs()
            self._start(child)
        elif child.life.kill_after:
            lines = child.lines()
            late = answered(lines) - child.life.kill_after
            if late >= 0:
                jvm = next(line for line in lines if line["event"] == "started")["pid"]
                os.kill(jvm, signal.SIGSTOP)  # no write is completed between the look and the kill
                if late >= PATIENCE or self._is_pending(child):
                    os.kill(jvm, signal.SIGKILL)
                    child.process.wait(timeout=60)
                else:
                    os.kill(jvm, signal.SIGCONT)

    def _is_pending(self, child: Child) -> bool:
        """Whether a table has a write begun that can be of no other process."""
        own = outstanding(child.lines())
        others = [outstanding(c.lines()) for c in self.children if c is not child]
        return any(self.is_pending(table) for table in own.difference(*others))

    def _is_done(self, acknowledged: int) -> bool:
        everybody = all(
            child.life.is_last and answered(child.lines()) > 0 for child in self.children
        )
        return everybody and self.acknowledged() >= acknowledged

    def _end(self) -> None:
        for child in self.children:
            if child.process is not None and child.process.poll() is None:
                child.process.kill()
                child.process.wait()

    def _logs(self) -> str:
        logs = [path.read_text("utf-8", "replace")[-1500:] for path in self.folder.glob("*.log")]
        return "\n".join([f"{self.acknowledged()} writes were acknowledged", *logs])


def answered(lines: Sequence[dict[str, Any]]) -> int:
    """Writes that were acknowledged."""
    reads = {line["id"] for line in lines if line["event"] == "asked" and line["kind"] == "read"}
    return sum(line["event"] == "ok" and line["id"] not in reads for line in lines)


def outstanding(lines: Sequence[dict[str, Any]]) -> set[str]:
    """Tables on which a write has been asked and not answered."""
    answers = {line["id"] for line in lines if line["event"] in ("ok", "fail", "info")}
    asked = (line for line in lines if line["event"] == "asked" and line["kind"] != "read")
    return {line["table"] for line in asked if line["id"] not in answers}


def read_journal(path: Path) -> list[dict[str, Any]]:
    """The whole lines of a journal that may be growing."""
    text = path.read_text(encoding="utf-8")
    return [json.loads(line) for line in text[: text.rfind("\n") + 1].splitlines()]
