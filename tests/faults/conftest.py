"""A session whose file operations are counted, one after another, and can be broken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import ledger
import pytest
from asked import SEED
from damaged import newest_base_file
from runs import Enumeration

from harness.java import LAYER
from harness.session import open_session

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.fixture(scope="session")
def fault_conf(fault_classes: str) -> dict[str, str]:
    """Settings that open the door for faults and put the counting file system in the way.

    One core, so that operations come in one order and a point means the same in every run.
    """
    return {
        "spark.master": "local[1]",
        "spark.driver.memory": "1g",
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.extraJavaOptions": f"-Duser.timezone=UTC {LAYER}",
        "spark.hadoop.fs.file.impl": "hudilite.tests.FaultFileSystem",
    }


@pytest.fixture(scope="session")
def spark(warehouse: Path, fault_conf: dict[str, str]) -> Iterator[SparkSession]:
    """The one Spark session of this process."""
    session = open_session("hudilite faults", warehouse, fault_conf)
    session.sparkContext.setLogLevel("OFF")  # thousands of planned errors
    yield session
    session.stop()


@pytest.fixture(scope="session")
def enumeration(spark: SparkSession, tmp_path_factory: pytest.TempPathFactory) -> Enumeration:
    made = Enumeration(spark, tmp_path_factory.mktemp("faults"))
    ledger.OPERATIONS = made.made
    return made


@pytest.fixture
def victims(enumeration: Enumeration) -> Path:
    """A folder beside the table, whose files nobody may touch."""
    folder = enumeration.folder / "outside"
    if not folder.exists():
        folder.mkdir()
        for name in ("x.parquet", newest_base_file(enumeration.original).name, "notes.txt"):
            (folder / name).write_text("victim")
    return folder


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Operations, runs and minutes; each point's outcome goes into a file."""
    if not ledger.OUTCOMES:
        return
    page = Path(".build") / "faults.txt"
    page.parent.mkdir(exist_ok=True)
    told = [f"HUDILITE_SEED={SEED}", *ledger.summary(), *map(str, ledger.OUTCOMES)]
    page.write_text("\n".join(told) + "\n", encoding="utf-8")
    for line in [*ledger.summary(), f"each point: {page}"]:
        terminalreporter.write_line(line)
