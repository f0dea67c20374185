"""A Spark whose classes lie in one jar, on which the sessions of most suites run.

The class path of an installed Spark has close to 300 jars, and a JVM looks through all of them for each class that
does not exist. Py4J, Scala's reflection and the compiler of generated code ask for many of those:
about a tenth of a suite's time. Hadoop's default settings of YARN and MapReduce are left out, too: 627
of the 967 settings that each job copies. Suites that try Spark as users start it (thrift, dbt, install,
docs, clusters) use the installed one.
"""

from __future__ import annotations

import os
import shutil
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from zipfile import ZipFile, ZipInfo

HOMES = Path(__file__).resolve().parents[2] / ".build" / "one-jar"
# Asks for it: set by the tests and seen by the processes that they start; measurements run without it.
ASKED = "HUDILITE_ONE_JAR"
# Archives of classes (`make classes`) of the JVMs of an installed Spark, and of those of this one.
ARCHIVES = (str(HOMES.parent / "classes.jsa"), str(HOMES / "classes.jsa"))
# Hudi asks for Avro's version in its manifest; the others have files of one name in several jars.
APART = ("avro", "datanucleus", "derby", "log4j")
EMPTY = dict.fromkeys(("mapred-default.xml", "yarn-default.xml"), b"<configuration/>\n")
SERVICES = "META-INF/services/"
MANIFEST = b"Manifest-Version: 1.0\r\nMulti-Release: true\r\n\r\n"
NOT_TAKEN = (".SF", ".RSA", ".DSA", "MANIFEST.MF", "module-info.class")


def home(package: Path) -> Path | None:
    """The Spark in one jar of an installed pyspark; None where it is not made or not asked for.

    Args:
        package: The folder of pyspark.
    """
    found = place_of(package)
    is_its_own = (found / "version.py").resolve() == (package / "version.py").resolve()
    return found if ASKED in os.environ and is_its_own else None


def place_of(package: Path) -> Path:
    """Where it lies: under the name of the environment or the folder into which pip installed pyspark."""
    folder = package.parent
    root = folder.parents[2] if folder.name == "site-packages" else folder
    return HOMES / root.name.lstrip(".")


def variables(options: str) -> dict[str, str]:
    """The environment in which a JVM of this process's pyspark starts on that Spark; nothing without it.

    Args:
        options: Of the JVM, in which the archive of classes is replaced.
    """
    import pyspark

    found = home(Path(pyspark.__file__).parent)
    options = options.replace(*ARCHIVES)
    return {"SPARK_HOME": str(found), "SPARK_SUBMIT_OPTS": options} if found else {}


@contextmanager
def used() -> Iterator[None]:
    """Lets pyspark start its JVM on that Spark."""
    before = dict(os.environ)
    wanted = variables(before.get("SPARK_SUBMIT_OPTS", ""))
    os.environ.update(wanted)
    try:
        yield
    finally:
        for name in wanted:
            del os.environ[name]
            os.environ.update({name: before[name]} if name in before else {})


def make(package: Path) -> None:
    """Makes it, whole or not at all.

    Args:
        package: The folder of pyspark.
    """
    place = place_of(package)
    new = place.with_name(f"{place.name}.new")
    for old in (place, new):
        shutil.rmtree(old, ignore_errors=True)
    (new / "jars").mkdir(parents=True)
    for each in package.iterdir():
        if each.name != "jars":
            (new / each.name).symlink_to(each)
    jars = sorted((package / "jars").glob("*.jar"))
    apart = [jar for jar in jars if jar.name.startswith(APART)]
    for jar in apart:
        (new / "jars" / jar.name).symlink_to(jar)
    _merge([jar for jar in jars if jar not in apart], new / "jars" / "spark.jar")
    new.rename(place)


def _merge(jars: list[Path], place: Path) -> None:
    """Writes one jar: the first file of a name, as a class path finds it, and the lists of services joined."""
    services: dict[str, list[bytes]] = defaultdict(list)
    taken = set(EMPTY)
    with ZipFile(place, "w") as merged:
        for name, content in ({"META-INF/MANIFEST.MF": MANIFEST} | EMPTY).items():
            merged.writestr(name, content)
        for jar in jars:
            with ZipFile(jar) as one:
                for entry in one.infolist():
                    name = entry.filename
                    if name.startswith(SERVICES) and not entry.is_dir():
                        services[name].append(one.read(entry))
                    elif name not in taken and not name.endswith(NOT_TAKEN):
                        taken.add(name)
                        merged.writestr(ZipInfo(name), one.read(entry))
        for name, parts in services.items():
            merged.writestr(name, b"\n".join(parts))
