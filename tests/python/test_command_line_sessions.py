"""`hudilite bootstrap` and `verify` on a session that is not real: statements, rows and exit codes."""

from __future__ import annotations

import datetime
import json
import os
import pty
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hudilite.cli import main
from python.fake_session import FAULTS, FakeSession
from python.fake_spark import SECONDS, FakeSpark, make
from python.hand_made_table import make_table

DONE = ["files_adopted", "rows", "seconds", "instant"]


@pytest.fixture
def place(tmp_path: Path) -> Iterator[FakeSpark]:
    """Where nothing is wrong."""
    made = make(tmp_path)
    with made.around():
        yield made


@pytest.fixture
def spark(place: FakeSpark) -> Iterator[FakeSession]:
    """The session that is opened there."""
    made = FakeSession()
    with made.installed():
        yield made


def outcome(capsys: pytest.CaptureFixture[str], *arguments: object) -> tuple[int, str, list[str]]:
    """Exit code, what was printed, and the lines on stderr."""
    code = main([str(argument) for argument in arguments])
    printed = capsys.readouterr()
    return code, printed.out, printed.err.splitlines()


def test_verify_of_a_whole_table(spark: FakeSession, capsys: pytest.CaptureFixture[str]) -> None:
    code, text, err = outcome(capsys, "verify", "db.orders")
    assert (code, err) == (0, [])
    assert text.split() == [head.upper() for head in FAULTS]
    assert spark.asked == ["CALL verify(\n  `table` => 'db.orders',\n  level => 'files'\n)"]
    assert spark.stopped == 1


@pytest.mark.parametrize(("severity", "code"), [("ERROR", 1), ("WARNING", 0), ("INFO", 0)])
def test_verify_ends_with_1_when_rows_are_wrong(
    spark: FakeSession, capsys: pytest.CaptureFixture[str], severity: str, code: int
) -> None:
    spark.rows = [("INFO", "A", "p", "d", None), (severity, "CODE", "p=1/x", "two\nlines", "k")]
    found, text, err = outcome(capsys, "verify", "db.orders", "--level", "rows")
    assert (found, err) == (code, [])
    assert [line.split() for line in text.splitlines()[2:]] == [
        [severity, "CODE", "p=1/x", "two\\nlines", "k"]
    ]
    assert "level => 'rows'" in spark.asked[0]


def test_verify_as_json(spark: FakeSession, capsys: pytest.CaptureFixture[str]) -> None:
    spark.rows = [("ERROR", "CODE", "p", "d", None)]
    code, text, _ = outcome(capsys, "verify", "t", "--level=meta", "--json")
    assert code == 1
    fault = dict(zip(FAULTS, ("ERROR", "CODE", "p", "d", None), strict=True))
    assert json.loads(text) == {"table": "t", "level": "meta", "faults": [fault]}


@pytest.mark.parametrize(
    ("name", "call", "table"),
    [
        ("orders", "verify", "orders"),
        ("lake.db.orders", "lake.system.verify", "lake.db.orders"),
        ("`a.b`.`c``d`", "verify", "`a.b`.`c``d`"),
        ("hudilite.`/x/y`", "verify", "hudilite.`/x/y`"),
    ],
)
def test_names_of_tables_are_read_as_in_sql(
    spark: FakeSession, capsys: pytest.CaptureFixture[str], name: str, call: str, table: str
) -> None:
    assert outcome(capsys, "verify", name)[0] == 0
    assert spark.asked == [f"CALL {call}(\n  `table` => '{table}',\n  level => 'files'\n)"]


def test_a_path_is_made_whole(spark: FakeSession, capsys: pytest.CaptureFixture[str]) -> None:
    base = make_table(Path("t"))
    assert outcome(capsys, "verify", "./t")[0] == 0
    assert f"'hudilite.`{base.absolute()}`'" in spark.asked[0]
    assert outcome(capsys, "verify", "s3://lake/t")[0] == 0
    assert "'hudilite.`s3://lake/t`'" in spark.asked[1]


