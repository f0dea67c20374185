"""Parts of the servers of all systems: requests as lines of JSON, and facts about a process."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Answer = dict[str, Any]
COLLECTOR = ("GC Thread", "G1 ")  # begin the names of its threads


def timed(run: Callable[[], object]) -> Answer:
    """The seconds of a call, with what it returned as `rows`."""
    began = time.perf_counter()
    answer = run()
    return {"seconds": time.perf_counter() - began, "rows": answer}


def as_texts(rows: list[Any]) -> list[list[str]]:
    """The values of rows as texts."""
    return [[str(value) for value in row] for row in rows]


def most_memory(process: int | str) -> int:
    """The most bytes that a process has held in memory; 0 if the system does not say."""
    status = Path(f"/proc/{process}/status").read_text(encoding="ascii")
    peak = re.search(r"VmHWM:\s+(\d+) kB", status)
    return int(peak[1]) * 1024 if peak else 0


def collecting(process: int | str) -> float:
    """The CPU seconds that the threads of a JVM's garbage collector have taken."""
    ticks = 0
    for task in Path(f"/proc/{process}/task").iterdir():
        with contextlib.suppress(OSError):  # a thread that has ended
            if task.joinpath("comm").read_text(encoding="utf-8").startswith(COLLECTOR):
                fields = (
                    task.joinpath("stat").read_text(encoding="utf-8").rpartition(")")[2].split()
                )
                ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


class Watched:
    """The memory of a process and the work of its garbage collector, from a point of time on."""

    def __init__(self, process: int | str) -> None:
        self._process = process
        self._most = 0
        self._collected = 0.0

    def begin(self) -> None:
        """Begins anew: the most memory is what is held now."""
        self._most = self.most()
        Path(f"/proc/{self._process}/clear_refs").write_text("5", encoding="ascii")
        self._collected = collecting(self._process)

    def spent(self) -> Answer:
        """The most bytes held since then, and the CPU seconds of the collector."""
        took = collecting(self._process) - self._collected
        return {"resident": most_memory(self._process), "gc": took}

    def most(self) -> int:
        """The most bytes ever held."""
        return max(self._most, most_memory(self._process))


class Answers:
    """Requests that the servers without a JVM have in common; each method is one `op`."""

    def __init__(self, engine: str, settings: dict[str, str]) -> None:
        """Keeps what `about` tells.

        Args:
            engine: Name and version.
            settings: What it was opened with.
        """
        self.engine = engine
        self.settings = settings
        self.watched = Watched("self")

    def collect_garbage(self) -> Answer:
        """Leaves the next request the whole heap."""
        gc.collect()
        self.watched.begin()
        return {}

    def spent(self) -> Answer:
        """The most memory since then."""
        return {"resident": self.watched.spent()["resident"]}

    def about(self) -> Answer:
        """The version and settings, and the most memory that the process has held."""
        return {"engine": self.engine, "conf": self.settings, "peak": self.watched.most()}


def answer(opened: Callable[[Path, dict[str, str]], Answers]) -> None:
    """Answers until its input ends.

    Args:
        opened: Returns the server for a warehouse, whose folder is there, and settings; both are
            arguments of the process, after the kind of system.
    """
    _, warehouse, settings = sys.argv[1:]
    folder = Path(warehouse)
    folder.mkdir(parents=True)
    serve(opened(folder, json.loads(settings)))


def serve(server: object) -> None:
    """Answers the requests on standard input until it ends.

    Args:
        server: Its methods are the operations that can be asked for.
    """
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answered = getattr(server, request.pop("op"))(**request)
        except Exception as fault:  # noqa: BLE001 - every fault goes back to the asking process
            answered = {"error": f"{type(fault).__name__}: {str(fault)[:4000]}"}
        print(json.dumps(answered), flush=True)
