"""Golden SQL files: the grammar, one run of a file, and the text of its outcome."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

HEAD = re.compile(
    r"^(?P<kind>statement|query)(?:\s+(?P<mode>expect_error|ignore)\((?P<argument>[^)]*)\))?$"
)
CONFIG = re.compile(r"^--\s*Config:\s*(?P<key>[^=\s]+)\s*=\s*(?P<value>.*?)\s*$")
HAND = re.compile(r"^--\s*Hand:\s*(?P<reason>\S.*?)\s*$")
FAULTS = re.compile(r"^--\s*Faults:\s*F\d\d(,\s*F\d\d)*\s*$")
OF_INDEX = re.compile(
    r"^(EXPLAIN|DESCRIBE) |bucket|_hoodie_file_name", re.IGNORECASE | re.MULTILINE
)
OF_VERSION = re.compile(
    r"^(SHOW (CREATE|TBLPROPERTIES)|DESCRIBE) |show_timeline|metadata_table|advise_buckets|(up|down)grade_table|/\.hoodie/"
    # A log file of version 6 is one of the slices before and after it.
    r"|hudilite changes of .* log files",
    re.IGNORECASE | re.MULTILINE,
)
OF_A_TABLE = re.compile(
    r"^\s*(CALL|VACUUM|RESTORE|OPTIMIZE|RUN COMPACTION|DESC(RIBE)? (HISTORY|DETAIL))\b",
    re.IGNORECASE,
)
MIN_SPARK = re.compile(r"^--\s*MinSparkVersion:\s*(?P<version>\d+\.\d+)\s*$")


class GrammarError(ValueError):
    """A golden file that does not follow the grammar."""


@dataclass(frozen=True)
class Block:
    """One statement or query of a golden file."""

    kind: str
    text: str
    line: int
    expected_error: str | None = None
    ignored_for: str | None = None

    @property
    def ordered(self) -> bool:
        """Rows stay as they come when the query orders them."""
        return re.search(r"\border\s+by\b", self.text, re.IGNORECASE) is not None

    @property
    def is_plan(self) -> bool:
        """EXPLAIN gives one long text."""
        return self.text.lstrip().upper().startswith("EXPLAIN")

    @property
    def is_call(self) -> bool:
        """The rows of a procedure or of a command about a table hold times and sizes in bytes."""
        return OF_A_TABLE.match(self.text) is not None


@dataclass(frozen=True)
class GoldenFile:
    """A parsed file: session settings, the least Spark version, the blocks, and why Delta gives no
    rows to compare with, if it does not."""

    config: dict[str, str]
    min_spark: tuple[int, int] | None
    blocks: list[Block]
    hand: str | None = None


@dataclass
class Outcome:
    """What a block gave: a schema with rows, or an error."""

    schema: str = ""
    rows: list[str] = field(default_factory=list)
    error: list[str] = field(default_factory=list)


def parse_golden(text: str) -> GoldenFile:
    """Reads a golden file; blocks are separated by blank lines.

    Raises:
        GrammarError: for a block without a head, an empty block or an unknown directive.
    """
    config: dict[str, str] = {}
    min_spark: tuple[int, int] | None = None
    hand: str | None = None
    blocks: list[Block] = []
    for line, paragraph in _paragraphs(text):
        body = paragraph
        while body and body[0].startswith("--"):
            setting, version = CONFIG.match(body[0]), MIN_SPARK.match(body[0])
            by_hand = HAND.match(body[0])
            if setting:
                config[setting["key"]] = setting["value"]
            elif by_hand:
                hand = by_hand["reason"]
            elif version:
                major, minor = version["version"].split(".")
                min_spark = (int(major), int(minor))
            elif re.match(r"^--\s*\w+:", body[0]) and not FAULTS.match(body[0]):
                raise GrammarError(f"line {line}: unknown directive {body[0]!r}")
            body = body[1:]
        if body:
            blocks.append(_block(line + len(paragraph) - len(body), body))
    return GoldenFile(config, min_spark, blocks, hand)


def render(golden: GoldenFile, outcomes: list[Outcome | None]) -> str:
    """The .out text: each block's SQL, then its schema and rows, or its error."""
    parts: list[str] = []
    for block, outcome in zip(golden.blocks, outcomes, strict=True):
        parts.append(f"-- !{block.kind}\n{block.text}")
        if outcome is None:
            parts.append(f"-- !ignored\n{block.ignored_for}")
        elif outcome.error:
            parts.append("-- !error\n" + "\n".join(outcome.error))
        elif block.kind == "query":
            parts.append("-- !schema\n" + outcome.schema)
            parts.append("\n".join(["-- !rows", *outcome.rows]))
    return "\n".join(parts) + "\n"


