"""delta-rs in a process of its own, with tables of Delta: answers requests as server.py does.

Usage: delta_rs_server.py delta-rs <warehouse> <settings as JSON>

Its MERGE is a call of its API, into which the statements of the benchmark are translated; queries are SQL.
"""

from __future__ import annotations

import re
import shutil
import sys
from datetime import datetime
from pathlib import Path
from typing import Any

import deltalake
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from bench.beside.answering import Answer, Answers, answer, as_texts, timed
from bench.beside.shapes import UPSERT

TYPES = {
    "STRING": pa.string(),
    "BIGINT": pa.int64(),
    "DOUBLE": pa.float64(),
    "DATE": pa.date32(),
    "TIMESTAMP": pa.timestamp("us", tz="UTC"),
}
CREATE = re.compile(r"CREATE TABLE (\w+) \((.*)\)$")
DROP = re.compile(r"DROP TABLE IF EXISTS (\w+)$")
INSERT = re.compile(r"INSERT INTO (\w+) SELECT \* FROM (\w+)$")
MERGE = re.compile(r"MERGE INTO (\w+) t USING (\w+) s ON (.*?) (WHEN .*)$")


class Server(Answers):
    """What can be asked; each method is one `op`."""

    def __init__(self, warehouse: Path, settings: dict[str, str]) -> None:
        super().__init__(f"delta-rs {deltalake.__version__}", settings)
        self.warehouse = warehouse
        self.sources: dict[str, str] = {}

    def view(self, name: str, path: str) -> Answer:
        """Names the rows of a Parquet folder."""
        self.sources[name] = path
        return {}

    def export(self, text: str, path: str) -> Answer:
        """Writes the rows of a query as Parquet."""
        Path(path).mkdir(parents=True)
        batches = self._batches(text)
        with pq.ParquetWriter(f"{path}/rows.parquet", batches.schema) as writer:
            for batch in batches:
                writer.write_batch(batch)
        return {}

    def run(self, texts: list[str]) -> Answer:
        """Statements one after another."""
        return timed(lambda: [self._rows(text) for text in texts])

    def rows(self, text: str) -> Answer:
        """The rows of one query; none of a statement that changes a table."""
        return {"rows": self._rows(text)}

    def scan(self, text: str) -> Answer:
        """A query whose rows go nowhere."""
        return timed(lambda: sum(batch.num_rows for batch in self._batches(text)))

    def _rows(self, text: str) -> list[list[str]]:
        for form, run in (
            (CREATE, self._create),
            (DROP, self._drop),
            (INSERT, self._insert),
            (MERGE, self._merge),
        ):
            if found := form.match(text):
                run(*found.groups())
                return []
        rows = [row for batch in self._batches(text) for row in batch.to_pylist()]
        return as_texts([[_local(value) for value in row.values()] for row in rows])

    def _create(self, name: str, columns: str) -> None:
        fields = [column.split(" ", 1) for column in columns.split(", ")]
        schema = pa.schema([(field, TYPES[kind]) for field, kind in fields])
        deltalake.DeltaTable.create(self._path(name), schema=schema)

    def _drop(self, name: str) -> None:
        shutil.rmtree(self._path(name), ignore_errors=True)

    def _insert(self, name: str, source: str) -> None:
        deltalake.write_deltalake(self._path(name), self._source(source), mode="append")

    def _merge(self, name: str, source: str, condition: str, clauses: str) -> None:
        if clauses != UPSERT:
            raise NotImplementedError(clauses)
        merge = deltalake.DeltaTable(self._path(name)).merge(
            self._source(source), condition, source_alias="s", target_alias="t"
        )
        merge.when_matched_update_all().when_not_matched_insert_all().execute()

    def _source(self, name: str) -> pa.RecordBatchReader:
        rows = ds.dataset(self.sources[name], format="parquet")
        return rows.scanner().to_reader()

    def _batches(self, text: str) -> Any:
        name = re.findall(r"\bFROM (\w+)", text)[-1]
        table = deltalake.DeltaTable(self._path(name))
        found = deltalake.QueryBuilder().register(name, table).execute(text)
        return pa.RecordBatchReader.from_stream(found)

    def _path(self, name: str) -> str:
        return str(self.warehouse / name)


def _local(value: object) -> object:
    """A time without its zone, which is UTC, as the other systems return it."""
    return value.replace(tzinfo=None) if isinstance(value, datetime) else value


if __name__ == "__main__":
    answer(Server)
