"""Tables of stock Hudi, each with a fact that users' tables have: options of its writer, and rows."""

from __future__ import annotations

import datetime
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from harness.adopted import overlaid, stock_writes
from harness.stock import StockFailed, StockSpark

SIX = {
    "hoodie.write.table.version": "6",
    "hoodie.write.auto.upgrade": "false",
    "hoodie.metadata.enable": "false",
}
NINE = {"hoodie.metadata.enable": "false"}
WRITER = {
    "hoodie.table.name": "written",
    "hoodie.datasource.write.recordkey.field": "id",
    "hoodie.datasource.write.partitionpath.field": "q",
    "hoodie.datasource.write.precombine.field": "rank",
    "hoodie.datasource.write.operation": "upsert",
}
KEY = "hoodie.datasource.write.recordkey.field"
PATH = "hoodie.datasource.write.partitionpath.field"
ORDERING = "hoodie.datasource.write.precombine.field"
OPERATION = "hoodie.datasource.write.operation"
GENERATOR = "hoodie.datasource.write.keygenerator.class"
HIVE_STYLE = {"hoodie.datasource.write.hive_style_partitioning": "true"}
ENCODED = {"hoodie.datasource.write.partitionpath.urlencode": "true"}
DROPPED = {"hoodie.datasource.write.drop.partition.columns": "true"}
METAFILES = {"hoodie.partition.metafile.use.base.format": "true"}
SLASHES = {"hoodie.datasource.write.slash.separated.date.partitioning": "true"}
TIMED = {
    PATH: "ts",
    GENERATOR: "org.apache.hudi.keygen.TimestampBasedKeyGenerator",
    "hoodie.keygen.timebased.timestamp.type": "EPOCHMILLISECONDS",
    "hoodie.keygen.timebased.output.dateformat": "yyyy/MM",
    "hoodie.keygen.timebased.timezone": "UTC",
}
FLAT = {"hoodie.keygen.timebased.output.dateformat": "yyyyMM"}
COMPLEX = {GENERATOR: "org.apache.hudi.keygen.ComplexKeyGenerator", KEY: "id,n"}
CUSTOM = {GENERATOR: "org.apache.hudi.keygen.CustomKeyGenerator"}
BUCKETS = {"hoodie.index.type": "BUCKET", "hoodie.bucket.index.num.buckets": "2"}
ARCHIVED = {
    "hoodie.keep.min.commits": "2",
    "hoodie.keep.max.commits": "3",
    "hoodie.clean.commits.retained": "1",
}
ORIGIN = datetime.datetime(2024, 1, 15, tzinfo=datetime.timezone.utc)
ODD = ("a b", "c/d", None, "g%h", "é", "x")


@dataclass(frozen=True)
class Fact:
    """A fact of a table, by the options of the writer that makes it.

    Attributes:
        options: Options of stock Hudi's writer; None takes one away.
        refused: What the refusal of a write names; None when hudilite writes the table.
        version: Table version.
        as_stored: Columns that stock reads with another type or value than its files store.
        is_read_by_rust: Whether hudi-rs reads the table.
        properties: Lines of hoodie.properties that are changed by hand after the commits.
        later: Number of commits after the first one.
    """

    options: Mapping[str, str | None]
    refused: str | None = None
    version: int = 6
    as_stored: tuple[str, ...] = ()
    is_read_by_rust: bool = True
    properties: Mapping[str, str] = field(default_factory=dict)
    later: int = 1

    @property
    def key(self) -> tuple[str, ...]:
        """Columns by which the rows are merged."""
        return ("id", "n") if self.options.get(KEY) == "id,n" else ("id",)

    @property
    def is_keyless(self) -> bool:
        return self.options.get(KEY, "id") is None