def whatever_the_index(text: str) -> str:
    """The .out text without the blocks whose rows tell of buckets, plans or file groups."""
    return _without(OF_INDEX, text)


def whatever_the_version(text: str) -> str:
    """The .out text without the blocks that tell the table version or name metadata files."""
    return _without(OF_VERSION, text)


def _without(pattern: re.Pattern[str], text: str) -> str:
    blocks = re.split(r"(?m)^(?=-- !(?:statement|query)$)", text)
    return "".join(block for block in blocks if not pattern.search(block))


def first_difference(expected: str, actual: str) -> str:
    """The first line where two outcomes part, with the lines around it."""
    want, have = expected.splitlines(), actual.splitlines()
    at = next(
        (i for i, (w, h) in enumerate(zip(want, have, strict=False)) if w != h),
        min(len(want), len(have)),
    )
    before = "\n".join(f"    {line}" for line in have[max(0, at - 12) : at])
    wanted = "\n".join(f"  - {line}" for line in want[at : at + 6])
    got = "\n".join(f"  + {line}" for line in have[at : at + 6])
    return f"line {at + 1}:\n{before}\n{wanted}\n{got}"


def normaliser(places: dict[str, str]) -> Callable[[str], str]:
    """Replaces folders, ids, tokens and instants by stable names.

    Args:
        places: path text -> name, longest first wins.

    Returns:
        A function over the whole outcome text: instants are numbered in time order.
    """

    def normalise(text: str) -> str:
        for path in sorted(places, key=len, reverse=True):
            text = text.replace(path, places[path])
        text = re.sub(
            r"(\d{8})-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}-0_\d+-\d+-\d+_(\d{17})",
            r"\1-{id}_{token}_\2",
            text,
        )
        text = re.sub(r"\b(20\d{15})_\d+_\d+\b", r"\1_{task}_{row}", text)
        text = re.sub(r"#\d+L?", "#x", text)
        text = re.sub(r"plan_id=\d+", "plan_id=x", text)
        instants = sorted(set(re.findall(r"(?<!\d)20\d{15}(?!\d)", text)))
        for number, instant in enumerate(instants, start=1):
            text = text.replace(instant, f"{{T{number}}}")
        return text

    return normalise


def _paragraphs(text: str) -> list[tuple[int, list[str]]]:
    found: list[tuple[int, list[str]]] = []
    current: list[str] = []
    for number, line in enumerate([*text.splitlines(), ""], start=1):
        if line.strip():
            current.append(line.rstrip())
        elif current:
            found.append((number - len(current), current))
            current = []
    return found


def _block(line: int, body: list[str]) -> Block:
    head = HEAD.match(body[0].strip())
    if head is None or len(body) < 2:
        raise GrammarError(f"line {line}: a block is `statement` or `query`, then SQL: {body[0]!r}")
    mode, argument = head["mode"], head["argument"]
    if mode is not None and not argument:
        raise GrammarError(f"line {line}: {mode} names nothing")
    return Block(
        head["kind"],
        "\n".join(body[1:]),
        line,
        argument if mode == "expect_error" else None,
        argument if mode == "ignore" else None,
    )


def out_path(source: Path) -> Path:
    """The outcome file that lies beside a golden file."""
    return source.with_suffix(".out")
