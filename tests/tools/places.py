"""The names of a table's metadata files stand in the class of its layout, and nowhere else."""

from __future__ import annotations

import re
from collections.abc import Iterator

from files import line_of, relative, strings_of, tracked

TIMELINE = "sql-extension/core/src/main/scala/hudilite/timeline"
LAYOUT = f"{TIMELINE}/Version6Layout.scala"
# Hudi's reserved beginning of file names, which partitions must not have.
RESERVED = {
    "sql-extension/core/src/main/scala/hudilite/format/PartitionPath.scala": frozenset({".hoodie"})
}
# The metadata folder, the folders and the file in it, and the states at the end of a file name.
NAMES = re.compile(
    r"(?<![\w.])\.(?:hoodie|temp|aux|bootstrap|bucket_index|hudilite)(?![\w.-])"
    r"|(?<![\w.])hoodie\.properties\b"
    r"|\.(?:requested|inflight)$"
)
# A name that is put together from an instant: "$instant.commit", "${i.time}.$action".
MADE = re.compile(
    r"(?:instant|time)\}?\.(?:\$\{?[\w.]*action|commit|replacecommit|clean|rollback)\b"
)
KEY = re.compile(r"[\w.]+")  # a whole text that is a property's key, as hoodie.table.x.inflight
# The storage used past TimelineFiles for an instant's file.
PAST = re.compile(r"\.(?:read|createNew|touch|status|delete|replace)\(\s*\w+\.path\(")


def name_faults() -> Iterator[str]:
    """Names of metadata files outside the layout, and storage calls on the path of an instant."""
    for path in tracked("sql-extension/*/src/main/*.scala", "procedures/src/main/*.scala"):
        name = relative(path)
        if name != LAYOUT:
            text = path.read_text(encoding="utf-8")
            for position, fault in faults_in(text, RESERVED.get(name, frozenset())):
                yield f"{name}:{line_of(text, position)}: {fault}"


def faults_in(scala: str, reserved: frozenset[str] = frozenset()) -> Iterator[tuple[int, str]]:
    """Position and fault of each name that a Scala text spells.

    Args:
        reserved: Texts that are allowed as they are.
    """
    for position, text in strings_of(scala):
        if text in reserved or (KEY.fullmatch(text) and text.startswith("hoodie.table.")):
            continue
        for found in (*NAMES.finditer(text), *MADE.finditer(text)):
            yield position, f"{found.group()}: the names of metadata files stand in the layout"
    for use in PAST.finditer(scala):
        yield use.start(), f"{use.group()}: TimelineFiles reads and writes an instant's file"
