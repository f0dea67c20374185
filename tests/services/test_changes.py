"""hudilite_changes: what it opens, and that its rows lead from one version to the next."""

from __future__ import annotations

import itertools
import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from harness import layout
from harness.opens import opened_files
from harness.rotation import product
from harness.seeds import asked_seed

if TYPE_CHECKING:
    from pyspark.sql import Row, SparkSession

Rows = dict[tuple[int, str], str]


def files_of(base: Path, instant: str) -> tuple[set[Path], set[Path]]:
    """The base files that a commit wrote, and those that stood there before."""
    written, replaced = set(), set()
    for partition, stats in layout.commit_metadata(base, instant)["partitionToWriteStats"].items():
        for stat in stats:
            written.add(base / stat["path"])
            replaced |= {s.path for s in before(base, instant) if s.file_id == stat["fileId"]}
        assert partition
    return written, replaced


def before(base: Path, instant: str) -> list[layout.Slice]:
    """The slices of the version before an instant."""
    earlier = [i for i in sorted(layout.completed(base)) if i < instant]
    return layout.latest_slices(base, as_of=earlier[-1]) if earlier else []


@pytest.mark.parametrize(
    "size", [1, pytest.param(8, marks=pytest.mark.rotated(third=0, when=product("spark/read/")))]
)
def test_changes_open_what_the_commits_wrote_and_replaced(
    spark: SparkSession, database: Path, size: int
) -> None:
    spark.sql(
        "CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id)) "
        "USING hudilite PARTITIONED BY (p) WITH BUCKETS 2"
    )
    rows = f"SELECT int(id), concat('p', id % {4 * size}), 'one' FROM range({64 * size})"
    spark.sql(f"INSERT INTO t {rows}")
    spark.sql("UPDATE t SET v = 'two' WHERE p = 'p0'")
    spark.sql("UPDATE t SET v = 'three' WHERE p = 'p1' AND id = 1")
    spark.sql("UPDATE t SET v = 'four' WHERE p = 'p2'")
    base = database / "t"
    first, second, third, _ = sorted(layout.completed(base))
    wanted: set[Path] = set()
    for instant in (second, third):
        wanted.update(*files_of(base, instant))
    assert len(wanted) == 6
    with opened_files(sorted(base.glob("p=*"))) as opened:
        told = spark.sql(f"SELECT * FROM hudilite_changes('t', '{first}', '{third}')").collect()
    assert {path for path in opened if path.suffix == ".parquet"} == wanted
    kinds = [row["_change_type"] for row in told]
    assert kinds.count("update_preimage") == kinds.count("update_postimage") == 16 + 1
    assert len(kinds) == 2 * 17


READING = product("spark/read/", "core/view/")


def followed(rows: Rows, told: list[Row]) -> Rows:
    """The rows of a table after changes, each of which fits what was there before."""
    found = dict(rows)
    for instant in sorted({row["_commit_instant"] for row in told}):
        of = [row for row in told if row["_commit_instant"] == instant]
        for row in of:
            if row["_change_type"] in ("delete", "update_preimage"):
                assert found.pop((row.id, row.p)) == row.v
        for row in of:
            if row["_change_type"] in ("insert", "update_postimage"):
                assert (row.id, row.p) not in found
                found[(row.id, row.p)] = row.v
    return found


@pytest.mark.parametrize(
    ("form", "version", "buckets"),
    [
        pytest.param("cow", 6, 2, marks=pytest.mark.rotated(third=2, when=READING)),
        pytest.param("mor", 6, 2, marks=pytest.mark.rotated(third=1, when=READING)),
        pytest.param("mor", 9, 2, marks=pytest.mark.rotated(third=0, when=READING)),
        pytest.param("cow", 6, 0, marks=pytest.mark.rotated(third=1, when=READING)),
        pytest.param("mor", 6, 0, marks=pytest.mark.rotated(third=2, when=READING)),
    ],
)
def test_changes_lead_from_each_version_to_each_later_one(
    spark: SparkSession, database: Path, form: str, version: int, buckets: int
) -> None:
    seed = asked_seed()
    print(f"HUDILITE_SEED={seed}")
    chance = random.Random(seed)
    spark.sql(
        "CREATE TABLE t (id INT, p STRING, v STRING, PRIMARY KEY (id, p)) "
        f"USING hudilite PARTITIONED BY (p) {f'WITH BUCKETS {buckets}' if buckets else ''} "
        f"TBLPROPERTIES (type = '{form}', 'hoodie.write.table.version' = '{version}')"
    )
    for step in range(8):
        keys = ", ".join(str(chance.randrange(20)) for _ in range(6))
        part = chance.choice("ab")
        spark.sql(
            chance.choice(
                (
                    f"MERGE INTO t USING (SELECT DISTINCT int(k) id, '{part}' p, '{step}' v "
                    f"FROM (SELECT explode(array({keys})) k)) s ON t.id = s.id AND t.p = s.p "
                    "WHEN MATCHED AND s.id % 3 = 0 THEN DELETE WHEN MATCHED THEN UPDATE SET * "
                    "WHEN NOT MATCHED THEN INSERT *",
                    f"UPDATE t SET v = concat(v, '{step}') WHERE id IN ({keys})",
                    f"INSERT OVERWRITE t PARTITION (p = '{part}') SELECT DISTINCT int(k), '{step}' "
                    f"FROM (SELECT explode(array({keys})) k)",
                    f"DELETE FROM t WHERE id IN ({keys})",
                )
            )
            if step
            else "INSERT INTO t SELECT int(id), if(id < 9, 'a', 'b'), 'new' FROM range(18)"
        )
    instants = sorted(layout.completed(database / "t"))
    assert len(instants) >= 3
    assert any((database / "t").rglob(".*.log.*")) == (form == "mor")
    versions = {
        instant: {
            (row.id, row.p): row.v
            for row in spark.sql(f"SELECT * FROM t VERSION AS OF '{instant}'").collect()
        }
        for instant in instants
    }
    for start, end in itertools.combinations(instants, 2):
        told = spark.sql(f"SELECT * FROM hudilite_changes('t', '{start}', '{end}')").collect()
        assert followed(versions[start], told) == versions[end], (start, end)
    earliest = "SELECT * FROM hudilite_changes('t', 'earliest')"
    for service in (
        "archive(table => 't', keep_min => 5, keep_max => 6)",
        "clean(table => 't', retain_commits => 3, retain_hours => 0, allow_short_retention => true)",
        "archive(table => 't', keep_min => 1, keep_max => 2)",
    ):
        assert followed({}, spark.sql(earliest).collect()) == versions[instants[-1]], service
        spark.sql(f"CALL {service}").collect()
    assert followed({}, spark.sql(earliest).collect()) == versions[instants[-1]]
