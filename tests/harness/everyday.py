"""Everyday statements of other projects' documentations: the form of their lists, and what makes two
statements alike. tests/compat/README.md describes the form."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from dataclasses import dataclass
from pathlib import Path

STATES = ("works", "refused", "bare")
HEAD = re.compile(r"^### (?P<id>\S+) \| (?P<page>[^|]+) \| (?P<answer>[^|]+?)(?P<then> \| then)?$")
ANSWER = re.compile(
    r"^(?:(?P<works>works)|refused (?P<refused>[A-Z][A-Z0-9_.]+): (?P<hint>\S.*)"
    r"|bare(?: (?P<bare>[A-Z][A-Za-z0-9_.]+))?)$"
)
PYTHON = ">>> "
PLACE = re.compile(r"\{[^}]*\}")
WORD = re.compile(r"[A-Za-z_]\w*|\d+")


class ListError(ValueError):
    """A list that does not follow the form."""


@dataclass(frozen=True)
class Entry:
    """One statement and what hudilite answers.

    Attributes:
        page: The page of the documentation that it is from, by the page's title.
        state: `works`; `refused`, with a condition and what to type instead; `bare`, refused without
            a word of what to type.
        condition: Of the error.
        hint: Text in the error's message that says what to type.
        then: The statement that the error's message gives is run, and does the job.
        mended: The statement after the change that the message describes; empty where the message
            gives a whole statement.
        given: Statements that go before and are not judged.
        peer: Why the project's own run is not compared; empty where it is.
        text: The statement, as SQL or as Python.
        shown: A query that shows what the statement did; empty where its own rows do; None where
            nothing is compared.
        columns: Of the statement's own rows, those that are compared; all if empty.
        rows: The rows expected, their cells separated by ` | `.
        line: In the file.
    """

    id: str
    page: str
    state: str
    condition: str
    hint: str
    then: bool
    mended: str
    given: tuple[str, ...]
    peer: str
    text: str
    shown: str | None
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    line: int

    @property
    def is_python(self) -> bool:
        """A statement of the DataFrame API or of a class, not of SQL."""
        return self.text.startswith(PYTHON)

    @property
    def code(self) -> str:
        """The Python of the statement."""
        return "\n".join(line.removeprefix(PYTHON) for line in self.text.splitlines())

    def unsaid(self, message: str) -> list[str]:
        """Words of the mended statement, keywords apart, that neither the refused one nor the message has."""
        known = {word.lower() for word in WORD.findall(f"{self.text} {message}")}
        words = WORD.findall(PLACE.sub("", self.mended))
        return [word for word in words if not (word.isupper() or word.lower() in known)]


@dataclass(frozen=True)
class Listing:
    """The list of a project, and the sums that it may not fall below.

    Attributes:
        works: The least number of statements that work.
        bare: The greatest number of errors without a word of what to type.
        settings: Settings of the session, by their names.
    """

    path: Path
    works: int
    bare: int
    settings: dict[str, str]
    entries: tuple[Entry, ...]

    def count(self, state: str) -> int:
        """How many statements have a state."""
        return sum(entry.state == state for entry in self.entries)


def read_list(path: Path) -> Listing:
    """Reads a list.

    Raises:
        ListError: for a line that is not of the form, with its number.
    """
    head: dict[str, str] = {}
    settings: dict[str, str] = {}
    entries: list[Entry] = []
    lines = path.read_text(encoding="utf-8").splitlines()
    starts = [number for number, line in enumerate(lines) if line.startswith("### ")]
    for number, line in enumerate(lines[: starts[0] if starts else len(lines)], start=1):
        key, found, value = line.partition(": ")
        if not line.strip() or line.startswith("#"):
            continue
        if not found or key not in ("works", "bare", "setting"):
            raise ListError(f"{path.name}:{number}: works, bare or setting expected: {line!r}")
        if key == "setting":
            name, _, of = value.partition(" = ")
            settings[name] = of
        else:
            head[key] = value
    for start, end in zip(starts, [*starts[1:], len(lines)], strict=True):
        entries.append(_entry(path.name, start + 1, lines[start:end]))
    try:
        return Listing(path, int(head["works"]), int(head["bare"]), settings, tuple(entries))
    except KeyError as missing:
        raise ListError(f"{path.name}: {missing} is missing above the first statement") from None


def _entry(file: str, number: int, lines: list[str]) -> Entry:
    head = HEAD.match(lines[0])
    answer = ANSWER.match(head["answer"]) if head else None
    if head is None or answer is None:
        raise ListError(f"{file}:{number}: `### id | page | answer` expected: {lines[0]!r}")
    body = [line.rstrip() for line in lines[1:] if line.strip()]
    given = [line.removeprefix("given: ") for line in body if line.startswith("given: ")]
    peer = [line.removeprefix("peer: ") for line in body if line.startswith("peer: ")]
    mended = [line.removeprefix("then: ") for line in body if line.startswith("then: ")]
    body = [line for line in body if not line.startswith(("given: ", "peer: ", "then: "))]
    at = next((i for i, line in enumerate(body) if line.startswith("---")), len(body))
    text, rest = "\n".join(body[:at]), body[at:]
    if not text:
        raise ListError(f"{file}:{number}: {head['id']} has no statement")
    told = rest[0].removeprefix("---").strip() if rest else None
    columns: tuple[str, ...] = ()
    if told is not None and told.startswith("columns "):
        columns, told = tuple(told.removeprefix("columns ").split(", ")), ""
    return Entry(
        id=head["id"],
        page=head["page"],
        state=next(state for state in STATES if head["answer"].split()[0] == state),
        condition=answer["refused"] or answer["bare"] or "",
        hint=answer["hint"] or "",
        then=head["then"] is not None or mended != [],
        mended="\n".join(mended),
        given=tuple(given),
        peer=" ".join(peer),
        text=text,
        shown=told,
        columns=columns,
        rows=tuple(rest[1:]),
        line=number,
    )


TOKEN = re.compile(
    r"(?P<comment>--[^\n]*)|(?P<string>'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\")|(?P<quoted>`[^`]*`)"
    r"|(?P<place>\{[^}]*\})|(?P<number>\d[\w.]*)|(?P<word>[A-Za-z_][\w.]*)|(?P<sign>=>|[<>!]=|\S)"
)
PROVIDERS = frozenset({"hudi", "hudilite", "parquet", "delta", "iceberg"})
TYPES = frozenset(
    [
        "BIGINT",
        "INT",
        "STRING",
        "DOUBLE",
        "FLOAT",
        "DATE",
        "TIMESTAMP",
        "BOOLEAN",
        "DECIMAL",
        "LONG",
    ]
)
SETTINGS = frozenset({"TBLPROPERTIES", "OPTIONS", "SERDEPROPERTIES"})
# Words before a name that an opening bracket follows, and that is no function.
BEFORE_NAMES = frozenset(
    {"TABLE", "EXISTS", "INTO", "ON", "VIEW", "OVERWRITE", "JOIN", "TBLPROPERTIES"}
)


def shape(entry: Entry, *, strictly: bool = False) -> str:
    """Words of a statement that are left once its literals and its names are blanked.

    Names are those that a user chooses: of tables, columns, files, branches. The words of the
    product stay: keywords, procedures, functions, methods, their arguments, the keys of settings.
    Lists become one item, so that another column does not make another statement.

    Args:
        strictly: Blanks procedures, functions and their arguments, too.
    """
    return _python_shape(entry.code) if entry.is_python else _sql_shape(entry.text, strictly)


def _sql_shape(text: str, strictly: bool) -> str:
    found = [match for match in TOKEN.finditer(text) if match.lastgroup != "comment"]
    words: list[str] = []
    in_settings = False
    for place, token in enumerate(found):
        before = found[place - 1].group() if place else ""
        after = found[place + 1].group() if place + 1 < len(found) else ""
        opened = token.group() == "(" and before in SETTINGS
        in_settings = opened or (in_settings and before != ")")
        if in_settings and (after == "=" or before == "="):
            words.append(token.group().strip("'\"") if after == "=" else "v")
        else:
            words.append(_blanked(token, before, after, strictly))
    return _folded(" ".join(words))


def _blanked(token: re.Match[str], before: str, after: str, strictly: bool) -> str:
    kind, text = token.lastgroup, token.group()
    if kind in ("string", "number", "place"):
        return "v"
    if kind == "quoted":
        return "n"
    if kind != "word":
        return text
    if text in TYPES and after != "AS":
        return "TYPE"
    if text.isupper() or (text.lower() in PROVIDERS and before == "USING"):
        return text.upper()
    if before == "SET" and text.count(".") > 1:
        return text
    if after == "=>" or (after == "(" and before not in BEFORE_NAMES):
        return "n" if strictly else text
    return ".".join("n" * (text.count(".") + 1))


ITEM = r"(?:\([^()]*\)|[^(),])+?"
REPEATED = re.compile(rf"(?P<item>{ITEM}) , (?P=item)(?= [,)]|$| [A-Z])")


def _folded(text: str) -> str:
    while (once := REPEATED.sub(r"\g<item>", text)) != text:
        text = once
    return text


def _python_shape(code: str) -> str:
    ast.parse(code)
    skipped = (tokenize.NEWLINE, tokenize.NL, tokenize.ENDMARKER, tokenize.COMMENT)
    found = [
        token
        for token in tokenize.generate_tokens(io.StringIO(code).readline)
        if token.type not in skipped
    ]
    words: list[str] = []
    depth = 0
    for place, token in enumerate(found):
        before = found[place - 1].string if place else ""
        after = found[place + 1].string if place + 1 < len(found) else ""
        depth += (token.string in "([{") - (token.string in ")]}")
        if token.type == tokenize.STRING:
            of_option = before == "(" and found[place - 2].string in ("option", "format")
            of_options = after == ":" and "." in token.string
            words.append(token.string if of_option or of_options else "v")
        elif token.type == tokenize.NUMBER:
            words.append("v")
        elif token.type == tokenize.NAME:
            kept = before == "." or after == "(" or (after == "=" and depth > 0)
            words.append(token.string if kept else "n")
        else:
            words.append(token.string)
    return _folded(" ".join(words))
