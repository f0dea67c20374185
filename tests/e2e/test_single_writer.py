"""A file system that hudilite does not know is written where the user says that one writer writes."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness.children import run_child
from harness.invariants import check_table
from harness.rotation import product

pytestmark = pytest.mark.rotated(third=0, when=product("core/io/"))


def test_an_unknown_scheme_takes_a_word_of_the_user(tmp_path: Path, java_functions: str) -> None:
    place = tmp_path / "t"
    steps = [
        f"CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 "
        f"LOCATION 'other://{place}'",
        "SET spark.hudilite.write.singleWriter=s3a, other",
        f"CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2 "
        f"LOCATION 'other://{place}'",
        "INSERT INTO t SELECT id, 'old' FROM range(20)",
        "MERGE INTO t USING (SELECT 7 id, 'new' v UNION ALL SELECT 30, 'new') s ON t.id = s.id "
        "WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *",
        "RESET spark.hudilite.write.singleWriter",
        "SELECT v, count(*) FROM t GROUP BY v ORDER BY v",
        "UPDATE t SET v = 'lost'",
        "SELECT v, count(*) FROM t GROUP BY v ORDER BY v",
    ]
    conf = {
        "spark.jars": java_functions,
        "spark.hadoop.fs.other.impl": "hudilite.tests.OtherFileSystem",
    }
    asked = [{"label": str(n), "sql": sql} for n, sql in enumerate(steps)]
    told = run_child(tmp_path / "child", asked, conf)
    failed = {step["label"]: step["error"] for step in told.steps if "error" in step}
    assert failed == {"0": "HUDILITE_UNSAFE_STORAGE", "7": "HUDILITE_UNSAFE_STORAGE"}
    assert told.rows("6") == told.rows("8") == [["new", 2], ["old", 19]]
    assert check_table(place) == []
    warned = [line for line in told.log.splitlines() if "Two writers at the same time" in line]
    assert len(warned) == 3  # CREATE, INSERT and MERGE; not the statements that are refused or read
