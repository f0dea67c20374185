"""Damaged files of a table of version 9 and of its archive: right rows, or an error with a name of ours."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from asked import LONG, SEED, rng_of
from damaged import attempt
from runs import by_path
from test_damage import flip

from harness.rotation import third

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

FLIPS = 40 if LONG else 3  # for a kind of file, at random places
ROWS = {(n, f"v{n}") for n in range(20)}
SHORT = "retain_commits => 1, retain_hours => 0, allow_short_retention => true"


def timeline(base: Path) -> Path:
    return base / ".hoodie" / "timeline"


def history(base: Path) -> Path:
    return timeline(base) / "history"


FILES: dict[str, Callable[[Path], Path]] = {
    "properties": lambda base: base / ".hoodie" / "hoodie.properties",
    "backup of the properties": lambda base: base / ".hoodie" / "hoodie.properties.backup",
    "completed": lambda base: max(timeline(base).glob("*_*.commit")),
    "first completed": lambda base: min(timeline(base).glob("*_*.commit")),
    "clean": lambda base: max(timeline(base).glob("*.clean")),
    "plan of a clean": lambda base: max(timeline(base).glob("*.clean.requested")),
    "manifest": lambda base: max(history(base).glob("manifest_*")),
    "number of the manifest": lambda base: history(base) / "_version_",
    "archive": lambda base: max(history(base).glob("*.parquet")),
    "metadata table": lambda base: base / ".hoodie" / "metadata" / "files" / "files-0000-0.hfile",
}


@pytest.fixture(scope="module")
def table(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table with a clean, an archive, and the metadata table and the properties' copy of stock."""
    base = tmp_path_factory.mktemp("nine") / "t"
    spark.sql(
        "CREATE TABLE nine (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 "
        f"LOCATION '{base}' TBLPROPERTIES ('hoodie.write.table.version' = '9')"
    )
    spark.sql("INSERT INTO nine SELECT id, 'old' FROM range(20)")
    for n in range(7):
        spark.sql(f"UPDATE nine SET v = 'v{n}' || id WHERE id % 7 = {n}")
    spark.sql("UPDATE nine SET v = 'v' || id")
    spark.sql(f"CALL clean(table => 'nine', {SHORT})")
    spark.sql("CALL archive(table => 'nine', keep_min => 3, keep_max => 4)")
    for _ in range(2):
        spark.sql("UPDATE nine SET v = 'v' || id WHERE id < 5")
    file = base / ".hoodie" / "hoodie.properties"
    text = file.read_text(encoding="utf-8") + "hoodie.table.metadata.partitions=files\n"
    file.write_text(text, encoding="utf-8")
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
    file.with_name(f"{file.name}.backup").write_text(text, encoding="utf-8")
    FILES["metadata table"](base).parent.mkdir(parents=True)
    FILES["metadata table"](base).write_bytes(b"no HFile" * 100)
    spark.sql("DROP TABLE nine")
    return base


def cases(kind: str) -> list[tuple[str, Callable[[bytes], bytes]]]:
    rng = rng_of("nine", kind)
    cut: list[tuple[str, Callable[[bytes], bytes]]] = [
        ("empty", lambda data: b""),
        ("half", lambda data: data[: len(data) // 2]),
        ("one byte less", lambda data: data[:-1]),
        ("one byte more", lambda data: data + b"\x00"),
    ]
    for _ in range(FLIPS):
        place, bit = rng.random(), rng.randrange(8)
        cut.append((f"bit {bit} at {place:.6f}", flip(kind, place, bit)))
    return cut


def look(
    spark: SparkSession, table: Path, kind: str, change: Callable[[bytes], bytes]
) -> list[str]:
    """Faults of the statements on a table with one damaged file, and without the damage, in words."""
    place = table.with_name("damaged")
    shutil.rmtree(place, ignore_errors=True)
    shutil.copytree(table, place)
    target = FILES[kind](place)
    if kind.startswith("backup"):  # stock Hudi dies between its deletion and its creation
        FILES["properties"](place).unlink()
    whole = target.read_bytes()
    target.with_name(f".{target.name}.crc").unlink(missing_ok=True)
    target.write_bytes(change(whole))
    told: list[str] = []
    query = f"SELECT id, v FROM {by_path(place)}"
    rows = attempt(spark, query, told)
    if rows is not None and set(rows) != ROWS:
        told.append(f"{len(set(rows) ^ ROWS)} wrong rows are read")
    updated = attempt(spark, f"UPDATE {by_path(place)} SET v = 'new' WHERE id = 3", told)
    name = str(by_path(place)).replace("'", "''")
    attempt(spark, f"CALL archive(table => '{name}', keep_min => 1, keep_max => 2)", told)
    expected = ROWS if updated is None else ROWS - {(3, "v3")} | {(3, "new")}
    rows = attempt(spark, query, told)
    if rows is not None and set(rows) != expected:
        told.append(f"{len(set(rows) ^ expected)} wrong rows are read afterwards")
    if target.exists() or updated is None:
        target.write_bytes(whole)
    if not FILES["properties"](place).exists():  # as the error says
        shutil.copy(target, FILES["properties"](place))
    rows = attempt(spark, query, told)
    if rows is None or set(rows) != expected:
        told.append("mended: wrong rows, or none")
    return told


@pytest.mark.fault("F34", "F35", "F42")
@pytest.mark.timeout(3600 if LONG else 600)
@pytest.mark.parametrize("kind", FILES)
def test_damage_of_version_9_gives_right_rows_or_a_named_error(
    spark: SparkSession, table: Path, kind: str
) -> None:
    print(f"HUDILITE_SEED={SEED}")
    wrong = []
    for how, change in third(cases(kind)):
        told = look(spark, table, kind, change)
        print(kind, how, told)
        wrong += [f"{kind}, {how}: {text}" for text in told]
    assert wrong == []
