"""A bloom index over files whose footers are old, foreign or damaged: right rows, or a named error."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from harness import damage, layout
from harness.damage import BLOOM, MAX_KEY, MIN_KEY, Footer
from harness.faults import run_statement
from harness.metrics import last_metrics
from harness.rotation import product
from harness.warned import warnings
from model.relations import settings
from oracle.bloom import serialize

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROTATED = pytest.mark.rotated(by="test", when=product("core/index/"))
OLD = "com.uber.hoodie.bloomfilter"
CODE = "hoodie_bloom_filter_type_code"
CHECKSUM = "hudilite.bloom.checksum"
MERGE = (
    "MERGE INTO t USING (SELECT concat('é', id) id, 'new' v FROM range(150, 250)) s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET v = s.v WHEN NOT MATCHED THEN INSERT *"
)
Change = Callable[[Footer], Footer]


def without(*keys: str) -> Change:
    """Takes pairs out of a footer."""
    return lambda pairs: {key: value for key, value in pairs.items() if key not in keys}


def foreign(kind: str, key: str = BLOOM) -> Change:
    """The footer of another writer: a filter under some key, no code where it is SIMPLE."""
    text = serialize([f"é{i}".encode() for i in range(200)], 200, 1e-9, kind)

    def change(pairs: Footer) -> Footer:
        kept = without(BLOOM, CODE, CHECKSUM, "hudilite.sorted")(pairs)
        return {**kept, key: text, **({CODE: kind} if kind != "SIMPLE" else {})}

    return change


def cut(pairs: Footer) -> Footer:
    """A filter that has lost its end, below our checksum."""
    return {**pairs, BLOOM: pairs[BLOOM][: len(pairs[BLOOM]) // 8 * 4]}


# How the footer changes, and the codes that verify tells of it.
WHOLE: dict[str, tuple[Change, set[str]]] = {
    "foreign": (foreign("DYNAMIC_V0"), set()),
    "no type code": (foreign("SIMPLE"), set()),
    "the old key, no type code": (foreign("SIMPLE", OLD), set()),
    "the old key": (foreign("DYNAMIC_V0", OLD), set()),
    "no filter": (without(BLOOM, CODE, CHECKSUM), {"FOOTER_KEY_MISSING"}),
    "no least and greatest key": (without(MIN_KEY, MAX_KEY), {"FOOTER_KEY_MISSING"}),
    "cleared bits below our checksum": (damage.without_bits, {"BLOOM_LACKS_KEY"}),
    "cut below our checksum": (cut, {"BLOOM_DAMAGED"}),
}


@pytest.fixture
def base(spark: SparkSession, database: Path) -> Path:
    """A table of one base file with the keys é0 to é199."""
    spark.sql("CREATE TABLE t (id STRING, v STRING, PRIMARY KEY (id)) USING hudilite")
    spark.sql("INSERT INTO t SELECT concat('é', id), 'old' FROM range(200)")
    return database / "t"


def change(base: Path, footer: Change, table: pa.Table | None = None) -> None:
    (found,) = layout.latest_slices(base)
    damage.rewrite(base, found, table, footer)


def verify_codes(spark: SparkSession) -> set[str]:
    """Codes that verify finds."""
    return {row.code for row in spark.sql("CALL verify('t', 'rows')").collect()}


def state(spark: SparkSession) -> list[tuple[str, int, int]]:
    """Of each value: rows, and keys among them."""
    read = spark.sql("SELECT v, count(*), count(DISTINCT id) FROM t GROUP BY v ORDER BY v")
    return [tuple(row) for row in read.collect()]


@ROTATED
@pytest.mark.fault("F47")
@pytest.mark.parametrize("name", WHOLE)
def test_each_key_is_found_whatever_the_footer_holds(
    spark: SparkSession, base: Path, name: str
) -> None:
    footer, codes = WHOLE[name]
    change(base, footer)
    assert verify_codes(spark) == codes
    merged = spark.sql(MERGE)
    altered = last_metrics(spark, "LocateRows")["bloom filters that do not fit their checksum"]
    assert altered == ("below our checksum" in name)
    assert [tuple(row) for row in merged.collect()] == [(100, 50, 0, 50)]
    assert state(spark) == [("new", 100, 100), ("old", 150, 150)]
    assert verify_codes(spark) == set(), "the MERGE has written a whole footer"


@ROTATED
def test_a_file_without_a_key_range_is_looked_into_and_named_once(
    spark: SparkSession, base: Path
) -> None:
    (found,) = layout.latest_slices(base)
    damage.rewrite(base, found, None, without(MIN_KEY, MAX_KEY), statistics=False)
    # Keys that are not found go to a new file, where no old row could match them after all.
    with warnings(spark) as said, settings(spark, {"hoodie.parquet.small.file.limit": 0}):
        assert [tuple(row) for row in spark.sql(MERGE).collect()] == [(100, 50, 0, 50)]
        spark.sql(MERGE).collect()
    assert len(said) == 1
    assert found.path.name in said[0]
    assert "rebuild_index" in said[0]


@ROTATED
@pytest.mark.fault("F47")
def test_a_footer_that_makes_no_sense_is_named(spark: SparkSession, base: Path) -> None:
    (found,) = layout.latest_slices(base)
    data = bytearray(found.path.read_bytes())
    begin = len(data) - 8 - int.from_bytes(data[-8:-4], "little")
    data[begin : begin + 16] = b"\xff" * 16
    damage.put(found.path, bytes(data))
    fault = run_statement(spark, MERGE)
    assert fault is not None
    assert fault.condition == "HUDILITE_CORRUPT_DATA_FILE"
    assert found.path.name in fault.parameters["path"]


@ROTATED
@pytest.mark.fault("F47")
def test_a_cut_filter_without_our_checksum_is_named(spark: SparkSession, base: Path) -> None:
    change(base, lambda pairs: cut(without(CHECKSUM)(pairs)))
    fault = run_statement(spark, MERGE)
    assert fault is not None
    assert fault.condition == "HUDILITE_CORRUPT_DATA_FILE"
    assert layout.latest_slices(base)[0].path.name in fault.parameters["path"]
    assert state(spark) == [("old", 200, 200)]
    assert verify_codes(spark) == {"BLOOM_DAMAGED"}


@ROTATED
@pytest.mark.fault("F47")
def test_a_cleared_bit_of_a_foreign_filter_is_found_by_verify(
    spark: SparkSession, base: Path
) -> None:
    change(base, lambda pairs: damage.without_bits(foreign("DYNAMIC_V0")(pairs)))
    assert verify_codes(spark) == {"BLOOM_LACKS_KEY"}


def test_a_key_in_two_file_groups_is_an_error_that_names_both(
    spark: SparkSession, base: Path
) -> None:
    (found,) = layout.latest_slices(base)
    instant = str(int(found.instant) + 1)
    name = f"11111111-2222-3333-4444-555555555555-0_0-1-2_{instant}.parquet"
    kept = damage.rows(found.path).slice(0, 60)
    at = kept.column_names.index("_hoodie_file_name")
    named = kept.set_column(at, kept.field(at), pa.array([name] * kept.num_rows))
    damage.commit(base, instant, found, name, named)
    fault = run_statement(spark, MERGE.replace("range(150", "range(0"))
    assert fault is not None
    assert fault.condition == "HUDILITE_DUPLICATE_KEY_IN_TABLE"
    assert fault.parameters["files"] == " and ".join(sorted([name, found.path.name]))
    assert fault.parameters["key"].startswith("é")
    assert len(layout.latest_slices(base)) == 2
    # A statement that touches none of those keys goes on.
    answer = spark.sql(MERGE.replace("range(150", "range(200")).collect()
    assert [tuple(row) for row in answer] == [(50, 0, 0, 50)]
