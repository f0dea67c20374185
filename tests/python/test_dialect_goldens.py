"""Spark reads a golden file and what the sqlglot dialect makes of it the same."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import sqlglot
from _pytest.mark import ParameterSet
from sqlglot import ErrorLevel, exp

from harness.golden import Block, parse_golden
from harness.rotation import ROOT, third_of

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

GOLDENS = ROOT / "tests" / "sql"
# A change of it runs every file.
DIALECT = "python/src/hudilite/dialect/"
NAMES = "SET spark.sql.ansi.doubleQuotedIdentifiers"


def passing(file: Path) -> list[Block]:
    """The blocks of a golden file that must pass, but those of a session whose names are in double quotes:
    the dialect reads texts there."""
    blocks = parse_golden(file.read_text(encoding="utf-8")).blocks
    found, are_names = [], False
    for block in blocks:
        if NAMES in block.text:
            are_names = "true" in block.text
        if not are_names and not block.expected_error:
            found.append(block)
    return found


def rotated() -> list[ParameterSet]:
    """The golden files, each at a rotation and when it changes."""
    files = {str(file.relative_to(ROOT)): file for file in sorted(GOLDENS.rglob("*.sql"))}
    return [
        pytest.param(
            file,
            id=file.stem,
            marks=pytest.mark.rotated(third=third_of(name), when=(name, DIALECT)),
        )
        for name, file in files.items()
    ]


@pytest.mark.parametrize("file", rotated())
def test_goldens_mean_the_same_when_written_again(file: Path, spark: SparkSession) -> None:
    spark.conf.set("spark.sql.parser.eagerEvalOfUnresolvedInlineTable", "false")  # shows VALUES
    parser = spark._jsparkSession.sessionState().sqlParser()
    for block in passing(file):
        tree = sqlglot.parse_one(block.text, read="hudilite")
        written = tree.sql("hudilite", unsupported_level=ErrorLevel.RAISE)
        assert sqlglot.parse_one(written, read="hudilite").sql("hudilite") == written
        assert not tree.find(exp.Command), block.text
        meant, read = (str(parser.parsePlan(text)) for text in (block.text, written))
        assert words(read) == words(meant), f"{block.text}\n{written}"


def words(plan: str) -> list[str]:
    """The words of a plan of Spark's parser, without what two spellings of one meaning differ in.

    sqlglot writes 1L and DOUBLE(x) as casts, IS NOT NULL as NOT .. IS NULL, named_struct
    as STRUCT with aliases, |> as sub-queries, and a view keeps the text of its query. A function, which
    makes the plan of IDENTIFIER(..), has its address in the text.
    """
    text = re.sub(r"#\d+l?|__auto_generated_subquery_name", "", plan.lower())
    text = re.sub(r"\$\$lambda\$[\w/]+@[0-9a-f]+", "", text)
    text = re.sub(r"^(createviewcommand `[^`]*`).*", r"\1", text)
    text = re.sub(r"not isnull\(", "isnotnull(", text)
    text = re.sub(r"(\w+) is not null", r"not \1 is null", text)  # in the text of a constraint
    types = r"(bigint|int|string|date|timestamp(_ntz)?|double|float|tinyint|smallint|decimal\(\d+,\d+\))"
    text = re.sub(
        rf"\bas {types}\)|'?\b(cast|double|float|int|string)\(|named_(?=struct)", "", text
    )
    text = re.sub(r" as `?\w+`?(?=[,)])| utc\b", "", text)
    return re.findall(r"[^\s'(),\[\]]+", text)


def test_a_change_of_meaning_has_other_words() -> None:
    assert words("Filter ('a = 1)") != words("Filter ('a = 2)")
    assert words("Project [1 AS a]") != words("Project [1 AS b]")
    assert json.dumps(words("Filter isnotnull('a)")) == json.dumps(words("Filter NOT isnull('a)"))
