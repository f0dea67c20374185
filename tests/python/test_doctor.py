"""hudilite.doctor beside Javas, Sparks and sessions that are not real: no JVM starts here."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyspark
import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

import hudilite
from hudilite.cli import main
from hudilite.launch import sessions, settings, versions
from hudilite.launch.checks import Check


def fake_java(folder: Path, says: str, code: int = 0) -> Path:
    """A program `java` that says something on stderr, as the real one does."""
    folder.mkdir(parents=True, exist_ok=True)
    program = folder / "java"
    program.write_text(f"#!/bin/sh\ncat >&2 <<'END'\n{says}\nEND\nexit {code}\n")
    program.chmod(0o755)
    return program


def version_text(version: str) -> str:
    return f'openjdk version "{version}" 2026-01-01\nOpenJDK 64-Bit Server VM (build {version})'


@pytest.fixture
def well(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    """A place where nothing is wrong: Java 17, a jar for the pyspark that is there, no session."""
    kept = ("SPARK_", "PYSPARK_", "JAVA_")
    for name in [name for name in os.environ if name.startswith(kept)]:
        monkeypatch.delenv(name)
    fake_java(tmp_path / "bin", version_text("17.0.2"))
    monkeypatch.setenv("PATH", f"{tmp_path / 'bin'}{os.pathsep}{os.environ['PATH']}")
    minor = ".".join(pyspark.__version__.split(".")[:2])
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / f"hudilite-spark-{minor}.jar").touch()
    monkeypatch.setattr(versions, "JAR_FOLDER", tmp_path / "jars")
    monkeypatch.setattr(SparkContext, "_active_spark_context", None)
    return monkeypatch


def wrong(**arguments: Any) -> list[tuple[str, str]]:
    """Name and condition of each line that is not ok."""
    checks = hudilite.doctor(**arguments).checks
    return [(check.name, check.error.condition) for check in checks if check.error]


def line(name: str) -> Check:
    return next(check for check in hudilite.doctor().checks if check.name == name)


def test_a_place_where_nothing_is_wrong(well: pytest.MonkeyPatch, tmp_path: Path) -> None:
    report = hudilite.doctor()
    assert report.ok
    assert [check.name for check in report.checks] == [
        *("java", "jar", "pyspark", "spark", "environment", "session")
    ]
    assert report.errors == ()
    assert report.checks[0].text == f"17.0.2 at {tmp_path / 'bin' / 'java'}"
    assert pyspark.__version__ in repr(report)
    assert [text.split()[0] for text in repr(report).splitlines()] == ["ok"] * 6


@pytest.mark.parametrize(
    "says",
    [
        version_text("21"),
        version_text("21.0.1-ea"),
        "Picked up JAVA_TOOL_OPTIONS: -Xmx1g\n" + version_text("17"),
    ],
)
def test_the_javas_that_spark_runs_on(well: pytest.MonkeyPatch, tmp_path: Path, says: str) -> None:
    fake_java(tmp_path / "bin", says)
    assert wrong() == []


@pytest.mark.parametrize("version", ["11.0.22", "1.8.0_402", "24.0.1", "170"])
def test_another_java_is_named_with_its_version(
    well: pytest.MonkeyPatch, tmp_path: Path, version: str
) -> None:
    program = fake_java(tmp_path / "bin", version_text(version))
    assert wrong() == [("java", "HUDILITE_JAVA_VERSION_UNSUPPORTED")]
    (error,) = hudilite.doctor().errors
    assert error.parameters == {"path": str(program), "found": version, "supported": "17 or 21"}
    assert isinstance(error, hudilite.errors.SessionError)


def test_java_home_goes_before_path(well: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = fake_java(tmp_path / "jdk11" / "bin", version_text("11"))
    well.setenv("JAVA_HOME", str(tmp_path / "jdk11"))
    (error,) = hudilite.doctor().errors
    assert error.parameters["path"] == str(program)
    fake_java(tmp_path / "jdk11" / "bin", version_text("21"))
    fake_java(tmp_path / "bin", version_text("11"))
    assert wrong() == []


@pytest.mark.parametrize("how", ["no home", "no path", "silent", "broken", "not executable"])
def test_without_a_java(well: pytest.MonkeyPatch, tmp_path: Path, how: str) -> None:
    program = tmp_path / "bin" / "java"
    if how == "no home":
        well.setenv("JAVA_HOME", str(tmp_path / "nowhere"))
    elif how == "no path":
        well.setenv("PATH", str(tmp_path / "jars"))
    elif how == "silent":
        fake_java(tmp_path / "bin", "")
    elif how == "broken":
        program.write_bytes(b"\x7fELF")
    else:
        program.chmod(0o644)
        well.setenv("PATH", str(tmp_path / "bin"))
    assert wrong() == [("java", "HUDILITE_JAVA_MISSING")]


def test_another_pyspark_is_named_with_the_package_to_install(well: pytest.MonkeyPatch) -> None:
    well.setattr(pyspark, "__version__", "3.5.9")
    assert ("pyspark", "HUDILITE_SPARK_VERSION_UNSUPPORTED") in wrong()
    assert hudilite.doctor().errors[0].parameters["found"] == "3.5.9"


def test_without_pyspark(well: pytest.MonkeyPatch) -> None:
    well.setitem(sys.modules, "pyspark", None)
    names = ("pyspark", "spark", "environment", "session")
    assert wrong() == [(name, "HUDILITE_PACKAGE_MISSING") for name in names]
    assert len(hudilite.doctor().errors) == 1
    assert line("session").text == "same error as pyspark above"
    assert "pyspark~=" in hudilite.doctor().errors[0].parameters["package"]


def test_without_a_jar(well: pytest.MonkeyPatch, tmp_path: Path) -> None:
    well.setattr(versions, "JAR_FOLDER", tmp_path / "bin")
    assert wrong() == [(name, "HUDILITE_JAR_MISSING") for name in ("jar", "pyspark", "spark")]
    assert len(hudilite.doctor().errors) == 1


def test_spark_home_of_another_spark(well: pytest.MonkeyPatch, tmp_path: Path) -> None:
    well.setenv("SPARK_HOME", str(tmp_path / "spark"))
    assert wrong() == [("spark", "HUDILITE_ENVIRONMENT_INVALID")]
    core = tmp_path / "spark" / "jars"
    core.mkdir(parents=True)
    (core / "spark-core_2.12-3.5.9.jar").touch()
    assert wrong() == [("spark", "HUDILITE_SCALA_VERSION_UNSUPPORTED")]
    (core / "spark-core_2.12-3.5.9.jar").rename(core / "spark-core_2.13-4.0.1.jar")
    assert wrong() == [("spark", "HUDILITE_SPARK_VERSION_UNSUPPORTED")]
    (core / "spark-core_2.13-4.0.1.jar").rename(core / f"spark-core_2.13-{pyspark.__version__}.jar")
    assert wrong() == []
    assert str(tmp_path / "spark") in line("spark").text


def test_spark_home_of_another_supported_spark(well: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Both versions have a jar, but the Python half of one cannot talk to the JVM half of another."""
    own = ".".join(pyspark.__version__.split(".")[:2])
    other = "4.2" if own == "4.1" else "4.1"
    (tmp_path / "jars" / f"hudilite-spark-{other}.jar").touch()
    core = tmp_path / "spark" / "jars"
    core.mkdir(parents=True)
    (core / f"spark-core_2.13-{other}.0.jar").touch()
    well.setenv("SPARK_HOME", str(tmp_path / "spark"))
    assert wrong() == [("spark", "HUDILITE_ENVIRONMENT_INVALID")]
    (error,) = hudilite.doctor().errors
    assert error.parameters["value"] == str(tmp_path / "spark")
    assert f"{other}.0" in error.parameters["reason"]
    assert pyspark.__version__ in error.parameters["reason"]
    (core / f"spark-core_2.13-{other}.0.jar").rename(core / f"spark-core_2.13-{own}.99.jar")
    assert wrong() == []


