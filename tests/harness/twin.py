"""The same statements on Delta: what `make golden-update` compares the rows of a golden file with.

A file without such a twin says why in its header: `-- Hand: <reason>`. Blocks that expect an error
are not run there, and only rows that both must agree on are compared: those of SELECT and of MERGE.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

from harness.golden import Block, GoldenFile

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

ROOT = Path(__file__).resolve().parents[2]
KEPT = ROOT / ".build" / "twins"
_LIST = r"\((?:[^()']|'[^']*'|\([^()]*\))*\)"
_OURS = re.compile(r"\busing\s+hudilite\b", re.IGNORECASE)
_CLAUSES = [
    re.compile(r"\bwith\s+buckets\s+\S+(?:\s+on\s*\([^)]*\))?", re.IGNORECASE),
    re.compile(rf"\bclustered\s+by\s*{_LIST}\s*into\s+\d+\s+buckets", re.IGNORECASE),
    re.compile(rf",\s*(?:constraint\s+\w+\s+)?primary\s+key\s*{_LIST}", re.IGNORECASE),
    re.compile(rf"\b(?:tblproperties|options)\s*{_LIST}", re.IGNORECASE),
]
_COMPARED = re.compile(r"(?:select|with|merge|values|table|from|\()\b|\(", re.IGNORECASE)
_OWN = re.compile(r"_hoodie_|_metadata\b|input_file_name|current_(?:user|date|time)", re.IGNORECASE)
_NOT_RUN = re.compile(r"(?:call|explain|show|describe|desc)\b", re.IGNORECASE)
_DEFAULTS = "TBLPROPERTIES ('delta.feature.allowColumnDefaults' = 'supported')"


def statement(text: str) -> str:
    """A statement of hudilite as Delta reads it; any other stays as it is."""
    if not _OURS.search(text):
        return text
    for clause in _CLAUSES:
        text = clause.sub("", text)
    return _OURS.sub(f"USING delta {_DEFAULTS}", text)


def is_compared(block: Block) -> bool:
    """Whether both must give the same rows."""
    text = block.text.lstrip()
    plain = block.kind == "query" and block.expected_error is None and block.ignored_for is None
    return plain and bool(_COMPARED.match(text)) and not _OWN.search(text)


def run(
    spark: SparkSession, parsed: GoldenFile, database: str, folder: Path
) -> dict[str, list[str]]:
    """The rows that Delta gives, by the line of the block.

    Raises:
        AssertionError: naming a statement that Delta does not take.
    """
    from harness.runner import rows_of

    session = spark.newSession()
    session.sql(f"CREATE DATABASE {database} LOCATION '{folder / 'twin'}'")
    session.sql(f"USE {database}")
    for key, value in parsed.config.items():
        session.conf.set(key, value)
    found: dict[str, list[str]] = {}
    for block in parsed.blocks:
        if block.expected_error or block.ignored_for or _NOT_RUN.match(block.text.lstrip()):
            continue
        if block.kind == "query" and not is_compared(block) and _OWN.search(block.text):
            continue
        text = statement(block.text.replace("{folder}", str(folder)))
        try:
            rows = rows_of(block, session.sql(text).toArrow())
        except Exception as error:
            told = str(error).strip()[:600]
            raise AssertionError(
                f"line {block.line}: Delta does not take this; mend it, or put `-- Hand: <reason>`"
                f" on top\n{text}\n{told}"
            ) from error
        if is_compared(block):
            found[str(block.line)] = rows
    return found


def keep(path: Path, rows: dict[str, list[str]]) -> None:
    """Notes a twin's rows for the run that writes the .out files."""
    place = _place(path)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_text(json.dumps(rows), encoding="utf-8")


def differences(path: Path, rows: dict[str, list[str]]) -> list[str]:
    """Blocks of a file whose rows are not the twin's.

    Args:
        path: The golden file.
        rows: What hudilite gave, by the line of the block.
    """
    place = _place(path)
    if not place.exists():
        return ["it was not run on Delta: use make golden-update"]
    twin = json.loads(place.read_text(encoding="utf-8"))
    return [
        f"line {line}: Delta gives\n    " + "\n    ".join(twin[line] or ["no row"])
        for line in twin
        if twin[line] != rows.get(line)
    ]


def _place(path: Path) -> Path:
    return KEPT / path.relative_to(ROOT / "tests" / "sql").with_suffix(".json")
