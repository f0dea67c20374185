"""A YARN of one resource manager and one node manager, in a JVM of its own and on 127.0.0.1 alone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from harness.hadoop_server import hadoop_server
from harness.hdfs import Hdfs
from harness.java import TESTS, short_lived

SOURCES = TESTS / "clusters" / "yarn"
SECONDS = 400
LOCAL = "127.0.0.1"


@dataclass(frozen=True)
class Yarn:
    """A cluster.

    Attributes:
        settings: Folder with its settings, a user's HADOOP_CONF_DIR.
        logs: Folder with a log for each stream of each container.
    """

    settings: Path
    logs: Path

    def submit(self, words: Sequence[str], folder: Path) -> None:
        """Runs spark-submit, with settings of this machine as spark-defaults.conf.

        Args:
            words: Its arguments.
            folder: For its log and those settings.

        Raises:
            AssertionError: if the application fails.
        """
        import pyspark

        home = Path(pyspark.__file__).parent
        defaults = folder / "conf" / "spark-defaults.conf"
        defaults.parent.mkdir()
        lines = [f"{key} {value}\n" for key, value in _defaults(home).items()]
        defaults.write_text("".join(lines), encoding="utf-8")
        variables = {
            "HADOOP_CONF_DIR": str(self.settings),
            "SPARK_CONF_DIR": str(defaults.parent),
            "SPARK_LOCAL_IP": LOCAL,
            "PYSPARK_PYTHON": sys.executable,
        }
        with (folder / "submit.log").open("w") as log:
            code = subprocess.run(
                [str(home / "bin" / "spark-submit"), *words],
                stdout=log,
                stderr=subprocess.STDOUT,
                cwd=folder,
                env=os.environ | variables,
                timeout=SECONDS,
                check=False,
            ).returncode
        assert code == 0, self._told(folder / "submit.log")

    def _told(self, log: Path) -> str:
        """The ends of the logs of an application that failed."""
        logs = [log, *sorted(self.logs.rglob("stderr")), *sorted(self.logs.rglob("stdout"))]
        ends = (f"{path}:\n{path.read_text('utf-8', 'replace')[-3000:]}" for path in logs)
        return "\n\n".join(ends)


@contextmanager
def mini_yarn(folder: Path, hdfs: Hdfs) -> Iterator[Yarn]:
    """Runs a cluster over an HDFS."""
    arguments = [hdfs.uri, str(folder / "yarn")]
    with hadoop_server(folder, SOURCES, "hudilite.tests.MiniYarn", arguments, "/") as server:
        yield Yarn(Path(server.address), folder / "yarn" / "logs")


def _defaults(home: Path) -> dict[str, str]:
    """Two small executors; Spark's jars lie on each host; every port is of this machine alone."""
    containers = ("spark.yarn.appMasterEnv", "spark.executorEnv")
    processes = ("spark.driver", "spark.executor", "spark.yarn.am")
    return {
        "spark.yarn.jars": f"local:{home}/jars/*",
        "spark.driver.memory": "700m",
        "spark.executor.memory": "600m",
        "spark.executor.instances": "2",
        "spark.yarn.am.memory": "512m",
        "spark.sql.shuffle.partitions": "2",
        "spark.ui.enabled": "false",
        **{f"{prefix}.SPARK_LOCAL_IP": LOCAL for prefix in containers},
        **{f"{prefix}.extraJavaOptions": short_lived() for prefix in processes},
    }
