"""Tables whose partition folders are dates, by stock Hudi's timestamp-based key generators.

Stock and hudilite write such a table in turns. Both read the rows of the model, each row is in the
folder that the oracle gives, and a statement that would need the values of a folder is refused.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import date, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from harness import layout
from harness.adopted import merge, stock_writes
from harness.canonical import assert_same_tables
from harness.faults import run_statement
from harness.rotation import ninth, product
from harness.stock import StockSpark, writer_options
from oracle import date_folder
from tables.stock_facts import GENERATOR, NINE, PATH, SIX

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

CODE = product("core/format/", "spark/plan/", "spark/catalog/")
BY_TIME = "org.apache.hudi.keygen.TimestampBasedKeyGenerator"
CUSTOM = "org.apache.hudi.keygen.CustomKeyGenerator"
HIVE_STYLE = {"hoodie.datasource.write.hive_style_partitioning": "true"}
ENCODED = {"hoodie.datasource.write.partitionpath.urlencode": "true"}
START = datetime(2024, 1, 15, 5, tzinfo=timezone.utc)
WORDS = ("one", "two", "merged", "updated", "again")


def dates(**facts: str) -> dict[str, str]:
    return {f"hoodie.keygen.timebased.{name.replace('_', '.')}": v for name, v in facts.items()}


@dataclass(frozen=True)
class Kind:
    """A table, by the options of its writer.

    Attributes:
        version: Table version.
        column: Type of the partition column `t`.
        options: Options of stock Hudi's writer.
        stated: Whether stock stores no property of the rule, so that CREATE TABLE has to state it.
        buckets: Number of buckets; None for stock's bloom index.
    """

    version: int
    column: pa.DataType
    options: Mapping[str, str]
    stated: bool = False
    buckets: int | None = None

    @property
    def is_custom(self) -> bool:
        return self.options[GENERATOR] == CUSTOM

    def value(self, day: int) -> Any:
        """Value of `t`; several days share a month."""
        time = START + timedelta(days=day)
        if pa.types.is_string(self.column):
            return time.strftime("%Y-%m-%d %H")
        if pa.types.is_date(self.column):
            return time.date()
        return int(time.timestamp() * 1000)

    def path(self, row: Mapping[str, Any]) -> str:
        """Folder of a row."""
        value = row["t"]
        number = (value - date(1970, 1, 1)).days if isinstance(value, date) else value
        own = date_folder.path(self.options, number).replace("ts=", "t=")
        simple = f"p={row['p']}" if own.startswith("t=") else row["p"]
        return f"{simple}/{own}" if self.is_custom else own


MILLIS = dates(
    timestamp_type="EPOCHMILLISECONDS",
    output_dateformat="yyyy/MM",
    output_timezone="America/New_York",
)
KINDS = {
    "numbers, 6": Kind(6, pa.int64(), MILLIS | {PATH: "t", GENERATOR: BY_TIME}),
    "texts of another zone, 9": Kind(
        9,
        pa.string(),
        dates(
            timestamp_type="DATE_STRING",
            input_dateformat="yyyy-MM-dd HH",
            input_timezone="Asia/Tokyo",
            output_dateformat="yyyy/MM",
            output_timezone="America/Los_Angeles",
        )
        | {PATH: "t", GENERATOR: BY_TIME}
        | HIVE_STYLE
        | ENCODED,
        buckets=2,
    ),
    "days, 9": Kind(
        9,
        pa.date32(),
        dates(
            timestamp_type="SCALAR",
            timestamp_scalar_time_unit="DAYS",
            output_dateformat="yyyyMM",
            timezone="UTC",
        )
        | {PATH: "t", GENERATOR: BY_TIME},
    ),
    "custom, 9": Kind(
        9,
        pa.int64(),
        MILLIS | {PATH: "p:SIMPLE,t:TIMESTAMP", GENERATOR: CUSTOM} | HIVE_STYLE,
        stated=True,
        buckets=2,
    ),
}


def rows(kind: Kind, first: int, last: int, word: str, step: int = 1) -> pa.Table:
    numbers = range(first, last, step)
    return pa.table(
        {
            "id": [f"k{i}" for i in numbers],
            "p": ["a" if i % 2 else "b" for i in numbers],
            "t": pa.array([kind.value(i % 97) for i in numbers], kind.column),
            "ts": pa.array([WORDS.index(word)] * len(numbers), pa.int64()),
            "v": [None if i % 11 == 0 else f"{word} {i}" for i in numbers],
        }
    )


@pytest.fixture(autouse=True)
def own_zone(spark: SparkSession) -> Iterator[None]:
    """Another default zone of Joda-Time than any zone of a table."""
    zones = spark._jvm.org.joda.time.DateTimeZone
    before = zones.getDefault()
    zones.setDefault(zones.forID("Asia/Kolkata"))
    yield
    zones.setDefault(before)


@pytest.fixture(
    params=[pytest.param(name, id=name, marks=ninth(n, when=CODE)) for n, name in enumerate(KINDS)]
)
def kind(request: pytest.FixtureRequest) -> Kind:
    return KINDS[request.param]


class Model:
    """The rows of a table by id, and their folders."""

    def __init__(self, kind: Kind, schema: pa.Schema) -> None:
        self.kind, self.schema = kind, schema
        self.rows: dict[str, dict[str, Any]] = {}

    def put(self, table: pa.Table) -> None:
        self.rows |= {row["id"]: row for row in table.to_pylist()}

    def check(self, spark: SparkSession, stock: StockSpark, base: Path) -> None:
        expected = pa.Table.from_pylist(list(self.rows.values()), schema=self.schema)
        own = spark.sql("SELECT _hoodie_partition_path AS path, * FROM t").toArrow()
        assert_same_tables(expected, own, expected.column_names, "hudilite")
        for row in own.to_pylist():
            assert row["path"] == self.kind.path(row), row
        by_stock = stock.read(base)
        names = [name for name in expected.column_names if name != "t"]  # stock shows the folder
        assert_same_tables(expected, by_stock, names, "stock")
        meta = ["_hoodie_record_key", "_hoodie_partition_path", "_hoodie_file_name"]
        same = spark.sql(f"SELECT {', '.join(meta)} FROM t").toArrow()
        assert_same_tables(same, by_stock.select(meta), meta, "meta columns")
        assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []
        depths = {
            int(found.read_text().split("partitionDepth=")[1])
            - len(found.parent.relative_to(base).parts)
            for found in base.rglob(".hoodie_partition_metadata")
        }
        assert depths == {0}


def adopt(spark: SparkSession, kind: Kind, base: Path) -> None:
    facts = {k: v for k, v in kind.options.items() if ".timebased." in k}
    stated = ", ".join(f"'{key}' = '{value}'" for key, value in facts.items())
    properties = f"TBLPROPERTIES ({stated})" if kind.stated else ""
    clause = f"WITH BUCKETS {kind.buckets}" if kind.buckets else ""
    spark.sql(f"CREATE TABLE t USING hudilite {clause} {properties} LOCATION '{base}'")


def test_both_write_in_turns(
    spark: SparkSession, stock: StockSpark, database: Path, kind: Kind
) -> None:
    base = database / "written"
    versioned = SIX if kind.version == 6 else NINE
    options = writer_options("written", buckets=kind.buckets) | versioned | kind.options
    first = rows(kind, 0, 1200, "one")
    model = Model(kind, first.schema)
    for source in (first, rows(kind, 600, 1300, "two", 2)):
        stock_writes(stock, base, source, dict(options), defaults=True)
        model.put(source)
    if kind.stated:
        before = layout.untouched_state(base)
        spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
        fault = run_statement(spark, "DELETE FROM t WHERE id = 'k1'")
        assert fault is not None
        assert fault.condition == "HUDILITE_TABLE_READ_ONLY"
        assert fault.parameters["fact"] == "hoodie.keygen.timebased.timestamp.type"
        assert layout.untouched_state(base) == before
        spark.sql("DROP TABLE t")
    adopt(spark, kind, base)
    model.check(spark, stock, base)

    source = rows(kind, 1000, 1500, "merged", 3)
    on = ("id", "p", "t") if kind.is_custom else ("id", "t")
    assert merge(spark, "t", source, on)[0] == source.num_rows
    model.put(source)
    model.check(spark, stock, base)

    spark.sql(f"UPDATE t SET v = 'moved', t = {sql(kind.value(70), kind)} WHERE id < 'k12'")
    for key in [key for key in model.rows if key < "k12"]:
        model.rows[key] |= {"v": "moved", "t": kind.value(70)}
    asked = kind.value(5)
    found = spark.sql(f"SELECT id FROM t WHERE t = {sql(asked, kind)}").collect()
    gone = {key for key, row in model.rows.items() if row["t"] == asked}
    assert {row.id for row in found} == gone and gone
    assert spark.sql(f"DELETE FROM t WHERE t = {sql(asked, kind)}").collect()[0][0] == len(gone)
    model.rows = {key: row for key, row in model.rows.items() if key not in gone}
    more = rows(kind, 2000, 2040, "updated")
    spark.createDataFrame(more).createOrReplaceTempView("more")
    spark.sql("INSERT INTO t SELECT * FROM more")
    model.put(more)
    model.check(spark, stock, base)

    again = rows(kind, 1200, 2100, "again", 7)
    stock_writes(stock, base, again, dict(options), defaults=True)
    model.put(again)
    model.check(spark, stock, base)

    spark.conf.set("spark.sql.sources.partitionOverwriteMode", "dynamic")
    few = rows(kind, 5000, 5002, "again")
    spark.createDataFrame(few).createOrReplaceTempView("few")
    try:
        spark.sql("INSERT OVERWRITE t SELECT * FROM few")
    finally:
        spark.conf.unset("spark.sql.sources.partitionOverwriteMode")
    replaced = {kind.path(row) for row in few.to_pylist()}
    model.rows = {key: row for key, row in model.rows.items() if kind.path(row) not in replaced}
    model.put(few)
    model.check(spark, stock, base)


def sql(value: Any, kind: Kind) -> str:
    if isinstance(value, date):
        return f"DATE '{value}'"
    return f"'{value}'" if pa.types.is_string(kind.column) else str(value)


@pytest.fixture(scope="module")
def numbers_by_stock(stock: StockSpark, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A table of numbers, in folders of months, which no test changes: k0 is in 2024/01, k1 in 2024/02."""
    base = tmp_path_factory.mktemp("numbers") / "written"
    kind = KINDS["numbers, 6"]
    source = pa.table(
        {
            "id": ["k0", "k1", "k2"],
            "p": ["a", "a", None],
            "t": pa.array([kind.value(0), kind.value(20), None], pa.int64()),
            "ts": pa.array([0, 0, 0], pa.int64()),
            "v": ["zero", "one", "two"],
        }
    )
    options = writer_options("written") | SIX | dict(kind.options)
    stock_writes(stock, base, source, options, defaults=True)
    return base


