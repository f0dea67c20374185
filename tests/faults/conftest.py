"""A session whose file operations are counted, one after another, and can be broken."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import ledger
import pytest
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
        "spark.sql.shuffle.partitions": "2",
        "spark.driver.extraClassPath": fault_classes,
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


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Operations, runs and minutes; each point's outcome goes into a file."""
    if not ledger.OUTCOMES:
        return
    page = Path(".build") / "faults.txt"
    page.parent.mkdir(exist_ok=True)
    page.write_text("".join(f"{outcome}\n" for outcome in ledger.OUTCOMES), encoding="utf-8")
    for line in [*ledger.summary(), f"each point: {page}"]:
        terminalreporter.write_line(line)
