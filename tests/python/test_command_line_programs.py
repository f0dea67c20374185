"""`hudilite sql`, `run`, `thriftserver` and `beeline` beside programs that only note how they were called."""

from __future__ import annotations

import json
import os
import pty
import re
import shlex
import signal
import socket
import subprocess
import sys
import time
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyspark
import pytest

from harness.clients import as_of_a_terminal, free_port
from hudilite.cli import run
from hudilite.launch import settings
from hudilite.launch.programs import SERVER_CLASS
from python.fake_spark import NOTES, FakeSpark, make

pytestmark = pytest.mark.rotated(by="test", when=("python/src/hudilite/",))


@pytest.fixture
def spark(tmp_path: Path) -> FakeSpark:
    return make(tmp_path)


def outcome_of(done: subprocess.CompletedProcess[str]) -> tuple[int, str, str]:
    """Exit code, condition on the first line of stderr, and stdout."""
    first = done.stderr.splitlines()[0] if done.stderr else ""
    return done.returncode, first.removeprefix("error: [").partition("]")[0], done.stdout


def test_sql_is_spark_sql_with_the_flags_of_the_readme(spark: FakeSpark) -> None:
    assert spark.run("sql").returncode == 0
    note = spark.note()
    assert note["program"] == "spark-sql"
    assert note["words"] == spark.flags()
    jar = str(spark.jar)
    conf = f"{settings.EXTENSIONS}=hudilite.spark.HudiliteExtensions"
    assert {"--jars", spark.jar.as_uri(), "--driver-class-path", jar, conf} <= set(spark.flags())


def test_sql_hands_on_what_it_does_not_know(spark: FakeSpark) -> None:
    words = ["-e", "SELECT -1", "--conf", "a.b=c", "-hiveconf", "x=y", "--version", "-S"]
    assert spark.run("sql", *words).returncode == 0
    assert spark.note()["words"] == [*words, *spark.flags()]


def test_sql_takes_the_place_of_the_command(spark: FakeSpark) -> None:
    process = subprocess.Popen(spark.command("sql"), env=spark.environment())
    assert process.wait(timeout=60) == 0
    assert spark.note()["pid"] == process.pid


def test_the_exit_code_is_that_of_spark_sql(spark: FakeSpark) -> None:
    (spark.home / "bin" / "spark-sql").write_text("#!/bin/sh\necho no >&2\nexit 42\n")
    done = subprocess.run(
        spark.command("sql"), env=spark.environment(), capture_output=True, text=True, timeout=60
    )
    assert outcome_of(done) == (42, "no", "")


def test_a_broken_pipe_ends_the_program(spark: FakeSpark) -> None:
    text = "#!/bin/sh\nwhile :; do echo row || exit 7; done\n"
    (spark.home / "bin" / "spark-sql").write_text(text)
    process = subprocess.Popen(
        spark.command("sql"), env=spark.environment(), stdout=subprocess.PIPE
    )
    assert process.stdout is not None
    assert process.stdout.readline() == b"row\n"
    process.stdout.close()
    assert process.wait(timeout=60) == -signal.SIGPIPE


def test_settings_of_the_defaults_file_stay(spark: FakeSpark) -> None:
    delta = "io.delta.sql.DeltaSparkSessionExtension"
    folder = spark.home / "conf"
    folder.mkdir()
    (folder / "spark-defaults.conf").write_text(
        f"{settings.EXTENSIONS} {delta}\n{settings.SPARK_CATALOG} a.DeltaCatalog\nspark.jars /x/d.jar\n"
    )
    spark.run("sql", "--driver-class-path", "/x/e.jar")
    words: Any = spark.note()["words"]
    assert words[:2] == ["--driver-class-path", "/x/e.jar"]
    assert words[2:] == [
        *("--conf", f"{settings.OWN_CATALOG}={settings.CATALOG_CLASS}"),
        *(
            "--conf",
            f"{settings.EXTENSIONS}={settings.EXTENSIONS_CLASS},{delta},{settings.COMMANDS_CLASS}",
        ),
        *("--jars", f"/x/d.jar,{spark.jar.as_uri()}"),
        *("--driver-class-path", f"/x/e.jar{os.pathsep}{spark.jar}"),
    ]


