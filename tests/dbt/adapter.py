"""dbt's adapter suite (dbt-tests-adapter) by file format, each in a process of dbt's own Python."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

from shop import EXAMPLE, PACKAGE, PYTHON, SESSION, SITE

from harness import one_jar
from harness.clients import as_of_a_terminal, environment, running_server
from harness.java import short_lived
from harness.setups import EXTENSIONS, JARS, hive_conf

CLASSES = Path(__file__).with_name("adapter_classes.py")
# pytest is not in dbt's environment: it stands behind it, as pyspark does.
START = "import sys; sys.path.append(sys.argv.pop(1)); import pytest; sys.exit(pytest.main(sys.argv[1:]))"
LIST = "import sys; sys.path.append(sys.argv[1]); import adapter_classes; adapter_classes.main()"
PLUGINS = ("-p", "dbt.tests.fixtures.project", "-p", "no:cacheprovider")
# Tests that pass with no format, and would take ten minutes each.
HOPELESS = {
    "TestSeedSpecificFormats::test_simple_seed": "a seed's name has dots, which are parts of a name to Spark"
}
REASON = re.compile(r"\[[A-Z][A-Z0-9_.]+\]|\bError in\b|\bError:")


@dataclass(frozen=True)
class Outcome:
    """Result of a test.

    Attributes:
        passed: Whether it passed, its fixtures included.
        reason: Why not, in one line.
    """

    passed: bool
    reason: str = ""


def spark_settings(file_format: str, folder: Path) -> dict[str, str]:
    """The session of a file format, in which a table without USING has that format, too."""
    own = SESSION | {
        "spark.sql.sources.default": file_format,
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.sql.session.timeZone": "UTC",
        "spark.driver.extraJavaOptions": "-Duser.timezone=UTC",
        "spark.ui.showConsoleProgress": "false",
    }
    if file_format == "hudilite":
        return own
    jars = JARS.read_text(encoding="utf-8").split()
    return own | {
        "spark.jars": ",".join(jars),
        "spark.driver.extraClassPath": os.pathsep.join(jars),
        "spark.sql.extensions": EXTENSIONS[0],
        "spark.sql.catalog.spark_catalog": "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.databricks.delta.snapshotPartitions": "2",
    }


def in_session(file_format: str, folder: Path) -> dict[str, Any]:
    """The fields of a profile whose Spark is in dbt's own process."""
    settings = spark_settings(file_format, folder)
    return {"method": "session", "host": "NA", "server_side_parameters": settings}


@contextmanager
def on_server(file_format: str, folder: Path) -> Iterator[dict[str, Any]]:
    """The fields of a profile whose Spark is a Thrift server with a metastore of its own."""
    folder.mkdir(parents=True)
    settings = spark_settings(file_format, folder) | hive_conf(folder)
    with running_server(settings, folder, **one_jar.variables(short_lived())) as (port, _):
        # The server itself waits a while for the end of a statement; dbt waits five seconds more.
        yield {"method": "thrift", "host": "127.0.0.1", "port": port, "poll_interval": 0}


def outcomes(
    file_format: str, profile: dict[str, Any], folder: Path, *chosen: str, seconds: int = 7000
) -> dict[str, Outcome]:
    """Runs classes of the suite, all where none is chosen, and returns each test by class and name.

    Raises:
        AssertionError: if the process ends without a report.
    """
    module, asked = suite_in(folder, file_format, profile)
    report = folder / "report.xml"
    words = ["-q", f"--rootdir={module.parent}", f"--basetemp={folder / 'projects'}", *PLUGINS]
    words += [f"--junit-xml={report}", "-o", "junit_logging=all", "--tb=short"]
    words += [f"--deselect={CLASSES.name}::{name}" for name in HOPELESS]
    words += [f"{module}::{name}" for name in chosen] or [str(module)]
    own = {"HUDILITE_DBT_ASKED": str(asked), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
    own |= {"SPARK_SUBMIT_OPTS": short_lived(), "PYSPARK_PYTHON": ""}
    log = folder / "log.txt"
    with log.open("w") as written:
        subprocess.run(
            [str(PYTHON), "-c", START, SITE, *words],
            cwd=folder,
            env=environment() | own,
            stdout=written,
            stderr=subprocess.STDOUT,
            timeout=seconds,
            check=False,
            preexec_fn=as_of_a_terminal,
        )
    assert report.exists(), log.read_text(encoding="utf-8", errors="replace")[-3000:]
    left = {} if chosen else HOPELESS
    return read(report) | {name: Outcome(False, reason) for name, reason in left.items()}


def suite_in(folder: Path, file_format: str, profile: dict[str, Any]) -> tuple[Path, Path]:
    """Puts the module that dbt's Python collects into a folder; returns it, and what it is asked for.

    The suite writes beside the module, and reads a seed from there.
    """
    suite, asked = folder / "suite", folder / "asked.json"
    suite.mkdir(parents=True)
    shutil.copy(seed_with_a_mark(), suite)
    document = {
        "file_format": file_format,
        "profile": profile,
        "package": str(PACKAGE),
        "wrappers": str(EXAMPLE / "macros"),
    }
    asked.write_text(json.dumps(document), encoding="utf-8")
    return Path(shutil.copy(CLASSES, suite)), asked


def names_by_module(folder: Path) -> dict[str, list[str]]:
    """The tests of the suite by its modules, as class and name, without running them."""
    module, asked = suite_in(folder, "hudilite", {})
    listed = subprocess.run(
        [str(PYTHON), "-c", LIST, SITE],
        cwd=module.parent,
        env=environment() | {"HUDILITE_DBT_ASKED": str(asked)},
        capture_output=True,
        text=True,
        check=True,
    )
    found: dict[str, list[str]] = json.loads(listed.stdout)
    return found


def seed_with_a_mark() -> Path:
    """The file of dbt's suite that begins with a byte order mark."""
    (found,) = PYTHON.parents[1].glob("lib/python*/site-packages/dbt/tests/adapter/**/seed_bom.csv")
    return found


def read(report: Path) -> dict[str, Outcome]:
    """The tests of a JUnit report by class and name; one that failed in several phases is one."""
    found: dict[str, Outcome] = {}
    for case in ElementTree.parse(report).iter("testcase"):
        name = f"{case.get('classname', '').rpartition('.')[2]}::{case.get('name')}"
        faults = [each for each in case if each.tag in ("failure", "error", "skipped")]
        if faults:
            found[name] = Outcome(False, reason_of(case, faults[0]))
        else:
            found.setdefault(name, Outcome(True))
    return found


def reason_of(case: ElementTree.Element, fault: ElementTree.Element) -> str:
    """The error that dbt printed last, else what pytest says."""
    printed = (case.findtext("system-out") or "") + (fault.text or "")
    errors = [line.strip() for line in printed.splitlines() if REASON.search(line)]
    words = [*(fault.get("message") or "").splitlines()[:1], *errors[-1:]]
    return " | ".join(words)[:400]
