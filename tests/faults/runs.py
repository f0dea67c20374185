"""One statement under one fault, and what is found of the table afterwards."""

from __future__ import annotations

import itertools
import os
import re
import shutil
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from points import ACTIONS, Call, Point, parse_log
from script import (
    BLOOM_CREATE,
    BOOTSTRAP,
    BY_NAME,
    COMMITS,
    CREATE,
    EMPTY,
    FOLLOWING,
    LOG_CREATE,
    LOST,
    ORIGINAL,
    STRANGE,
    Rows,
    Statement,
    filled,
    following,
)
from sources import call_again, make_source, state

from harness import inv, layout
from harness.faults import run_statement
from harness.rust import read_rust
from model.relations import settings
from tables import kept, upgraded

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


COLUMNS = ["id", "p", "v"]
METADATA = "hoodie.table.metadata.partitions"
OVERTAKEN = "HUDILITE_CONCURRENT_WRITE"  # once, by a change of the version or type that was decided


@dataclass
class Outcome:
    """What a fault did: the client's view, the state found, and what is broken."""

    point: Point
    call: str
    result: str
    condition: str
    state: str
    broken: list[str] = field(default_factory=list)

    def __str__(self) -> str:
        told = f"{self.point} {self.call}: {self.result} {self.condition} {self.state}"
        return " ".join([told, *(f"BROKEN {text}" for text in self.broken)])