@pytest.fixture
def numbers(spark: SparkSession, numbers_by_stock: Path, database: Path) -> Path:
    """A copy of it that is adopted."""
    base = Path(shutil.copytree(numbers_by_stock, database / "written"))
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    return base


ROTATED = ninth(7, when=CODE)


@ROTATED
def test_a_folder_has_rows_of_several_values(spark: SparkSession, numbers: Path) -> None:
    """ON compares the values, not the folders; a key is unique in its folder."""
    del numbers
    other = KINDS["numbers, 6"].value(1)
    source = f"(SELECT 'k0' AS id, {other} AS t, 9L AS ts) s ON t.id = s.id AND t.t = s.t"
    spark.sql(f"MERGE INTO t USING {source} WHEN MATCHED THEN UPDATE SET v = 'wrong'")
    spark.sql(
        "MERGE INTO t USING (SELECT 'k2' AS id, CAST(NULL AS BIGINT) AS t, 9L AS ts) s "
        "ON t.id = s.id AND t.t <=> s.t WHEN MATCHED THEN UPDATE SET v = 'null'"
    )
    found = {row.id: row.v for row in spark.sql("SELECT id, v FROM t").collect()}
    assert found == {"k0": "zero", "k1": "one", "k2": "null"}
    insert = f"INSERT INTO t SELECT 'k0', 'a', {other}, 1L, 'twice'"
    fault = run_statement(spark, insert)
    assert fault is not None and fault.condition == "HUDILITE_DUPLICATE_KEY"
    nowhere = f"MERGE INTO t USING {source} WHEN NOT MATCHED THEN INSERT (id, t) VALUES (s.id, s.t)"
    fault = run_statement(spark, nowhere)
    assert fault is not None and fault.condition == "HUDILITE_DUPLICATE_KEY"


