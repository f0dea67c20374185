"""Stock Hudi and hudilite take turns on machines of one zone: every write is seen by all readers.

Stock names instants in the zone of its JVM unless the table says UTC, and never looks whether a new
instant lies above the last one. The number in the name is that of the compatibility assertions in
docs/format.md.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING
from zoneinfo import ZoneInfo

import pytest

from harness import layout
from harness.adopted import BUCKETS, assert_all_read, merge, overlaid, rows, stock_writes
from harness.stock import NO_STOCK, StockSpark, stock_environment

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ZONES = [
    pytest.param(zone, marks=pytest.mark.rotated(third=third))
    for third, zone in enumerate(("America/Los_Angeles", "UTC", "Asia/Tokyo"))
]
MADE = ("stock, LOCAL", "stock, UTC", "hudilite")


@pytest.fixture(scope="module", params=ZONES)
def zone(request: pytest.FixtureRequest, spark: SparkSession) -> Iterator[str]:
    """The default zone of our JVM while stock's runs in the same one."""
    zones = spark._jvm.java.util.TimeZone
    before = zones.getDefault()
    zones.setDefault(zones.getTimeZone(request.param))
    yield str(request.param)
    zones.setDefault(before)


@pytest.fixture(scope="module")
def stock_there(
    zone: str, tmp_path_factory: pytest.TempPathFactory, request: pytest.FixtureRequest
) -> Iterator[StockSpark]:
    """Stock Hudi-Spark whose JVM is in the zone: in UTC that of the other tests."""
    if zone == "UTC":
        yield request.getfixturevalue("stock")
        return
    environment = stock_environment()
    if environment is None:
        pytest.skip(NO_STOCK)
    server = StockSpark(*environment, tmp_path_factory.mktemp("stock_there"), zone)
    yield server
    server.close()


def test_31_every_write_is_seen_whoever_wrote_before_it(
    spark: SparkSession, stock_there: StockSpark, database: Path, zone: str
) -> None:
    # A JVM of stock never names an instant below its last one, whatever the table, but waits until
    # its clock has passed it: east of UTC the tables in UTC come first.
    for n, made in enumerate(MADE[::-1] if zone == "Asia/Tokyo" else MADE):
        base = database / f"written{n}"
        named = "LOCAL" if made.endswith("LOCAL") else "UTC"
        make(spark, stock_there, base, made, named)
        assert layout.properties(base)["hoodie.table.timeline.timezone"] == named, made
        rows_there = take_turns(spark, stock_there, base)
        instants = sorted(path.stem for path in (base / ".hoodie").glob("*.commit"))
        assert len(instants) == 5, made
        now = datetime.now(ZoneInfo("UTC" if named == "UTC" else zone)).replace(tzinfo=None)
        for instant in instants:
            begun = datetime.strptime(instant[:14], "%Y%m%d%H%M%S")
            assert now - timedelta(minutes=30) < begun <= now, (made, instant)
        moment = datetime.now(ZoneInfo("UTC"))
        as_of = f"SELECT count(*) FROM {base.name} TIMESTAMP AS OF '{moment:%F %T.%f}'"
        assert spark.sql(as_of).collect()[0][0] == rows_there, made


def make(spark: SparkSession, stock: StockSpark, base: Path, made: str, named: str) -> None:
    """A table of 1,000 rows, made by stock with its timeline in a zone, or by hudilite."""
    if made == "hudilite":
        spark.sql(
            f"CREATE TABLE {base.name} (id STRING, d DOUBLE, v STRING, p STRING, ts BIGINT) "
            "USING hudilite PARTITIONED BY (p) WITH BUCKETS 4 "
            f"TBLPROPERTIES (primaryKey = 'id', preCombineField = 'ts') LOCATION '{base}'"
        )
        merge(spark, base.name, rows(0, 1000, "one"), ("id", "p"))
    else:
        options = options_of(base) | {"hoodie.table.timeline.timezone": named}
        stock_writes(stock, base, rows(0, 1000, "one"), options)
        spark.sql(f"CREATE TABLE {base.name} USING hudilite WITH BUCKETS 4 LOCATION '{base}'")


def take_turns(spark: SparkSession, stock: StockSpark, base: Path) -> int:
    """Two upserts by each, all readers after each of them; the rows that are there in the end."""
    expected = rows(0, 1000, "one")
    for turn in range(2):
        mine = rows(900 + turn, 1100 + turn, "merged" if turn == 0 else "hudilite again")
        merge(spark, base.name, mine, ("id", "p"))
        expected = overlaid(expected, mine)
        assert_all_read(spark, stock, base.name, base, expected)
        theirs = rows(950 + turn, 1200 + turn, "stock again" if turn == 0 else "hudilite again")
        stock_writes(stock, base, theirs, options_of(base))
        expected = overlaid(expected, theirs)
        assert_all_read(spark, stock, base.name, base, expected)
    return expected.num_rows


def options_of(base: Path) -> dict[str, str]:
    """What stock is told of a table."""
    return BUCKETS | {"hoodie.table.name": base.name}