class Enumeration:
    """A warm session, the original table, and a copy of it for each run.

    Args:
        create: The statement that creates the original table.
    """

    def __init__(self, spark: SparkSession, folder: Path, create: str = CREATE) -> None:
        self.spark, self.folder = spark, folder
        self.made: dict[str, list[Call]] = {}
        self._ordinals = itertools.count()
        self.original = self._made("original", create)
        self._of_logs: dict[str, Path] = {}
        self.source = make_source(folder / "sources" / "called")
        self._adopted = make_source(folder / "sources" / "adopted", filled(EMPTY))
        self._of_sources = state(folder / "sources")

    def _made(self, name: str, create: str) -> Path:
        """An original table."""
        place = self.folder / name
        self.spark.sql(create.format(name=name_of(place), place=place))
        for sql in COMMITS:
            self.spark.sql(sql.format(t=by_path(place)))
        assert inv.breaks(place, [ORIGINAL]) == []
        return place

    def _bootstrapped(self, name: str, version: str) -> Path:
        """An original table over source files: the second of COMMITS has left log files."""
        place = self.folder / name
        call = BOOTSTRAP + "location => '{place}', type => 'mor')"
        with settings(self.spark, {"hoodie.write.table.version": version}):
            self.spark.sql(
                call.format(name=name_of(place), source=self._adopted, place=place)
            ).collect()
        self.spark.sql(COMMITS[1].format(t=by_path(place)))
        assert len(list(place.rglob(".*.log.*"))) == len(layout.sources(place)) == 3
        return place

    def original_of(self, statement: Statement) -> Path:
        """The original table of a statement; one with other statements before it is kept, too."""
        if statement.bloom:
            if "bloom" not in self._of_logs:
                self._of_logs["bloom"] = self._made("original_bloom", BLOOM_CREATE)
            return self._of_logs["bloom"]
        if not statement.logs:
            return self.original
        name = f"original_{statement.logs}" + ("_full" if statement.given else "")
        name += "_adopted" if statement.adopted else ""
        if name not in self._of_logs:
            if statement.adopted:
                place = self._bootstrapped(name, statement.logs)
            else:
                place = self._made(name, LOG_CREATE.replace("VERSION", statement.logs))
            for sql in statement.given:
                self.spark.sql(sql.format(t=by_path(place)))
            broken = inv.breaks(place, [ORIGINAL], COLUMNS)
            assert broken == [], broken
            self._of_logs[name] = place
        return self._of_logs[name]

    @property
    def door(self) -> Any:
        """The door for fault plans, in the JVM of the session."""
        jvm: Any = self.spark._jvm
        return jvm.hudilite.tests.FaultDoor

    def clean(self, statement: Statement) -> list[Call]:
        """The file operations of a run in which nothing fails."""
        place = self.place(statement)
        fault, calls = self._armed(statement, place, "")
        assert fault == "", fault
        assert self.look(place, [statement.after(ORIGINAL)])[1] == []
        shutil.rmtree(place)
        return calls

    def images(self, statement: Statement, *, live: bool = False) -> tuple[list[Call], Path]:
        """Runs a statement to its end; gives its operations and a folder of the table's images.

        Image k is the table as it is before operation k: what a process leaves that halts there.

        Args:
            live: The table has a metadata table that readers use.
        """
        place = self.place(statement)
        if live:
            name_metadata(place)
        fault, calls = self._armed(statement, place, "*:.*:1:image")
        assert fault == "", fault
        if statement.creates:
            self.spark.sql(f"DROP TABLE {name_of(place)}")
        shutil.rmtree(place, ignore_errors=True)
        return calls, place.with_name(f"{place.name}-images")

    def calls(self, name: str) -> list[Call]:
        """The file operations of a statement; a first clean run warms up."""
        if name not in self.made:
            self.clean(BY_NAME[name])
            self.made[name] = self.clean(BY_NAME[name])
        return self.made[name]

    def run(self, point: Point, rust: bool = False) -> Outcome:
        """Breaks one operation, then checks INV, merges, and checks again.

        Args:
            rust: hudi-rs reads the table, too.
        """
        statement = BY_NAME[point.statement]
        place = self.place(statement)
        plan = f"*:.*:{point.k}:{ACTIONS[point.action]}"
        condition, calls = self._armed(statement, place, plan)
        struck = [call for call in calls if call.struck]
        result = "raised" if condition else "succeeded" if plan.endswith("After") else "absorbed"
        call = str(struck[0]) if struck else ""
        outcome = Outcome(point, call, result, condition, "")
        if not struck:
            outcome.broken.append(f"not reached: there are {len(calls)} operations")
        before = [] if not condition else [EMPTY if statement.creates else ORIGINAL]
        self.judge(outcome, statement, place, [*before, statement.after(ORIGINAL)], rust)
        if not outcome.broken:
            shutil.rmtree(place)
        return outcome

    def judge(
        self, outcome: Outcome, statement: Statement, place: Path, states: list[Rows], rust: bool
    ) -> None:
        """INV: one of the states is read, by us and without us; the next writes work."""
        if statement.files and not call_again(self, outcome, statement, place, name_of(place)):
            return
        if statement.creates and not statement.files and not self._create_again(outcome, place):
            return
        if statement.files:
            states = states[-1:]
        if not outcome.condition:
            outcome.broken += left(place)
        found, outcome.broken[len(outcome.broken) :] = self.look(place, states, rust)
        changes = bool(statement.moves or statement.typed)
        if statement.upgraded and not changes and found == states[-1]:
            outcome.broken += wrong_metadata(statement, place)
        names = dict(zip(states[::-1], ("after", "before"), strict=False))
        outcome.state = outcome.state or names.get(found, "mixed")
        if not outcome.condition:
            outcome.broken += unchanged(place, statement)
        fault = run_statement(self.spark, FOLLOWING.format(t=by_path(place)))
        if changes and fault is not None and fault.condition == OVERTAKEN:
            fault = run_statement(self.spark, FOLLOWING.format(t=by_path(place)))
        if fault is not None:
            outcome.broken.append(f"the next MERGE fails: {fault.condition} {fault.parameters}")
        else:
            outcome.broken += self.look(place, [following(found)], rust)[1] + left(place)
            if statement.kept:
                outcome.broken += self._kept(statement, place)
        if changes:
            outcome.broken += self._change_again(statement, place, following(found))
        if state(self.folder / "sources") != self._of_sources:
            outcome.broken.append("the source is not what it was")

    def _kept(self, statement: Statement, place: Path) -> list[str]:
        """Faults of a kept metadata table after the next write, and after a clean that is complete."""
        if statement.after(ORIGINAL) != ORIGINAL:
            return kept.faults(place)
        broken = kept.faults(place, cleaning=True)
        fault = run_statement(self.spark, self.text_of(statement, place))
        return broken + kept.faults(place) if fault is None else [str(fault.condition)]

    def _change_again(self, statement: Statement, place: Path, rows: Rows) -> list[str]:
        """Repeats the call, which completes the change and removes the files that were left.

        It may have to be told first that the writer of its compaction is dead, as its error says.
        """
        fault = run_statement(self.spark, self.text_of(statement, place))
        if fault is not None and fault.parameters.get("fact") == "pending write":
            lost = fault.parameters["value"]
            rollback = f"CALL rollback(table => '{by_path(place)}', instant => '{lost}')"
            fault = run_statement(self.spark, rollback)
            fault = fault or run_statement(self.spark, self.text_of(statement, place))
        if fault is not None:
            return [f"the call cannot be repeated: {fault.condition} {fault.parameters}"]
        return unchanged(place, statement) + self.look(place, [rows])[1]

    def look(
        self, place: Path, states: Iterable[Rows], rust: bool = False
    ) -> tuple[Rows, list[str]]:
        """The rows found by a fresh session, and what is broken."""
        copy = self.folder / f"{place.name}-copy"
        inv.linked_copy(place, copy)
        by_hand = inv.complete(copy)
        broken = inv.breaks(copy, list(states), COLUMNS)
        on_disk = sorted(inv.rows(copy, COLUMNS))
        if rust and on_disk and not layout.sources(copy):
            # A commit that is completed by hand is not in the list of files that a table keeps.
            is_listed = not (by_hand and layout.properties(copy).get(METADATA))
            table = read_rust(copy if is_listed else place).select(COLUMNS)
            seen = sorted(tuple(row.values()) for row in table.to_pylist())
            if seen not in ([on_disk] if is_listed else [sorted(rows) for rows in states]):
                broken.append("hudi-rs reads other rows")
        shutil.rmtree(copy)
        try:
            frame = self.spark.newSession().sql(f"SELECT id, p, v FROM {by_path(place)}")
            read = sorted(tuple(row) for row in frame.collect())
        except Exception as error:  # noqa: BLE001 - whatever it is, the table cannot be read
            return frozenset(on_disk), [*broken, f"it cannot be read: {str(error)[:300]}"]
        if read != on_disk:
            broken.append(f"hudilite reads {len(read)} other rows")
        return frozenset(on_disk), broken

    def place(self, statement: Statement) -> Path:
        """A folder of its own for a run: a copy of the original, or nothing yet."""
        place = self.folder / f"run-{next(self._ordinals):05d}"
        if not statement.creates:
            inv.linked_copy(self.original_of(statement), place)
        if statement.upgraded:
            upgrade(place)
        if statement.kept:
            kept.keep(place)
        if statement.of_dead:
            die(place)
        if statement.of_orphans:
            stray(place)
        for sql in () if statement.logs else statement.given:
            self.spark.sql(sql.format(t=by_path(place), name=name_of(place), place=place))
        return place

    def text_of(self, statement: Statement, place: Path) -> str:
        """The statement's text for a place."""
        if statement.creates:
            return statement.sql.format(name=name_of(place), place=place, source=self.source)
        commits = layout.completed(place)
        return statement.sql.format(
            t=by_path(place), name=name_of(place), first=min(commits), last=max(commits)
        )

    def _armed(self, statement: Statement, place: Path, plan: str) -> tuple[str, list[Call]]:
        """The condition of the statement's failure, "" for success, and its operations."""
        self.door.arm(str(place), plan)
        try:
            fault = run_statement(self.spark, self.text_of(statement, place))
        finally:
            calls = parse_log(self.door.disarm())
        return "" if fault is None else fault.condition, calls

    def _create_again(self, outcome: Outcome, place: Path) -> bool:
        """A table that was not made can be made now; false when that fails."""
        made = (place / ".hoodie" / "hoodie.properties").exists()
        if not made and not outcome.condition:
            outcome.broken.append("the client saw success, and there is no table")
        name = name_of(place)
        known = self.spark.catalog.tableExists(name)
        if not outcome.condition and not known:
            outcome.broken.append("the client saw success, and the catalog has no entry")
        self.spark.sql(f"DROP TABLE IF EXISTS {name}")
        fault = run_statement(self.spark, CREATE.format(name=name, place=place))
        if fault is not None:
            outcome.broken.append(f"it cannot be created: {fault.condition} {fault.parameters}")
        return fault is None


