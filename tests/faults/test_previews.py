"""A preview reads and writes nothing: its calls to the storage are counted."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from points import parse_log
from runs import Enumeration, by_path
from script import BY_NAME, LOST

from harness import layout
from harness.rotation import product
from hudilite.sql.literals import literal
from model.previews import entries

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

pytestmark = pytest.mark.rotated(by="test", when=product("spark/exec/", "spark/merge/"))
READS = {"list", "names", "status", "read", "open"}
SHOWN = ("partitions", "rows")
IN_EXPLAIN = "spark.hudilite.explain.preview"


def preview(spark: SparkSession, place: Path, sql: str, show: str) -> list[Row]:
    text = sql.format(t=by_path(place))
    return spark.sql(f"CALL merge_preview({literal(text, 'statement')}, '{show}')").collect()


@pytest.mark.parametrize("show", SHOWN)
@pytest.mark.parametrize(
    "name", ["insert", "merge", "update", "delete", "overwrite", "delete_logs_6", "promote_9"]
)
def test_a_preview_calls_nothing_that_writes(
    enumeration: Enumeration, spark: SparkSession, name: str, show: str
) -> None:
    statement = BY_NAME[name]
    place = enumeration.place(statement)
    before = entries(place)
    enumeration.door.arm(str(place), "")
    rows = preview(spark, place, statement.sql, show)
    calls = parse_log(enumeration.door.disarm())
    assert rows
    assert {call.operation for call in calls} <= READS
    has_tasks = any(call.role == "task" for call in calls)
    assert has_tasks == ((name, show) != ("overwrite", "partitions"))  # hides files unread
    assert entries(place) == before


@pytest.mark.parametrize("mode", ["", "EXTENDED", "FORMATTED"])
def test_explain_runs_a_preview_only_if_asked(
    enumeration: Enumeration, spark: SparkSession, mode: str
) -> None:
    """It shows what `merge_preview` returns. Without the setting, no task runs."""
    statement = BY_NAME["merge"]
    place = enumeration.place(statement)
    before = entries(place)
    (row,) = preview(spark, place, statement.sql, "statement")
    text = f"EXPLAIN {mode} {statement.sql.format(t=by_path(place))}"
    for asked in (False, True):
        spark.conf.set(IN_EXPLAIN, str(asked).lower())
        enumeration.door.arm(str(place), "")
        (plan,) = spark.sql(text).collect()
        calls = parse_log(enumeration.door.disarm())
        assert {call.operation for call in calls} <= READS
        assert any(call.role == "task" for call in calls) == asked
        shown = plan[0].partition("\n== Preview ==\n")[2].splitlines()
        told = dict(line.split(": ", 1) for line in shown)
        numbers = {name: str(of) for name, of in row.asDict().items() if type(of) is int}
        assert {name: told.get(name) for name in numbers} == (
            numbers if asked else dict.fromkeys(numbers)
        )
    spark.conf.unset(IN_EXPLAIN)
    assert entries(place) == before


def test_a_preview_names_the_writer_in_its_way_and_leaves_it(
    enumeration: Enumeration, spark: SparkSession
) -> None:
    place = enumeration.place(BY_NAME["merge"])
    (taken, *others) = layout.latest_slices(place)
    folder = place / ".hoodie"
    (folder / f"{LOST}.commit.requested").touch()
    (folder / f"{LOST}.inflight").write_text(json.dumps({}), encoding="utf-8")
    markers = folder / ".temp" / LOST / taken.partition
    markers.mkdir(parents=True)
    (markers / f"{taken.file_id}_9-9-9_{LOST}.parquet.marker.MERGE").touch()
    before = entries(place)
    every = preview(spark, place, "UPDATE {t} SET v = 'x'", "files")
    assert {row.file_id: row.conflicts for row in every} == {
        taken.file_id: [LOST],
        **{other.file_id: [] for other in others},
    }
    (row,) = preview(spark, place, "UPDATE {t} SET v = 'x'", "statement")
    assert (row.pending_writes, row.conflicts) == ([LOST], [LOST])
    (row,) = preview(spark, place, "INSERT INTO {t} VALUES (900, 'new', 'x')", "statement")
    assert (row.pending_writes, row.conflicts) == ([LOST], [])
    assert entries(place) == before
