"""The ten likeliest mistakes of a newcomer, each made for real: one line on stderr says what to do."""

from __future__ import annotations

import re
import subprocess
import sys
from functools import cache
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import hudilite
from harness import clients, stock
from hudilite.launch import installation, settings

MADE = Path(__file__).resolve().parents[2] / ".build" / "mistakes.txt"
CONDITION = re.compile(r"\[([A-Z_.]+)\] ")
# A program that makes mistakes, some in each of several sessions of one JVM; `END` stands behind what
# is stderr_of to each. What the JVM writes goes aside, so that stderr is what the program says.
PROGRAM = """
import os, sys
told = os.fdopen(os.dup(2), "w")
os.dup2(os.open("log.txt", os.O_WRONLY | os.O_CREAT | os.O_APPEND), 2)
from pyspark import SparkContext
from pyspark.sql import SparkSession
import hudilite
for opening, mistakes in {sessions!r}:
    exec(opening)
    for mistake in mistakes:
        try:
            exec(mistake)
            print(end={end!r}, file=told)
        except Exception as error:
            print(str(error), end={end!r}, file=told)
    spark.stop()
    # The JVM was started with settings of the first one, which are nothing to the next.
    for setting in {settings!r}:
        SparkContext._jvm.java.lang.System.clearProperty(setting)
raise SystemExit(1)
"""
END = "\x03"
OURS = "spark = hudilite.session('mistake', 'warehouse')"
PLAIN = "spark = SparkSession.builder.master('local[1]').getOrCreate()"
DECLARED = "CREATE TABLE t (id INT, v STRING, PRIMARY KEY (id)) USING hudilite WITH BUCKETS 2"
EXTENSION = f"config('spark.sql.extensions', '{settings.EXTENSIONS_CLASS}')"
CATALOG = f"config('{settings.SPARK_CATALOG}', '{settings.CATALOG_CLASS}')"
# What finds that the jar is not on the class path: a change of it is tested at once.
JARS_ALONE = (
    "sql-extension/spark/src/main/scala/hudilite/spark/HudiliteExtensions.scala",
    "sql-extension/spark/src/main/scala/hudilite/spark/catalog/SessionParts.scala",
)
STATEMENTS = [
    ("a typo in a procedure", "CALL verifi('t')", "HUDILITE_PROCEDURE_NOT_FOUND"),
    (
        "a key of another type",
        "MERGE INTO t USING (SELECT DATE'2026-01-01' id, 'v' v) s ON t.id = s.id "
        "WHEN MATCHED THEN DELETE",
        "DATATYPE_MISMATCH.BINARY_OP_DIFF_TYPES",
    ),
    ("the table exists", DECLARED, "TABLE_OR_VIEW_ALREADY_EXISTS"),
    (
        "the source is missing",
        "MERGE INTO t USING updates s ON t.id = s.id WHEN MATCHED THEN DELETE",
        "TABLE_OR_VIEW_NOT_FOUND",
    ),
]
WITHOUT_EXTENSION = [
    "CREATE TABLE t (id INT) USING hudilite TBLPROPERTIES (primaryKey = 'id')",
    "INSERT INTO hudilite.`TABLE` VALUES (1)",
]