def own(paths: Iterable[Path]) -> None:
    """Gives a copy files of its own, where it shares them with the original."""
    for path in [path for path in paths if path.is_file()]:
        content = path.read_bytes()
        path.unlink()
        path.write_bytes(content)


def name_metadata(place: Path) -> None:
    """Gives a copy a metadata table that readers use, in its version."""
    own([place / ".hoodie" / "hoodie.properties"])
    upgraded.set_facts(place, {METADATA: upgraded.METADATA_TABLE})
    upgraded.make_metadata(place)


def upgrade(place: Path) -> None:
    """Gives a copy version 9 and a metadata table, with indexes that stock Hudi finds by their names."""
    own(path for path in place.rglob("*") if path.suffix != ".parquet")
    upgraded.upgrade(place, "9")
    for name in ("secondary_index_v", "expr_index_v"):
        (place / ".hoodie" / "metadata" / name).mkdir()
        (place / ".hoodie" / "metadata" / name / "x.hfile").write_bytes(b"no HFile")


def wrong_metadata(statement: Statement, place: Path) -> list[str]:
    """Faults of a metadata table that readers use beside a commit."""
    partitions = layout.properties(place)[METADATA]
    if not statement.kept:
        told = "a commit is there beside a metadata table that readers use"
        return [told] if partitions else []
    cleans = statement.after(ORIGINAL) == ORIGINAL
    is_unchanged = cleans and partitions not in ("", "files")
    return [] if is_unchanged else kept.faults(place, cleaning=cleans)