def test_submit_arguments_of_pyspark_are_not_those_of_spark_sql(spark: FakeSpark) -> None:
    spark.run("sql", PYSPARK_SUBMIT_ARGS="--jars /x/a.jar pyspark-shell")
    assert spark.note()["words"] == spark.flags()


def test_without_spark_home_the_programs_are_those_of_pyspark(
    spark: FakeSpark, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pyspark, "__file__", str(spark.home / "__init__.py"))
    assert spark.run("sql", "-S", SPARK_HOME="").returncode == 0
    note: Any = spark.note()
    assert note["words"] == ["-S", *spark.flags()]
    assert note["environment"]["SPARK_HOME"] == str(spark.home)


def test_run_is_spark_sql_on_a_file(spark: FakeSpark) -> None:
    (spark.folder / "a b.sql").write_text("SELECT 1")
    assert spark.run("run", "a b.sql", "-d", "x=1").returncode == 0
    assert spark.note()["words"] == ["-f", "a b.sql", "-d", "x=1", *spark.flags()]
    spark.run("run", "hdfs://lake/a.sql")
    assert spark.note()["words"] == ["-f", "hdfs://lake/a.sql", *spark.flags()]


def test_run_takes_standard_input_and_words_behind_two_dashes(spark: FakeSpark) -> None:
    spark.run("run", "-S", "-")
    assert spark.note()["words"] == ["-f", "/dev/stdin", "-S", *spark.flags()]
    (spark.folder / "-a.sql").write_text("SELECT 1")
    spark.run("run", "-S", "--", "-a.sql", "-v")
    assert spark.note()["words"] == ["-f", "-a.sql", "-S", "-v", *spark.flags()]


def test_run_of_a_file_that_is_not_there(spark: FakeSpark) -> None:
    assert outcome_of(spark.run("run", "absent.sql")) == (3, "HUDILITE_PATH_INVALID", "")
    assert spark.run("run").returncode == 2
    with pytest.raises(FileNotFoundError):
        spark.note()


@pytest.mark.parametrize(
    "options",
    [
        ["-i", "init.sql"],
        ["--master", "local[2]", "-S"],
        ["-hiveconf", "x=y", "--hivevar=a=b"],
        ["--driver-java-options", "-Dx=y", "-v"],
        ["--conf", "a=b", "--supervise", "--define", "c=d"],
    ],
)
def test_a_value_of_an_option_is_not_the_file(spark: FakeSpark, options: list[str]) -> None:
    (spark.folder / "a.sql").write_text("SELECT 1")
    (spark.folder / "init.sql").write_text("SELECT 2")
    for words in ([*options, "a.sql"], ["a.sql", *options]):
        done = spark.run("run", *words)
        assert (done.returncode, done.stderr) == (0, "")
        assert spark.note()["words"] == ["-f", "a.sql", *options, *spark.flags()]
    assert spark.run("run", "-i", "init.sql").returncode == 2


def test_options_with_a_value_are_those_of_spark() -> None:
    """Reads the names in the class in which Spark's launcher has the options of spark-submit."""
    (jar,) = (Path(pyspark.__file__).parent / "jars").glob("spark-launcher_*.jar")
    with zipfile.ZipFile(jar) as archive:
        names = archive.read("org/apache/spark/launcher/SparkSubmitOptionParser.class")
    options = {word.decode() for word in re.findall(rb"--[a-z][a-z-]+[a-z]", names)}
    without_value = {"--help", "--load-spark-defaults", "--supervise", "--usage-error"}
    assert options - without_value - {"--verbose", "--version"} <= run.WITH_VALUE
    assert not without_value & run.WITH_VALUE


