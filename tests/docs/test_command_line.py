"""The lines of docs/command-line.md in a shell, with the real Spark behind them."""

from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from harness import clients, fences
from harness.fences import Fence

PAGE = (Path(__file__).parents[2] / "docs" / "command-line.md").read_text("utf-8")
# A change of these is tested at once.
TYPED = (
    "docs/command-line.md",
    "python/src/hudilite/cli/",
    "python/src/hudilite/launch/programs.py",
)
ROWS, DAYS = 1000, 5
DECLARED = "CREATE TABLE db.orders (id BIGINT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2;\n"
NIGHTLY = """CREATE DATABASE IF NOT EXISTS db;
{declared}
INSERT INTO db.orders SELECT id, 'v' FROM range(10);
MERGE INTO db.orders t USING (SELECT id + 5 id, 'w' v FROM range(10)) s ON t.id = s.id
WHEN MATCHED THEN UPDATE SET * WHEN NOT MATCHED THEN INSERT *;
SELECT concat('rows ', count(*), ' of w ', count_if(v = 'w')) FROM db.orders;
"""
# Commands in the process of the reader, whose JVM is there; Java is asked but once.
IN_PLACE = """
import json, os
import hudilite
from hudilite.launch import java
from hudilite.cli import main
session = hudilite.session(conf={"spark.sql.catalogImplementation": "hive"})
session.sql("CREATE DATABASE IF NOT EXISTS db")
session.stop()
asked, found = java.check, java.check(os.environ)
java.check = lambda environment: found
commands = json.load(open("commands.json"))
codes = {" ".join(words): main(words) for words in commands}
java.check = asked
assert commands and not any(codes.values()), codes
"""
ICEBERG = "CREATE TABLE db.lines (id BIGINT, v STRING) USING iceberg TBLPROPERTIES ('format-version' = '2');\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the lines are typed, and what they name."""
    made = tmp_path_factory.mktemp("typed")
    command = made / "bin" / "hudilite"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m hudilite "$@"\n')
    command.chmod(0o755)
    (made / "nightly.sql").write_text(NIGHTLY.format(declared=DECLARED))
    (made / "tables.sql").write_text(DECLARED)
    (made / "iceberg.sql").write_text(ICEBERG)
    (made / "events").mkdir()
    ids = range(ROWS)
    table = pa.table({"id": list(ids), "day": [i % DAYS for i in ids], "v": [f"v{i}" for i in ids]})
    pq.write_table(table, made / "events" / "part-0.parquet")
    return made


def lines(heading: str) -> dict[str, str]:
    """The lines of a section, by what they are called with."""
    found = fences.shell_lines(fences.section(PAGE, heading))
    return {line.removeprefix("hudilite "): line for line in found}


def environment(folder: Path) -> dict[str, str]:
    own = fences.environment()
    own |= {"SPARK_BEELINE_OPTS": own["SPARK_SUBMIT_OPTS"], "NO_COLOR": "1"}
    return own | {"PATH": f"{folder / 'bin'}:{own['PATH']}"}


def typed(folder: Path, line: str, given: str = "") -> subprocess.CompletedProcess[str]:
    """What a line does in a shell, with a text on its standard input."""
    return subprocess.run(
        ["bash", "-c", line],
        cwd=folder,
        env=environment(folder),
        input=given,
        capture_output=True,
        text=True,
        timeout=180,
    )


@contextmanager
def serving(folder: Path, line: str) -> Iterator[str]:
    """The URL that a Thrift server of this line prints, while it runs."""
    server = subprocess.Popen(
        ["bash", "-c", f"exec {line}"],
        cwd=folder,
        env=environment(folder),
        stdout=subprocess.PIPE,
        text=True,
        preexec_fn=clients.as_of_a_terminal,
    )
    try:
        assert server.stdout is not None
        yield server.stdout.readline().strip()
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=60) == 0
    finally:
        server.kill()


def test_scripts(folder: Path) -> None:
    codes = {words: typed(folder, line).returncode for words, line in lines("Scripts").items()}
    assert set(codes.values()) == {0}, codes
    assert "PRIMARY KEY" in (folder / "tables.sql").read_text()


@pytest.mark.rotated(third=1, when=TYPED)
def test_spark_sql(folder: Path) -> None:
    shells = lines("Spark, ready for hudilite")
    script = typed(folder, shells.pop("run nightly.sql"))
    assert script.returncode == 0, script.stderr
    assert script.stdout.split("\n")[-2] == "rows 15 of w 10"
    asked = "SELECT concat('of w ', count(*)) FROM db.orders WHERE v = 'w';\n"
    prompt = typed(folder, shells.pop("sql"), asked)
    assert prompt.returncode == 0, prompt.stderr
    assert "of w 10" in prompt.stdout


@pytest.mark.rotated(third=0, when=TYPED)
def test_tables_of_one_process_after_another(folder: Path) -> None:
    """The names that one leaves are those of the next."""
    shells = lines("Spark, ready for hudilite")
    (shown,) = (line for words, line in shells.items() if words.startswith("sql -e"))
    first = shown.replace("SHOW TABLES", "CREATE DATABASE IF NOT EXISTS db; SHOW TABLES")
    of_tables = lines("Tables in a session")
    (made,) = (
        line for words, line in of_tables.items() if words.endswith("--location lake/events")
    )
    for line in (first, made, of_tables["verify db.events --level rows"]):
        done = typed(folder, line)
        assert done.returncode == 0, (line, done.stderr)
    assert (folder / "lake" / "events" / ".hoodie").is_dir()


@pytest.mark.rotated(third=2, when=TYPED)
def test_tables_in_a_session(folder: Path, tmp_path: Path, reader: fences.Reader) -> None:
    """Every line, one after another; their Hive metastore is that of the process."""
    shutil.copytree(folder / "events", tmp_path / "events")
    commands = [shlex.split(words) for words in lines("Tables in a session")]
    (tmp_path / "commands.json").write_text(json.dumps(commands))
    faults = reader.run([Fence("session", 1, "python", IN_PLACE)], tmp_path)
    assert faults == {}, "\n".join(faults.values())
    assert (tmp_path / "lake" / "events" / ".hoodie").is_dir()


@pytest.mark.rotated(third=2, when=TYPED)
def test_a_server_and_beeline(folder: Path) -> None:
    shells = lines("Spark, ready for hudilite")
    port = str(clients.free_port())
    (server,) = (line for words, line in shells.items() if words.startswith("thriftserver"))
    (client,) = (line for words, line in shells.items() if words.startswith("beeline"))
    with serving(folder, re.sub("10000", port, server)) as url:
        assert url == f"jdbc:hive2://127.0.0.1:{port}"
        given = "CREATE TABLE b (id INT, PRIMARY KEY (id)) USING hudilite;\nSHOW TABLES;\n"
        done = typed(folder, re.sub("10000", port, client), given)
        assert done.returncode == 0, done.stderr
        assert re.search(r"\| default +\| b +\|", done.stdout), done.stdout
