"""A system that runs: its process, its tables, and what is asked of them."""

from __future__ import annotations

import json
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow.parquet as pq

from bench.beside.shapes import Change, Table
from bench.beside.systems import System
from harness.lines import LineProcess

SERVER = Path(__file__).with_name("server.py")


class EngineFailed(RuntimeError):
    """A system could not do what was asked."""


class Engine:
    """One system in a process of its own, with a warehouse of its own."""

    def __init__(self, system: System, folder: Path, memory: str) -> None:
        """Starts it.

        Args:
            system: Which one.
            folder: Of its warehouse; made anew.
            memory: Of its heap, as Spark writes it.
        """
        shutil.rmtree(folder, ignore_errors=True)
        self.system = system
        self.warehouse = folder / "wh"
        conf = json.dumps(system.conf(str(self.warehouse), memory))
        words = [system.python(), str(SERVER), system.kind, str(self.warehouse), conf]
        self._process = LineProcess(
            words, folder, folder / "log", EngineFailed, keeps=("SPARK_SUBMIT_OPTS",)
        )

    def ask(self, op: str, **words: Any) -> dict[str, Any]:
        """Sends one request to `server.py` and returns its answer."""
        return self._process.ask(op=op, **words)

    def seconds(self, op: str, **words: Any) -> float:
        """As `ask`, for a request that is timed; the heap is cleared before."""
        self.ask("collect_garbage")
        return float(self.ask(op, **words)["seconds"])

    def close(self) -> None:
        """Ends the process and removes its tables."""
        self._process.close()
        shutil.rmtree(self.warehouse, ignore_errors=True)

    def base(self, table: Table) -> Path:
        """The folder of a table."""
        return self.warehouse / self.system.folder / table.name

    def create(self, table: Table) -> None:
        """Makes a table without rows, in the place of one that is there."""
        self.ask("rows", text=f"DROP TABLE IF EXISTS {self.system.place}{table.name}")
        shutil.rmtree(self.base(table), ignore_errors=True)
        self.ask("rows", text=self.system.create(table))

    def load(self, table: Table, source: Path) -> float:
        """Seconds to insert rows."""
        self.ask("view", name="s", path=str(source))
        return self.seconds("run", texts=[self.system.insert(table)])

    def merges(self, changes: Sequence[tuple[Table, Change, Path]]) -> list[str]:
        """MERGE statements; their sources are there after."""
        texts = []
        for number, (table, change, path) in enumerate(changes):
            source = f"s{number}"
            if change.alike:
                of_system = replace(table, name=f"{table.name}_{source}")
                self.create(of_system)
                self.load(of_system, path)
                source = f"{self.system.place}{of_system.name}"
            else:
                self.ask("view", name=source, path=str(path))
            texts.append(self._merge_text(table, change, source))
        return texts

    def scan(self, table: Table) -> float:
        """Seconds to read all columns of all rows."""
        text = f"SELECT {', '.join(table.names())} FROM {self.system.place}{table.name}"
        return self.seconds("scan", text=text)

    def look_up(self, table: Table, conditions: Sequence[str]) -> tuple[float, list[list[str]]]:
        """Seconds of queries one after another, and the rows of all."""
        start = f"SELECT {', '.join(table.names())} FROM {self.system.place}{table.name} WHERE "
        answer = self.ask("run", texts=[start + condition for condition in conditions])
        return float(answer["seconds"]), sorted(row for rows in answer["rows"] for row in rows)

    def checksum(self, table: Table) -> list[str]:
        """The number of rows, and two sums that do not depend on their order."""
        row = f"xxhash64({', '.join(table.names())})"
        text = (
            f"SELECT count(*), bit_xor({row}), sum({row} & 1048575) "
            f"FROM {self.system.place}{table.name}"
        )
        answer: list[list[str]] = self.ask("rows", text=text)["rows"]
        return answer[0]

    def files(self, table: Table) -> list[Path]:
        """The live files of data."""
        rows = self.ask("rows", text=self.system.files(table))["rows"]
        return sorted(Path("/" + unquote(row[0]).removeprefix("file:").lstrip("/")) for row in rows)

    def sizes(self) -> dict[Path, int]:
        """Every file of the tables, with its bytes; Hadoop's checksums are left out."""
        found = self.warehouse.rglob("*")
        return {path: path.stat().st_size for path in found if _counts(path)}

    def _merge_text(self, table: Table, change: Change, source: str) -> str:
        fields = [*table.key, *([table.partition] if table.partition else [])]
        also = [change.also] if change.also and not self.system.stock else []
        condition = " AND ".join([*(f"t.{name} = s.{name}" for name in fields), *also])
        target = f"{self.system.place}{table.name}"
        return f"MERGE INTO {target} t USING {source} s ON {condition} {change.clauses}"


def written_as(files: Sequence[Path]) -> dict[str, Any]:
    """How many files there are, their bytes and the codecs of the first one's columns."""
    group = pq.ParquetFile(files[0]).metadata.row_group(0)
    codecs = {group.column(number).compression for number in range(group.num_columns)}
    return {
        "files": len(files),
        "bytes": sum(path.stat().st_size for path in files),
        "codec": " ".join(sorted(codecs)).lower(),
    }


def _counts(path: Path) -> bool:
    return path.suffix != ".crc" and path.is_file()
