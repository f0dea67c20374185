"""DuckDB in a process of its own, with a table in its own file: answers requests as server.py does.

Usage: duckdb_server.py duckdb <warehouse> <settings as JSON>
"""

from __future__ import annotations

import gc
import json
import re
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import duckdb

Answer = dict[str, Any]


class Server:
    """What can be asked; each method is one `op`."""

    def __init__(self, file: Path, settings: dict[str, str]) -> None:
        self.settings = settings
        self.connection = duckdb.connect(str(file), config=dict(settings))
        self.connection.execute("SET TimeZone = 'UTC'")

    def view(self, name: str, path: str) -> Answer:
        """Names the rows of a Parquet folder."""
        text = f"CREATE OR REPLACE TEMP VIEW {name} AS SELECT * FROM '{path}/*.parquet'"
        self.connection.execute(text)
        return {}

    def export(self, text: str, path: str) -> Answer:
        """Writes the rows of a query as Parquet."""
        Path(path).mkdir(parents=True)
        self.connection.execute(f"COPY ({text}) TO '{path}/rows.parquet' (FORMAT parquet)")
        return {}

    def run(self, texts: list[str]) -> Answer:
        """Statements one after another."""
        return self._timed(lambda: [self._rows(text) for text in texts])

    def rows(self, text: str) -> Answer:
        """The rows of one query."""
        return {"rows": self._rows(text)}

    def scan(self, text: str) -> Answer:
        """A query whose rows go nowhere."""
        return self._timed(lambda: sum(len(rows) for rows in self._batches(text)))

    def collect_garbage(self) -> Answer:
        """Leaves the next request the whole heap."""
        gc.collect()
        return {}

    def about(self) -> Answer:
        """The version and settings, and the most memory that the process has held."""
        status = Path("/proc/self/status").read_text(encoding="ascii")
        peak = re.search(r"VmHWM:\s+(\d+) kB", status)
        return {
            "engine": f"DuckDB {duckdb.__version__}",
            "conf": self.settings,
            "peak": int(peak[1]) * 1024 if peak else 0,
        }

    def _rows(self, text: str) -> list[list[str]]:
        return [[str(value) for value in row] for row in self.connection.execute(text).fetchall()]

    def _batches(self, text: str) -> Any:
        return self.connection.execute(text).to_arrow_reader()

    def _timed(self, run: Callable[[], object]) -> Answer:
        began = time.perf_counter()
        answer = run()
        return {"seconds": time.perf_counter() - began, "rows": answer}


def main() -> None:
    """Answers until its input ends."""
    _, warehouse, settings = sys.argv[1:]
    folder = Path(warehouse)
    folder.mkdir(parents=True)
    server = Server(folder / "tables.duckdb", json.loads(settings))
    print(json.dumps({"ready": True}), flush=True)
    for line in sys.stdin:
        request = json.loads(line)
        try:
            answer = getattr(server, request.pop("op"))(**request)
        except Exception as fault:  # noqa: BLE001 - every fault goes back to the asking process
            answer = {"error": f"{type(fault).__name__}: {str(fault)[:4000]}"}
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
