"""Runs a parsed golden file in a session and gives the text of its outcome."""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa

from harness import layout, names
from harness.cells import row_texts
from harness.faults import Fault, fault_of
from harness.golden import Block, GoldenFile, Outcome, normaliser, render
from harness.session import GENERATED, expressions_conf

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession

BUCKETS = re.compile(r"\s+WITH\s+BUCKETS\s+\d+(\s+ON\s*\([^)]*\))?", re.IGNORECASE)
PROSE = ("fix", "reason", "hint", "message")
SINCE_SPARK_4_2 = ("searchPath",)
INSTANT = re.compile(r"\{instant (?P<number>\d+) of (?P<table>\w+)\}")
OTHER_EACH_RUN = {
    "requested_time": "{time}",
    "completed_time": "{time}",
    "bytes_read": "{bytes}",
    "bytes_written": "{bytes}",
    "bytes_deleted": "{bytes}",
    "bytes": "{bytes}",
    "bytes_rewritten": "{bytes}",
    "bytes_hidden": "{bytes}",
    "log_bytes": "{bytes}",
    "file_id": "{id}",
    "milliseconds": "{ms}",
    "timestamp": "{time}",
    "lastModified": "{time}",
    "sizeInBytes": "{bytes}",
    "table_size_after_restore": "{bytes}",
    "id": "{id}",
    "state_transition_time": "{time}",
    "time_taken_in_millis": "{ms}",
    "total_bytes_written": "{bytes}",
    "file_size": "{bytes}",
    "avg_record_size": "{bytes}",
    "least_bytes": "{bytes}",
    "median_bytes": "{bytes}",
    "largest_bytes": "{bytes}",
    "bytes_to_read": "{bytes}",
    "bytes_to_write": "{bytes}",
}
EXACT_IF_0 = {"log_bytes", "bytes_to_read", "bytes_to_write"}
BYTES = re.compile(
    r"(?P<name>numOutputBytes->|numBytesAdded:|^(bytes_\w+|log_bytes): )[1-9]\d*|\b\d+(?= [KM]B\b)"
)


def run_golden(
    spark: SparkSession,
    golden: GoldenFile,
    database: str,
    folder: Path,
    catalog: str = "spark_catalog",
    rows: dict[str, list[str]] | None = None,
) -> str:
    """Runs every block in a session of its own and a fresh database under a folder.

    Args:
        catalog: Where the database is made; the text says `spark_catalog` whatever its name.
        rows: Filled with the rows of each query, by its line.

    Raises:
        AssertionError: naming each block that fails and should not, passes and should fail, or
            fails with another condition.
    """
    place = folder / "db"
    session = spark.newSession()
    session.sql(f"CREATE DATABASE {catalog}.{database} LOCATION '{place}'")
    session.sql(f"USE {catalog}.{database}")
    for key, value in golden.config.items():
        session.conf.set(key, value)
    unexpected: list[str] = []
    outcomes = [_outcome(session, block, folder, unexpected) for block in golden.blocks]
    assert not unexpected, "\n\n".join(unexpected)
    if rows is not None:
        pairs = zip(golden.blocks, outcomes, strict=True)
        rows |= {str(b.line): o.rows for b, o in pairs if o is not None and not o.error}
    places = {place.as_uri(): "{database}", f"file:{place}": "{database}"}
    places |= {str(place): "{database}", str(folder): "{folder}", f"file:{folder}": "{folder}"}
    places |= {database: "{database name}", catalog: "spark_catalog"}
    places |= {f"/{names.current().metadata}": f"/{names.VERSION_6.metadata}"}
    return normaliser(places)(render(golden, outcomes))


def _outcome(
    spark: SparkSession, block: Block, folder: Path, unexpected: list[str]
) -> Outcome | None:
    if block.ignored_for is not None:
        return None
    text = names.in_text(of_index(block.text)).replace("{folder}", str(folder))
    try:
        text = with_instants(text, folder / "db")
        frame = _planned(spark, text) if block.is_plan else spark.sql(text)
        table = frame.toArrow() if frame.columns else pa.table({})
        outcome = Outcome(frame.schema.simpleString(), rows_of(block, table))
    except Exception as error:  # noqa: BLE001 - judged against what the block expects
        fault = fault_of(error)
        if fault.condition != block.expected_error:
            wanted = block.expected_error or "success"
            told = str(error).strip()[:600]
            unexpected.append(f"line {block.line}: {wanted} expected\n{block.text}\n{told}")
        return _failed(fault)
    if block.expected_error is not None:
        unexpected.append(f"line {block.line}: {block.expected_error} expected, it passed\n{text}")
    return outcome


def _planned(spark: SparkSession, text: str) -> DataFrame:
    """The answer of EXPLAIN: the plan that a user gets, whatever expressions the run asks for."""
    asked = expressions_conf()
    try:
        _set(spark, GENERATED)
        return spark.sql(text)
    finally:
        _set(spark, asked)


def _set(spark: SparkSession, settings: dict[str, str]) -> None:
    for key, value in settings.items():
        spark.conf.set(key, value)


def with_instants(text: str, database: Path) -> str:
    """The text with the instants of a table's commits, which it names by their place from 1 on."""
    return INSTANT.sub(
        lambda found: sorted(layout.completed(database / found["table"]))[int(found["number"]) - 1],
        text,
    )


def without_buckets() -> bool:
    """Whether HUDILITE_INDEX=bloom asks for tables without buckets."""
    return os.environ.get("HUDILITE_INDEX") == "bloom"


def of_index(text: str) -> str:
    """The text, without its WITH BUCKETS where the run asks for none."""
    return BUCKETS.sub("", text) if without_buckets() else text


def rows_of(block: Block, table: pa.Table) -> list[str]:
    """Rows as cells, sorted unless the text orders them; a plan as its lines; of a procedure's rows
    what is the same in each run."""
    if block.is_plan:
        lines = [line for line in str(table.column(0)[0]).splitlines() if line]
        return [BYTES.sub(r"\g<name>{bytes}", line) for line in lines]
    for name in set(table.column_names) & set(OTHER_EACH_RUN) if block.is_call else ():
        told = [_told(name, value) for value in table[name]]
        table = table.set_column(table.column_names.index(name), name, pa.array(told, pa.string()))
    rows = row_texts(table)
    if block.is_call:
        rows = [BYTES.sub(r"\g<name>{bytes}", row) for row in rows]
    return rows if block.ordered else sorted(rows)


def _told(name: str, value: pa.Scalar) -> str | None:
    """What stands for a value of a column whose values differ in each run."""
    if not value.is_valid:
        return None
    return "0" if name in EXACT_IF_0 and value.as_py() == 0 else OTHER_EACH_RUN[name]


def _failed(fault: Fault) -> Outcome:
    kept = set(fault.parameters) - {*PROSE, *SINCE_SPARK_4_2}
    told = {key: fault.parameters[key] for key in kept}
    named = [f"{key}: {_line(value)}" for key, value in sorted(told.items())]
    return Outcome(error=[f"{fault.condition} {fault.sql_state or 'no SQLSTATE'}", *named])


def _line(value: str) -> str:
    return str(value).replace("\n", "\\n")
