"""What a tracked file must not say, and what a file must not be called."""

from __future__ import annotations

import re
from collections.abc import Iterator

from files import relative, tracked

# Written with classes ([.], [:]) so that this file does not find itself.
ADDRESS = re.compile(r"\b(?:https?|ftp|git|ssh)[:]//[^\s\"'`)>]*", re.IGNORECASE)
NAMES = re.compile(r"https?[:]//www[.](?:apache[.]org/licenses/|w3[.]org/2000/svg)")
GO_MODULE = re.compile(r"\bgithub[.]com/[\w./-]+@v[\d.]+$")  # such a name begins with a host
HOST = re.compile(
    r"\b(?:repo1?|central|oss)[.](?:maven|sonatype)[.]\w+|\bpypi[.]org|\bpythonhosted[.]org"
    r"|\brepo[.]scala-sbt[.]\w+|\bregistry[.]npmjs[.]\w+|\bgithub(?:usercontent)?[.]com",
    re.IGNORECASE,
)
MACHINE = re.compile(r"(?<![\w.{}$])/(?:root|home/\w+|Users/\w+|work/\w+|usr/lib/jvm|opt/\w+)\b")
BANNED = re.compile(r"Utils?|Helpers?|Manager|Impl|Abstract|Factory|Common")
SPARKS_OWN = {"SliceReaderFactory"}  # named after the Spark interface they are


def address_faults() -> Iterator[str]:
    """Web addresses (those that name the licence and SVG apart), registry hosts and machine paths."""
    for path in tracked():
        try:
            text = path.read_text(encoding="utf-8")
        except UnicodeDecodeError:
            continue  # a binary test table
        for number, line in enumerate(text.splitlines(), start=1):
            rest = GO_MODULE.sub("", NAMES.sub("", line))
            for pattern in (ADDRESS, HOST, MACHINE):
                for found in pattern.finditer(rest):
                    yield f"{relative(path)}:{number}: {found.group()}"


def name_faults() -> Iterator[str]:
    """Scala files whose name holds a word that says nothing."""
    for path in tracked("*.scala"):
        if BANNED.search(path.stem) and path.stem not in SPARKS_OWN:
            yield f"{relative(path)}: {BANNED.findall(path.stem)[0]} in a name says nothing"


def ignored_faults() -> Iterator[str]:
    """Blocks of golden files that are not run: a test that is left out must be seen."""
    for path in tracked("tests/sql/*.sql"):
        if path.stem == "runner_itself":
            continue  # shows what the runner does with one
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if re.match(r"(query|statement)\s+ignore\b", line):
                yield f"{relative(path)}:{number}: an ignored block runs nothing: {line}"


def conflict_faults() -> Iterator[str]:
    """Marks that a merge left behind."""
    for path in tracked("*.md", "*.scala", "*.py", "*.sql", "*.out", "*.json", "Makefile"):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            if line.startswith(("<" * 7, ">" * 7)):
                yield f"{relative(path)}:{number}: a merge left this: {line}"
