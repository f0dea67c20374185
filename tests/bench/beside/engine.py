"""A system that runs: its process, its tables, and what is asked of them."""

from __future__ import annotations

import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pyarrow.parquet as pq

from bench.beside.shapes import Change, Table
from bench.beside.systems import PLAIN, SHUFFLE_TASKS, System
from harness.lines import LineProcess

HERE = Path(__file__).parent


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
        words = [system.python(), str(HERE / system.server), system.kind, str(self.warehouse), conf]
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

    def statements(self, table: Table, texts: Sequence[str]) -> list[str]:
        """Statements with the table's name in them."""
        return [text.format(t=f"{self.system.place}{table.name}") for text in texts]

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
        columns = self.system.named(table.names())
        return self.seconds("scan", text=f"SELECT {columns} FROM {self.system.place}{table.name}")

    def plain(self, table: Table, target: Path) -> list[Path]:
        """Files of the table's rows that Spark writes as it writes any Parquet."""
        hint = f"/*+ REPARTITION({SHUFFLE_TASKS}, {', '.join(table.key)}) */"
        names = ", ".join(table.names())
        text = f"SELECT {hint} {names} FROM {self.system.place}{table.name}"
        self.ask("write", text=text, path=str(target))
        return sorted(target.glob("*.parquet"))

    def look_up(self, table: Table, conditions: Sequence[str]) -> tuple[float, list[list[str]]]:
        """Seconds of queries one after another, and the rows of all."""
        columns = self.system.named(table.names())
        start = f"SELECT {columns} FROM {self.system.place}{table.name} WHERE "
        answer = self.ask("run", texts=[start + condition for condition in conditions])
        return float(answer["seconds"]), sorted(row for rows in answer["rows"] for row in rows)

    def checksum(self, table: Table) -> list[str]:
        """The number of rows, and two sums that do not depend on their order."""
        row = f"xxhash64({', '.join(table.names())})"
        select = f"SELECT count(*), bit_xor({row}), sum({row} & 1048575) FROM"
        if not self.system.is_spark:
            return self._checksum_of_copy(table, select)
        text = f"{select} {self.system.place}{table.name}"
        answer: list[list[str]] = self.ask("rows", text=text)["rows"]
        return answer[0]

    def files(self, table: Table) -> list[Path]:
        """The live files of data, log files left out."""
        if not self.system.is_spark:
            return []
        return [path for path in self._data(table) if not is_log(path)]

    def slices(self, table: Table) -> tuple[dict[str, str], dict[str, int]]:
        """By file group the name of the base file, and the number of log files."""
        data = self._data(table)
        bases = {_file_id(path): path.name for path in data if not is_log(path)}
        logs = Counter(_file_id(path) for path in data if is_log(path))
        return bases, {file_id: logs[file_id] for file_id in sorted({*bases, *logs})}

    def _data(self, table: Table) -> list[Path]:
        query = self.system.files(table)
        if not query:
            found = self.base(table).rglob("*")
            return sorted(path for path in found if path.suffix == ".parquet" or is_log(path))
        rows = self.ask("rows", text=query)["rows"]
        return sorted(Path("/" + unquote(row[0]).removeprefix("file:").lstrip("/")) for row in rows)

    def _checksum_of_copy(self, table: Table, select: str) -> list[str]:
        """Has Spark's hashes of the rows, for a system that has other ones."""
        folder = self.warehouse / "copy"
        names = self.system.named(table.names())
        self.ask("export", text=f"SELECT {names} FROM {table.name}", path=str(folder))
        engine = Engine(PLAIN, self.warehouse / "plain", "2g")
        answer: list[list[str]] = engine.ask("rows", text=f"{select} parquet.`{folder}`")["rows"]
        engine.close()
        return answer[0]

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


def is_log(path: Path) -> bool:
    """Whether a file is a log file of Hudi."""
    return ".log." in path.name and path.suffix != ".crc"


def _file_id(path: Path) -> str:
    return path.name.removeprefix(".").split("_")[0]


def _counts(path: Path) -> bool:
    return path.suffix != ".crc" and path.is_file()
