"""CALL show_commits reads the commits that it shows, and no others."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness.opens import opened_files
from harness.rotation import ninth, product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = ninth(5, when=product("spark/meta/", "core/commit/"))


def test_a_limit_is_that_of_the_commits_that_are_read(spark: SparkSession, database: Path) -> None:
    spark.sql("CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 1")
    for number in range(6):
        spark.sql(f"INSERT INTO t VALUES ({number}, 'v')")
    folder = database / "t" / ".hoodie"
    every = sorted(path.name for path in folder.glob("*.commit"))
    for call in ("show_commits", "show_commits_metadata"):
        with opened_files([folder]) as opened:
            shown = spark.sql(f"CALL {call}(table => 't', limit => 2)").collect()
        assert [f"{row['commit_time']}.commit" for row in shown] == every[:-3:-1]
        read = {path.name for path in opened if path.suffix == ".commit"}
        assert every[-1] in read
        assert read <= set(every[-2:])
