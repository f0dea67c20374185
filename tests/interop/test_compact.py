"""CALL compact: log files of stock Hudi become part of base files, with the same rows for every reader."""

from __future__ import annotations

import re
import shutil
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from harness import avro, layout, names
from harness.adopted import overlaid, stock_writes
from harness.canonical import assert_same_tables
from harness.faults import run_statement
from harness.merge_on_read import Case, rows
from harness.stock import StockSpark

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LOG = re.compile(r"^\.(?P<file_id>[^_]+)_\d+\.log\.\d+_[\d-]+$")
KEPT = "_hoodie_file_name"  # the only meta column that a compaction changes

Written = tuple[Case, Path, pa.Table]


@pytest.fixture
def base(written: Written, tmp_path: Path) -> Path:
    """The location of a copy of the table."""
    return Path(shutil.copytree(written[1], tmp_path / "t"))


def by_path(base: Path) -> str:
    return f"hudilite.`{base}`"


def compact(spark: SparkSession, base: Path, more: str = "") -> list[tuple[object, ...]]:
    found = spark.sql(f"CALL compact(table => '{by_path(base)}'{more})").collect()
    return [tuple(row) for row in found]


def own(spark: SparkSession, base: Path, columns: list[str], state: str = "") -> pa.Table:
    return spark.sql(f"SELECT {', '.join(columns)} FROM {by_path(base)} {state}").toArrow()


def logs(base: Path) -> Counter[tuple[str, str]]:
    """The number of log files of each file group: (partition, file id)."""
    found = [(path, LOG.match(path.name)) for path in base.rglob(".*.log.*")]
    return Counter(
        (path.parent.relative_to(base).as_posix(), match["file_id"])
        for path, match in found
        if match is not None and names.current().metadata not in path.parts
    )


def test_rows_and_meta_columns_are_those_before(
    spark: SparkSession, stock: StockSpark, written: Written, base: Path
) -> None:
    case, _, expected = written
    before = stock.read(base)
    same = [name for name in before.column_names if name != KEPT]
    times, instants = layout.completions(base), sorted(layout.instants(base))
    later = before.filter(pc.not_equal(before["_hoodie_commit_time"], instants[0]))
    grouped = logs(base)
    assert later.num_rows > 100
    assert len(grouped) > 1
    states = set(layout.states(base))

    told = compact(spark, base)
    made = {(p, i): (count, files, size) for p, i, count, files, size in told}
    assert {group: files for group, (_, files, _) in made.items()} == grouped
    (done,) = (s for s in set(layout.states(base)) - states if s.state == "completed")
    assert done.action == "commit"
    assert not [s for s in layout.states(base) if "compaction" in s.action]
    files = {
        (s.partition, s.file_id): s.path for s in layout.base_files(base) if s.instant == done.time
    }
    assert files.keys() == made.keys()
    for group, path in files.items():
        assert made[group][::2] == (pq.read_metadata(path).num_rows, path.stat().st_size)
    assert_metadata(base, done.time, files, case)

    after = own(spark, base, before.column_names)
    assert_same_tables(before, after, same, "after the compaction")
    assert_same_tables(expected, after, expected.column_names, "the writes")
    assert {path.name for path in files.values()} <= set(after[KEPT].to_pylist())
    assert not [name for name in after[KEPT].to_pylist() if not name.endswith(".parquet")]
    assert_same_tables(after, stock.read(base), before.column_names, "stock")
    last = instants[-1]
    for table in (own(spark, base, same, f"VERSION AS OF '{last}'"), stock_at(stock, base, last)):
        assert_same_tables(before, table, same, "time travel")
    assert stock.changes(base, times[-1]).num_rows == 0
    assert_same_tables(later, stock.changes(base, times[0]), same, "changes")
    state = layout.untouched_state(base)
    assert compact(spark, base) == []
    assert layout.untouched_state(base) == state


def stock_at(stock: StockSpark, base: Path, instant: str) -> pa.Table:
    return stock.read(base, **{"as.of.instant": instant})


def assert_metadata(
    base: Path, instant: str, files: dict[tuple[str, str], Path], case: Case
) -> None:
    """The metadata are those of a compaction: each file group's next base file."""
    metadata = layout.commit_metadata(base, instant)
    assert (metadata["operationType"], metadata["compacted"]) == ("COMPACT", True)
    stats = [stat for of in metadata["partitionToWriteStats"].values() for stat in of]
    assert {(s["partitionPath"], s["fileId"]): s["path"] for s in stats} == {
        group: path.relative_to(base).as_posix() for group, path in files.items()
    }
    older = {path.name: path for path in base.rglob("*.parquet")}
    for stat in stats:
        assert older[stat["prevBaseFile"]].name.endswith(f"_{stat['prevCommit']}.parquet")
        assert stat["prevCommit"] < instant
    content = layout.completed_file(base, instant).read_bytes()
    assert content.startswith(avro.MAGIC) == (case.version > 6)