@ROTATED
def test_what_needs_the_values_of_a_folder_is_refused(spark: SparkSession, numbers: Path) -> None:
    del numbers
    assert [row[0] for row in spark.sql("SHOW PARTITIONS t").collect()] == [
        "t=1969%2F12",
        "t=2024%2F01",
        "t=2024%2F02",
    ]
    value = KINDS["numbers, 6"].value(0)
    for statement in (
        f"SHOW PARTITIONS t PARTITION (t = {value})",
        f"ALTER TABLE t DROP PARTITION (t = {value})",
        f"TRUNCATE TABLE t PARTITION (t = {value})",
        f"INSERT OVERWRITE t PARTITION (t = {value}) SELECT 'k9', 'a', 1L, 'x'",
    ):
        fault = run_statement(spark, statement)
        assert fault is not None, statement
        assert fault.condition == "HUDILITE_UNSUPPORTED_CLAUSE", statement
        assert fault.parameters["clause"] == "PARTITION (t)", statement
    assert spark.table("t").count() == 3


@ROTATED
def test_the_rule_of_the_dates_cannot_be_contradicted(spark: SparkSession, numbers: Path) -> None:
    shown = {row.key: row.value for row in spark.sql("SHOW TBLPROPERTIES t").collect()}
    output = "hoodie.keygen.timebased.output.dateformat"
    assert shown[output] == "yyyy/MM"
    spark.sql("DROP TABLE t")
    for statement in (
        f"CREATE TABLE t USING hudilite TBLPROPERTIES ('{output}' = 'yyyy/mm') "
        f"LOCATION '{numbers}'",
        "CREATE TABLE n (id INT, PRIMARY KEY (id)) USING hudilite "
        f"TBLPROPERTIES ('{output}' = 'yyyy')",
    ):
        fault = run_statement(spark, statement)
        assert fault is not None, statement
        assert fault.parameters["key"] == output, statement
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{numbers}'")
    spark.conf.set(output, "yyyy")
    try:
        fault = run_statement(spark, "DELETE FROM t WHERE id = 'k0'")
    finally:
        spark.conf.unset(output)
    assert fault is not None and fault.condition == "HUDILITE_PROPERTY_CONFLICT"


