"""Runs a case: every system does a round before the next round begins, so that all see the same machine."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from bench.beside.engine import Engine, EngineFailed, written_as
from bench.beside.shapes import UPSERT, Case, Round, Table
from bench.beside.sources import Sources
from bench.beside.systems import OUR_LOGS, OWN, System
from harness.metrics import committed


class Measured:
    """One case with the systems that take part."""

    def __init__(self, case: Case, systems: Sequence[System], sources: Path, folder: Path) -> None:
        """Makes the sources and starts the systems.

        Args:
            case: What is done.
            systems: In the order of the first round.
            sources: Folder that keeps the sources of runs with as many rows.
            folder: For tables and copies.
        """
        self._case = case
        self._folder = folder
        self._tables = {table.name: table for table in case.tables}
        self._sources = Sources(case, sources)
        self._engines: dict[str, Engine] = {}
        self._systems = {system.name: system for system in systems}
        self._results: dict[str, dict[str, Any]] = {name: {"rounds": []} for name in self._systems}
        self._copies: dict[str, dict[str, list[Path]]] = {}

    def results(self) -> dict[str, Any]:
        """Runs it.

        Returns:
            By system its rounds, settings, files and checksums, or why it failed.
        """
        try:
            for name in self._systems:
                self._guarded(name, self._start)
            for number, one in enumerate(self._case.rounds):
                for name in _rotated(list(self._engines), number):
                    self._guarded(name, self._round, number, one)
            for name in list(self._engines):
                self._guarded(name, self._finish)
        finally:
            for engine in self._engines.values():
                engine.close()
            shutil.rmtree(self._folder / "plain", ignore_errors=True)
        case = self._case
        facts = {"title": case.title, "ours": case.ours, "course": case.course}
        return facts | {"systems": self._results}

    def _guarded(self, name: str, step: Any, *words: Any) -> None:
        """A peer that fails leaves the case; a fault of ours ends the run."""
        try:
            step(name, *words)
        except EngineFailed as fault:
            print(f"  {name} failed: {str(fault)[:300]}", flush=True)
            if name in OWN:
                raise
            self._results[name]["failed"] = str(fault)
            if name in self._engines:
                self._engines.pop(name).close()

    def _start(self, name: str) -> None:
        place = self._folder / "systems" / name
        engine = Engine(self._systems[name], place, self._case.memory)
        self._engines[name] = engine
        for table in self._case.tables:
            engine.create(table)
        took = [
            engine.load(self._tables[rows.table], self._sources[rows]) for rows in self._case.base
        ]
        self._results[name]["first load"] = sum(took)

    def _round(self, name: str, number: int, one: Round) -> None:
        engine, record = self._engines[name], {"label": one.label, "counts": one.counts}
        if one.fresh:
            for table in dict.fromkeys(rows.table for rows in one.loads):
                engine.create(self._tables[table])
        if one.loads:
            self._copies.pop(name, None)
            os.sync()
            record["load"] = sum(
                engine.load(self._tables[rows.table], self._sources[rows]) for rows in one.loads
            )
        if one.limits and engine.system.is_spark:
            record |= self._limits(engine, one)
        if one.changes or one.statements:
            record |= self._write(engine, one)
        if one.reads:
            record |= self._reads(engine, number, one)
        if engine.system.logs:
            record |= self._logs(engine, self._results[name]["rounds"])
        self._results[name]["rounds"].append(record)
        shown = ", ".join(f"{k} {v:.2f}" for k, v in record.items() if isinstance(v, float))
        print(f"  {number} {one.label} {name}: {shown}", flush=True)

    def _write(self, engine: Engine, one: Round) -> dict[str, Any]:
        changes = [
            (self._tables[change.source.table], change, self._sources[change.source])
            for change in one.changes
        ]
        texts = engine.merges(changes) + engine.statements(self._read(one), one.statements)
        before = engine.sizes()
        os.sync()
        record: dict[str, Any] = {"merge": engine.seconds("run", texts=texts)}
        record |= engine.ask("spent")
        self._copies.pop(engine.system.name, None)
        if engine.system.is_spark:
            new = [size for path, size in engine.sizes().items() if path not in before]
            record["written"] = sum(new)
        if engine.system.name == OUR_LOGS.name and is_blind(one):
            metrics = committed(engine.base(self._case.tables[0]))
            record["opened"] = metrics["numFilesOpened"]
            record["bytes read"] = metrics["bytesRead"]
        return record

    def _logs(self, engine: Engine, earlier: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Log files of each file group, and the file groups whose base file is a new one."""
        bases, logs = engine.slices(self._case.tables[0])
        old = earlier[-1]["bases"] if earlier else {}
        return {
            "bases": bases,
            "promoted": [
                file_id for file_id in bases if old.get(file_id, bases[file_id]) != bases[file_id]
            ],
            "fewest logs": min(logs.values(), default=0),
            "most logs": max(logs.values(), default=0),
        }

    def _limits(self, engine: Engine, one: Round) -> dict[str, Any]:
        """L0: Spark's fixed cost; L1: a plain copy of the files; L2: Spark's own read and write."""
        tables = sorted({change.source.table for change in one.changes}) or [self._read(one).name]
        files = [path for name in tables for path in engine.files(self._tables[name])]
        files = [path for path in files if one.within in str(path)]
        idle = engine.seconds("idle")
        os.sync()
        copied = _copied(files, self._folder / "copied")
        own = _by_table(files, [engine.base(self._tables[name]) for name in tables])
        record = {"L0": idle, "L1": copied, "L2": self._rewritten(engine, own)}
        if one.plain:
            plain = [self._plain(engine, self._tables[name]) for name in tables]
            record["plain L2"] = self._rewritten(engine, plain)
        return record

    def _rewritten(self, engine: Engine, tables: Iterable[Sequence[Path]]) -> float:
        """Seconds in which Spark reads the files of each table and writes their rows."""
        target = self._folder / "rewritten"
        os.sync()
        took = sum(
            engine.seconds("copy", files=[str(path) for path in files], target=str(target))
            for files in tables
        )
        shutil.rmtree(target)
        return took

    def _plain(self, engine: Engine, table: Table) -> list[Path]:
        """Parquet that Spark has written from the rows that the table has now."""
        copies = self._copies.setdefault(engine.system.name, {})
        if table.name not in copies:
            target = self._folder / "plain" / engine.system.name / table.name
            copies[table.name] = engine.plain(table, target)
            os.sync()
        return copies[table.name]

    def _read(self, one: Round) -> Table:
        return self._tables[one.table] if one.table else self._case.tables[0]

    def _reads(self, engine: Engine, number: int, one: Round) -> dict[str, Any]:
        table = self._read(one)
        conditions = self._sources.look_ups(table, number)
        files = engine.files(table)
        names = [name for name in table.names() if name != table.partition]
        record: dict[str, Any] = {}
        if engine.system.is_spark:
            record["bytes"] = sum(path.stat().st_size for path in files)
            record["plain scan"] = _scanned(engine, files, names)
        if engine.system.is_spark and one.plain:
            record["plain"] = _scanned(engine, self._plain(engine, table), table.names())
        record["scan"] = engine.scan(table)
        record["look-ups"], rows = engine.look_up(table, conditions)
        record["answer"] = hashlib.sha256(json.dumps(rows).encode()).hexdigest()[:16]
        return record

    def _finish(self, name: str) -> None:
        engine, results = self._engines[name], self._results[name]
        results["checksums"] = {table.name: engine.checksum(table) for table in self._case.tables}
        if engine.system.is_spark:
            results["written as"] = written_as(engine.files(self._case.tables[0]))
        results["about"] = engine.ask("about")
        results["table"] = engine.system.create(self._case.tables[0])


