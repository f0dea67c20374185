"""What is imported: sqlglot, which costs most of a start, by what reads SQL alone."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import hudilite
from harness.clients import free_port
from hudilite.cli import main
from python.fake_spark import SECONDS, make
from python.hand_made_table import add_commit, group_of, make_bucketed

INSTANT = "20240101000000000"
READS_SQL = {"lint", "convert", "lineage"}
SCRIPT = """
import json, sys
from pathlib import Path
import hudilite

told = [["import hudilite", 0, "sqlglot" in sys.modules]]
from python.fake_session import FakeSession
from python.fake_spark import FakeSpark

spark, session = FakeSpark(Path(sys.argv[1])), FakeSession()
for words in json.loads(sys.argv[2]):
    with session.installed():
        done = spark.run(*words)
    assert "Traceback" not in done.stderr, done.stderr
    told.append([words[0], done.returncode, "sqlglot" in sys.modules])
print(json.dumps(told))
"""

# Reads a table by each module that needs no Spark; the first process or port is an error.
WATCHED = """
import importlib, pkgutil, sys

def watch(event, words):
    if event in ("socket.bind", "socket.connect", "subprocess.Popen", "os.posix_spawn", "os.system"):
        raise AssertionError(f"{event} {words}")

sys.addaudithook(watch)
import hudilite
from hudilite import cli, files

names = [found.name for found in pkgutil.walk_packages(hudilite.__path__, "hudilite.")]
for name in names:
    if not name.endswith("__main__"):
        importlib.import_module(name)
assert files.read(sys.argv[1])
cli.main(["timeline", sys.argv[1]])
print(len(names))
"""


def test_the_root_imports_what_is_used() -> None:
    """Neither Spark nor sqlglot nor anything of the package is loaded before that."""
    code = (
        "import sys, hudilite; early = {m for m in sys.modules if m.startswith('hudilite.')}; "
        "assert early == {'hudilite.version'}, early; "
        "assert not {'pyspark', 'sqlglot'} & set(sys.modules); "
        "hudilite.errors.HudiliteError; assert 'hudilite.errors' in sys.modules; "
        "assert not {'pyspark', 'sqlglot'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_every_name_of_the_root_is_there() -> None:
    assert set(hudilite.__all__) <= set(dir(hudilite))
    for name in hudilite.__all__:
        assert getattr(hudilite, name) is not None
    modules = {name for name in hudilite.__all__ if isinstance(getattr(hudilite, name), ModuleType)}
    assert not {"configure", "doctor", "progress", "session"} & modules
    with pytest.raises(AttributeError, match="no attribute 'launched'"):
        _ = hudilite.launched


@pytest.mark.fault("F95")
def test_imports_and_reads_of_metadata_start_no_process_and_open_no_port(tmp_path: Path) -> None:
    base = add_commit_to(make_bucketed(tmp_path / "t"))
    done = subprocess.run(
        [sys.executable, "-c", WATCHED, base], capture_output=True, text=True, timeout=SECONDS
    )
    assert done.returncode == 0, done.stderr
    assert int(done.stdout.split()[-1]) > 20


def test_sqlglot_is_imported_by_what_reads_sql_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Every command does its work, in one process; those that read SQL come last."""
    make(tmp_path)
    base = add_commit_to(make_bucketed(tmp_path / "t"))
    (tmp_path / "a.sql").write_text("SELECT 1")
    commands = [
        *(["sql"], ["run", "a.sql"], ["beeline", "--url", "x"]),
        ["thriftserver", "--port", str(free_port())],
        *(["bootstrap", "t", "s", "--key", "id"], ["verify", "t"], ["clean", "t"]),
        *(["savepoint", "t"], ["delete-savepoint", "t", INSTANT], ["restore", "t", INSTANT]),
        *(["remove-orphans", "t"], ["hive-sync", "t"]),
        *(["timeline", base], ["files", base], ["show", base, "-o", "page.html"]),
        *(["top", base], ["why", base]),
        *(["errors"], ["doctor"], ["dbt-package"], ["dbt-profile"]),
    ]
    readers = [["lint", "a.sql"]]
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(tmp_path), json.dumps(commands + readers)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path), "FAKE_SERVER": "die"},
        capture_output=True,
        text=True,
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert [name for name, _, imported in told if imported] == ["lint"]
    assert [(name, code) for name, code, _ in told if code] == [("thriftserver", 1)]

    with pytest.raises(SystemExit):
        main(["--help"])
    listed = re.findall(r"^    ([\w-]+)(?: |$)", capsys.readouterr().out, re.MULTILINE)
    assert {name for name, *_ in commands} == set(listed) - READS_SQL


def add_commit_to(base: Path) -> str:
    """A table with a commit, by its path."""
    add_commit(base, INSTANT, {"p=a": {group_of(0): 3}})
    return str(base)