FACTS = {
    "no meta columns": Fact(
        {"hoodie.populate.meta.fields": "false", "hoodie.index.type": "SIMPLE"},
        "hoodie.populate.meta.fields",
    ),
    "no meta columns, 9": Fact(
        {
            "hoodie.populate.meta.fields": "false",
            "hoodie.index.type": "SIMPLE",
            "hoodie.metadata.enable": "true",
        },
        "hoodie.populate.meta.fields",
        9,
    ),
    "no key": Fact({KEY: None, ORDERING: None, OPERATION: "insert"}),
    "nested key": Fact({KEY: "s.b"}),
    "nested partition": Fact({PATH: "s.a"} | HIVE_STYLE, "partition column", is_read_by_rust=False),
    "dates of milliseconds": Fact(dict(TIMED), as_stored=("ts",)),
    "dates of milliseconds, flat, 9": Fact(TIMED | HIVE_STYLE | FLAT, version=9, as_stored=("ts",)),
    "dates of texts": Fact(
        TIMED
        | {
            PATH: "dt",
            "hoodie.keygen.timebased.timestamp.type": "DATE_STRING",
            "hoodie.keygen.timebased.input.dateformat": "yyyy-MM-dd",
        },
    ),
    "dates of the writer's zone": Fact(
        {key: value for key, value in TIMED.items() if "timezone" not in key},
        "hoodie.keygen.timebased.output.timezone",
        as_stored=("ts",),
    ),
    "custom, with a date": Fact(
        TIMED | CUSTOM | FLAT | {PATH: "q:SIMPLE,ts:TIMESTAMP"}, "key generator"
    ),
    "custom, with a date, 9": Fact(
        TIMED | CUSTOM | FLAT | {PATH: "q:SIMPLE,ts:TIMESTAMP"},
        "hoodie.keygen.timebased.timestamp.type",
        9,
        ("ts",),
        is_read_by_rust=False,
    ),
    "custom, of unknown types": Fact(CUSTOM | {PATH: "q:SIMPLE"}, "key generator"),
    "custom, all simple, 9": Fact(
        CUSTOM | HIVE_STYLE | {PATH: "q:SIMPLE,n:SIMPLE"},
        None,
        9,
        is_read_by_rust=False,
    ),
    "custom, all simple": Fact(
        CUSTOM | {PATH: "q:SIMPLE"},
        properties={"hoodie.table.partition.fields": "q:SIMPLE"},
        is_read_by_rust=False,
    ),
    "class of one's own": Fact(
        {},
        "key generator",
        properties={
            "hoodie.table.keygenerator.type": "",
            "hoodie.table.keygenerator.class": "com.acme.ByRegion",
        },
    ),
    "complex, by its type": Fact(COMPLEX | HIVE_STYLE | ENCODED | {PATH: "p,q"}),
    "encoded": Fact(ENCODED | {PATH: "p"}),
    "values with slashes": Fact({PATH: "p"}),
    "dates with slashes, 9": Fact(SLASHES | {PATH: "dt"}, "index", 9, as_stored=("dt",)),
    "dropped": Fact(DROPPED | HIVE_STYLE, is_read_by_rust=False),
    "dropped, two": Fact(
        DROPPED | COMPLEX | ENCODED | {PATH: "p,q"},
        is_read_by_rust=False,
    ),
    "dropped, 9": Fact(DROPPED | {PATH: "dt"}, version=9, is_read_by_rust=False),
    "dropped, dates with slashes": Fact(
        DROPPED | SLASHES | {PATH: "dt"}, "index", is_read_by_rust=False
    ),
    "two ordering fields": Fact({ORDERING: "rank,n"}, is_read_by_rust=False),
    "nested ordering field": Fact({ORDERING: "s.b"}, "ordering field", is_read_by_rust=False),
    "old ordering field": Fact(
        {},
        properties={"hoodie.table.precombine.field": "rank", "hoodie.table.ordering.fields": ""},
    ),
    "other metafiles": Fact(dict(METAFILES)),
    "changes": Fact({"hoodie.table.cdc.enabled": "true"}, "hoodie.table.cdc.enabled"),
    "changes, 9": Fact({"hoodie.table.cdc.enabled": "true"}, "hoodie.table.cdc.enabled", 9),
    "partial updates": Fact(
        {
            "hoodie.datasource.write.payload.class": (
                "org.apache.hudi.common.model.PartialUpdateAvroPayload"
            )
        },
        "hoodie.compaction.payload.class",
    ),
    "global simple index": Fact({"hoodie.index.type": "GLOBAL_SIMPLE"}),
    "archived": Fact(dict(ARCHIVED), later=6),
    "archived, 9": Fact(dict(ARCHIVED), version=9, later=6),
    "buckets by partition": Fact(
        BUCKETS
        | {
            "hoodie.bucket.index.partition.expressions": "x,4",
            "hoodie.bucket.index.partition.rule.type": "regex",
        },
        "index",
    ),
}