def disagreements(results: dict[str, Any]) -> list[str]:
    """The systems of a case whose tables or look-ups gave something else than ours, each once."""
    known = {name: found for name, found in results["systems"].items() if "failed" not in found}
    nothing: dict[str, Any] = {"rounds": []}
    first = next((known[name] for name in (*OWN, *known) if name in known), nothing)
    return [name for name, found in known.items() if _answers(found) != _answers(first)]


def _answers(found: dict[str, Any]) -> object:
    return found.get("checksums"), [one.get("answer") for one in found["rounds"]]


def is_blind(one: Round) -> bool:
    """Whether what a change does with a row does not depend on the table."""
    return len(one.changes) == 1 and all(
        change.clauses == UPSERT and not change.also for change in one.changes
    )


def _scanned(engine: Engine, files: Sequence[Path], columns: list[str]) -> float:
    """Seconds in which Spark's own reader makes the rows of files."""
    return engine.seconds("scan_files", files=[str(path) for path in files], columns=columns)


def _rotated(names: list[str], by: int) -> list[str]:
    turn = by % len(names) if names else 0
    return names[turn:] + names[:turn]


def _copied(files: Sequence[Path], target: Path) -> float:
    target.mkdir(parents=True)
    began = time.perf_counter()
    for number, path in enumerate(files):
        shutil.copyfile(path, target / str(number))
    seconds = time.perf_counter() - began
    shutil.rmtree(target)
    return seconds


def _by_table(files: Sequence[Path], bases: Sequence[Path]) -> Iterator[list[Path]]:
    for base in bases:
        yield [path for path in files if path.is_relative_to(base)]
