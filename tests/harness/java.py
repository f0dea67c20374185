"""Java classes of the tests, compiled against Spark and the product."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from pathlib import Path

from harness.session import JAR

TESTS = Path(__file__).resolve().parents[1]
FAULTS = TESTS / "faults" / "java"
CLASSES = TESTS.parent / ".build" / "classes.jsa"
LAYER = "-Dhudilite.storage.layer=hudilite.tests.FaultDoor"


def short_lived(archive: Path = CLASSES) -> str:
    """Options of a JVM that lives for seconds.

    The second compiler would cost more than it gives; alone, the first one has a small code cache
    by default, which a whole suite fills. Half of a start is the loading of classes: they come
    from an archive (`make classes`), which a JVM with another class path leaves without a word.
    """
    options = ["-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m", "-XX:+UseSerialGC"]
    if archive.exists():
        options += [f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
    return shlex.join(options)


def compiled(sources: Path, out: Path) -> str:
    """Compiles a folder of sources.

    Returns:
        A class path with them and the product.
    """
    import pyspark

    compile_against(f"{Path(pyspark.__file__).parent / 'jars'}/*:{JAR}", sources, out)
    return f"{out}:{JAR}"


def compile_against(jars: str, sources: Path, out: Path) -> None:
    """Compiles a folder of sources against a class path."""
    compiler = shutil.which("javac")
    assert compiler is not None, "the JDK on the PATH has no javac"
    out.mkdir(exist_ok=True)
    files = [str(path) for path in sources.rglob("*.java")]
    asked = [compiler, "-nowarn", "-cp", jars, "-d", str(out), *files]
    subprocess.run(asked, check=True, capture_output=True)


def dying(plan: str, classes: str) -> dict[str, str]:
    """Spark settings of a process with a fault plan that is armed from the start."""
    return {
        "spark.driver.extraClassPath": classes,
        "spark.driver.extraJavaOptions": f"-Duser.timezone=UTC {LAYER} '-Dhudilite.fault={plan}'",
        "spark.driver.memory": "800m",
    }
