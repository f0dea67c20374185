"""A server of Hadoop's minicluster in a JVM of its own: a class of the tests starts it and answers commands."""

from __future__ import annotations

import os
import shutil
import subprocess
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from harness.java import BUILD, compile_against

OWN = (
    *("hadoop-client-api", "hadoop-client-runtime"),
    *("slf4j-api", "jcl-over-slf4j", "log4j-1.2-api", "log4j-api", "log4j-core"),
)
# Without `setsid` a node manager's containers stay in the session of the run, which ends as a whole.
NO_SETSID = "#!/bin/sh\nexit 1\n"


@dataclass
class HadoopServer:
    """A server that has started.

    Attributes:
        address: First line that it printed.
    """

    address: str
    process: subprocess.Popen[str] = field(repr=False)
    _asking: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def ask(self, *words: str) -> str:
        """Has a command run; what the server tells.

        Raises:
            AssertionError: if it fails.
        """
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        with self._asking:
            self.process.stdin.write(" ".join(words) + "\n")
            self.process.stdin.flush()
            line = self.process.stdout.readline().strip()
        assert line.startswith("ok"), f"{words}: {line or 'the server has ended'}"
        return line.removeprefix("ok").strip()


@contextmanager
def hadoop_server(
    folder: Path, sources: Path, main: str, arguments: Sequence[str], starts: str
) -> Iterator[HadoopServer]:
    """Runs a server until the end of the block.

    Args:
        folder: For its classes, its log and what it writes into its working folder.
        sources: Of its classes.
        main: Name of the class that starts it.
        arguments: Of that class.
        starts: How its first line begins when it has started.
    """
    path = class_path()
    classes, log = folder / "classes", folder / "server.log"
    compile_against(path, sources, classes)
    words = ["java", "-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xmx500m"]
    words += ["--add-opens=java.base/java.lang=ALL-UNNAMED"]  # for the web pages of YARN
    words += ["-cp", f"{classes}{os.pathsep}{path}", main, *arguments]
    with log.open("w") as sink:
        process = subprocess.Popen(
            words,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=sink,
            text=True,
            cwd=folder,
            env=os.environ | _variables(folder / "bin"),
        )
    assert process.stdin is not None
    assert process.stdout is not None
    try:
        address = process.stdout.readline().strip()
        assert address.startswith(starts), log.read_text()[-2000:]
        yield HadoopServer(address, process)
    finally:
        process.stdin.close()
        try:
            process.wait(timeout=30)
        except subprocess.TimeoutExpired:
            process.kill()


def class_path() -> str:
    """Hadoop's servers, and what they take from Spark's jars."""
    import pyspark

    cluster = (BUILD / "minicluster.path").read_text(encoding="utf-8").split()
    jars = Path(pyspark.__file__).parent / "jars"
    own = [str(path) for name in OWN for path in jars.glob(f"{name}-*.jar")]
    return os.pathsep.join([*cluster, *own])


def _variables(folder: Path) -> dict[str, str]:
    """Variables of a server: a Java for the containers, and no `setsid`."""
    folder.mkdir()
    shadow = folder / "setsid"
    shadow.write_text(NO_SETSID, encoding="utf-8")
    shadow.chmod(0o755)
    java = shutil.which("java")
    assert java is not None, "no java on the PATH"
    home = os.environ.get("JAVA_HOME") or str(Path(java).resolve().parents[1])
    return {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", "JAVA_HOME": home}
