"""support.txt: each form has a status, and a test that shows it. docs/sql-reference.md: its examples run."""

from __future__ import annotations

import re
import sys
from functools import cache
from pathlib import Path

import pytest
from pyspark.sql import SparkSession

from harness.golden import Block, out_path, parse_golden
from hudilite.lint.procedures import PROCEDURES

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tools"))

from support_doc import LIST, Line, conditions, lines, squeezed

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "sql-reference.md"
SQL = ROOT / "tests" / "sql"
STATUSES = {"works", "error"}

# The rows that the peers are compared by.
ROWS = {
    *(
        "CREATE TABLE",
        "Partitioning",
        "Buckets",
        "Primary key",
        "CTAS",
        "CREATE OR REPLACE",
        "LIKE",
    ),
    *(
        "ALTER columns",
        "ALTER layout",
        "TRUNCATE",
        "SHOW/DESCRIBE",
        "INSERT INTO",
        "INSERT OVERWRITE",
    ),
    *("UPDATE / DELETE", "MERGE clauses", "NOT MATCHED BY SOURCE", "SCHEMA EVOLUTION clause"),
    *("Sub-query source", "ON restrictions", "Type rule", "Duplicate source rows", "MERGE result"),
    *("EXPLAIN MERGE", "Time travel", "TVFs", "Metadata columns", "Metadata tables", "Streaming"),
    *("DataFrame", "Python classes", "Procedures", "Commands"),
}

LINES = lines(LIST.read_text(encoding="utf-8"))


def test_every_row_of_the_comparison_is_in_the_list() -> None:
    assert ROWS - {line.row for line in LINES} == set()


def test_no_line_comes_twice() -> None:
    assert len({(line.row, line.form) for line in LINES}) == len(LINES) > len(ROWS)


def test_every_procedure_is_in_the_list() -> None:
    shown = {word for line in LINES if line.row == "Procedures" for word in line.form.split(", ")}
    statements = {"SHOW PROCEDURES", "DESCRIBE PROCEDURE"}
    assert shown == set(PROCEDURES) | statements


@pytest.mark.parametrize("line", LINES, ids=str)
def test_line_is_shown_by_its_file(line: Line) -> None:
    assert faults(line) == []


def faults(line: Line) -> list[str]:
    """What is wrong with a line."""
    if line.status not in STATUSES:
        return [f"no status {line.status!r}"]
    if not line.file.is_file():
        return [f"{line.file} does not exist"]
    if line.file.suffix == ".py":
        return [] if in_a_test(line) else [f"no test of {line.file.name} has {line.keyword!r}"]
    if (
        SQL not in line.file.parents
        or line.file.suffix != ".sql"
        or not out_path(line.file).is_file()
    ):
        return [f"{line.file} is no golden file of the suite sql"]
    blocks = parse_golden(line.file.read_text(encoding="utf-8")).blocks
    at = [i for i, block in enumerate(blocks) if squeezed(line.keyword) in squeezed(block.text)]
    if not at:
        return [f"{line.file.name} lacks {line.keyword!r}"]
    passing = [i for i in at if not blocks[i].expected_error]
    if line.status != "works":
        return [] if len(passing) < len(at) else ["no block with the keyword expects an error"]
    if not passing:
        return ["every block with the keyword expects an error"]
    shown = rows(line.file)
    return [] if any(shown[passing[0] :]) else ["no query with rows follows the keyword"]


def in_a_test(line: Line) -> bool:
    """Whether a test function that asserts something holds the keyword."""
    functions = re.split(r"^(?=def )", line.file.read_text(encoding="utf-8"), flags=re.MULTILINE)
    tests = (text for text in functions if text.startswith("def test_") and "assert" in text)
    return any(squeezed(line.keyword) in squeezed(text) for text in tests)


@cache
def rows(file: Path) -> list[int]:
    """How many rows each block of a golden file gave; 0 for what is no query."""
    blocks: list[Block] = parse_golden(file.read_text(encoding="utf-8")).blocks
    parts = re.split(
        r"^-- !(?=(?:statement|query)$)", out_path(file).read_text("utf-8"), flags=re.MULTILINE
    )[1:]
    assert len(parts) == len(blocks), f"{out_path(file)} is of another version of {file.name}"
    given = [part.partition("\n-- !rows\n")[2].splitlines() for part in parts]
    return [len([text for text in found if text.strip()]) for found in given]


def planted_line(status: str, file: str, keyword: str) -> Line:
    return Line("SELECT", "SELECT", "planted", status, SQL / file, keyword)


@pytest.mark.parametrize(
    ("planted", "fault"),
    [
        (planted_line("perhaps", "create/drop.sql", "DROP"), "no status"),
        (planted_line("works", "create/none.sql", "DROP"), "does not exist"),
        (planted_line("works", "conftest.py", "no such words"), "no test of"),
        (planted_line("works", "create/drop.out", "DROP"), "is no golden file"),
        (planted_line("works", "create/drop.sql", "ALTER TABLE"), "lacks"),
        (planted_line("works", "create/errors.sql", "WITH BUCKETS 0"), "expects an error"),
        (planted_line("works", "insert/null_key.sql", "no such"), "lacks"),
        (planted_line("error", "create/drop.sql", "DROP TABLE placed"), "expects an error"),
        (planted_line("works", "create/errors.sql", "SHOW TABLES"), "no query with rows"),
    ],
)  # fmt: skip
def test_a_planted_fault_is_found(planted: Line, fault: str) -> None:
    assert fault in " ".join(faults(planted))


def test_the_list_is_read_line_by_line() -> None:
    text = "# words\n\n## S\nA | b, c | works | sql/s/x.sql | a | b\n"
    assert lines(text) == [Line("S", "A", "b, c", "works", SQL / "s" / "x.sql", "a | b")]
    with pytest.raises(ValueError, match="five parts"):
        lines("A | b | works\n")


def test_a_form_that_is_refused_has_the_condition_of_its_test() -> None:
    refused = next(line for line in LINES if str(line) == "Buckets: SORTED BY")
    assert conditions(refused) == ["HUDILITE_UNSUPPORTED_CLAUSE"]
    assert all(conditions(line) for line in LINES if line.status == "error")


def test_examples_run_one_after_the_other(spark: SparkSession, database: Path) -> None:
    spark.sql(
        "CREATE OR REPLACE TEMPORARY VIEW changes AS SELECT 1L id, 'paid' state, 9.5 amount, DATE'2026-01-02' day"
    )
    spark.sql("CREATE OR REPLACE TEMPORARY VIEW complaints AS SELECT 1L id")
    blocks = re.findall(r"^```sql\n(.*?)^```", PAGE.read_text("utf-8"), re.MULTILINE | re.DOTALL)
    assert len(blocks) > 5
    for statement in (text for block in blocks for text in block.split(";\n")):
        spark.sql(
            statement.replace("/lake/orders", f"{database}/orders").replace("db.", "")
        ).collect()
    spark.catalog.dropTempView("changes")
    spark.catalog.dropTempView("complaints")
