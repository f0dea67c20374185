"""The Spark in one jar: what of it a JVM finds as it does in many."""

from __future__ import annotations

import os
from pathlib import Path
from zipfile import ZipFile

import pytest

from harness import one_jar


def jar(place: Path, **files: str) -> None:
    place.parent.mkdir(parents=True, exist_ok=True)
    with ZipFile(place, "w") as made:
        for name, text in files.items():
            made.writestr(name.replace("__", "/").replace("_", "."), text)


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A package pyspark in an environment, with its Spark in one jar."""
    monkeypatch.setattr(one_jar, "HOMES", tmp_path / "homes")
    monkeypatch.setenv(one_jar.ASKED, "1")
    found = tmp_path / ".env" / "lib" / "python3" / "site-packages" / "pyspark"
    jar(found / "jars" / "a.jar", org__A_class="first", only_txt="a")
    jar(found / "jars" / "b.jar", org__A_class="second", other_txt="b")
    jar(found / "jars" / "log4j-x.jar", own_txt="x")
    for name in ("a", "b"):
        with ZipFile(found / "jars" / f"{name}.jar", "a") as more:
            more.writestr(f"{one_jar.SERVICES}Some", f"of.{name}")
            more.writestr("yarn-default.xml", "<many/>")
            more.writestr("META-INF/X.SF", "a signature")
    (found / "version.py").touch()
    (found / "bin").mkdir()
    one_jar.make(found)
    return found


def test_the_first_file_of_a_name_counts_and_services_are_joined(package: Path) -> None:
    home = one_jar.home(package)
    assert home is not None
    assert sorted(path.name for path in (home / "jars").iterdir()) == ["log4j-x.jar", "spark.jar"]
    with ZipFile(home / "jars" / "spark.jar") as merged:
        names = merged.namelist()
        assert len(names) == len(set(names))
        assert merged.read("org/A.class") == b"first"
        assert merged.read(f"{one_jar.SERVICES}Some").split() == [b"of.a", b"of.b"]
        assert b"many" not in merged.read("yarn-default.xml")
        assert {"only.txt", "other.txt"} < set(names)
        assert "META-INF/X.SF" not in names
    assert (home / "bin").is_dir()


def test_another_pyspark_has_none(package: Path, tmp_path: Path) -> None:
    other = tmp_path / "elsewhere" / ".env" / "lib" / "python3" / "site-packages" / "pyspark"
    other.mkdir(parents=True)
    (other / "version.py").touch()
    assert one_jar.place_of(other) == one_jar.place_of(package)
    assert one_jar.home(other) is None


def test_nobody_has_it_who_does_not_ask(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(one_jar.ASKED)
    assert one_jar.home(package) is None


def test_the_environment_is_as_it_was(package: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pyspark.__file__", str(package / "__init__.py"))
    monkeypatch.delenv("SPARK_HOME", raising=False)
    monkeypatch.setenv("SPARK_SUBMIT_OPTS", f"-XX:SharedArchiveFile={one_jar.ARCHIVES[0]}")
    before = dict(os.environ)
    with one_jar.used():
        assert Path(os.environ["SPARK_HOME"]) == one_jar.home(package)
        assert one_jar.ARCHIVES[1] in os.environ["SPARK_SUBMIT_OPTS"]
    assert dict(os.environ) == before
