"""The rows of a case: Spark writes them as Parquet once, and every system reads the same files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from bench.beside.engine import Engine
from bench.beside.shapes import Case, Rows, Table
from bench.beside.systems import PLAIN

FILES = 2
LOOK_UPS, LOOK_UP_SETS = 20, 10


class Sources:
    """The folders that a case's rows lie in, and the keys that are looked up."""

    def __init__(self, case: Case, folder: Path) -> None:
        """Writes what is not there yet.

        Args:
            case: Whose rows.
            folder: Keeps them from case to case.
        """
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        missing = [rows for rows in _rows(case) if not self[rows].exists()]
        engine = Engine(PLAIN, folder / "made", "3g")
        for rows in missing:
            if not self[rows].exists():
                half = self[rows].with_name(f"{rows.name}.half")
                engine.ask("make", text=rows.query, path=str(half), files=FILES)
                half.rename(self[rows])
        self._keys = {table.name: self._looked_up(engine, case, table) for table in _read(case)}
        engine.close()

    def __getitem__(self, rows: Rows) -> Path:
        return self._folder / rows.name

    def look_ups(self, table: Table, number: int) -> list[str]:
        """Conditions of which each finds a row of the first load, others for the next number."""
        begin = number % LOOK_UP_SETS * LOOK_UPS
        return [_condition(table, row) for row in self._keys[table.name][begin : begin + LOOK_UPS]]

    def _looked_up(self, engine: Engine, case: Case, table: Table) -> list[list[str]]:
        first = next(rows for rows in _rows(case) if rows.table == table.name)
        engine.ask("view", name="s", path=str(self[first]))
        key = ", ".join(table.key)
        text = f"SELECT {key} FROM s ORDER BY xxhash64({key}, 5) LIMIT {LOOK_UPS * LOOK_UP_SETS}"
        rows: list[list[str]] = engine.ask("rows", text=text)["rows"]
        return rows


def _rows(case: Case) -> Iterator[Rows]:
    yield from case.base
    for one in case.rounds:
        yield from one.loads
        for change in one.changes:
            yield change.source


def _read(case: Case) -> list[Table]:
    """The tables that keys are looked up in."""
    names = {one.table or case.tables[0].name for one in case.rounds if one.reads}
    return [table for table in case.tables if table.name in names]


def _condition(table: Table, row: list[str]) -> str:
    kinds = dict(column.split()[:2] for column in table.columns.split(", "))
    shown = [
        f"'{value}'" if kinds[name] == "STRING" else value
        for name, value in zip(table.key, row, strict=True)
    ]
    return " AND ".join(f"{name} = {value}" for name, value in zip(table.key, shown, strict=True))