def die(place: Path) -> None:
    """Leaves what a dead MERGE leaves: its two first files, markers, a whole and a half file."""
    hoodie = place / ".hoodie"
    (hoodie / f"{LOST}.commit.requested").touch()
    (hoodie / f"{LOST}.inflight").write_text("{}", encoding="utf-8")
    markers = hoodie / ".temp" / LOST
    for share, part in enumerate(layout.latest_slices(place)[:2], 1):
        name = f"{part.file_id}_9-9-9_{LOST}.parquet"
        data = part.path.read_bytes()
        part.path.with_name(name).write_bytes(data[: len(data) // share])
        (markers / part.partition).mkdir(parents=True, exist_ok=True)
        (markers / part.partition / f"{name}.marker.MERGE").touch()
    for path in place.rglob(f"*{LOST}*"):
        os.utime(path, (0, 0))  # long ago


def stray(place: Path) -> None:
    """Leaves base files of an instant that no timeline has, as a lost task leaves them."""
    for part in layout.latest_slices(place)[:2]:
        twin = part.path.with_name(f"{part.file_id}_7-7-7_{STRANGE}.parquet")
        shutil.copy(part.path, twin)
        os.utime(twin, (0, 0))  # long ago


def left(place: Path) -> list[str]:
    """What is still there of the dead writer, but for the number that its rollback took."""
    found = (path.relative_to(place).as_posix() for path in place.rglob(f"*{LOST}*"))
    return [f"{path} is still there" for path in sorted(found) if ".hudilite" not in path]


def unchanged(place: Path, statement: Statement) -> list[str]:
    """Faults of a table whose version or type a statement has changed; none after another statement."""
    if statement.moves:
        return unmoved(place, statement.moves)
    if not statement.typed:
        return []
    found = layout.properties(place)["hoodie.table.type"]
    return [] if found == statement.typed else [f"the type is {found}"]


def unmoved(place: Path, version: str) -> list[str]:
    """Faults of a table whose version has changed: another version, files in the other layout."""
    found = layout.properties(place)["hoodie.table.version"]
    other = place / ".hoodie" / ("timeline" if version == "6" else ".")
    names = sorted(p.name for p in other.glob("[0-9]*") if p.is_file())
    wrong = [f"{name} is still in {other}" for name in names]
    return wrong if found == version else [*wrong, f"the version is {found}"]


def by_path(place: Path) -> str:
    return f"hudilite.`{place}`"


def name_of(place: Path) -> str:
    return "faults_" + re.sub(r"\W", "_", "_".join(place.parts[-2:]))
