"""Beeline on a real Thrift server, and one first line for an error in every client."""

from __future__ import annotations

import itertools
import re

import pytest
from _pytest.mark import ParameterSet
from client_outputs import EVERYWHERE, ClientOutputs

from faults import CONDITIONS, ROOT, WAYS, conditions
from harness import clients, golden
from harness.rotation import product

pytestmark = pytest.mark.timeout(1800)  # the first test waits for all three clients


BASE_FILE = r"\b[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-0_\d+-\d+-\d+_(?=\d{17})"


def stable(line: str | None) -> str | None:
    """A line without what no two tables share: instants, file ids, lengths of files;
    nor which of two files a reader misses first."""
    if line is None:
        return None
    unnamed = re.sub(BASE_FILE, "{id}_{token}_", line)
    return re.sub(r"\(\d+ bytes\)|wrote \d+", "{n} bytes", golden.normaliser({})(unnamed))


# What makes the first line: a change of these is tested at once.
WORDS = (
    str(CONDITIONS.relative_to(ROOT)),
    "python/src/hudilite/errors.py",
    *product("spark/error/AnalysisErrors.scala"),
)


SERVED = pytest.mark.rotated(third=0, when=WORDS)  # starts the server


def rotated() -> list[ParameterSet]:
    """The conditions: those of every client run at one rotation, the others at this and at the next one,
    so that at the third no client starts."""
    others = itertools.cycle((0, 1))
    thirds = {name: 0 if name in WAYS else next(others) for name in conditions()}
    return [
        pytest.param(name, marks=pytest.mark.rotated(third=third, when=WORDS))
        for name, third in thirds.items()
    ]


@pytest.mark.parametrize("condition", rotated())
def test_the_first_line_is_the_same_in_every_client(
    request: pytest.FixtureRequest, condition: str
) -> None:
    every = EVERYWHERE or condition in WAYS
    all_outputs: ClientOutputs = request.getfixturevalue(
        "all_outputs" if every else "pyspark_outputs"
    )
    said = {client: found for client, found in all_outputs.lines.items() if condition in found}
    lines = {client: stable(found[condition]) for client, found in said.items()}
    assert set(lines) == ({"pyspark", "beeline", "spark-sql"} if every else {"pyspark"})
    assert len(set(lines.values())) == 1, "\n".join(map(str, lines.values()))
    assert str(lines["pyspark"]).startswith(f"[{condition}] "), lines


@SERVED
def test_beeline_creates_inserts_merges_and_reads(beeline_outputs: ClientOutputs) -> None:
    smoke = beeline_outputs.smoke
    failed = {name: lines for name, lines in smoke.items() if clients.first_line(lines)}
    assert set(failed) == {"error"}, failed
    assert rows(smoke["merge"]) == ["2\t1\t0\t1"]
    assert rows(smoke["select"]) == ["1\ta", "2\tb1", "3\tc"]


@SERVED
def test_beeline_calls_a_procedure(beeline_outputs: ClientOutputs) -> None:
    shown = [row.split("\t") for row in rows(beeline_outputs.smoke["call"])]
    assert [row[1:5] for row in shown] == [
        ["commit", "COMPLETED", "2", "UPSERT"],
        ["commit", "COMPLETED", "1", "INSERT"],
    ]


@SERVED
def test_beeline_makes_a_table_of_parquet_files(beeline_outputs: ClientOutputs) -> None:
    said = beeline_outputs.adopted
    failed = {name: lines for name, lines in said.items() if clients.first_line(lines)}
    assert failed == {}
    assert rows(said["absent"]) == [], "a dry run makes no table"
    dry = [row.split("\t") for row in rows(said["dry"])]
    assert {row[1] for row in dry} == {"adopt"}
    (made,) = (row.split("\t") for row in rows(said["call"]))
    assert made[:4] == [str(len(dry)), "0", "0", str(sum(int(row[3]) for row in dry))]
    (merged,) = (row.split("\t") for row in rows(said["merge"]))
    (left,) = (row.split("\t") for row in rows(said["count"]))
    (source,) = (row.split("\t") for row in rows(said["source"]))
    assert merged[2] == source[2] != "0"
    assert int(left[1]) == int(source[1]) - int(source[2])


@SERVED
def test_the_first_line_in_beeline_says_what_to_do(beeline_outputs: ClientOutputs) -> None:
    line = clients.first_line(beeline_outputs.smoke["error"])
    assert line is not None
    assert line.startswith("[HUDILITE_DUPLICATE_KEY] ")
    assert "Use MERGE INTO" in line


@SERVED
def test_a_table_in_the_metastore_outlives_pyspark(beeline_outputs: ClientOutputs) -> None:
    assert rows(beeline_outputs.smoke["stored"]) == ["7\tfrom PySpark"]


@SERVED
def test_a_table_in_the_metastore_outlives_the_server(all_outputs: ClientOutputs) -> None:
    assert rows(all_outputs.kept) == ["1\ta", "2\tb1", "3\tc"]


def rows(lines: list[str]) -> list[str]:
    """The lines that are rows; a prompt may stand before the first."""
    bare = [line.split("> ")[-1] for line in lines]
    return [line for line in bare if "\t" in line]