def test_a_script_from_a_pipe_is_left_to_spark_sql(spark: FakeSpark) -> None:
    program = spark.home / "bin" / "spark-sql"
    program.write_text('#!/bin/sh\ncat "$2"\n')
    for command in ("{} /dev/stdin", "cat | {} /dev/stdin", "{} <(cat)"):
        line = command.format(shlex.join(spark.command("run")))
        done = subprocess.run(
            ["bash", "-c", line],
            env=spark.environment(),
            input="SELECT 1;\n",
            capture_output=True,
            text=True,
            timeout=60,
        )
        assert (done.returncode, done.stdout, done.stderr) == (0, "SELECT 1;\n", "")


def test_a_dbt_profile_has_the_jar_of_the_installed_pyspark(
    spark: FakeSpark, monkeypatch: pytest.MonkeyPatch
) -> None:
    jars = [spark.jar.with_name(f"hudilite-spark-{minor}.jar") for minor in ("4.1", "4.2")]
    (core,) = (spark.home / "jars").iterdir()
    for jar in jars:
        jar.touch()
    for jar, version in zip(jars, ("4.1.3", "4.2.0"), strict=True):
        core = core.rename(core.with_name(f"spark-core_2.13-{version}.jar"))
        monkeypatch.setattr(pyspark, "__version__", version)
        added = json.loads(spark.run("dbt-profile", "--json").stdout)["server_side_parameters"]
        assert added[settings.DRIVER_CLASS_PATH] == str(jar)
    monkeypatch.setitem(sys.modules, "pyspark", None)
    assert outcome_of(spark.run("dbt-profile")) == (1, "HUDILITE_PACKAGE_MISSING", "")


STARTERS = [["sql"], ["thriftserver"], ["run", "a.sql"]]


@pytest.mark.parametrize("starter", STARTERS)
@pytest.mark.parametrize(
    ("how", "condition"),
    [
        ("another java", "HUDILITE_JAVA_VERSION_UNSUPPORTED"),
        ("no jar", "HUDILITE_JAR_MISSING"),
        ("no pyspark", "HUDILITE_PACKAGE_MISSING"),
        ("another spark", "HUDILITE_SPARK_VERSION_UNSUPPORTED"),
        ("no program", "HUDILITE_ENVIRONMENT_INVALID"),
        ("no rights", "HUDILITE_ENVIRONMENT_INVALID"),
        ("connect", "HUDILITE_SESSION_REMOTE"),
    ],
)
def test_errors_are_reported_before_anything_starts(
    spark: FakeSpark,
    monkeypatch: pytest.MonkeyPatch,
    starter: list[str],
    how: str,
    condition: str,
) -> None:
    (spark.folder / "a.sql").write_text("SELECT 1")
    more = {}
    if how == "another java":
        java = spark.folder / "bin" / "java"
        java.write_text(java.read_text().replace("17.0.2", "11.0.2"))
    elif how == "no jar":
        spark.jar.unlink()
    elif how == "no pyspark":
        monkeypatch.setitem(sys.modules, "pyspark", None)
    elif how == "another spark":
        (core,) = (spark.home / "jars").iterdir()
        core.rename(core.with_name("spark-core_2.13-4.0.1.jar"))
    elif how == "no program":
        for program in (spark.home / "bin").iterdir():
            program.unlink()
    elif how == "no rights":
        for program in (spark.home / "bin").iterdir():
            program.chmod(0o644)
    else:
        more["SPARK_REMOTE"] = "sc://host"
    done = spark.run(*starter, **more)
    assert outcome_of(done) == (1, condition, "")
    assert len(done.stderr.splitlines()) == 1
    with pytest.raises(FileNotFoundError):
        spark.note()


def test_a_remote_session_is_no_shell(spark: FakeSpark) -> None:
    assert outcome_of(spark.run("sql", "--remote", "sc://h"))[:2] == (1, "HUDILITE_SESSION_REMOTE")