def stderr_of(words: list[str], cwd: Path, **more: str) -> str:
    """What a program that must fail writes on stderr."""
    done = subprocess.run(
        words,
        cwd=cwd,
        env=clients.environment() | more,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode != 0, done.stdout
    return done.stderr


def on_record(name: str, text: str) -> str:
    """The first line of what a mistake brought, which goes on record."""
    line = text.splitlines()[0]
    with MADE.open("a", encoding="utf-8") as record:
        record.write(f"{name}\n    {line}\n")
    return line


def first_line(name: str, words: list[str], cwd: Path, **more: str) -> str:
    """Of stderr, of a program that must fail; it goes on record."""
    return on_record(name, stderr_of(words, cwd, **more))


def condition(line: str) -> str:
    found = CONDITION.search(line)
    assert found is not None, line
    return found[1]


def command(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "hudilite", *arguments]


def run(statement: str) -> str:
    """The step that runs a statement."""
    return f"spark.sql({statement!r})"


def opened(parts: str) -> str:
    """The step that opens a session which has the jar and some of the settings."""
    jar = f"config('spark.driver.extraClassPath', '{installation.jar()}')"
    return f"spark = SparkSession.builder.master('local[1]').{jar}.{parts}.getOrCreate()"


@cache
def messages(folder: Path) -> dict[tuple[str, str], str]:
    """By the kind of session and the mistake, what is stderr_of."""
    made = f"CREATE TABLE made {DECLARED.removeprefix('CREATE TABLE t ')} LOCATION '{folder}/made'"
    sessions = {
        "ours": ("\n".join((OURS, run(DECLARED), run(made))), [text for _, text, _ in STATEMENTS]),
        "no extension": (opened(CATALOG), WITHOUT_EXTENSION),
        "wrong catalog": (opened(EXTENSION), [DECLARED]),
        "plain": (PLAIN, [OURS]),
    }
    steps = [
        (
            opening,
            [m if m == OURS else run(m.replace("TABLE`", f"{folder}/made`")) for m in mistakes],
        )
        for opening, mistakes in sessions.values()
    ]
    fixed = [settings.EXTENSIONS, settings.SPARK_CATALOG]
    text = PROGRAM.format(sessions=steps, settings=fixed, end=END)
    every = stderr_of([sys.executable, "-c", text], folder).split(END)
    names = [(kind, mistake) for kind, (_, mistakes) in sessions.items() for mistake in mistakes]
    assert len(every) == len(names) + 1, every
    return dict(zip(names, every[:-1], strict=True))


@pytest.fixture(scope="module", autouse=True)
def record() -> None:
    MADE.write_text("", encoding="utf-8")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where the program runs that makes several mistakes."""
    return tmp_path_factory.mktemp("mistakes")


def test_wrong_jdk(tmp_path: Path) -> None:
    java = tmp_path / "bin" / "java"
    java.parent.mkdir()
    java.write_text("#!/bin/sh\necho 'openjdk version \"11.0.21\" 2023-10-17' >&2\n")
    java.chmod(0o755)
    line = first_line("Java 11", command("sql"), tmp_path, JAVA_HOME=str(tmp_path))
    assert condition(line) == "HUDILITE_JAVA_VERSION_UNSUPPORTED"


def test_wrong_spark(tmp_path: Path) -> None:
    found = stock.stock_environment()
    if found is None:
        pytest.skip(stock.NO_STOCK)
    packages = Path(str(hudilite.__file__)).parents[1]
    for name in ("hudilite", "sqlglot", *(path.name for path in packages.glob("hudilite-*"))):
        (tmp_path / name).symlink_to(packages / name)
    words = [str(found[0]), "-m", "hudilite", "sql"]
    line = first_line("pyspark 3.5", words, tmp_path, PYTHONPATH=str(tmp_path))
    assert condition(line) == "HUDILITE_SPARK_VERSION_UNSUPPORTED"


def test_a_session_is_running(folder: Path) -> None:
    line = on_record("a session is running", messages(folder)["plain", OURS])
    assert condition(line) == "HUDILITE_SESSION_NOT_READY"


@pytest.mark.rotated(third=0, when=JARS_ALONE)
def test_jars_alone_with_a_thrift_server(tmp_path: Path) -> None:
    words = [str(installation.script("spark-submit")), "--jars", str(installation.jar())]
    words += ["--conf", f"{settings.EXTENSIONS}={settings.EXTENSIONS_CLASS}"]
    words += ["--conf", f"{settings.SPARK_CATALOG}={settings.CATALOG_CLASS}"]
    words += ["--class", clients.SERVER_CLASS]
    words += ["spark-internal", "--hiveconf", "hive.server2.thrift.bind.host=127.0.0.1"]
    # Of Spark's log only what a user looks for; a server that starts all the same is ended.
    shell = 'timeout 120 "$@" 2>&1 | grep -m 1 "\\[HUDILITE_" >&2; exit 1'
    line = first_line("--jars with Thrift", ["sh", "-c", shell, "sh", *words], tmp_path)
    assert condition(line) == "HUDILITE_SESSION_NOT_READY"


@pytest.mark.parametrize("statement", WITHOUT_EXTENSION)
def test_no_extension(folder: Path, statement: str) -> None:
    line = on_record("no extension", messages(folder)["no extension", statement])
    assert condition(line) == "HUDILITE_SESSION_NOT_READY"


def test_wrong_catalog(folder: Path) -> None:
    line = on_record("wrong catalog", messages(folder)["wrong catalog", DECLARED])
    assert condition(line) == "HUDILITE_SESSION_NOT_READY"


@pytest.mark.parametrize(("name", "statement", "expected"), STATEMENTS)
def test_a_statement(folder: Path, name: str, statement: str, expected: str) -> None:
    assert condition(on_record(name, messages(folder)["ours", statement])) == expected


def test_the_source_of_a_bootstrap_is_missing(tmp_path: Path) -> None:
    words = command("bootstrap", "t", "./nowhere", "--key", "id")
    assert condition(first_line("the source is missing", words, tmp_path)).startswith("HUDILITE_")


@pytest.mark.rotated(third=1)
def test_the_table_of_a_bootstrap_exists(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    pq.write_table(pa.table({"id": [1, 2]}), tmp_path / "rows" / "a.parquet")
    words = command("bootstrap", "t", "./rows", "--key", "id")
    subprocess.run(words, cwd=tmp_path, env=clients.environment(), check=True, timeout=300)
    line = first_line("the table exists", words, tmp_path)
    assert condition(line) == "TABLE_OR_VIEW_ALREADY_EXISTS"