@pytest.mark.parametrize("text", ["--jars a.jar", "--conf 'a=b pyspark-shell", "pyspark-shell --x"])
def test_submit_arguments_that_would_break_a_session(well: pytest.MonkeyPatch, text: str) -> None:
    well.setenv(settings.SUBMIT, text)
    assert wrong() == [("environment", "HUDILITE_ENVIRONMENT_INVALID")]
    (error,) = hudilite.doctor().errors
    assert (error.parameters["name"], error.parameters["value"]) == (settings.SUBMIT, text)


def test_submit_arguments_that_do_no_harm(well: pytest.MonkeyPatch) -> None:
    well.setenv(settings.SUBMIT, "--jars 'a b.jar' --conf spark.sql.extensions=x pyspark-shell")
    assert wrong() == []


def test_catalogs_that_are_both_taken(well: pytest.MonkeyPatch, tmp_path: Path) -> None:
    taken = f"{settings.SPARK_CATALOG} a.Delta\n{settings.OWN_CATALOG} b.Other\n"
    (tmp_path / "spark-defaults.conf").write_text(taken)
    well.setenv("SPARK_CONF_DIR", str(tmp_path))
    assert wrong() == [("environment", "HUDILITE_CATALOG_NAME_TAKEN")]


def test_spark_connect(well: pytest.MonkeyPatch) -> None:
    well.setenv("SPARK_REMOTE", "sc://host")
    assert wrong() == [("spark", "HUDILITE_SESSION_REMOTE")]