def test_beeline_goes_to_the_server_of_a_port(spark: FakeSpark) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        done = spark.run("beeline", "--port", port, "-e", "SELECT 1", "--silent=true")
    assert done.returncode == 0
    note = spark.note()
    assert note["program"] == "beeline"
    url = f"jdbc:hive2://127.0.0.1:{port}"
    assert note["words"] == ["-u", url, "-e", "SELECT 1", "--silent=true"]


@pytest.mark.parametrize("flag", ["--url", "-u"])
def test_beeline_goes_to_a_url_as_it_is(spark: FakeSpark, flag: str) -> None:
    url = "jdbc:hive2://far:1/db;ssl=true"
    assert spark.run("beeline", flag, url).returncode == 0
    assert spark.note()["words"] == ["-u", url]


def test_beeline_without_a_server(spark: FakeSpark) -> None:
    assert outcome_of(spark.run("beeline", "--port", free_port())) == (
        1,
        "HUDILITE_PORT_SILENT",
        "",
    )


@pytest.mark.parametrize(
    "words",
    [
        ["beeline", "--port", "1", "--url", "x"],
        ["beeline", "--port", "1", "-u", "x"],
        ["beeline", "--port", "0"],
        ["thriftserver", "--port", "x"],
        ["thriftserver", "--hiveconf", "hive.server2.thrift.port=1"],
        ["thriftserver", "--hiveconf=hive.server2.thrift.bind.host=0.0.0.0"],
        ["thriftserver", "--hiveconf", "hive.server2.transport.mode=http"],
    ],
)
def test_arguments_that_contradict_each_other(spark: FakeSpark, words: list[str]) -> None:
    assert spark.run(*words).returncode == 2
    with pytest.raises(FileNotFoundError):
        spark.note()


def test_beeline_needs_java_and_no_jar(spark: FakeSpark) -> None:
    spark.jar.unlink()
    assert spark.run("beeline", "--url", "x").returncode == 0
    (spark.folder / "bin" / "java").write_text("#!/bin/sh\n")
    assert outcome_of(spark.run("beeline", "--url", "x")) == (1, "HUDILITE_JAVA_MISSING", "")


@contextmanager
def serving(
    spark: FakeSpark,
    *words: object,
    how: str = "serve",
    stderr: int = subprocess.PIPE,
    **more: str,
) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        spark.command("thriftserver", *words),
        env=spark.environment(FAKE_SERVER=how, **more),
        stdout=subprocess.PIPE,
        stderr=stderr,
        cwd=spark.folder,
        text=True,
        start_new_session=True,
        preexec_fn=as_of_a_terminal,
    )
    try:
        yield process
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=60)


def is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


