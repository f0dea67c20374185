"""A table that is spoilt, read, merged into, mended, and read again."""

from __future__ import annotations

import re
import shutil
import time
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from asked import LONG
from runs import Enumeration, by_path
from script import FOLLOWING, ORIGINAL, following

from harness import layout
from harness.faults import fault_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

Spoil = Callable[[Path], None]
HANGS = 10 if LONG else 20  # seconds that a statement may take
LENIENT = {
    "spark.sql.files.ignoreCorruptFiles": "true",
    "spark.sql.files.ignoreMissingFiles": "true",
}


def look(
    enumeration: Enumeration, spark: SparkSession, spoil: Spoil, lenient: bool = False
) -> list[str]:
    """What is wrong with how a spoilt table is read, merged into and, mended, read again.

    Args:
        lenient: The session hides damage from reads, which it may; the MERGE must not heed it.
    """
    place = enumeration.folder / "damaged"
    shutil.rmtree(place, ignore_errors=True)  # of a test that failed
    shutil.copytree(enumeration.original, place)
    spoil(place)
    added = [path for path in files(place) if not (enumeration.original / path).exists()]
    told: list[str] = []
    conf = LENIENT if lenient else {}
    query = f"SELECT id, p, v FROM {by_path(place)}"
    rows = None if lenient else attempt(spark, query, told, conf)
    if rows is not None and sorted(rows) != sorted(ORIGINAL):
        told.append(f"{len(set(rows) ^ ORIGINAL)} wrong rows are read")
    merged = attempt(spark, FOLLOWING.format(t=by_path(place)), told, conf)
    mend(enumeration.original, place, added)
    state = ORIGINAL if merged is None else following(ORIGINAL)
    told += [f"mended: {text}" for text in enumeration.look(place, [state])[1]]
    shutil.rmtree(place)
    return told


def files(base: Path) -> list[Path]:
    """Every file of a table, below it."""
    return [path.relative_to(base) for path in base.rglob("*") if path.is_file()]


def mend(original: Path, place: Path, added: list[Path]) -> None:
    """Takes away what was added, and puts back what was altered or taken."""
    for path in added:
        (place / path).unlink(missing_ok=True)
    for path in files(original):
        whole = (original / path).read_bytes()
        if not (place / path).exists() or (place / path).read_bytes() != whole:
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            (place / path).write_bytes(whole)


def attempt(
    spark: SparkSession, sql: str, told: list[str], conf: Mapping[str, str] | None = None
) -> list[tuple[Any, ...]] | None:
    """The rows of a statement in a fresh session; a failure must have a name of ours, and soon."""
    session = spark.newSession()
    for key, value in (conf or {}).items():
        session.conf.set(key, value)
    began = time.monotonic()
    try:
        return [tuple(row) for row in session.sql(sql).collect()]
    except Exception as error:  # noqa: BLE001 - every failure is judged by its name
        name, causes = fault_of(error).condition, re.findall(r"Caused by: .*", str(error))
        if not name.startswith("HUDILITE_"):
            told.append(f"{sql[:6]} fails with {name}: {causes[-2:]}")
        return None
    finally:
        if time.monotonic() - began > HANGS:
            told.append(f"{sql[:6]} took {time.monotonic() - began:.0f} seconds")


def newest_base_file(base: Path) -> Path:
    return max(layout.latest_slices(base), key=lambda found: (found.instant, found.bucket)).path


def numbers(base: Path) -> list[Path]:
    """The number files, in order."""
    found = (base / ".hoodie" / ".hudilite" / "commits").iterdir()
    return sorted(path for path in found if "-" not in path.name)


def untouched(folder: Path) -> bool:
    """Whether the fixture `victims` is as it was made."""
    return len(list(folder.iterdir())) == 3 and all(
        path.read_text() == "victim" for path in folder.iterdir()
    )