def running(conf: dict[str, str], monkeypatch: pytest.MonkeyPatch, *, has_jar: bool) -> None:
    """An application that seems to run in this process, without a session of its own."""
    context = SimpleNamespace(
        appName="orders",
        version=pyspark.__version__,
        getConf=lambda: SimpleNamespace(getAll=lambda: list(conf.items())),
    )
    loader = SimpleNamespace(getResource=lambda name: "there" if has_jar else None)
    monkeypatch.setattr(SparkContext, "_active_spark_context", context)
    monkeypatch.setattr(SparkSession, "getActiveSession", classmethod(lambda cls: None))
    monkeypatch.setattr(SparkSession, "_instantiatedSession", None)
    monkeypatch.setattr(sessions, "_loader", lambda: loader)


def test_a_running_session_that_is_ready(well: pytest.MonkeyPatch) -> None:
    running(settings.to_add({}, Path("/x/a.jar")), well, has_jar=True)
    assert wrong() == []
    assert line("session").text == f"orders on Spark {pyspark.__version__}"


@pytest.mark.parametrize("lacks", ["extension", "catalog", "jar"])
def test_a_running_session_that_lacks_something(well: pytest.MonkeyPatch, lacks: str) -> None:
    conf = settings.to_add({}, Path("/x/a.jar"))
    words = {"extension": settings.EXTENSIONS, "catalog": "catalog", "jar": "class path"}
    conf.pop(
        {"extension": settings.EXTENSIONS, "catalog": settings.SPARK_CATALOG}.get(lacks, ""), None
    )
    running(conf, well, has_jar=lacks != "jar")
    assert wrong() == [("session", "HUDILITE_SESSION_NOT_READY")]
    assert words[lacks] in hudilite.doctor().errors[0].parameters["missing"]


def test_a_running_session_whose_jvm_is_gone(well: pytest.MonkeyPatch) -> None:
    running(settings.to_add({}, Path("/x/a.jar")), well, has_jar=True)

    def gone() -> None:
        raise ConnectionRefusedError(111, "Connection refused")

    well.setattr(sessions, "_loader", gone)
    assert wrong() == [("session", "HUDILITE_SESSION_NOT_READY")]
    assert "JVM" in hudilite.doctor().errors[0].parameters["missing"]


def test_a_port_that_answers(well: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
        assert wrong(port=port) == []
        assert hudilite.doctor(port=port).checks[-1].name == "thrift"


def test_a_port_that_does_not_answer(well: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1]
    assert wrong(port=port) == [("thrift", "HUDILITE_PORT_SILENT")]
    assert wrong(port=0) == wrong(port=-1) == [("thrift", "HUDILITE_PORT_SILENT")]


def test_a_port_that_is_too_large_is_not_another(well: pytest.MonkeyPatch) -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        port = server.getsockname()[1] + 65_536
        assert wrong(port=port) == [("thrift", "HUDILITE_PORT_SILENT")]


def test_a_connection_that_meets_itself_is_no_answer(well: pytest.MonkeyPatch) -> None:
    own = socket.socket()
    own.bind(("127.0.0.1", 0))
    port = own.getsockname()[1]
    own.connect(("127.0.0.1", port))
    well.setattr(socket, "create_connection", lambda *place, **options: own)
    assert wrong(port=port) == [("thrift", "HUDILITE_PORT_SILENT")]


def test_the_command_says_that_all_is_well(
    well: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["doctor"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    assert [text.split()[:2] for text in printed.out.splitlines()[1:]] == [
        ["ok", check.name] for check in hudilite.doctor().checks
    ]


def test_the_command_says_the_first_fault_on_stderr(
    well: pytest.MonkeyPatch, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    fake_java(tmp_path / "bin", version_text("11"))
    well.setenv(settings.SUBMIT, "x")
    assert main(["doctor", "--json"]) == 1
    printed = capsys.readouterr()
    (said,) = printed.err.splitlines()
    assert said.startswith("error: [HUDILITE_JAVA_VERSION_UNSUPPORTED] ")
    found = json.loads(printed.out)
    assert found["ok"] is False
    assert [c["condition"] for c in found["checks"] if not c["ok"]] == [
        "HUDILITE_JAVA_VERSION_UNSUPPORTED",
        "HUDILITE_ENVIRONMENT_INVALID",
    ]
    assert all(set(c) == {"name", "ok", "text", "condition"} for c in found["checks"])


@pytest.mark.parametrize("port", ["0", "65536", "x", "-1", "\u0661"])
def test_a_port_that_is_none_is_a_fault_of_usage(port: str) -> None:
    with pytest.raises(SystemExit) as left:
        main(["doctor", f"--port={port}"])
    assert left.value.code == 2


def test_the_doctor_starts_no_jvm(well: pytest.MonkeyPatch, tmp_path: Path) -> None:
    program = tmp_path / "bin" / "java"
    asked = tmp_path / "asked"
    program.write_text(program.read_text().replace("cat >&2", f'echo "$@" >>{asked}\ncat >&2', 1))
    done = subprocess.run([sys.executable, "-m", "hudilite", "doctor"], capture_output=True)
    assert b"17.0.2" in done.stdout
    assert asked.read_text() == "-version\n"
