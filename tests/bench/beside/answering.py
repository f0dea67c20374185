"""Parts of the servers of all systems: requests as lines of JSON, and facts about a process."""

from __future__ import annotations

import gc
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

Answer = dict[str, Any]


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

    def collect_garbage(self) -> Answer:
        """Leaves the next request the whole heap."""
        gc.collect()
        return {}

    def about(self) -> Answer:
        """The version and settings, and the most memory that the process has held."""
        return {"engine": self.engine, "conf": self.settings, "peak": most_memory("self")}


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