@pytest.mark.parametrize("name", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_the_server_is_announced_and_ends_with_the_command(
    spark: FakeSpark, name: signal.Signals
) -> None:
    port = free_port()
    with serving(
        spark, "--port", port, "--master", "local[2]", TMPDIR=str(spark.folder)
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"jdbc:hive2://127.0.0.1:{port}\n"
        with socket.create_connection(("127.0.0.1", port)):
            pass
        note: Any = spark.note()
        assert note["pid"] != process.pid
        (log,) = spark.folder.glob("*.log")
        assert log.read_text() == "WARN a line of the log\n"
        process.send_signal(name)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "")
    assert err == ""
    assert not is_alive(note["pid"])
    assert not log.exists()
    assert note["words"] == [
        *("--class", SERVER_CLASS, "--master", "local[2]", *spark.flags(), "spark-internal"),
        *("--hiveconf", "hive.server2.thrift.bind.host=127.0.0.1"),
        *("--hiveconf", f"hive.server2.thrift.port={port}"),
    ]


def test_a_terminal_shows_the_path_of_the_log(spark: FakeSpark) -> None:
    ours, theirs = pty.openpty()
    with serving(spark, "--port", free_port(), "--log", "x.log", stderr=theirs) as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
    os.close(theirs)
    assert os.read(ours, 4096).decode() == "log: x.log; Ctrl-C stops the server\r\n"
    os.close(ours)


def test_the_host_is_the_requested_one_in_any_environment(spark: FakeSpark) -> None:
    port = free_port()
    env = {"HIVE_SERVER2_THRIFT_BIND_HOST": "0.0.0.0", "HIVE_SERVER2_THRIFT_PORT": "1"}
    log = spark.folder / "kept.log"
    words = ("--port", port, "--host", "127.0.0.2", "--log", log)
    with serving(spark, *words, **env) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"jdbc:hive2://127.0.0.2:{port}\n"
        note: Any = spark.note()
        process.send_signal(signal.SIGINT)
        process.wait(timeout=60)
    assert not set(env) & set(note["environment"])
    assert log.read_text() == "WARN a line of the log\n"


def test_a_server_for_all_addresses_is_announced_at_this_machine(spark: FakeSpark) -> None:
    port = free_port()
    with serving(spark, "--port", port, "--host", "0.0.0.0") as process:
        assert process.stdout is not None
        assert process.stdout.readline() == f"jdbc:hive2://127.0.0.1:{port}\n"
        assert "hive.server2.thrift.bind.host=0.0.0.0" in str(spark.note()["words"])


def test_a_port_that_is_taken(spark: FakeSpark) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        done = spark.run("thriftserver", "--port", server.getsockname()[1])
    assert outcome_of(done) == (1, "HUDILITE_PORT_UNAVAILABLE", "")
    with pytest.raises(FileNotFoundError):
        spark.note()


def test_a_host_that_is_not_here(spark: FakeSpark) -> None:
    done = spark.run("thriftserver", "--host", "192.0.2.1")
    assert outcome_of(done) == (1, "HUDILITE_PORT_UNAVAILABLE", "")


def test_a_server_that_does_not_start_shows_its_innermost_cause(spark: FakeSpark) -> None:
    more = {"FAKE_SERVER": "die", "TMPDIR": str(spark.folder)}
    done = spark.run("thriftserver", "--port", free_port(), **more)
    assert outcome_of(done) == (1, "HUDILITE_SERVER_ENDED", "")
    (line,) = done.stderr.splitlines()
    (log,) = spark.folder.glob("*.log")
    assert "exit code 1: ERROR XSDB6: Another instance of Derby" in line
    assert str(log) in line
    assert "at some.Place" in log.read_text()


def test_a_log_that_cannot_be_written(spark: FakeSpark) -> None:
    done = spark.run("thriftserver", "--port", free_port(), "--log", "absent/x.log")
    assert outcome_of(done) == (3, "HUDILITE_PATH_INVALID", "")
    with pytest.raises(FileNotFoundError):
        spark.note()


def test_a_server_that_is_killed_while_it_serves(spark: FakeSpark) -> None:
    port = free_port()
    with serving(spark, "--port", port, "--log", "x.log", how="accept once") as process:
        err = process.communicate(timeout=60)[1]
    assert process.returncode == 1
    (line,) = err.splitlines()
    assert line.startswith("error: [HUDILITE_SERVER_ENDED] ")
    assert "signal 9" in line


def test_a_command_that_is_ended_before_the_server_answers(spark: FakeSpark) -> None:
    program = spark.home / "bin" / "spark-submit"
    program.write_text(f"{program.read_text()}\ntime.sleep(600)\n")
    with serving(spark, "--port", free_port(), how="") as process:
        for _ in range(600):
            if (spark.folder / NOTES).exists():
                break
            time.sleep(0.05)
        time.sleep(0.3)
        pid: Any = spark.note()["pid"]
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (130, "", "")
    assert not is_alive(pid)


def test_help_names_the_command(spark: FakeSpark) -> None:
    for starter in ("sql", "run", "thriftserver", "beeline"):
        done = spark.run(starter, "--help")
        assert done.returncode == 0
        assert done.stdout.startswith(f"usage: hudilite {starter} ")
