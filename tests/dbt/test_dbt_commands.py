"""The commands of hudilite for dbt, and the package in the wheel."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import yaml
from shop import EXAMPLE, PACKAGE

from harness.session import JAR
from hudilite.cli import main
from hudilite.launch.settings import PROVIDER


def test_packages_yml_names_the_package_of_the_wheel(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dbt-package"]) == 0
    (package,) = yaml.safe_load(capsys.readouterr().out)["packages"]
    assert Path(package["local"]) == PACKAGE
    project = yaml.safe_load((PACKAGE / "dbt_project.yml").read_text(encoding="utf-8"))
    assert project["name"] == "hudilite"
    assert main(["dbt-package", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"path": str(PACKAGE)}


def test_a_profile_has_what_a_session_needs(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["dbt-profile", "--schema", "shop"]) == 0
    output = yaml.safe_load(capsys.readouterr().out)["session"]
    settings = output.pop("server_side_parameters")
    assert output == {"type": "spark", "method": "session", "host": "NA", "schema": "shop"}
    assert Path(settings["spark.driver.extraClassPath"]).name == JAR.name
    assert settings[PROVIDER] == "true"
    assert main(["dbt-profile", "--json"]) == 0
    assert json.loads(capsys.readouterr().out) == {"server_side_parameters": settings}


def test_the_guide_shows_the_files_of_the_example() -> None:
    guide = (EXAMPLE.parents[1] / "how-to" / "dbt.md").read_text(encoding="utf-8")
    wrappers = (EXAMPLE / "macros" / "hudilite.sql").read_text(encoding="utf-8")
    shown = "\n".join(line.strip() for line in guide.splitlines())
    for line in wrappers.splitlines()[1:]:
        assert line.strip() in shown
