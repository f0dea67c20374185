"""The page of a table in Chromium: what it shows is what SQL counts."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness.browser import NO_BROWSER, Drawn, chromium, drawn
from hudilite.cli import main

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = pytest.mark.rotated(third=0, when=("python/src/hudilite/show/",))
BUCKETS = 8


@pytest.fixture(autouse=True)
def browser() -> Iterator[None]:
    if chromium() is None:
        pytest.skip(NO_BROWSER)
    yield


@pytest.fixture
def table(spark: SparkSession, database: Path) -> str:
    """Rows that lie unevenly, and a bucket without any."""
    spark.sql(
        f"CREATE TABLE t (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS {BUCKETS}"
    )
    spark.sql("INSERT INTO t SELECT id, 'a' FROM range(1000)")
    where = "SELECT id FROM t WHERE int(substr(_hoodie_file_name, 1, 8)) = {bucket}"
    for bucket, part in ((0, "true"), (1, "id % 3 = 0")):
        spark.sql(f"DELETE FROM t WHERE id IN ({where.format(bucket=bucket)}) AND {part}")
    spark.sql(
        "MERGE INTO t USING (SELECT id, 'b' AS v FROM range(995, 1010)) s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
    )
    return "t"


def rows(spark: SparkSession) -> dict[int, int]:
    """Rows of each bucket that has some, as SQL counts them."""
    found = spark.sql(
        "SELECT int(substr(_hoodie_file_name, 1, 8)) AS bucket, count(*) FROM t GROUP BY bucket"
    ).collect()
    return {row[0]: row[1] for row in found}


def shown(database: Path, folder: Path, width: int) -> Drawn:
    page = folder / "page.html"
    assert main(["show", str(database / "t"), "-o", str(page), "--footers"]) == 0
    return drawn(page, folder, width=width)


@pytest.mark.parametrize("width", [1280, 600])
def test_one_bar_for_each_bucket_with_its_rows(
    spark: SparkSession, database: Path, table: str, tmp_path: Path, width: int
) -> None:
    counts = rows(spark)
    assert len(set(counts.values())) > 2
    page = shown(database, tmp_path, width)
    bars = page.bars["rows"]
    told = {int(bar.data["bucket"]): int(bar.data["rows"]) for bar in bars}
    assert told == {bucket: counts.get(bucket, 0) for bucket in range(BUCKETS)}
    assert len(bars) == BUCKETS
    most = max(bars, key=lambda bar: bar.height)
    for bar in bars:
        count = int(bar.data["rows"])
        assert bar.height == pytest.approx(most.height * count / max(counts.values()), abs=0.1)
        assert bar.left >= 0 and bar.left + bar.width <= page.window
    assert most.height > 20
    background = "rgba(0, 0, 0, 0)"
    assert {bar.fill for bar in bars} - {background, "none", "rgb(0, 0, 0)"}
    assert all(a.left + a.width <= b.left for a, b in pairwise(bars))


@pytest.mark.parametrize("width", [1280, 600])
def test_nothing_is_wider_than_the_window(
    spark: SparkSession, database: Path, table: str, tmp_path: Path, width: int
) -> None:
    page = shown(database, tmp_path, width)
    assert page.window == width
    assert page.width <= width


def test_the_parts_of_the_timeline_have_different_colors(
    spark: SparkSession, database: Path, table: str, tmp_path: Path
) -> None:
    bars = shown(database, tmp_path, 1280).bars["timeline"]
    assert len({bar.data["instant"] for bar in bars}) == 4
    assert len({bar.fill for bar in bars if bar.height}) == 3
