"""Tables with facts that users' tables have, which stock Hudi and hudilite write in turn.

The rows are those of a model after each commit, to stock Hudi and to hudilite.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from harness.adopted import assert_both_read, merge, stock_writes
from harness.rotation import product
from harness.stock import StockSpark
from tables import stock_facts
from tables.stock_facts import BUCKETS, DROPPED, ENCODED, HIVE_STYLE, KEY, METAFILES, ORDERING, PATH

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

WRITES = product("core/format/", "core/view/", "spark/analyze/", "spark/merge/", "spark/write/")
pytestmark = pytest.mark.rotated(rare=True, by="test", when=WRITES)


@dataclass(frozen=True)
class Fact:
    """A fact of a table.

    Attributes:
        options: Options of stock's writer.
        version: Table version.
        clause: Of the CREATE TABLE that adopts the table.
        order: Columns by which the greater row of a key stays.
        key: Columns by which rows are merged.
    """

    options: Mapping[str, str] = field(default_factory=dict)
    version: int = 6
    clause: str = ""
    order: tuple[str, ...] = ("a",)
    key: tuple[str, ...] = ("p", "id")

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Checks that verify cannot make: rows do not contain the partition column."""
        return ("the partition columns of rows",) if DROPPED.items() <= self.options.items() else ()

    @property
    def writer(self) -> dict[str, str]:
        start = stock_facts.WRITER | (stock_facts.SIX if self.version == 6 else stock_facts.NINE)
        return start | {PATH: "p", ORDERING: "a", KEY: "id"} | dict(self.options)


TWO = ("a", "b")
ORDERED = {ORDERING: "a,b"}
FACTS = {
    "dropped": Fact(DROPPED | HIVE_STYLE),
    "dropped, buckets, 9": Fact(DROPPED | ENCODED | BUCKETS, 9, "WITH BUCKETS 2"),
    "other metafiles": Fact(METAFILES),
    "other metafiles, buckets, 9": Fact(METAFILES | BUCKETS, 9, "WITH BUCKETS 2"),
    "nested key": Fact({KEY: "s.d"}),
    "nested keys, buckets, 9": Fact({KEY: "id,s.d"} | BUCKETS, 9, "WITH BUCKETS 2"),
    "two ordering fields": Fact(ORDERED, order=TWO),
    "two ordering fields, 9": Fact(ORDERED, 9, order=TWO),
    "two ordering fields, buckets": Fact(ORDERED | BUCKETS, 9, "WITH BUCKETS 2", order=TWO),
}


def rows(first: int, last: int, word: str, step: int) -> pa.Table:
    """Rows of the numbers [first, last) in two partitions; (a, b) is less than before for every third.

    Args:
        step: Number of the commit, from 1.
    """
    numbers = list(range(first, last))
    return pa.table(
        {
            "id": [f"k{i}" for i in numbers],
            "n": pa.array(numbers, pa.int32()),
            "v": [None if i % 7 == 0 else f"{word} {i}" for i in numbers],
            "p": ["x" if i % 2 else "y z" for i in numbers],
            "a": pa.array([step if i % 5 else 9 for i in numbers], pa.int32()),
            "b": pa.array([-step if i % 3 == 0 else step for i in numbers], pa.int64()),
            "s": [{"c": f"c{i % 4}", "d": i} for i in numbers],
        }
    )


def overlaid(below: pa.Table, above: pa.Table, fact: Fact) -> pa.Table:
    """The rows of both; of two with one key the greater one, and of equal ones that of `above`."""
    merged = {tuple(row[name] for name in fact.key): row for row in below.to_pylist()}
    for row in above.to_pylist():
        key = tuple(row[name] for name in fact.key)
        old = merged.get(key)
        if old is None or [row[name] for name in fact.order] >= [old[name] for name in fact.order]:
            merged[key] = row
    return pa.Table.from_pylist(list(merged.values()), schema=above.schema)


@pytest.mark.parametrize("name", FACTS)
def test_stock_and_hudilite_write_in_turn(
    spark: SparkSession, stock: StockSpark, database: Path, name: str
) -> None:
    fact, base = FACTS[name], database / "written"

    def check(expected: pa.Table) -> None:
        assert_both_read(spark, stock, "t", base, expected, unchecked=fact.unchecked)

    def by_stock(expected: pa.Table, source: pa.Table) -> pa.Table:
        stock_writes(stock, base, source, fact.writer, defaults=True)
        return overlaid(expected, source, fact)

    def by_merge(expected: pa.Table, source: pa.Table) -> pa.Table:
        merge(spark, "t", source, fact.key)
        return overlaid(expected, source, fact)

    expected = by_stock(rows(0, 0, "one", 1), rows(0, 1200, "one", 1))
    spark.sql(f"CREATE TABLE t USING hudilite {fact.clause} LOCATION '{base}'")
    expected = by_merge(expected, rows(900, 1400, "merged", 2))
    check(expected)
    expected = by_stock(expected, rows(1000, 1500, "stock again", 3))
    check(expected)
    spark.sql("DELETE FROM t WHERE n % 50 = 1 AND p = 'x'")
    kept = [i % 50 != 1 for i in expected["n"].to_pylist()]
    expected = expected.filter(pa.array(kept))
    spark.sql("UPDATE t SET v = concat('updated ', n) WHERE n BETWEEN 100 AND 120")
    changed = [
        f"updated {n}" if 100 <= n <= 120 else v
        for n, v in zip(expected["n"].to_pylist(), expected["v"].to_pylist(), strict=True)
    ]
    expected = expected.set_column(expected.column_names.index("v"), "v", pa.array(changed))
    check(expected)
    inserted = rows(2000, 2100, "inserted", 4)
    place = inserted.column_names.index("p")
    inserted = inserted.set_column(place, "p", pa.array(["new"] * inserted.num_rows))
    spark.createDataFrame(inserted).createOrReplaceTempView("inserted")
    everything = ", ".join(inserted.column_names)
    spark.sql(f"INSERT INTO t ({everything}) SELECT {everything} FROM inserted")
    expected = by_stock(pa.concat_tables([expected, inserted]), rows(1990, 2050, "stock last", 5))
    check(expected)
    expected = by_merge(expected, rows(2040, 2060, "merged last", 6))
    check(expected)
    replaced = rows(3000, 3010, "overwritten", 7)
    replaced = replaced.filter(pc.equal(replaced["p"], "x"))
    spark.createDataFrame(replaced.drop_columns(["p"])).createOrReplaceTempView("replaced")
    names = ", ".join(name for name in expected.column_names if name != "p")
    spark.sql(f"INSERT OVERWRITE t PARTITION (p = 'x') ({names}) SELECT {names} FROM replaced")
    expected = pa.concat_tables([expected.filter(pc.not_equal(expected["p"], "x")), replaced])
    check(expected)
    expected = by_stock(expected, rows(3005, 3020, "stock at the end", 8))
    check(expected)
    assert_metafiles(base, is_parquet=METAFILES.items() <= fact.options.items())


def assert_metafiles(base: Path, *, is_parquet: bool) -> None:
    """Each of the three partitions has one metafile, in the format of the table."""
    found = sorted(base.rglob(".hoodie_partition_metadata*"))
    end = ".parquet" if is_parquet else ""
    assert [path.name for path in found] == [f".hoodie_partition_metadata{end}"] * 3
    for path in found:
        if is_parquet:
            entries = pq.read_metadata(path).metadata
            assert entries[b"partitionDepth"] == b"1"
            assert re.fullmatch(rb"\d{17}", entries[b"commitTime"])
            assert pq.read_metadata(path).num_rows == 0