@ROTATED
def test_stored_paths_must_fit_the_stated_rule(
    spark: SparkSession, stock: StockSpark, database: Path
) -> None:
    """A zone that the writer did not have would place rows in other folders than the stored ones."""
    base = database / "written"
    kind = KINDS["numbers, 6"]
    zone = "hoodie.keygen.timebased.output.timezone"
    without = {key: value for key, value in kind.options.items() if key != zone}
    source = rows(kind, 0, 40, "one")
    stock_writes(stock, base, source, writer_options("written") | SIX | without, defaults=True)
    spark.sql(f"CREATE TABLE t USING hudilite LOCATION '{base}'")
    fault = run_statement(spark, "DELETE FROM t WHERE id = 'k0'")
    assert fault is not None and fault.parameters["fact"] == zone
    spark.sql("DROP TABLE t")
    create = "CREATE TABLE t USING hudilite TBLPROPERTIES ('{}' = '{}') LOCATION '{}'"
    fault = run_statement(spark, create.format(zone, "America/Los_Angeles", base))
    assert fault is not None and fault.parameters["fact"] == "partition path"
    spark.sql(create.format(zone, "UTC", base))
    merge(spark, "t", rows(kind, 30, 50, "merged"), ("id", "t"))
    assert spark.table("t").count() == 50
    assert spark.sql("CALL verify(table => 't', level => 'rows')").collect() == []