def rows(first: int, last: int, word: str) -> pa.Table:
    """Rows of the numbers [first, last), in partitions of every kind; a later word orders later."""
    numbers = range(first, last)
    days = [ORIGIN + datetime.timedelta(days=20 * i, hours=1) for i in numbers]
    return pa.table(
        {
            "id": [f"k{i}" for i in numbers],
            "n": pa.array(list(numbers), pa.int32()),
            "v": [f"{word} {i}" for i in numbers],
            "p": [ODD[i % len(ODD)] for i in numbers],
            "q": ["x" if i % 2 else "y" for i in numbers],
            "ts": pa.array([int(day.timestamp() * 1000) for day in days], pa.int64()),
            "dt": [day.strftime("%Y-%m-%d") for day in days],
            "day": pa.array([day.date() for day in days], pa.date32()),
            "s": [{"a": f"a{i % 2}", "b": i} for i in numbers],
            "rank": pa.array([len(word)] * len(numbers), pa.int32()),
        }
    )


def make(stock: StockSpark, base: Path, fact: Fact) -> pa.Table:
    """Twelve rows, then changes of six of them and three more; the rows that the table must have.

    The changes by hand are not made, because stock may then not read the table.
    """
    asked = WRITER | (SIX if fact.version == 6 else NINE) | dict(fact.options)
    options = {key: value for key, value in asked.items() if value is not None}
    first = options
    if options.get("hoodie.populate.meta.fields") == "false":
        first = options | {OPERATION: "bulk_insert"}
    _write(stock, base, rows(0, 12, "one"), first)
    before, after = rows(0, 12, "one"), rows(6, 15, "later")
    for _ in range(fact.later):
        _write(stock, base, after, options)
    if fact.options.items() >= (DROPPED | SLASHES).items():
        before, after = _with_slashes(before), _with_slashes(after)
    return (
        pa.concat_tables([before, after]) if fact.is_keyless else overlaid(before, after, ("id",))
    )


def merged(below: pa.Table, above: pa.Table) -> pa.Table:
    """The rows after a MERGE by `id`, which changes every row with that value."""
    sources = {row["id"]: row for row in above.to_pylist()}
    rows = [sources.get(row["id"], row) for row in below.to_pylist()]
    known = {row["id"] for row in rows}
    rows += [row for name, row in sources.items() if name not in known]
    return pa.Table.from_pylist(rows, schema=above.schema)


def _write(stock: StockSpark, base: Path, source: pa.Table, options: dict[str, str]) -> None:
    """One commit. Stock may stumble over numbers of buckets that its tasks compute at one time."""
    for _ in range(4):
        try:
            return stock_writes(stock, base, source, options, defaults=True)
        except StockFailed as fault:
            if "ConcurrentModificationException" not in str(fault):
                raise
    raise StockFailed("the same fault, four times")


def _with_slashes(table: pa.Table) -> pa.Table:
    """The rows with the texts of folders instead of dates: the files do not store the dates."""
    texts = [text.replace("-", "/") for text in table["dt"].to_pylist()]
    return table.set_column(table.column_names.index("dt"), "dt", pa.array(texts))


def without_slashes(table: pa.Table, fact: Fact) -> pa.Table:
    """The rows that hudilite writes: it refuses a value whose folder would be several."""
    is_plain = fact.options.get(PATH) == "p" and not fact.options.items() >= ENCODED.items()
    return table.filter(pc.fill_null(pc.not_equal(table["p"], "c/d"), True)) if is_plain else table


def set_property(base: Path, key: str, value: str) -> None:
    """Changes a line of hoodie.properties, or adds it."""
    file = base / ".hoodie" / "hoodie.properties"
    lines = file.read_text(encoding="utf-8").splitlines()
    kept = [line for line in lines if not line.startswith(f"{key}=")]
    file.write_text("\n".join([*kept, f"{key}={value}", ""]), encoding="utf-8")
    file.with_name(f".{file.name}.crc").unlink(missing_ok=True)
