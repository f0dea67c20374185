"""The source of a bootstrap, and what a call that was broken must leave of both."""

from __future__ import annotations

import hashlib
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq
from script import EMPTY, SOURCE, Rows, Statement

from harness.faults import fault_of

if TYPE_CHECKING:
    from pyspark.sql import Row
    from runs import Enumeration, Outcome

EXISTS = "TABLE_OR_VIEW_ALREADY_EXISTS"


def make_source(folder: Path, all_rows: Rows = SOURCE) -> Path:
    """Writes rows as Parquet files, the rows of each in the order of their keys."""
    for partition, files in (("a", 2), ("b", 1)):
        part = folder / f"p={partition}"
        part.mkdir(parents=True)
        rows = sorted((str(i), i, v) for i, p, v in all_rows if p == partition)
        for n in range(files):
            some = rows[n::files]
            ids = pa.array([i for _, i, _ in some], pa.int32())
            table = pa.table({"id": ids, "v": [v for _, _, v in some]})
            pq.write_table(table, part / f"file-{n}.parquet", row_group_size=6)
    return folder


def state(folder: Path) -> dict[str, tuple[str, int]]:
    """Content and time of the last change of every file of a source."""
    return {
        str(path): (hashlib.sha256(path.read_bytes()).hexdigest(), path.stat().st_mtime_ns)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def call_again(
    enumeration: Enumeration, outcome: Outcome, statement: Statement, place: Path, name: str
) -> bool:
    """The table is whole or not there, and the next call makes or finds it; false when it fails."""
    found = _found(enumeration, outcome, place)
    outcome.state = "after" if found == SOURCE else "before" if found == EMPTY else "mixed"
    known = enumeration.spark.catalog.tableExists(name)
    if known and found != SOURCE:
        outcome.broken.append("the catalog has an entry, and the table is not whole")
    if not outcome.condition and not (known and found == SOURCE):
        outcome.broken.append("the client saw success, and there is no table")
    try:
        row = _called(enumeration, statement, place)
    except Exception as error:  # noqa: BLE001 - whatever it is, it is judged
        fault = fault_of(error)
        if not known or fault.condition != EXISTS:
            outcome.broken.append(f"the next call fails: {fault.condition} {fault.parameters}")
            return False
        return True
    assert row is not None
    told = (row.files_adopted, row.files_rewritten, row.rows)
    if known or told != (*(statement.files or ()), len(SOURCE)):
        outcome.broken.append(f"the next call says {told}")
    return True


def _called(enumeration: Enumeration, statement: Statement, place: Path) -> Row | None:
    """The answer of one more call; late tasks of the broken one may still take their files back."""
    text = enumeration.text_of(statement, place)
    try:
        return enumeration.spark.sql(text).first()
    except Exception as error:
        if fault_of(error).condition != "HUDILITE_LOCATION_NOT_EMPTY":
            raise
        time.sleep(2)
        return enumeration.spark.sql(text).first()


def _found(enumeration: Enumeration, outcome: Outcome, place: Path) -> Rows:
    if not (place / ".hoodie" / "hoodie.properties").exists():
        return EMPTY
    found, broken = enumeration.look(place, [EMPTY, SOURCE])
    outcome.broken += broken
    return found
