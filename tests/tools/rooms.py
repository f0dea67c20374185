"""Who may import whom in Scala: the rules of packages.py, held against the sources."""

from __future__ import annotations

import re
from collections.abc import Iterator

from files import code_of, line_of, relative, tracked
from packages import MAY_IMPORT, circles

USE = re.compile(r"\bhudilite\.(\{|spark\.\{|spark(?=\.[A-Z])|(?:spark\.)?\w+)")


def scala_faults() -> Iterator[str]:
    """A use, imported or spelled out, of a package that the using package may not import."""
    for path in tracked("sql-extension/*.scala", "procedures/*.scala"):
        yield from import_faults(relative(path), code_of(path.read_text(encoding="utf-8")))


def import_faults(name: str, code: str) -> Iterator[str]:
    """The uses in one source file that are not allowed."""
    package = package_of(name)
    if package is not None and package not in MAY_IMPORT:
        yield f"{name}: packages.py has no package {package}"
        return
    for seen, line in uses(code):
        if seen.endswith("{"):
            yield f"{name}:{line}: import packages one by one"
        elif package is None and seen in MAY_IMPORT:
            yield f"{name}:{line}: a bridge into Spark imports nothing of ours, not {seen}"
        elif package is not None and seen in MAY_IMPORT.keys() - MAY_IMPORT[package] - {package}:
            yield f"{name}:{line}: {package} may not import {seen}"


def uses(code: str) -> Iterator[tuple[str, int]]:
    """Each package that Scala code without comments names, with its line."""
    for use in USE.finditer(code):
        if code[: use.start()].rsplit("\n", 1)[-1].strip() != "package":
            yield use.group(1), line_of(code, use.start())


def package_of(name: str) -> str | None:
    """Package of a source file, from its place; None for a bridge under org/apache/spark.

    A class outside of `hudilite` that Spark finds by its name counts as one of the package `spark`.
    """
    below = re.split(r"/src/main/[^/]+/", name)[-1].split("/")
    if below == ["hudi", "DefaultSource.scala"]:
        return "spark"
    return ".".join(below[1:-1][:2]) if below[0] == "hudilite" else None


def circle_faults() -> Iterator[str]:
    """Packages that import each other, whatever packages.py allows."""
    imports: dict[str, set[str]] = {package: set() for package in MAY_IMPORT}
    for path in tracked("sql-extension/*.scala", "procedures/*.scala"):
        package = package_of(relative(path))
        if package is not None:
            code = code_of(path.read_text(encoding="utf-8"))
            imports.setdefault(package, set()).update(seen for seen, _ in uses(code))
    for package in (found := circles(imports)):
        seen = ", ".join(sorted(imports[package] & set(found) - {package}))
        yield f"hudilite.{package} is in a circle of packages: it imports {seen}"


DECLARED = re.compile(
    r"^(?:(?:final|sealed|abstract|implicit|case|private(?:\[\w+\])?) )*"
    r"(?:class|object|trait) (\w+)",
    re.MULTILINE,
)
SHIM = re.compile(r"/src/main/spark-[\d.]+/")  # folders of one of which each jar is made


def twin_faults() -> Iterator[str]:
    """Two top-level classes of one name in two packages: a reader has to ask which one is meant."""
    return twins({relative(p): p.read_text(encoding="utf-8") for p in tracked("*.scala")})


def twins(texts: dict[str, str]) -> Iterator[str]:
    """Names that two of these Scala files declare; a class and its object are one name of one file."""
    places: dict[str, str] = {}
    for name, text in texts.items():
        place = SHIM.sub("/src/main/scala/", name)
        for declared in set(DECLARED.findall(code_of(text))):
            first = places.setdefault(declared, place)
            if first != place:
                yield f"{name}: {declared} is also a class of {first}"


WRITES = ("exec", "locate", "merge", "rewrite")  # rooms of the operators and what they call


def dataset_faults() -> Iterator[str]:
    """A write runs plans as they are: a Dataset inside would plan and run a second query."""
    for path in tracked(
        *(f"sql-extension/spark/src/main/*/hudilite/spark/{room}/*.scala" for room in WRITES)
    ):
        code = code_of(path.read_text(encoding="utf-8"))
        for use in re.finditer(r"\bDataset\b|\bofRows\b|\bsql\(", code):
            yield f"{relative(path)}:{line_of(code, use.start())}: {use.group()} in a write"


def cast_faults() -> Iterator[str]:
    """asInstanceOf belongs to the Spark edge."""
    for path in tracked("sql-extension/core/src/main/*.scala"):
        code = code_of(path.read_text(encoding="utf-8"))
        for use in re.finditer(r"\basInstanceOf\b", code):
            yield f"{relative(path)}:{line_of(code, use.start())}: asInstanceOf in core"


OPENS = re.compile(
    r"java\.nio\.(file|channels)|java\.io\.[^\n]*\b(File|RandomAccessFile|File(In|Out)putStream)\b"
    r"|\bFileSystem\.get|\bgetFileSystem\b|\bFileContext\b"
)


def file_faults() -> Iterator[str]:
    """Files are opened in io alone, where a fault plan can break each call."""
    for path in tracked("sql-extension/*.scala", "procedures/*.scala"):
        name, code = relative(path), code_of(path.read_text(encoding="utf-8"))
        for use in OPENS.finditer(code) if package_of(name) != "io" else ():
            yield f"{name}:{line_of(code, use.start())}: {use.group()} outside io"


# Steps of the protocol by which a task creates a data file; each is taken in one class, and for log files
# in another. A file is deleted by the guard of its task attempt, so no other class listens for the failure
# of a task.
STEPS = re.compile(
    r"\bMarkers\.(create|path)\(|\.fsync(All)?\(|\.checkMayCommit\(|\.checkAlive\("
    r"|\.discard\(|\.guard\(|\.addTaskFailureListener\("
)
DATA_FILES = tuple(
    f"sql-extension/spark/src/main/scala/hudilite/spark/write/{name}.scala"
    for name in ("NewDataFile", "NewLogFile", "TaskAttempt")
)


def data_file_faults() -> Iterator[str]:
    """Marker, fsync, deletion and the checks of a task attempt are called by NewDataFile and NewLogFile."""
    for path in tracked("sql-extension/spark/*.scala", "procedures/*.scala"):
        yield from steps(relative(path), path.read_text(encoding="utf-8"))


def steps(name: str, text: str) -> Iterator[str]:
    """Steps of the protocol of a data file in a Scala file that may not take them."""
    code = code_of(text)
    for use in STEPS.finditer(code) if name not in DATA_FILES else ():
        yield f"{name}:{line_of(code, use.start())}: {use.group()} belongs in NewDataFile"
