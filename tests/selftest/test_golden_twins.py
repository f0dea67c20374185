"""What Delta is asked for a golden file, and which files cannot be compared with it."""

from __future__ import annotations

from pathlib import Path

import pytest

from harness import golden, twin
from harness.setups import NAMES, matrix

SQL = Path(__file__).parents[1] / "sql"
FILES = sorted(SQL.rglob("*.sql"))


def test_a_declaration_becomes_one_of_delta() -> None:
    text = (
        "CREATE TABLE t (id INT, d DECIMAL(10, 2) DEFAULT 1, v STRING COMMENT 'a, (b)', "
        "PRIMARY KEY (id, `v`))\nUSING Hudilite PARTITIONED BY (v) WITH BUCKETS 3 ON (id) "
        "TBLPROPERTIES (type = 'cow', 'note' = 'x (y)') LOCATION '/x'"
    )
    told = twin.statement(text)
    assert told.startswith(
        "CREATE TABLE t (id INT, d DECIMAL(10, 2) DEFAULT 1, v STRING COMMENT 'a, (b)')\nUSING delta"
    )
    for word in ("BUCKETS", "cow", "PRIMARY", "note"):
        assert word not in told
    assert told.endswith("LOCATION '/x'")


def test_another_statement_stays() -> None:
    text = "SELECT 'USING parquet WITH BUCKETS 3' FROM t"
    assert twin.statement(text) == text


@pytest.mark.parametrize(
    ("text", "compared"),
    [
        ("SELECT * FROM t", True),
        ("MERGE INTO t USING s ON t.id = s.id WHEN MATCHED THEN DELETE", True),
        ("WITH s AS (SELECT 1) SELECT * FROM s", True),
        ("SELECT _hoodie_record_key FROM t", False),
        ("EXPLAIN SELECT 1", False),
        ("CALL show_timeline('t')", False),
        ("SHOW TABLES", False),
    ],
)
def test_rows_that_both_must_give(text: str, compared: bool) -> None:
    block = golden.parse_golden(f"query\n{text}\n").blocks[0]
    assert twin.is_compared(block) is compared


def test_a_difference_is_reported(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(twin, "KEPT", tmp_path)
    file = SQL / "a" / "b.sql"
    assert twin.differences(file, {"1": []}) == ["it was not run on Delta: use make golden-update"]
    twin.keep(file, {"1": ["x"], "5": []})
    assert twin.differences(file, {"1": ["x"], "5": [], "9": ["more"]}) == []
    assert twin.differences(file, {"1": ["y"], "5": []}) == ["line 1: Delta gives\n    x"]
    assert twin.differences(file, {"5": []}) == ["line 1: Delta gives\n    x"]


@pytest.mark.parametrize("file", FILES, ids=lambda f: str(f.relative_to(SQL)))
def test_a_golden_file_is_compared_with_delta_or_has_a_reason(file: Path) -> None:
    parsed = golden.parse_golden(file.read_text(encoding="utf-8"))
    assert parsed.hand or any(twin.is_compared(block) for block in parsed.blocks), (
        "nothing to compare: put `-- Hand: <reason>` on top"
    )


def test_the_matrix_is_forty_files_or_more_under_three_set_ups() -> None:
    files = matrix()
    assert len(set(files)) == len(files) >= 40
    assert all(file in FILES for file in files)
    assert NAMES == ("memory", "hive", "named")
