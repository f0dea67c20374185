"""What a session is started with, and which Spark is refused: no JVM starts here."""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

import hudilite
from hudilite.errors import HudiliteError, SessionError
from hudilite.launch import inherited_settings, settings, versions

JAR = Path("/x/some where/hudilite-spark-4.1.jar")


@pytest.fixture
def jars(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package that carries jars for Spark 4.1 and 4.10."""
    for minor in ("4.10", "4.1"):
        (tmp_path / f"hudilite-spark-{minor}.jar").touch()
    monkeypatch.setattr(versions, "JAR_FOLDER", tmp_path)
    return tmp_path


@pytest.fixture
def clean_environment(monkeypatch: pytest.MonkeyPatch) -> pytest.MonkeyPatch:
    for name in ("SPARK_HOME", "SPARK_REMOTE", "SPARK_API_MODE", settings.SUBMIT, "SPARK_CONF_DIR"):
        monkeypatch.delenv(name, raising=False)
    return monkeypatch


def test_settings_of_an_empty_builder() -> None:
    assert settings.to_add({}, JAR) == {
        "spark.sql.extensions": "hudilite.spark.HudiliteExtensions",
        "spark.sql.catalog.spark_catalog": "hudilite.spark.HudiliteCatalog",
        "spark.jars": "file:///x/some%20where/hudilite-spark-4.1.jar",
        "spark.driver.extraClassPath": "/x/some where/hudilite-spark-4.1.jar",
    }


def test_settings_add_to_what_is_there() -> None:
    theirs = {
        settings.EXTENSIONS: "io.delta.sql.DeltaSparkSessionExtension, a.B",
        settings.JARS: "/x/delta.jar",
        settings.DRIVER_CLASS_PATH: f"/x/a.jar{os.pathsep}/x/b.jar",
    }
    changed = settings.to_add(theirs, JAR)
    assert changed[settings.EXTENSIONS] == (
        "hudilite.spark.HudiliteExtensions,io.delta.sql.DeltaSparkSessionExtension,a.B,"
        "hudilite.spark.HudiliteCommands"
    )
    assert changed[settings.JARS] == f"/x/delta.jar,{JAR.as_uri()}"
    assert changed[settings.DRIVER_CLASS_PATH] == os.pathsep.join(
        ["/x/a.jar", "/x/b.jar", str(JAR)]
    )


def test_settings_twice_are_settings_once() -> None:
    once = settings.to_add({}, JAR)
    assert once | settings.to_add(once, JAR) == once


def test_jar_of_that_name_stays_the_one_chosen() -> None:
    changed = settings.to_add({settings.JARS: "s3a://jars/hudilite-spark-4.1.jar"}, JAR)
    assert changed[settings.JARS] == "s3a://jars/hudilite-spark-4.1.jar"


def test_another_spark_catalog_keeps_its_name() -> None:
    delta = {settings.SPARK_CATALOG: "org.apache.spark.sql.delta.catalog.DeltaCatalog"}
    changed = settings.to_add(delta, JAR)
    assert settings.SPARK_CATALOG not in changed
    assert changed["spark.sql.catalog.hudilite"] == "hudilite.spark.HudiliteCatalog"


def test_catalog_under_a_chosen_name_is_enough() -> None:
    named = {
        settings.SPARK_CATALOG: "org.apache.spark.sql.delta.catalog.DeltaCatalog",
        "spark.sql.catalog.lake": settings.CATALOG_CLASS,
    }
    assert not [key for key in settings.to_add(named, JAR) if ".catalog." in key]


def test_two_catalog_names_that_are_taken_are_refused() -> None:
    taken = {settings.SPARK_CATALOG: "a.Delta", settings.OWN_CATALOG: "b.Other"}
    with pytest.raises(SessionError) as caught:
        settings.to_add(taken, JAR)
    assert caught.value.condition == "HUDILITE_CATALOG_NAME_TAKEN"
    assert caught.value.parameters == {"owner": "b.Other"}


def test_defaults_file_and_submit_arguments_are_read(tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text(
        "# a comment\n\nspark.sql.extensions  a.A\nspark.jars=/x/a.jar\nspark.one : 1\nodd\n"
    )
    arguments = "--conf spark.sql.extensions=b.B --jars=/y/b.jar --driver-class-path /y/c.jar"
    found = inherited_settings.of_session(
        {"SPARK_CONF_DIR": str(tmp_path), settings.SUBMIT: f"{arguments} pyspark-shell"},
        Path("/none"),
    )
    assert found == {
        "spark.sql.extensions": "b.B",
        "spark.jars": "/y/b.jar",
        "spark.driver.extraClassPath": "/y/c.jar",
        "spark.one": "1",
    }
    assert inherited_settings.of_session({}, Path("/none")) == {}


def test_the_defaults_file_is_read_as_spark_reads_it(tmp_path: Path) -> None:
    """Properties of Java in UTF-8, with values trimmed; a byte that is not UTF-8 becomes U+FFFD."""
    file = tmp_path / "spark-defaults.conf"
    file.write_bytes(
        b"spark.jars  a.jar,\\\n    b.jar  \n! comment\nspark.a\\ b=\xc3\xa9 \xff\\u0021\r\n"
        b"spark.empty\n\tspark.tab\t:\tx\\\\y\t\n"
    )
    environment = {"SPARK_CONF_DIR": str(tmp_path)}
    assert inherited_settings.of_program([], environment, Path("/none")) == {
        "spark.jars": "a.jar,b.jar",
        "spark.a b": "\u00e9 \ufffd!",
        "spark.empty": "",
        "spark.tab": "x\\y",
    }
    file.write_text("spark.a \\u12\n")
    with pytest.raises(HudiliteError) as raised:
        inherited_settings.of_program([], environment, Path("/none"))
    assert raised.value.condition == "HUDILITE_PATH_INVALID"
    assert raised.value.parameters["path"] == str(file)


def test_flags_add_to_those_of_the_user() -> None:
    words = ["--jars", "/x/delta.jar", "--conf", f"{settings.EXTENSIONS}=a.B", "-e", "SELECT 1"]
    flags = settings.submit_flags(inherited_settings.of_program(words, {}, Path("/none")), JAR)
    assert dict(zip(flags[::2], flags[1::2], strict=True)) | {"--conf": None} == {
        "--jars": f"/x/delta.jar,{JAR.as_uri()}",
        "--driver-class-path": str(JAR),
        "--conf": None,
    }
    assert [value for flag, value in pairwise(flags) if flag == "--conf"] == [
        f"{settings.SPARK_CATALOG}={settings.CATALOG_CLASS}",
        f"{settings.EXTENSIONS}={settings.EXTENSIONS_CLASS},a.B,{settings.COMMANDS_CLASS}",
    ]
    # With its own flags before it, Spark is readied no further.
    again = inherited_settings.of_program([*words, *flags], {}, Path("/none"))
    assert again | settings.to_add(again, JAR) == again


def test_a_file_of_properties_replaces_the_defaults(tmp_path: Path) -> None:
    (tmp_path / "spark-defaults.conf").write_text("spark.one 1\nspark.two 1\n")
    (tmp_path / "own.conf").write_text("spark.two 2\n")
    environment = {"SPARK_CONF_DIR": str(tmp_path)}
    own = ["--properties-file", str(tmp_path / "own.conf")]

    def found(*words: str) -> dict[str, str]:
        return inherited_settings.of_program(words, environment, Path("/none"))

    assert found() == {"spark.one": "1", "spark.two": "1"}
    assert found(*own) == found("=".join(own)) == {"spark.two": "2"}
    assert found(*own, "--load-spark-defaults") == {"spark.one": "1", "spark.two": "2"}
    assert found(*own, "--conf", "spark.two=3") == {"spark.two": "3"}
    assert found("--properties-file", str(tmp_path / "absent")) == {}


def test_jar_is_of_the_minor_version(jars: Path) -> None:
    assert versions.supported_sparks() == ["4.1", "4.10"]
    assert versions.jar_for("4.1.3") == jars / "hudilite-spark-4.1.jar"
    assert versions.jar_for("4.10.0") == jars / "hudilite-spark-4.10.jar"


def test_other_spark_is_refused_with_what_to_install(jars: Path) -> None:
    with pytest.raises(SessionError, match=r"pip install 'pyspark~=4.1.0'") as caught:
        versions.jar_for("3.5.9")
    assert caught.value.condition == "HUDILITE_SPARK_VERSION_UNSUPPORTED"
    assert caught.value.parameters == {
        "found": "3.5.9",
        "supported": "4.1 and 4.10",
        "best": "4.1",
    }


def test_package_without_a_jar_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(versions, "JAR_FOLDER", tmp_path)
    with pytest.raises(SessionError) as caught:
        versions.jar_for("4.1.3")
    assert caught.value.condition == "HUDILITE_JAR_MISSING"


def test_configure_refuses_the_spark_of_spark_home(
    jars: Path, tmp_path: Path, clean_environment: pytest.MonkeyPatch
) -> None:
    (tmp_path / "jars").mkdir()
    (tmp_path / "jars" / "spark-core_2.12-3.5.9.jar").touch()
    clean_environment.setenv("SPARK_HOME", str(tmp_path))
    with pytest.raises(SessionError) as caught:
        hudilite.configure(SparkSession.builder)
    assert caught.value.condition == "HUDILITE_SCALA_VERSION_UNSUPPORTED"
    assert caught.value.parameters == {"found": "2.12", "supported": "2.13"}
    (tmp_path / "jars" / "spark-core_2.12-3.5.9.jar").rename(
        tmp_path / "jars" / "spark-core_2.13-4.0.1.jar"
    )
    with pytest.raises(SessionError) as caught:
        hudilite.configure(SparkSession.builder)
    assert caught.value.condition == "HUDILITE_SPARK_VERSION_UNSUPPORTED"
    assert caught.value.parameters["found"] == "4.0.1"


def test_configure_refuses_quotes_that_are_not_closed(
    jars: Path, clean_environment: pytest.MonkeyPatch
) -> None:
    clean_environment.setenv(settings.SUBMIT, "--conf 'a=b pyspark-shell")
    # A JVM that another test started has read its arguments already.
    clean_environment.setattr(SparkContext, "_gateway", None)
    clean_environment.setattr(SparkContext, "_active_spark_context", None)
    with pytest.raises(SessionError) as caught:
        hudilite.configure(SparkSession.builder)
    assert caught.value.condition == "HUDILITE_ENVIRONMENT_INVALID"
    assert caught.value.parameters["name"] == settings.SUBMIT
    assert "quotes" in caught.value.parameters["reason"]


def test_configure_refuses_spark_connect(jars: Path, clean_environment: pytest.MonkeyPatch) -> None:
    with pytest.raises(SessionError) as caught:
        hudilite.configure(SparkSession.builder.remote("sc://host:15002"))
    assert caught.value.condition == "HUDILITE_SESSION_REMOTE"
    assert caught.value.parameters["url"] == "sc://host:15002"
    clean_environment.setenv("SPARK_REMOTE", "sc://other")
    with pytest.raises(SessionError, match="sc://other"):
        hudilite.session()
