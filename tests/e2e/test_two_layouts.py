"""Tables of two layouts in one session: each keeps the layout that its metadata folder has."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from harness import names
from harness.children import run_child
from harness.invariants import check_table
from harness.java import second_layout
from harness.rotation import ninth, product

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = ninth(5, when=product("core/timeline/", "spark/catalog/"))

COLUMNS = "(id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"
MERGE = (
    "MERGE INTO {} USING {} s ON t.id = s.id "
    "WHEN MATCHED THEN UPDATE SET v = concat(t.v, s.v) WHEN NOT MATCHED THEN INSERT *"
)


def test_tables_of_two_layouts_are_written_in_one_session(
    spark: SparkSession, database: Path, tmp_path: Path
) -> None:
    spark.sql(f"CREATE TABLE old {COLUMNS}")
    spark.sql("INSERT INTO old VALUES (1, 'a'), (2, 'b')")
    old, new = database / "old", tmp_path / "new"
    steps = {
        "adopt": f"CREATE TABLE old USING hudilite LOCATION '{old}'",
        "create": f"CREATE TABLE new {COLUMNS} LOCATION '{new}'",
        "insert": "INSERT INTO new VALUES (2, 'c'), (3, 'd')",
        "into old": MERGE.format("old t", "new"),
        "into new": MERGE.format("new t", "old"),
        "by path": f"DELETE FROM hudilite.`{old}` WHERE id = 1",
        "rows of old": "SELECT * FROM old ORDER BY id",
        "rows of new": "SELECT * FROM new ORDER BY id",
        "verify old": "CALL verify(table => 'old')",
        "verify new": "CALL verify(table => 'new')",
    }
    asked = [{"label": label, "sql": sql} for label, sql in steps.items()]
    told = run_child(tmp_path / "child", asked, second_layout())
    assert {label: told.rows(label) for label in steps if label.startswith("rows")} == {
        "rows of old": [[2, "bc"], [3, "d"]],
        "rows of new": [[1, "a"], [2, "cbc"], [3, "dd"]],
    }
    assert told.rows("verify old") == told.rows("verify new") == []
    folders = (names.VERSION_6.metadata, names.SECOND.metadata)
    assert [[(base / name).is_dir() for name in folders] for base in (old, new)] == [
        [True, False],
        [False, True],
    ]
    assert check_table(old) == []
    spark.catalog.refreshTable("old")
    assert [tuple(row) for row in spark.table("old").orderBy("id").collect()] == [
        (2, "bc"),
        (3, "d"),
    ]
