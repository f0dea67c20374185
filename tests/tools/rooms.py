"""Who may import whom in Scala: the import table of sql-extension/README.md."""

from __future__ import annotations

import re
from collections.abc import Iterator

from files import code_of, line_of, relative, tracked

CORE = ["error", "io", "format", "timeline", "view"]  # each may import those before it
MAY_IMPORT: dict[str, set[str]] = {
    **{room: set(CORE[:i]) for i, room in enumerate(CORE)},
    "index": set(CORE),
    "bootstrap": {*CORE, "index"},
    "verify": set(CORE),
    "service": set(CORE),
}
ALL_CORE = set(MAY_IMPORT)
MAY_IMPORT["spark.error"] = ALL_CORE
MAY_IMPORT["spark.plan"] = ALL_CORE | {"spark.error"}
MAY_IMPORT["spark.read"] = MAY_IMPORT["spark.parse"] = MAY_IMPORT["spark.plan"] | {"spark.plan"}
MAY_IMPORT["spark.catalog"] = MAY_IMPORT["spark.read"] | {"spark.read"}
MAY_IMPORT["spark.meta"] = MAY_IMPORT["spark.catalog"] | {"spark.catalog"}
MAY_IMPORT["spark.stream"] = MAY_IMPORT["spark.meta"]
MAY_IMPORT["spark.hive"] = MAY_IMPORT["spark.catalog"] | {"spark.catalog"}
MAY_IMPORT["spark.analyze"] = MAY_IMPORT["spark.catalog"] | {"spark.catalog"}
MAY_IMPORT["spark.write"] = MAY_IMPORT["spark.read"] | {"spark.read"}
MAY_IMPORT["spark.locate"] = MAY_IMPORT["spark.catalog"] | {"spark.catalog"}
MAY_IMPORT["spark.merge"] = MAY_IMPORT["spark.write"] | {
    "spark.write",
    "spark.catalog",
    "spark.locate",
}
MAY_IMPORT["spark.rewrite"] = MAY_IMPORT["spark.merge"] | {"spark.merge", "spark.hive"}
MAY_IMPORT["spark.exec"] = MAY_IMPORT["spark.analyze"] | {
    "spark.hive",
    "spark.write",
    "spark.locate",
    "spark.merge",
    "spark.rewrite",
}
MAY_IMPORT["spark.verify"] = MAY_IMPORT["spark.catalog"] | {"spark.catalog"}
MAY_IMPORT["spark.repair"] = MAY_IMPORT["spark.rewrite"] | {"spark.rewrite", "spark.verify"}
MAY_IMPORT["spark.bootstrap"] = MAY_IMPORT["spark.exec"] | {"spark.exec"}
MAY_IMPORT["procedures"] = set(MAY_IMPORT)
MAY_IMPORT["spark"] = set(MAY_IMPORT) - {"procedures"}

USE = re.compile(r"\bhudilite\.(\{|spark\.\{|spark(?=\.[A-Z])|(?:spark\.)?\w+)")


def scala_faults() -> Iterator[str]:
    """A use, imported or spelled out, of a room that the using room may not see."""
    for path in tracked("sql-extension/*.scala", "procedures/*.scala"):
        name, code = relative(path), code_of(path.read_text(encoding="utf-8"))
        room = room_of(name)
        if room is not None and room not in MAY_IMPORT:
            yield f"{name}: no room {room} in the house plan"
            continue
        for use in USE.finditer(code):
            if code[: use.start()].rsplit("\n", 1)[-1].strip() == "package":
                continue
            seen, line = use.group(1), line_of(code, use.start())
            if seen.endswith("{"):
                yield f"{name}:{line}: import rooms one by one"
            elif room is None and seen in MAY_IMPORT:
                yield f"{name}:{line}: a bridge into Spark imports nothing of ours, not {seen}"
            elif room is not None and seen in MAY_IMPORT and seen not in MAY_IMPORT[room] | {room}:
                yield f"{name}:{line}: {room} may not import {seen}"


def room_of(name: str) -> str | None:
    """Room of a source file, from its place; None for a bridge under org/apache/spark."""
    below = re.split(r"/src/main/[^/]+/", name)[-1].split("/")
    if below[0] != "hudilite":
        return None
    return ".".join(below[1:-1][:2])


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
        for use in OPENS.finditer(code) if room_of(name) != "io" else ():
            yield f"{name}:{line_of(code, use.start())}: {use.group()} outside io"


# Steps of the protocol by which a task creates a data file; each is taken in one class.
STEPS = re.compile(r"\bMarkers\.(create|path)\(|\.fsync(All)?\(|\.checkMayCommit\(|\.checkAlive\(")
DATA_FILES = "sql-extension/spark/src/main/scala/hudilite/spark/write/NewDataFile.scala"


def data_file_faults() -> Iterator[str]:
    """Marker, fsync and the checks of a task attempt are called by NewDataFile alone."""
    for path in tracked("sql-extension/spark/*.scala", "procedures/*.scala"):
        name, code = relative(path), code_of(path.read_text(encoding="utf-8"))
        for use in STEPS.finditer(code) if name != DATA_FILES else ():
            if not name.endswith("/TaskAttempt.scala"):
                yield f"{name}:{line_of(code, use.start())}: {use.group()} belongs in NewDataFile"
