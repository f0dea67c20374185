"""Hatchling build hook: the wheel has a jar per Spark minor, the sdist the sources of the jars.

The texts of error conditions are among these sources; the wheel has them beside its modules.
"""

import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

_SOURCES = ("build.sbt", "project", "sql-extension", "procedures")
_SPARKS = ("4.1", "4.2")  # the versions in project/SparkLine.scala
_CONDITIONS = Path("sql-extension/core/src/main/resources/hudilite-conditions.json")
_FOLDER = "scala"  # in the sdist, with the layout of the source tree
_JVM = (
    *("-Xss4m", "-Xmx1500m", "-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m"),
    "-Dsbt.supershell=false",
)


class OneJar(BuildHookInterface[Any]):
    """Build hook that adds Scala sources to the sdist, and to the wheel jars and conditions.

    The jars are built from the sources in an sdist. The build of a wheel fails unless
    src/hudilite/jars then has exactly one jar per Spark minor.
    """

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Adds what the target needs from outside of the package, before packaging."""
        if self.target_name == "sdist":
            build_data["force_include"].update(self._sources())
        else:
            self._check_jars()
            conditions = str(self._tree() / _CONDITIONS)
            build_data["force_include"][conditions] = f"hudilite/{_CONDITIONS.name}"

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

    def _tree(self) -> Path:
        """Returns the folder of the Scala sources: in an sdist one of its own."""
        own = Path(self.root, _FOLDER)
        return own if own.is_dir() else Path(self.root).parent

    def _sources(self) -> dict[str, str]:
        """Returns the path of each source file and its path in the sdist."""
        tree = self._tree()
        return {
            str(Path(folder, name)): f"{_FOLDER}/{Path(folder, name).relative_to(tree)}"
            for source in _SOURCES
            for folder, name in _files(tree / source)
        }

    def _build(self, folder: Path) -> None:
        tree = Path(self.root, _FOLDER)
        version_file = Path("src", "hudilite", "version.py")
        (tree / "python" / version_file).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(Path(self.root, version_file), tree / "python" / version_file)
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
    """Returns folder and name of each file below a path, without what sbt generates."""
    if source.is_file():
        return [(str(source.parent), source.name)]
    found = []
    for folder, folders, names in os.walk(source):
        folders[:] = sorted(set(folders) - {"target", "project"})  # what sbt creates in our folders
        found += [(folder, name) for name in sorted(names)]
    return found
