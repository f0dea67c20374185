"""Log files that the Python package lists without a JVM are those that Spark lists."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.rotation import product
from hudilite import HudiliteError, files

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(
    third=2,
    when=("python/src/hudilite/files.py", "python/src/hudilite/format/", *product("core/view/")),
)


def sliced(base: Path, at: str | None = None) -> set[str]:
    found = files.slices(base, at)
    paths = [s.base.path for s in found if s.base] + [log.path for s in found for log in s.logs]
    return {Path(path).name for path in paths}


@pytest.mark.parametrize("version", ["6", "9"])
def test_slices_are_those_of_spark(spark: SparkSession, database: Path, version: str) -> None:
    base = database / "t"
    spark.sql(
        "CREATE TABLE t (id INT, v INT, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 "
        f"TBLPROPERTIES (type = 'mor', hoodie.table.version = '{version}')"
    )
    spark.sql("INSERT INTO t SELECT id, 0 FROM range(100)")
    states = [sliced(base)]
    for step in (
        "UPDATE t SET v = 1 WHERE id < 4",
        "DELETE FROM t WHERE id = 7",
        "CALL compact(table => 't', min_log_files => 2)",
        "UPDATE t SET v = 3 WHERE id = 9",
        "CALL set_table_type(table => 't', type => 'cow')",
        "UPDATE t SET v = 4 WHERE id = 9",
    ):
        spark.sql(step).collect()
        states.append(sliced(base))
        by_spark = spark.sql("CALL show_files(table => 't', limit => 1000)").collect()
        assert states[-1] == {row["path"].rsplit("/", 1)[-1] for row in by_spark}, step
    instants = sorted(layout.completed(base))
    assert any(len(s.logs) for s in files.slices(base, instants[4]))
    with pytest.raises(HudiliteError) as refused:
        files.read(base, instants[4])
    assert refused.value.condition == "HUDILITE_UNSUPPORTED_TABLE"
    assert {Path(f.path).name for f in files.read(base, instants[5])} == states[5]
    assert len(instants) == len(states)
    for instant, state in zip(instants, states, strict=True):
        assert sliced(base, instant) == state, instant