def test_stock_goes_on_after_a_compaction(
    spark: SparkSession, stock: StockSpark, written: Written, base: Path
) -> None:
    case, _, expected = written
    assert compact(spark, base)
    before = logs(base)
    more = rows(range(600, 650), "more", 11)
    stock_writes(stock, base, more, case.options)
    assert logs(base) != before
    expected = overlaid(expected, more)
    by_stock = stock.read(base)
    assert_same_tables(expected, by_stock, expected.column_names, "stock")
    found = own(spark, base, by_stock.column_names)
    assert_same_tables(by_stock, found, by_stock.column_names, "hudilite")
    assert compact(spark, base)
    assert_same_tables(expected, stock.read(base), expected.column_names, "compacted twice")
    assert compact(spark, base) == []


def test_file_groups_are_chosen_by_partition_and_number_of_log_files(
    spark: SparkSession, written: Written, base: Path
) -> None:
    _, _, expected = written
    grouped = logs(base)
    most = max(grouped.values())
    assert min(grouped.values()) < most or len(set(grouped.values())) == 1
    assert compact(spark, base, f", min_log_files => {most + 1}") == []
    assert compact(spark, base, ", where => 'p = ''c'''") == []
    in_a = {group for group in grouped if group[0] == "p=a"}
    with_most = {group for group in in_a if grouped[group] == most}
    asked = f", where => 'p = ''a''', min_log_files => {most}"
    assert {row[:2] for row in compact(spark, base, asked)} == with_most
    of_a = compact(spark, base, ", where => 'P < ''b'''")
    assert {row[:2] for row in of_a} == in_a - with_most
    assert {row[:2] for row in compact(spark, base)} == grouped.keys() - in_a
    found = own(spark, base, expected.column_names)
    assert_same_tables(expected, found, expected.column_names)


def test_a_planned_compaction_of_stock_comes_first(
    spark: SparkSession, stock: StockSpark, written: Written, base: Path
) -> None:
    case, _, _ = written
    settings = (
        f"hoodie.compact.inline.max.delta.commits=1,hoodie.write.table.version={case.version}"
    )
    plan = f"CALL run_compaction(op => 'schedule', path => '{base}', options => '{settings}')"
    stock.ask(op="sql", text=plan, out=str(base.parent / "answer"))
    assert [s for s in layout.states(base) if s.action == "compaction"]
    state = layout.untouched_state(base)
    fault = run_statement(spark, f"CALL compact(table => '{by_path(base)}')")
    assert fault is not None
    assert fault.condition == "HUDILITE_UNSUPPORTED_TABLE"
    assert fault.parameters["fact"] == "pending compaction"
    assert layout.untouched_state(base) == state


def test_keys_in_log_files_are_compacted_before_an_index_is_rebuilt(
    spark: SparkSession, written: Written, database: Path, base: Path
) -> None:
    case, _, expected = written
    name = adopted(spark, case, base)
    call = f"CALL rebuild_index(table => '{name}', level => 'rows')"
    fault = run_statement(spark, call)
    assert fault is not None
    assert fault.condition == "HUDILITE_UNSUPPORTED_STATEMENT"
    is_rebuilt = case.buckets is None  # a bucket index never is
    assert ("CALL compact(table => '" in fault.parameters["fix"]) == is_rebuilt
    assert compact(spark, base)
    after = run_statement(spark, call)
    assert (after is None) == is_rebuilt
    found = own(spark, base, expected.column_names)
    assert_same_tables(expected, found, expected.column_names)


def test_a_renamed_column_holds_the_rows_of_log_files(
    spark: SparkSession, stock: StockSpark, written: Written, database: Path, base: Path
) -> None:
    case, _, expected = written
    name = adopted(spark, case, base)
    spark.sql(f"ALTER TABLE {name} RENAME COLUMN v TO word")
    spark.sql(f"ALTER TABLE {name} ALTER COLUMN n TYPE BIGINT")
    renamed = expected.rename_columns([{"v": "word"}.get(n, n) for n in expected.column_names])
    renamed = renamed.set_column(4, "n", renamed["n"].cast(pa.int64()))
    for found in (own(spark, base, renamed.column_names), stock.read(base)):
        assert_same_tables(renamed, found, renamed.column_names)
    assert compact(spark, base) == []


def adopted(spark: SparkSession, case: Case, base: Path) -> str:
    """Gives the table of stock Hudi a name in the catalog of hudilite."""
    buckets = "" if case.buckets is None else f"WITH BUCKETS {case.buckets}"
    spark.sql(f"CREATE TABLE t USING hudilite {buckets} LOCATION '{base}'")
    return "t"
