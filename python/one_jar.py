"""Build hook: the wheel carries one jar a Spark minor, the sdist what they are built of."""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SOURCES = ("build.sbt", "project", "sql-extension", "procedures")
_SPARKS = ("4.1", "4.2")  # as project/SparkLine.scala
_FOLDER = "scala"  # of the sdist; laid out as the source tree is
_JVM = (
    *("-Xss4m", "-Xmx1500m", "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m"),
    "-Dsbt.supershell=false",
)


class OneJar(BuildHookInterface[Any]):
    """Puts the Scala sources into the sdist, and builds the jars of them where they are missing.

    A wheel fails unless src/hudilite/jars then holds a jar for each line of Spark in build.sbt.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Look for sources or jars before anything is packed."""
        if self.target_name == "sdist":
            build_data["force_include"].update(self._sources())
        else:
            self._check_jars()

    def _check_jars(self) -> None:
        folder = Path(self.root, "src", "hudilite", "jars")
        if not any(folder.glob("*.jar")) and Path(self.root, _FOLDER).is_dir():
            self._build(folder)
        found = {jar.name for jar in folder.glob("*.jar")}
        if found != {f"hudilite-spark-{minor}.jar" for minor in _SPARKS}:
            names = ", ".join(sorted(found)) or "none"
            raise RuntimeError(
                f"the wheel carries jars for Spark {' and '.join(_SPARKS)}, found {names}: "
                "run `make build`"
            )

    def _sources(self) -> dict[str, str]:
        """Where each file lies, and where it goes in the sdist."""
        own = Path(self.root, _FOLDER)
        tree = own if own.is_dir() else Path(self.root).parent
        return {
            str(Path(folder, name)): f"{_FOLDER}/{Path(folder, name).relative_to(tree)}"
            for source in _SOURCES
            for folder, name in _files(tree / source)
        }

    def _build(self, folder: Path) -> None:
        tree = Path(self.root, _FOLDER)
        (tree / "python").mkdir(exist_ok=True)
        shutil.copy(Path(self.root, "pyproject.toml"), tree / "python")
        properties = (tree / "project" / "build.properties").read_text("utf-8")
        version = properties.partition("sbt.version=")[2].split()[0]
        coordinate = f"org.scala-sbt:sbt-launch:{version}"
        jgo = ["jgo", "--ignore-config", "--system-java", "--resolver", "python"]
        launcher = subprocess.run(
            [*jgo, "info", "path", coordinate], check=True, capture_output=True, text=True
        ).stdout.strip()
        home = os.environ.get("JAVA_HOME")
        java = str(Path(home, "bin", "java")) if home else "java"
        if shutil.which(java) is None:
            raise RuntimeError(
                "the jars are built by a JDK: install JDK 17 or 21 and set JAVA_HOME"
            )
        subprocess.run([java, *_JVM, "-jar", launcher, "jars"], check=True, cwd=tree)
        folder.mkdir(parents=True, exist_ok=True)
        for jar in Path(tree, "python", "src", "hudilite", "jars").glob("*.jar"):
            shutil.move(jar, folder / jar.name)


def _files(source: Path) -> list[tuple[str, str]]:
    """Folder and name of each file below a path, but for what sbt makes."""
    if source.is_file():
        return [(str(source.parent), source.name)]
    found = []
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(set(folders) - {"target", "project"})  # sbt's own, below ours
        found += [(folder, name) for name in sorted(names)]
    return found
