"""Clients of a Thrift server whose transport is HTTP: statements, and errors with their whole text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from client_outputs import settings
from programs import Program, started

from harness import clients
from harness.rotation import ninth

WORDS = ("docs/how-to/bi-tools.md", "python/requirements-clients.txt")
pytestmark = [pytest.mark.timeout(600), ninth(7, when=WORDS)]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[int, Path]]:
    """The port of a server with a metastore of its own, and its folder."""
    folder = tmp_path_factory.mktemp("http")
    (folder / "tmp").mkdir()
    with clients.running_server(settings(folder), folder, http=True) as (port, _):
        yield port, folder


def rows(program: Program, sql: str) -> list[list[str]]:
    answer = program.run(sql)
    assert not answer.error, answer.error
    return [[str(cell) for cell in row] for row in answer.rows]


@pytest.mark.parametrize("name", ["beeline", "pyhive", "jdbc"])
def test_statements_and_errors(server: tuple[int, Path], name: str) -> None:
    port, folder = server
    program, table = started(name, port, folder, http=True), f"of_{name}"
    try:
        key = "(id BIGINT, v STRING, PRIMARY KEY (id))"
        rows(program, f"CREATE TABLE {table} {key} USING hudilite WITH BUCKETS 2")
        rows(program, f"INSERT INTO {table} VALUES (1, 'a'), (2, 'a')")
        merge = (
            f"MERGE INTO {table} t USING (SELECT 2 AS id, 'b' AS v UNION ALL SELECT 3, 'c') s "
            "ON t.id = s.id WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *"
        )
        assert rows(program, merge) == [["2", "1", "0", "1"]]
        fault = program.run(f"INSERT INTO {table} VALUES (1, 'again')")
        assert fault.line.startswith(
            f"[HUDILITE_DUPLICATE_KEY] Table spark_catalog.default.{table} "
        )
        assert "Use MERGE INTO to change existing rows" in fault.line
        if name != "beeline":
            assert fault.state == "23505"
        refused = program.run(f"SELECT * FROM hudilite.`{folder}/absent`")
        assert refused.line.startswith("[HUDILITE_PATH_INVALID] "), refused
        assert rows(program, f"SELECT id, v FROM {table} ORDER BY id") == [
            ["1", "a"],
            ["2", "b"],
            ["3", "c"],
        ]
    finally:
        program.kill()
