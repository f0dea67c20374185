"""DuckDB in a process of its own, with a table in its own file: answers requests as server.py does.

Usage: duckdb_server.py duckdb <warehouse> <settings as JSON>
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import duckdb

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.beside.answering import Answer, Answers, answer, as_texts, timed


class Server(Answers):
    """What can be asked; each method is one `op`."""

    def __init__(self, warehouse: Path, settings: dict[str, str]) -> None:
        super().__init__(f"DuckDB {duckdb.__version__}", settings)
        self.connection = duckdb.connect(str(warehouse / "tables.duckdb"), config=dict(settings))
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
        return timed(lambda: [self._rows(text) for text in texts])

    def rows(self, text: str) -> Answer:
        """The rows of one query."""
        return {"rows": self._rows(text)}

    def scan(self, text: str) -> Answer:
        """A query whose rows go nowhere."""
        return timed(lambda: sum(len(rows) for rows in self._batches(text)))

    def _rows(self, text: str) -> list[list[str]]:
        return as_texts(self.connection.execute(text).fetchall())

    def _batches(self, text: str) -> Any:
        return self.connection.execute(text).to_arrow_reader()


if __name__ == "__main__":
    answer(Server)
