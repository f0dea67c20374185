"""The project of docs/examples/dbt, made ready for a run, and the steps that the tests take in it."""

from __future__ import annotations

import json
import shutil
import subprocess
import sysconfig
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from harness.clients import as_of_a_terminal, environment
from harness.java import short_lived
from harness.session import JAR

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "docs" / "examples" / "dbt"
PYTHON = ROOT / ".build" / "dbt" / "bin" / "python"
STEPS = Path(__file__).with_name("take_steps.py")
SITE = sysconfig.get_paths()["purelib"]
PACKAGE = Path(SITE) / "hudilite" / "dbt_package"
DAYS = ["--event-time-start", "2026-01-01", "--event-time-end", "2026-01-04"]
MORE = "id,customer,amount,day\n1,ann,11,2026-01-01\n3,cid,31,2026-01-02\n4,dan,40,2026-01-03\n"

SESSION = {
    "spark.master": "local[2]",
    "spark.jars": str(JAR),
    "spark.driver.extraClassPath": str(JAR),
    "spark.sql.extensions": "hudilite.spark.HudiliteExtensions",
    "spark.sql.catalog.spark_catalog": "hudilite.spark.HudiliteCatalog",
    "spark.sql.catalogImplementation": "in-memory",  # one process needs no metastore
    "spark.sql.shuffle.partitions": "2",
    "spark.ui.enabled": "false",
    "spark.hudilite.provider.hudi": "true",
}


@dataclass(frozen=True)
class Dbt:
    """A project in a folder of its own, and the way to Spark.

    Attributes:
        folder: Where the project, the warehouse and the log are.
        file_format: `hudi`, of dbt-spark alone, or `hudilite`, with the package of the wheel.
        port: Of a Thrift server; None for a session in dbt's own process.
    """

    folder: Path
    file_format: str
    port: int | None = None

    @property
    def project(self) -> Path:
        """The folder of the project."""
        return self.folder / "shop"

    def prepare(self) -> None:
        """Copies the example, with a profile, and for `hudi` without what only hudilite's package needs."""
        shutil.copytree(EXAMPLE, self.project)
        text = (EXAMPLE / "dbt_project.yml").read_text(encoding="utf-8")
        quiet = "flags:\n  send_anonymous_usage_stats: false\n"
        if self.file_format == "hudilite":
            packages = f"packages:\n  - local: {PACKAGE}\n"
            (self.project / "packages.yml").write_text(packages, encoding="utf-8")
        else:
            shutil.rmtree(self.project / "macros")
            head, _, tail = text.partition("dispatch:")
            text = head + tail.partition("\n\n")[2].replace("hudilite", self.file_format)
            # dbt-spark states the key of the source for a snapshot.
            text += "  +tblproperties: {primaryKey: dbt_scd_id}\n"
        (self.project / "dbt_project.yml").write_text(text + quiet, encoding="utf-8")
        (self.project / "profiles.yml").write_text(self._profile(), encoding="utf-8")

    def run(self, *steps: dict[str, Any], seconds: int = 500) -> list[Any]:
        """Takes all steps in one process, and returns the result of each."""
        process, asked = self._begun(steps)
        try:
            status = process.wait(timeout=seconds)
        finally:
            process.kill()
        said = (self.folder / "dbt.log").read_text(encoding="utf-8", errors="replace")
        assert status == 0, said[-3000:]
        found = json.loads(Path(f"{asked}.results").read_text(encoding="utf-8"))
        assert isinstance(found, list)
        return found

    def start(self, *steps: dict[str, Any]) -> subprocess.Popen[bytes]:
        """Starts a process that takes all steps, and does not wait for it."""
        return self._begun(steps)[0]

    def _begun(self, steps: tuple[dict[str, Any], ...]) -> tuple[subprocess.Popen[bytes], Path]:
        """The process that takes all steps, and their file."""
        asked = self.folder / f"steps-{len(list(self.folder.glob('steps-*')))}.json"
        document = {
            "project": str(self.project),
            "port": self.port,
            "behind": [SITE],
            "steps": steps,
        }
        asked.write_text(json.dumps(document), encoding="utf-8")
        with (self.folder / "dbt.log").open("a") as log:
            process = subprocess.Popen(
                [str(PYTHON), str(STEPS), str(asked)],
                cwd=self.folder,
                env=environment() | {"SPARK_SUBMIT_OPTS": short_lived(), "PYSPARK_PYTHON": ""},
                stdout=log,
                stderr=subprocess.STDOUT,
                preexec_fn=as_of_a_terminal,
            )
        return process, asked

    def _profile(self) -> str:
        fields: dict[str, Any] = {"type": "spark", "schema": "shop", "threads": 2}
        if self.port is None:
            place = {"spark.sql.warehouse.dir": str(self.folder / "warehouse")}
            fields |= {"method": "session", "host": "NA"}
            fields |= {"server_side_parameters": SESSION | place}
        else:
            fields |= {"method": "thrift", "host": "127.0.0.1", "port": self.port}
        # JSON is YAML, too.
        return json.dumps({"shop": {"target": "here", "outputs": {"here": fields}}})


def dbt(*words: str) -> dict[str, Any]:
    """A step: one command of dbt."""
    return {"dbt": words}


def sql(text: str) -> dict[str, Any]:
    """A step: one statement."""
    return {"sql": text}


def file(name: str, text: str) -> dict[str, Any]:
    """A step: a file of the project gets a text."""
    return {"file": name, "text": text}


def rows(table: str, order: str = "id", columns: str = "*") -> dict[str, Any]:
    """A step: the rows of a table."""
    return sql(f"SELECT {columns} FROM shop.{table} ORDER BY {order}")
