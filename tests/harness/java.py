"""Java classes of the tests, compiled against Spark and the product."""

from __future__ import annotations

import hashlib
import os
import shlex
import shutil
import subprocess
import tempfile
from pathlib import Path

from harness import names
from harness.session import JAR

TESTS = Path(__file__).resolve().parents[1]
FAULTS = TESTS / "faults" / "java"
FUNCTIONS = TESTS / "e2e" / "java"
BUILD = TESTS.parent / ".build"
CLASSES = BUILD / "classes.jsa"
LAYER = "-Dhudilite.storage.layer=hudilite.tests.FaultDoor"


def short_lived(archive: Path = CLASSES) -> str:
    """Options of a JVM that lives for seconds.

    The second compiler would cost more than it gives; alone, the first one has a small code cache
    by default, which a whole suite fills. With the young generation that a JVM begins with, a tenth
    of the time goes into collecting garbage. Half of a start is the loading of classes: they come
    from an archive (`make classes`), which a JVM with another class path leaves without a word.
    """
    options = ["-XX:TieredStopAtLevel=1", "-XX:ReservedCodeCacheSize=240m", "-XX:+UseSerialGC"]
    options += ["-Xmn300m", "-XX:MetaspaceSize=300m"]
    if archive.exists():
        options += [f"-XX:SharedArchiveFile={archive}", "-Xlog:cds=off", "-Xlog:cds+dynamic=off"]
    return shlex.join(options)


def kept(sources: Path) -> Path:
    """The classes of a folder of sources, compiled once for what these and the product are now."""
    import pyspark

    made_of = hashlib.sha256(f"{shutil.which('javac')} {pyspark.__version__}".encode())
    for path in (JAR, *sorted(sources.rglob("*.java"))):
        made_of.update(path.read_bytes())
    out = BUILD / "java" / made_of.hexdigest()[:16]
    if not out.exists():
        out.parent.mkdir(exist_ok=True)
        new = Path(tempfile.mkdtemp(dir=out.parent))
        compiled(sources, new)
        try:
            new.rename(out)
        except OSError:  # another process was faster
            shutil.rmtree(new)
    return out


def functions_jar(folder: Path) -> str:
    """A jar with compiled test functions, for `spark.jars`: a class path of its own would cost a
    process the archive of classes."""
    packed = Path(shutil.make_archive(f"{folder}/functions", "zip", kept(FUNCTIONS)))
    return str(packed.rename(packed.with_suffix(".jar")))


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
    quick = ["-J-XX:TieredStopAtLevel=1", "-J-XX:+UseSerialGC"]
    asked = [compiler, *quick, "-nowarn", "-cp", jars, "-d", str(out), *files]
    subprocess.run(asked, check=True, capture_output=True)


def layout_conf() -> dict[str, str]:
    """Spark settings of a session with the table layout that this run asks for."""
    return second_layout() if names.is_second() else {}


def second_layout() -> dict[str, str]:
    """Spark settings of a session whose new tables have the second layout.

    The JVM that starts next has the classes of that layout behind all others.
    """
    os.environ["SPARK_DIST_CLASSPATH"] = str(kept(FAULTS))
    return {"spark.driver.extraJavaOptions": f"-Duser.timezone=UTC {names.OPTION}"}


def dying(plan: str) -> dict[str, str]:
    """Spark settings of a process that has the fault classes, with a plan armed from the start."""
    return {
        "spark.driver.extraJavaOptions": f"-Duser.timezone=UTC {LAYER} '-Dhudilite.fault={plan}'",
        "spark.driver.memory": "800m",
    }