def test_a_path_without_a_table_starts_nothing(
    spark: FakeSession, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("empty").mkdir()
    for path in ("./absent", "./empty"):
        code, text, err = outcome(capsys, "verify", path)
        assert (code, text, len(err)) == (3, "", 1)
        assert err[0].startswith("error: [HUDILITE_PATH_INVALID] ")
    assert (spark.asked, spark.conf) == ([], {})


def test_a_table_without_its_properties_is_verified(
    spark: FakeSession, capsys: pytest.CaptureFixture[str]
) -> None:
    (make_table(Path("t")) / ".hoodie" / "hoodie.properties").unlink()
    assert outcome(capsys, "verify", "./t")[0] == 0
    assert len(spark.asked) == 1


CATALOG = "spark.sql.catalogImplementation"


def test_names_are_those_of_the_metastore(
    spark: FakeSession, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    outcome(capsys, "verify", "t")
    assert spark.conf[CATALOG] == "hive"
    outcome(capsys, "verify", "t", "--conf", f"{CATALOG}=in-memory", "--conf", "a=b=c")
    assert (spark.conf[CATALOG], spark.conf["a"]) == ("in-memory", "b=c")
    make_table(Path("p"))
    outcome(capsys, "verify", "./p")
    assert CATALOG not in spark.conf
    Path("spark-defaults.conf").write_text(f"{CATALOG} in-memory\n")
    monkeypatch.setenv("SPARK_CONF_DIR", str(Path.cwd()))
    outcome(capsys, "verify", "t")
    assert CATALOG not in spark.conf


def test_bootstrap_is_one_call(spark: FakeSession, capsys: pytest.CaptureFixture[str]) -> None:
    Path("events").mkdir()
    spark.columns, spark.rows = DONE, [(3, 100, 1.5, "00000000000001")]
    code, text, err = outcome(capsys, "bootstrap", "db.events", "./events", "--key", "id, day")
    assert (code, err) == (0, [])
    assert [line.split() for line in text.splitlines()] == [
        [head.upper() for head in DONE],
        ["3", "100", "1.5", "00000000000001"],
    ]
    source = Path("events").absolute()
    assert spark.asked == [
        f"CALL bootstrap(\n  `table` => 'db.events',\n  source => '{source}',\n"
        "  key => 'id, day'\n)"
    ]
    assert (spark.conf[CATALOG], spark.stopped) == ("hive", 1)


def test_bootstrap_hands_on_every_option(
    spark: FakeSession, capsys: pytest.CaptureFixture[str]
) -> None:
    spark.columns, spark.rows = ["file", "action"], [("a", "adopt"), ("b", "refuse")]
    options = {
        "--partitioned-by": "day, hour",
        "--partitions": "day > 1",
        "--full-partitions": "day > 2",
        "--location": "lake/t",
        "--mode": "full",
        "--buckets": "8",
        "--parallelism": "3",
        "--type": "mor",
        "--ordering-field": "ts",
    }
    words = [word for pair in options.items() for word in pair]
    code, text, _ = outcome(
        *(capsys, "bootstrap", "lake.db.t", "db.raw", "--key", "id", "--dry-run"),
        *("--skip-corrupt", "--bloom-filters", "--json", *words),
    )
    assert code == 0
    assert spark.asked == [
        "CALL lake.system.bootstrap(\n  `table` => 'lake.db.t',\n  source => 'db.raw',\n"
        "  key => 'id',\n  partitioned_by => 'day, hour',\n  partitions => 'day > 1',\n"
        f"  full_partitions => 'day > 2',\n  location => '{Path('lake/t').absolute()}',\n"
        "  dry_run => TRUE,\n  mode => 'full',\n  buckets => 8,\n  parallelism => 3,\n"
        "  skip_corrupt => TRUE,\n  type => 'mor',\n  ordering_field => 'ts',\n"
        "  bloom_filters => TRUE\n)"
    ]
    assert json.loads(text) == {
        "table": "lake.db.t",
        "source": "db.raw",
        "dry_run": True,
        "files": [{"file": "a", "action": "adopt"}, {"file": "b", "action": "refuse"}],
    }


def test_bootstrap_as_json(spark: FakeSession, capsys: pytest.CaptureFixture[str]) -> None:
    spark.columns, spark.rows = DONE, [(3, 100, 1.5, "1")]
    _, text, _ = outcome(capsys, "bootstrap", "t", "s3://a/b", "--key", "id", "--json")
    assert "source => 's3://a/b'" in spark.asked[0]
    assert json.loads(text) == {
        "table": "t",
        "source": "s3://a/b",
        "dry_run": False,
        "result": {"files_adopted": 3, "rows": 100, "seconds": 1.5, "instant": "1"},
    }


SERVICES = [
    ("clean t --yes", "CALL clean(`table` => 't', dry_run => FALSE)"),
    (
        "clean lake.db.t --retain-commits 3 --retain-hours 0 --allow-short-retention",
        "CALL lake.system.clean(`table` => 'lake.db.t', retain_commits => 3, retain_hours => 0, "
        "allow_short_retention => TRUE, dry_run => TRUE)",
    ),
    (
        "savepoint db.t --instant 20240101000000000 --comment why",
        "CALL savepoint(`table` => 'db.t', instant => '20240101000000000', comment => 'why')",
    ),
    (
        "delete-savepoint t 20240101000000000",
        "CALL delete_savepoint(`table` => 't', instant => '20240101000000000')",
    ),
    (
        "restore s3://lake/t 20240101000000000",
        "CALL restore(`table` => 'hudilite.`s3://lake/t`', instant => '20240101000000000', "
        "dry_run => TRUE)",
    ),
    (
        "remove-orphans t --older-than-hours 9",
        "CALL remove_orphans(`table` => 't', older_than_hours => 9, dry_run => TRUE)",
    ),
    ("restore t 2 --yes", "CALL restore(`table` => 't', instant => '2', dry_run => FALSE)"),
    ("remove-orphans t --yes", "CALL remove_orphans(`table` => 't', dry_run => FALSE)"),
    (
        "hive-sync t --target web.t --dry-run",
        "CALL hive_sync(`table` => 't', target => 'web.t', dry_run => TRUE)",
    ),
]


@pytest.mark.parametrize(("words", "asked"), SERVICES, ids=lambda text: text.split("(")[0])
def test_a_service_is_one_call(
    spark: FakeSession, capsys: pytest.CaptureFixture[str], words: str, asked: str
) -> None:
    spark.columns, spark.rows = ["path", "at"], [("a", datetime.datetime(2024, 1, 2, 3, 4, 5))]
    code, text, err = outcome(capsys, *words.split())
    lists = "dry_run => TRUE" in asked and not words.startswith("hive-sync")
    assert (code, [("--yes" in line) for line in err]) == (0, [True] if lists else [])
    assert text.splitlines() == ["PATH  AT", "a     2024-01-02 03:04:05"]
    assert " ".join(spark.asked[0].split()).replace("( ", "(").replace(" )", ")") == asked
    assert spark.stopped == 1


def test_a_service_as_json(spark: FakeSession, capsys: pytest.CaptureFixture[str]) -> None:
    spark.columns, spark.rows = ["path", "at"], [("a", datetime.datetime(2024, 1, 2))]
    _, text, _ = outcome(capsys, "remove-orphans", "db.t", "--json")
    assert json.loads(text) == {
        "table": "db.t",
        "procedure": "remove_orphans",
        "rows": [{"path": "a", "at": "2024-01-02 00:00:00"}],
    }


def test_a_service_by_path(spark: FakeSession, capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = outcome(capsys, "clean", "./absent")
    assert (code, len(err), spark.asked) == (3, 1, [])
    make_table(Path("t"))
    assert outcome(capsys, "clean", "./t")[0] == 0
    assert CATALOG not in spark.conf
    assert outcome(capsys, "hive-sync", "./t")[0] == 0
    assert spark.conf[CATALOG] == "hive"


STEPS = ["step", "outcome", "milliseconds", "detail"]


def test_the_doctor_checks_a_location(
    spark: FakeSession, capsys: pytest.CaptureFixture[str]
) -> None:
    spark.columns, spark.rows = (
        STEPS,
        [("create", "ok", 12, "a file"), ("race", "skipped", None, "why")],
    )
    code, text, err = outcome(capsys, "doctor", "--location", "s3a://b/t", "--conf", "a=hidden")
    assert (code, err) == (0, [])
    assert spark.asked == ["CALL check_storage(\n  location => 's3a://b/t'\n)"]
    assert (spark.conf["a"], spark.stopped, CATALOG in spark.conf) == ("hidden", 1, False)
    checks, steps = text.split("\n\n")
    assert [line.split()[0] for line in checks.splitlines()] == ["STATE", *["ok"] * 6]
    assert steps.splitlines() == [
        "STEP    OUTCOME  MILLISECONDS  DETAIL",
        "create  ok                 12  a file",
        "race    skipped                why",
    ]
    assert "hidden" not in text
    outcome(capsys, "doctor", "--location", "lake")
    assert f"location => '{Path('lake').absolute()}'" in spark.asked[1]


def test_the_doctor_ends_with_1_when_a_step_fails(
    spark: FakeSession, capsys: pytest.CaptureFixture[str]
) -> None:
    spark.columns, spark.rows = STEPS, [("create", "failed", 1, "no right")]
    code, text, err = outcome(capsys, "doctor", "--location", "s3a://b/t", "--json")
    assert (code, err) == (1, [])
    told = json.loads(text)
    assert (told["ok"], told["location"]) == (False, "s3a://b/t")
    assert told["steps"] == [dict(zip(STEPS, spark.rows[0], strict=True))]
    assert all(check["ok"] for check in told["checks"])


def test_a_location_is_not_checked_where_no_session_can_start(
    place: FakeSpark,
    spark: FakeSession,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(place.home))
    code, text, err = outcome(capsys, "doctor", "--location", "lake", "--json")
    assert (code, len(err), spark.asked) == (1, 1, [])
    assert json.loads(text)["steps"] == []


def test_a_source_that_is_not_there_starts_nothing(
    spark: FakeSession, capsys: pytest.CaptureFixture[str]
) -> None:
    code, _, err = outcome(capsys, "bootstrap", "t", "./absent", "--key", "id")
    assert (code, len(err), spark.conf) == (3, 1, {})
    assert err[0].startswith("error: [HUDILITE_PATH_INVALID] ")
    outcome(capsys, "bootstrap", "t", "parquet.`/absent`", "--key", "id")
    assert "source => 'parquet.`/absent`'" in spark.asked[0]


@pytest.mark.parametrize(
    "words",
    [
        ["bootstrap", "t", "s"],
        ["bootstrap", "t", "s", "--key", "a,,b"],
        ["bootstrap", "a..b", "s", "--key", "id"],
        ["bootstrap", "t", "s", "--key", "id", "--mode", "half"],
        ["bootstrap", "t", "s", "--key", "id", "--buckets", "-1"],
        ["bootstrap", "t", "s", "--key", "id", "--conf", "a"],
        ["verify", "t", "--level", "deep"],
        ["clean", "t", "--retain-commits", "0"],
        ["clean", "t", "--retain-hours", "-1"],
        ["restore", "t"],
        ["verify", "a..b"],
        ["hive-sync", "a..b"],
        ["doctor", "--conf", "a=b"],
        ["doctor", "--log", "x"],
    ],
)
def test_wrong_arguments(spark: FakeSession, words: list[str]) -> None:
    with pytest.raises(SystemExit) as left:
        main(words)
    assert left.value.code == 2
    assert spark.conf == {}


def test_an_error_of_the_statement_is_one_line(
    spark: FakeSession, capsys: pytest.CaptureFixture[str]
) -> None:
    class Raised(Exception):
        """As pyspark raises what the JVM says."""

        def getCondition(self) -> str:
            return "TABLE_OR_VIEW_NOT_FOUND"

    def fails() -> None:
        raise Raised(
            "[TABLE_OR_VIEW_NOT_FOUND] There is no t.\nWrite another. SQLSTATE: 42P01;\n'x"
        )

    spark.fails = fails
    for words in (["verify", "t"], ["bootstrap", "t", "s", "--key", "id"]):
        found = outcome(capsys, *words)
        line = "error: [TABLE_OR_VIEW_NOT_FOUND] There is no t. Write another."
        assert found == (1, "", [line])
    assert spark.stopped == 2


def test_faults_that_the_doctor_finds_are_reported_before_anything_starts(
    place: FakeSpark,
    spark: FakeSession,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PATH", str(place.home))
    for words in (["verify", "t"], ["bootstrap", "t", "s", "--key", "id"]):
        code, _, err = outcome(capsys, *words)
        assert (code, len(err), spark.conf) == (1, 1, {})
        assert err[0].startswith("error: [HUDILITE_JAVA_MISSING] ")


SCRIPT = """
import os, sys
from pathlib import Path
from hudilite.launch import versions
from hudilite.cli import main
from python.fake_session import FakeSession

def work():
    os.write(2, b"WARN of Spark\\n")
    if sys.stderr.isatty():
        spark.followed.wait(60)
    if "broken" in spark.asked[0]:
        raise ValueError("no condition")

versions.JAR_FOLDER = Path(sys.argv.pop(1))
spark = FakeSession()
spark.columns, spark.rows, spark.fails = ["severity"], [("INFO",)], work
with spark.installed():
    sys.exit(main())
"""


def child(
    place: FakeSpark, *words: object, stderr: int = subprocess.PIPE
) -> subprocess.CompletedProcess[str]:
    """A command in a process of its own, whose session writes to stderr as a JVM does."""
    return subprocess.run(
        [sys.executable, "-c", SCRIPT, str(place.jar.parent), *map(str, words)],
        env=place.environment(PYTHONPATH=os.pathsep.join(sys.path)),
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        timeout=SECONDS,
    )


def test_in_a_pipe_there_is_neither_progress_nor_log(place: FakeSpark, tmp_path: Path) -> None:
    done = child(place, "verify", "t", "--log", tmp_path / "x.log")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.split() == ["SEVERITY", "INFO"]
    assert (tmp_path / "x.log").read_text() == "WARN of Spark\n"


def test_on_a_terminal_the_bar_of_progress_comes_and_goes(place: FakeSpark) -> None:
    ours, theirs = pty.openpty()
    done = child(place, "verify", "t", stderr=theirs)
    os.close(theirs)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert done.stdout.split() == ["SEVERITY", "INFO"]
    assert re.search(r"\rstage 7: +50%\|.*\| 2/4 \[", shown)
    assert shown.endswith("\r")
    assert "WARN" not in shown


def test_an_error_without_a_condition_shows_the_log(place: FakeSpark) -> None:
    done = child(place, "verify", "broken")
    assert done.returncode == 1
    assert done.stderr.startswith("WARN of Spark\n")
    assert "ValueError: no condition" in done.stderr
