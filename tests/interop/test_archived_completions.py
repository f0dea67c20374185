"""A log file whose deltacommit began before a compaction and ended after it, once both are archived.

In versions 8 and 9 such a log file belongs to the slice of the compaction. Its name tells when the
deltacommit began; when it was completed only stock Hudi's archive tells, after the archival.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness.adopted import overlaid, stock_writes
from harness.canonical import assert_same_tables
from harness.merge_on_read import EVENT, Case, rows
from harness.rotation import ninth, product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

    from harness.stock import StockSpark

READING = product("core/view/", "core/timeline/")
ARCHIVED = {
    "hoodie.keep.min.commits": "2",
    "hoodie.keep.max.commits": "3",
    "hoodie.clean.commits.retained": "1",
    "hoodie.clean.automatic": "true",
    "hoodie.archive.automatic": "true",
}
LAZY = {"hoodie.clean.failed.writes.policy": "LAZY"}


def timeline(base: Path, ending: str) -> list[Path]:
    return sorted((base / ".hoodie" / "timeline").glob(f"*{ending}"))


@pytest.mark.parametrize(
    "version",
    [pytest.param(8, marks=ninth(6, when=READING)), pytest.param(9, marks=ninth(7, when=READING))],
)
def test_a_log_file_stays_in_the_slice_of_the_compaction_it_outlived(
    spark: SparkSession, stock: StockSpark, database: Path, version: int
) -> None:
    base = database / "written"
    case = Case(version, "parquet", 1, EVENT)
    options = case.options | LAZY
    expected = rows(range(100), "one", 5)
    stock_writes(stock, base, expected, options)
    early = rows(range(20, 40), "early", 6)
    stock_writes(stock, base, early, options)
    slow = rows(range(30, 60), "slow", 7)
    stock_writes(stock, base, slow, options)
    expected = overlaid(overlaid(expected, early), slow)
    # The last deltacommit is pending while a compaction is planned and runs.
    done = timeline(base, ".deltacommit")[-1]
    began = done.name.partition("_")[0]
    aside = database / done.name
    done.rename(aside)
    name = f"slow_{version}_{base.parent.name}"
    settings = {
        "hoodie.write.auto.upgrade": "false",
        "hoodie.write.table.version": str(version),
        "hoodie.metadata.enable": "false",
        **LAZY,
    }
    for key, value in settings.items():
        stock.ask(op="sql", text=f"SET {key}={value}")
    stock.ask(op="sql", text=f"CREATE TABLE {name} USING hudi LOCATION '{base}'")
    option = f"hoodie.compact.inline.max.delta.commits=1,hoodie.write.table.version={version}"
    plan = f"CALL run_compaction(op => 'schedule', path => '{base}', options => '{option}')"
    assert stock.rows_of(op="sql", text=plan).num_rows == 1
    stock.ask(op="sql", text=f"CALL run_compaction(op => 'execute', table => '{name}')")
    for key in settings:
        stock.ask(op="sql", text=f"RESET {key}")
    compacted, ended = timeline(base, ".commit")[-1].name.removesuffix(".commit").split("_")
    assert began < compacted < ended
    aside.rename(done.with_name(f"{began}_{int(ended) + 1}.deltacommit"))
    own = spark.sql(f"SELECT * FROM hudilite.`{base}`").toArrow()
    assert_same_tables(stock.read(base), own, own.column_names, "before the archival")
    for turn in range(6):
        more = rows(range(200 + turn, 210 + turn), f"turn {turn}", 8 + turn)
        stock_writes(stock, base, more, case.options | ARCHIVED)
        expected = overlaid(expected, more)
    left = {path.name.partition("_")[0] for path in timeline(base, "commit")}
    assert began not in left, "the deltacommit was not archived"
    assert list(base.rglob(f".*_{began}.log.*")), "its log file was cleaned"
    own = spark.sql(f"SELECT * FROM hudilite.`{base}`").toArrow()
    assert_same_tables(stock.read(base), own, own.column_names, "stock")
    assert_same_tables(expected, own, expected.column_names, "the writes")
    spark.sql(f"CREATE TABLE t USING hudilite WITH BUCKETS 1 LOCATION '{base}'")
    spark.sql("UPDATE t SET v = 'hudilite', ts = 99 WHERE n = 31")
    changed = pa.Table.from_pylist(
        [
            row | ({"v": "hudilite", "ts": 99} if row["n"] == 31 else {})
            for row in expected.to_pylist()
        ],
        schema=expected.schema,
    )
    own = spark.sql("SELECT * FROM t").toArrow()
    assert_same_tables(changed, own, changed.column_names, "after a write")
    assert_same_tables(stock.read(base), own, own.column_names, "stock, after a write")
