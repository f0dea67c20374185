"""The names and the content of a table's metadata files are known to the class of its layout, and to no other."""

from __future__ import annotations

import re
from collections.abc import Iterator

from files import code_of, line_of, relative, strings_of, tracked

CORE = "sql-extension/core/src/main/scala/hudilite"
TIMELINE = f"{CORE}/timeline"
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

SOURCES = ("sql-extension/*/src/main/*.scala", "procedures/src/main/*.scala")
# Uses of the forms that instants' files have in a table version, and of the version itself.
FORMS = re.compile(
    r"\b(?:(AvroFile)\.(?:bytes|records)\(|(Commit(?:Avro|Json)|Version[68](?:Codec|Layout))\b)"
)


def _timeline(*names: str) -> tuple[str, ...]:
    return tuple(f"{TIMELINE}/{name}.scala" for name in names)


# Who uses them: the codecs; numbered commits, whose form is JSON for each layout; the bootstrap index.
MAY_USE = {
    "AvroFile": (
        *_timeline("Version6Codec", "Version8Codec"),
        f"{CORE}/view/BootstrapRecords.scala",
    ),
    "CommitAvro": _timeline("CommitAvro", "Version8Codec"),
    "CommitJson": _timeline("CommitJson", "CommitMetadata", "Version6Codec", "Version8Codec"),
    "Version6Codec": _timeline("Version6Codec", "Version6Layout"),
    "Version6Layout": _timeline("Version6Layout", "Version8Layout", "TimelineLayout"),
    "Version8Codec": _timeline("Version8Codec", "Version8Layout"),
    "Version8Layout": _timeline("Version8Layout", "Version8Codec", "TimelineLayout"),
}


def form_faults() -> Iterator[str]:
    """Uses of the content's form outside the codec, or of version 6 where the table has a layout."""
    for path in tracked(*SOURCES):
        name, code = relative(path), code_of(path.read_text(encoding="utf-8"))
        for use, form in forms_in(code):
            if name not in MAY_USE[form]:
                yield f"{name}:{line_of(code, use)}: {form}: a table's own layout has the form"


def forms_in(code: str) -> Iterator[tuple[int, str]]:
    """Position and class of each use of a form in Scala code without comments."""
    for use in FORMS.finditer(code):
        yield use.start(), use[1] or use[2]


def name_faults() -> Iterator[str]:
    """Names of metadata files outside the layout, and storage calls on the path of an instant."""
    for path in tracked(*SOURCES):
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
