"""Stock Hudi-Spark in one process of its own, for all the tables of a run.

The environment names where it lies: HUDILITE_VENV35 (a virtual environment with pyspark 3.5) and
HUDILITE_HUDI_BUNDLE (the bundle jar); without them `.build/venv35` and `.build/hudi-bundle.path`.
"""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.parquet as pq

ROOT = Path(__file__).resolve().parents[2]
SERVER = ROOT / "tests" / "interop" / "stock_server.py"


class StockFailed(AssertionError):
    """Stock Hudi could not do what was asked."""


def stock_environment() -> tuple[Path, Path] | None:
    """The Python of the stock environment and the bundle jar, or None when they are not there."""
    venv = Path(os.environ.get("HUDILITE_VENV35", ROOT / ".build" / "venv35"))
    named = os.environ.get("HUDILITE_HUDI_BUNDLE")
    pointer = ROOT / ".build" / "hudi-bundle.path"
    if named is None and pointer.exists():
        named = pointer.read_text(encoding="utf-8").strip()
    python = venv / "bin" / "python"
    found = named is not None and Path(named).exists() and python.exists()
    return (python, Path(named)) if found and named is not None else None


class StockSpark:
    """A running stock Hudi-Spark; requests and answers are lines of JSON."""

    def __init__(self, python: Path, bundle: Path, work: Path) -> None:
        self.work = work
        work.mkdir(parents=True, exist_ok=True)
        self.log = work / "stock.log"
        self._ordinal = 0
        environment = {
            k: v for k, v in os.environ.items() if not k.startswith(("SPARK_", "PYSPARK_"))
        }
        environment |= {"PYSPARK_PYTHON": str(python), "TZ": "UTC", "PYTHONPATH": ""}
        self._process = subprocess.Popen(
            [str(python), str(SERVER), str(bundle), str(work)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self.log.open("w"),
            text=True,
            cwd=work,
            env=environment,
        )
        self._ask_ready()

    def ask(self, **request: Any) -> dict[str, Any]:
        """Sends one request and returns the answer."""
        sink, source = self._pipes()
        sink.write(json.dumps(request) + "\n")
        sink.flush()
        return self._answer(source)

    def read(self, path: Path, **options: str) -> pa.Table:
        """All rows and columns that stock reads at a path, meta columns included."""
        return self.rows_of(op="read", path=str(path), options=options)

    def rows_of(self, **request: Any) -> pa.Table:
        """Sends a request that yields rows and returns them."""
        self._ordinal += 1
        out = self.work / f"rows-{self._ordinal}"
        self.ask(out=str(out), **request)
        return pq.read_table(out)

    def buckets(self, keys: list[tuple[str, str, int]]) -> list[int]:
        """BucketIdentifier's answer for (record key, hash fields joined by commas, buckets)."""
        answered: list[int] = self.ask(op="buckets", keys=keys)["buckets"]
        return answered

    def close(self) -> None:
        """Ends the process."""
        sink, _ = self._pipes()
        sink.close()
        try:
            self._process.wait(timeout=60)
        except subprocess.TimeoutExpired:
            self._process.kill()

    def _ask_ready(self) -> None:
        _, source = self._pipes()
        self._answer(source)

    def _answer(self, source: IO[str]) -> dict[str, Any]:
        for line in source:
            if line.startswith("{"):
                answer: dict[str, Any] = json.loads(line)
                if "error" in answer:
                    raise StockFailed(answer["error"])
                return answer
        tail = self.log.read_text(encoding="utf-8", errors="replace")[-2000:]
        raise StockFailed(f"stock Spark ended early: {tail}")

    def _pipes(self) -> tuple[IO[str], IO[str]]:
        sink, source = self._process.stdin, self._process.stdout
        assert sink is not None
        assert source is not None
        return sink, source
