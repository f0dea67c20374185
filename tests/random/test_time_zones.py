"""Moments and days as keys and values give the same rows whatever the zones of the sessions."""

from __future__ import annotations

import datetime
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.canonical import Row, assert_same_rows, canonical_rows
from model.relations import DATABASE, NAMES, SEED, settings

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ZONE = "spark.sql.session.timeZone"
ZONES = ("UTC", "America/St_Johns", "Pacific/Apia")
TURNS = [1710055800_000000, 1325152800_000000, 0, -2203891200_000000]  # clocks change at some


@pytest.mark.fault("F80")
def test_rows_do_not_depend_on_the_time_zone_of_a_session(
    spark: SparkSession, folder: Path
) -> None:
    """Filled in one zone, merged in another, read in a third; the key is a moment and a day."""
    answer, rows = in_zones(spark, "UTC", "UTC", "UTC")
    assert answer == (10, 5, 0, 5)
    for at in (1, 2):
        other, turned = in_zones(spark, *ZONES[at:], *ZONES[:at])
        assert_same_rows(rows, turned, f"zones turned by {at}")
        assert other == answer


def in_zones(spark: SparkSession, filled: str, merged: str, read: str) -> tuple[Row, list[Row]]:
    """The answer of a MERGE and the rows after it, with their key texts."""
    first, second = moments_sql()
    table = f"{DATABASE}.t{next(NAMES)}"
    with settings(spark, {ZONE: filled}):
        spark.sql(
            f"CREATE TABLE {table} (at TIMESTAMP, day DATE, seen TIMESTAMP, due DATE, "
            "PRIMARY KEY (at, day)) USING hudilite WITH BUCKETS 3"
        )
        spark.sql(f"INSERT INTO {table} {first}")
    with settings(spark, {ZONE: merged}):
        (answer,) = spark.sql(
            f"MERGE INTO {table} t USING ({second}) s ON t.at = s.at AND t.day = s.day "
            "WHEN MATCHED AND t.seen < s.seen THEN UPDATE SET * "
            "WHEN MATCHED THEN UPDATE SET due = date_add(s.due, 1) WHEN NOT MATCHED THEN INSERT *"
        ).collect()
    with settings(spark, {ZONE: read}):
        names = "at, day, seen, due, _hoodie_record_key"
        return tuple(answer), canonical_rows(spark.sql(f"SELECT {names} FROM {table}").toArrow())


def moments_sql() -> tuple[str, str]:
    """Two sources of ten rows that share five keys; their values mean the same in every zone."""
    rng = random.Random(SEED)
    epoch = datetime.date(1970, 1, 1)

    def moment() -> str:
        micros = rng.choice(TURNS) + rng.randrange(-7200, 7200) * 1_000_000 + rng.choice([0, 1])
        return f"timestamp_micros({micros})"

    def day() -> str:
        return f"DATE'{epoch + datetime.timedelta(rng.randrange(-30000, 30000))}'"

    def select(keys: list[str]) -> str:
        rows = ", ".join(f"({key}, {moment()}, {day()})" for key in keys)
        return f"SELECT * FROM VALUES {rows} AS q(at, day, seen, due)"

    keys = [f"{moment()}, {day()}" for _ in range(15)]
    return select(keys[:10]), select(keys[5:])
