"""A standalone Spark cluster of two workers on two loopback addresses.

Spark starts a speculative copy only on another host, so the workers of `local-cluster`, which
share one, never do.
"""

from __future__ import annotations

import os
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from harness.clients import free_port

MASTER = "org.apache.spark.deploy.master.Master"
WORKER = "org.apache.spark.deploy.worker.Worker"
HOSTS = ("127.0.0.2", "127.0.0.3")


@contextmanager
def two_hosts(folder: Path) -> Iterator[str]:
    """Runs a master and two workers of one core each; gives the master's URL."""
    folder.mkdir(parents=True)
    port = free_port()
    url = f"spark://127.0.0.1:{port}"
    quiet = ("--webui-port", "0")
    daemons = [_start(folder, "master", MASTER, "--host", "127.0.0.1", "--port", str(port), *quiet)]
    try:
        _wait(port)
        for host in HOSTS:
            size = ("--cores", "1", "--memory", "1200M", "--work-dir", str(folder / host))
            daemons.append(_start(folder, host, WORKER, "--host", host, *size, *quiet, url))
        yield url
    finally:
        for daemon in reversed(daemons):
            daemon.terminate()
        for daemon in daemons:
            daemon.wait(timeout=60)


def _start(folder: Path, name: str, *command: str) -> subprocess.Popen[bytes]:
    import pyspark

    home = Path(pyspark.__file__).parent
    environment = os.environ | {"SPARK_HOME": str(home), "SPARK_DAEMON_MEMORY": "300m"}
    with (folder / f"{name}.log").open("w") as log:
        return subprocess.Popen(
            [str(home / "bin" / "spark-class"), *command],
            stdout=log,
            stderr=subprocess.STDOUT,
            env=environment,
        )


def _wait(port: int) -> None:
    for _ in range(240):
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return
        time.sleep(0.5)
    raise AssertionError("the master does not listen")
