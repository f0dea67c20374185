"""A process that answers requests: one JSON object a line, in and out."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import IO, Any


class LineProcess:
    """A Python script in a process of its own, ready once its first line of JSON has come."""

    def __init__(
        self,
        words: list[str],
        folder: Path,
        log: Path,
        fault: type[Exception] = AssertionError,
        keeps: tuple[str, ...] = (),
        variables: dict[str, str] | None = None,
    ) -> None:
        """Starts it.

        Args:
            words: The Python, the script and its arguments.
            folder: In which it runs.
            log: Takes what it says to its standard error.
            fault: Raised for an answer that holds `error`, and when it ends early.
            keeps: Spark's variables that the process is to see; it sees no others.
            variables: Of its environment, over those.
        """
        folder.mkdir(parents=True, exist_ok=True)
        self.log = log
        self._fault = fault
        outer = {
            name: value
            for name, value in os.environ.items()
            if name in keeps or not name.startswith(("SPARK_", "PYSPARK_"))
        }
        with log.open("w") as errors:
            self._process = subprocess.Popen(
                words,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=errors,
                text=True,
                cwd=folder,
                env=outer
                | {"PYSPARK_PYTHON": words[0], "TZ": "UTC", "PYTHONPATH": ""}
                | (variables or {}),
            )
        self.ready = self._answer()

    def ask(self, **request: Any) -> dict[str, Any]:
        """Sends one request and returns the answer."""
        sink = _pipe(self._process.stdin)
        sink.write(json.dumps(request) + "\n")
        sink.flush()
        return self._answer()

    def close(self) -> bool:
        """Ends the process; whether it came to its end by itself."""
        _pipe(self._process.stdin).close()
        try:
            return self._process.wait(timeout=60) == 0
        except subprocess.TimeoutExpired:
            self._process.kill()
            return False

    def _answer(self) -> dict[str, Any]:
        for line in _pipe(self._process.stdout):
            if line.startswith("{"):
                answer: dict[str, Any] = json.loads(line)
                if "error" in answer:
                    raise self._fault(answer["error"])
                return answer
        tail = self.log.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise self._fault(f"the process ended early: {tail}")


def _pipe(end: IO[str] | None) -> IO[str]:
    assert end is not None
    return end
